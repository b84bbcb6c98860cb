// c = a + b, one element in each thread.
#include "cuda.h"

extern "C" __global__ void vectorAdd(const float *a, const float *b, float *c,
                                     unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
