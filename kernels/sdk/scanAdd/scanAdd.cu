// Adds to the exclusive sums of each tile of 1024 elements what is before it.
#include "scan.h"

extern "C" __global__ void scanAdd(Four *scanned, const unsigned *totals) {
  // Volatile, since clang 14 carries values of such words over barriers.
  __shared__ volatile unsigned before;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    before = totals[blockIdx.x];
  __syncthreads();
  Four four = scanned[i];
  four.x += before;
  four.y += before;
  four.z += before;
  four.w += before;
  scanned[i] = four;
}
