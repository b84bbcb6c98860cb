// The last steps of the merge of runs of `size` keys, with values: from strides
// of half a tile down to 1, for which a tile stays in shared memory.
#include "bitonic.h"

extern "C" __global__ void bitonicMergeTiles(unsigned *allKeys,
                                             unsigned *allValues, unsigned n,
                                             unsigned size) {
  __shared__ unsigned keys[TILE];
  __shared__ unsigned values[TILE];

  unsigned tid = threadIdx.x;
  unsigned at = blockIdx.x * TILE + tid;
  keys[tid] = allKeys[at];
  values[tid] = allValues[at];
  keys[tid + TILE / 2] = allKeys[at + TILE / 2];
  values[tid + TILE / 2] = allValues[at + TILE / 2];

  unsigned comparator = (blockIdx.x * blockDim.x + tid) & (n / 2 - 1);
  bool ascending = (comparator & (size / 2)) == 0;

#pragma unroll 1
  for (unsigned stride = TILE / 2; stride > 0; stride /= 2) {
    __syncthreads();
    unsigned place = firstPlace(tid, stride);
    order(keys[place], values[place], keys[place + stride],
          values[place + stride], ascending);
  }

  __syncthreads();
  allKeys[at] = keys[tid];
  allValues[at] = values[tid];
  allKeys[at + TILE / 2] = keys[tid + TILE / 2];
  allValues[at + TILE / 2] = values[tid + TILE / 2];
}
