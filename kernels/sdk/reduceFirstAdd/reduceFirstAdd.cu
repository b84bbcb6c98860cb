// Sums the elements of each block in shared memory: a thread adds two elements
// as it loads them, and half as many blocks do.
#include "reduce.h"

extern "C" __global__ void reduceFirstAdd(const int *in, int *out, unsigned n) {
  __shared__ int sums[THREADS];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x * 2 + tid;
  int sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n)
    sum += in[i + blockDim.x];
  sums[tid] = sum;
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride)
      sums[tid] = sum = sum + sums[tid + stride];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = sums[0];
}
