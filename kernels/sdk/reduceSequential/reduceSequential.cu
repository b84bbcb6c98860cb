// Sums the elements of each block in shared memory: in each step, the first
// threads add the second half of the sums to the first, without conflicts.
#include "reduce.h"

extern "C" __global__ void reduceSequential(const int *in, int *out,
                                            unsigned n) {
  __shared__ int sums[THREADS];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + tid;
  sums[tid] = i < n ? in[i] : 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      sums[tid] += sums[tid + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = sums[0];
}
