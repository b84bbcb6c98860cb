// Damped Jacobi steps for Laplace's equation on a grid of cells, whose border
// keeps its values: three kernels of an application that a host launches in a
// loop until no cell changes by more than a limit from one step to the next.
#include "cuda.h"

// Says that nothing has changed yet.
extern "C" __global__ void clearFlag(unsigned *changed) { *changed = 0; }

// One step: each cell within becomes the mean of what it is and of the mean of
// its four neighbours.
extern "C" __global__ void relax(const float *from, float *to, unsigned width,
                                 unsigned height) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  unsigned cell = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    to[cell] = from[cell];
    return;
  }
  to[cell] = 0.5f * from[cell] +
             0.125f * ((from[cell - width] + from[cell + width]) +
                       (from[cell - 1] + from[cell + 1]));
}

// Says whether a cell differs by more than the limit between two steps.
extern "C" __global__ void residual(const float *a, const float *b,
                                    unsigned *changed, float limit,
                                    unsigned cells) {
  __shared__ float largest[128];
  unsigned t = threadIdx.x;
  float own = 0;
  for (unsigned i = blockIdx.x * 128 + t; i < cells; i += gridDim.x * 128) {
    float difference = __builtin_fabsf(a[i] - b[i]);
    own = difference > own ? difference : own;
  }
  largest[t] = own;
  __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2) {
    if (t < half && largest[t + half] > largest[t])
      largest[t] = largest[t + half];
    __syncthreads();
  }
  if (t == 0 && largest[0] > limit)
    *changed = 1;
}
