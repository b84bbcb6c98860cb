// Sorts each tile of TILE keys in shared memory by a bitonic network, even
// tiles ascending and odd ones descending, as a merge of longer sequences
// wants them. A block sorts one tile with TILE / 2 threads, one per comparator.
#include "cuda.h"

constexpr unsigned TILE = 512;

extern "C" __global__ void bitonicSort(unsigned *keys) {
  __shared__ unsigned tile[TILE];

  unsigned tid = threadIdx.x;
  unsigned *source = keys + blockIdx.x * TILE;
  tile[tid] = source[tid];
  tile[tid + TILE / 2] = source[tid + TILE / 2];

  for (unsigned size = 2; size <= TILE; size *= 2) {
    // Runs of `size` keys alternate in direction; the last run is the tile.
    unsigned run = size < TILE ? tid / (size / 2) : blockIdx.x;
    bool descending = run % 2 != 0;
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      unsigned low = 2 * tid - (tid & (stride - 1));
      unsigned high = low + stride;
      unsigned x = tile[low];
      unsigned y = tile[high];
      if ((x > y) != descending) {
        tile[low] = y;
        tile[high] = x;
      }
    }
  }

  __syncthreads();
  source[tid] = tile[tid];
  source[tid + TILE / 2] = tile[tid + TILE / 2];
}
