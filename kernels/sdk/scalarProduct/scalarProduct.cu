// Scalar products of pairs of vectors. The blocks take the pairs in turn; a
// block adds products in ACCUMULATORS sums of its own, and then these in a tree.
#include "cuda.h"

constexpr unsigned ACCUMULATORS = 1024;

extern "C" __global__ void scalarProduct(float *out, const float *a,
                                         const float *b, unsigned vectors,
                                         unsigned length) {
  __shared__ float sums[ACCUMULATORS];

#pragma unroll 1
  for (unsigned v = blockIdx.x; v < vectors; v += gridDim.x) {
    unsigned begin = v * length;
    unsigned end = begin + length;

#pragma unroll 1
    for (unsigned s = threadIdx.x; s < ACCUMULATORS; s += blockDim.x) {
      float sum = 0.0f;
#pragma unroll 1
      for (unsigned i = begin + s; i < end; i += ACCUMULATORS)
        sum = fmaf(a[i], b[i], sum);
      sums[s] = sum;
    }

#pragma unroll 1
    for (unsigned stride = ACCUMULATORS / 2; stride > 0; stride /= 2) {
      __syncthreads();
#pragma unroll 1
      for (unsigned s = threadIdx.x; s < stride; s += blockDim.x)
        sums[s] += sums[s + stride];
    }

    if (threadIdx.x == 0)
      out[v] = sums[0];
    __syncthreads();
  }
}
