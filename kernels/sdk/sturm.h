// What the three kernels of bisection share: how many eigenvalues of a
// symmetric tridiagonal matrix are less than a number, where an interval is
// divided, and when it is short enough.
#pragma once
#include "cuda.h"

constexpr unsigned THREADS = 256;

// Single words in shared memory by which threads tell each other something are
// volatile: clang 14 carries the values of others over barriers.

// What a thread of a block that counts has of the matrix at a time.
struct Stage {
  float diagonal[THREADS];
  float square[THREADS]; // of the entry above that of the diagonal
};

// The number of eigenvalues that are less than x: the negative terms of
// Sturm's sequence. All threads of a block call it together, each with its own
// x, since they load the matrix together; `counts` tells whether a thread has
// anything to count.
DEVICE_INLINE unsigned countBelow(const float *diagonal, const float *above,
                                  unsigned n, float x, bool counts,
                                  Stage &stage) {
  unsigned tid = threadIdx.x;
  unsigned count = 0;
  float term = 1.0f;
#pragma unroll 1
  for (unsigned first = 0; first < n; first += THREADS) {
    __syncthreads();
    if (first + tid < n) {
      float b = above[first + tid]; // that above the first of all is 0
      stage.diagonal[tid] = diagonal[first + tid];
      stage.square[tid] = b * b;
    }
    __syncthreads();
    if (counts) {
      unsigned rows = n - first < THREADS ? n - first : THREADS;
#pragma unroll 1
      for (unsigned k = 0; k < rows; k++) {
        term = (stage.diagonal[k] - x) - stage.square[k] / term;
        count += term < 0.0f ? 1 : 0;
      }
    }
  }
  return count;
}

// The point between two that divides an interval.
DEVICE_INLINE float middle(float left, float right) {
  return left + (right - left) * 0.5f;
}

// Whether an interval is as short as the precision asks, for its ends.
DEVICE_INLINE bool converged(float left, float right, float precision) {
  float a = __builtin_fabsf(left);
  float b = __builtin_fabsf(right);
  float size = a > b ? a : b;
  float limit = size * precision;
  limit = limit > precision ? limit : precision;
  return right - left <= limit;
}
