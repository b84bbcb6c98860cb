// Sums the elements of each block in shared memory: in each step, threads
// whose number is a multiple of twice the stride add, and warps diverge.
#include "reduce.h"

extern "C" __global__ void reduceModulo(const int *in, int *out, unsigned n) {
  __shared__ int sums[THREADS];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + tid;
  sums[tid] = i < n ? in[i] : 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0)
      sums[tid] += sums[tid + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = sums[0];
}
