// Bisects intervals that hold one eigenvalue each, until they are short. A
// thread has one interval; a block ends when all of its are short.
#include "sturm.h"

extern "C" __global__ void bisectSingle(const float *diagonal,
                                        const float *above, unsigned n,
                                        const float *left, const float *right,
                                        const unsigned *belowLeft,
                                        unsigned intervals, float precision,
                                        float *eigenvalues) {
  __shared__ Stage stage;
  __shared__ volatile unsigned open;

  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * THREADS + tid;
  bool holds = i < intervals;
  float l = 0.0f, r = 0.0f;
  unsigned below = 0;
  if (holds) {
    l = left[i];
    r = right[i];
    below = belowLeft[i];
  }

#pragma unroll 1
  for (;;) {
    __syncthreads();
    if (tid == 0)
      open = 0;
    __syncthreads();
    bool divides = holds && !converged(l, r, precision);
    if (divides)
      open = 1;
    __syncthreads();
    if (open == 0)
      break;

    float mid = middle(l, r);
    unsigned count = countBelow(diagonal, above, n, mid, divides, stage);
    if (divides) {
      if (count == below)
        l = mid;
      else
        r = mid;
    }
  }

  if (holds)
    eigenvalues[i] = middle(l, r);
}
