// The third of three kernels of a blocked LU decomposition in place, without
// pivoting, of a row-major n x n matrix in tiles of TILE x TILE: when ludPerimeter has
// made the tiles to the right of the one at `first` and below it, each tile beyond
// both loses the product of the one to its left by the one above it. One tile per
// block, one element per thread. The jobs are the launch for first = 0, which has the
// most blocks.
#include "cuda.h"

constexpr int TILE = 16;

extern "C" __global__ void ludInternal(float *a, int n, int first) {
  __shared__ float left[TILE][TILE];
  __shared__ float above[TILE][TILE];

  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = first + (blockIdx.y + 1) * TILE + ty;
  int col = first + (blockIdx.x + 1) * TILE + tx;

  left[ty][tx] = a[row * n + first + tx];
  above[ty][tx] = a[(first + ty) * n + col];
  __syncthreads();

  float rest = a[row * n + col];
  for (int k = 0; k < TILE; ++k)
    rest = fmaf(-left[ty][k], above[k][tx], rest);
  a[row * n + col] = rest;
}
