// Sums the elements of each block in shared memory: in each step, the first
// threads add, at places that are twice the stride apart, in few banks.
#include "reduce.h"

extern "C" __global__ void reduceStrided(const int *in, int *out, unsigned n) {
  __shared__ int sums[THREADS];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + tid;
  sums[tid] = i < n ? in[i] : 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    unsigned place = 2 * stride * tid;
    if (place < blockDim.x)
      sums[place] += sums[place + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = sums[0];
}
