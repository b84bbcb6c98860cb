// Sorts tiles of keys with values in shared memory by a bitonic network, even
// tiles ascending and odd ones descending, as merges of longer runs want them.
#include "bitonic.h"

extern "C" __global__ void bitonicTiles(const unsigned *keysIn,
                                        const unsigned *valuesIn,
                                        unsigned *keysOut, unsigned *valuesOut,
                                        unsigned tile) {
  __shared__ unsigned keys[TILE];
  __shared__ unsigned values[TILE];

  unsigned tid = threadIdx.x;
  unsigned at = blockIdx.x * TILE + tid;
  keys[tid] = keysIn[at];
  values[tid] = valuesIn[at];
  keys[tid + TILE / 2] = keysIn[at + TILE / 2];
  values[tid + TILE / 2] = valuesIn[at + TILE / 2];

  // Runs of `size` keys in alternating order become runs of twice the size.
  for (unsigned size = 2; size < tile; size *= 2) {
    bool ascending = (tid & (size / 2)) == 0;
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      unsigned place = firstPlace(tid, stride);
      order(keys[place], values[place], keys[place + stride],
            values[place + stride], ascending);
    }
  }

  bool ascending = (blockIdx.x & 1) == 0;
  for (unsigned stride = tile / 2; stride > 0; stride /= 2) {
    __syncthreads();
    unsigned place = firstPlace(tid, stride);
    order(keys[place], values[place], keys[place + stride],
          values[place + stride], ascending);
  }

  __syncthreads();
  keysOut[at] = keys[tid];
  valuesOut[at] = values[tid];
  keysOut[at + TILE / 2] = keys[tid + TILE / 2];
  valuesOut[at + TILE / 2] = values[tid + TILE / 2];
}
