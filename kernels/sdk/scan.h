// What the kernels that scan share: the scan of a block in shared memory.
#pragma once
#include "cuda.h"

constexpr unsigned THREADS = 256;

struct alignas(16) Four {
  unsigned x, y, z, w;
};

// The sum of `value` over the threads up to this one, in runs of `size`
// threads. In front of the sums of each run are as many zeros, so that no
// thread must ask how far from the first it is.
DEVICE_INLINE unsigned scanInclusive(unsigned value, unsigned *sums,
                                     unsigned size) {
  unsigned place = 2 * threadIdx.x - (threadIdx.x & (size - 1));
  sums[place] = 0;
  place += size;
  sums[place] = value;
#pragma unroll 1
  for (unsigned offset = 1; offset < size; offset *= 2) {
    __syncthreads();
    unsigned sum = sums[place] + sums[place - offset];
    __syncthreads();
    sums[place] = sum;
  }
  return sums[place];
}

// The sum over the threads before this one.
DEVICE_INLINE unsigned scanExclusive(unsigned value, unsigned *sums,
                                     unsigned size) {
  return scanInclusive(value, sums, size) - value;
}
