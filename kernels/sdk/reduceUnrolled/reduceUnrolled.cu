// Sums the elements of each block in shared memory without any loop, since the
// number of threads is known.
#include "reduce.h"

extern "C" __global__ void reduceUnrolled(const int *in, int *out, unsigned n) {
  __shared__ int sums[THREADS];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * THREADS * 2 + tid;
  int sum = i < n ? in[i] : 0;
  if (i + THREADS < n)
    sum += in[i + THREADS];
  sums[tid] = sum;
  __syncthreads();
  if (tid < 128)
    sums[tid] = sum = sum + sums[tid + 128];
  __syncthreads();
  if (tid < 64)
    sums[tid] = sum = sum + sums[tid + 64];
  __syncthreads();
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
