// Adds up partial histograms of 64 bins. A block has a bin: its threads add
// that of the partial histograms in turn, and then their sums in a tree.
#include "cuda.h"

constexpr unsigned BINS = 64;
constexpr unsigned THREADS = 256;

extern "C" __global__ void histogramMerge(unsigned *histogram,
                                          const unsigned *partial,
                                          unsigned partials) {
  __shared__ unsigned sums[THREADS];

  unsigned tid = threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned i = tid; i < partials; i += THREADS)
    sum += partial[blockIdx.x + i * BINS];
  sums[tid] = sum;

#pragma unroll 1
  for (unsigned active = THREADS / 2; active > 0; active /= 2) {
    __syncthreads();
    if (tid < active)
      sums[tid] += sums[tid + active];
  }

  if (tid == 0)
    histogram[blockIdx.x] = sums[0];
}
