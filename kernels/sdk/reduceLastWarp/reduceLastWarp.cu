// Sums the elements of each block in shared memory: the last 64 sums are added
// by one warp without a loop and barriers, since its threads go in step.
#include "reduce.h"

extern "C" __global__ void reduceLastWarp(const int *in, int *out, unsigned n) {
  __shared__ int sums[THREADS];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x * 2 + tid;
  int sum = i < n ? in[i] : 0;
  if (i + blockDim.x < n)
    sum += in[i + blockDim.x];
  sums[tid] = sum;
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride)
      sums[tid] = sum = sum + sums[tid + stride];
    __syncthreads();
  }
  if (tid < 32) {
    volatile int *step = sums;
    step[tid] = sum = sum + step[tid + 32];
    step[tid] = sum = sum + step[tid + 16];
    step[tid] = sum = sum + step[tid + 8];
    step[tid] = sum = sum + step[tid + 4];
    step[tid] = sum = sum + step[tid + 2];
    step[tid] = sum = sum + step[tid + 1];
  }
  if (tid == 0)
    out[blockIdx.x] = sums[0];
}
