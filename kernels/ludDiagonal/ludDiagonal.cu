// The first of three kernels of a blocked LU decomposition in place, without
// pivoting, of a row-major n x n matrix in tiles of TILE x TILE: decomposes the tile
// on the diagonal whose rows and columns begin at `first`. One block of TILE threads,
// each with a row of the tile in shared memory; fewer and fewer of them have rows
// left below the pivot. The inner loop passes over the whole row, so that its bound is
// a constant. A solver launches the three kernels for each tile of the diagonal. The
// jobs are the launch for first = 0; all launches have the same work.
#include "cuda.h"

constexpr int TILE = 16;

extern "C" __global__ void ludDiagonal(float *a, int n, int first) {
  __shared__ float tile[TILE][TILE];

  int tx = threadIdx.x;
  float *corner = a + first * n + first;
  for (int i = 0; i < TILE; ++i)
    tile[i][tx] = corner[i * n + tx];
  __syncthreads();

  for (int k = 0; k < TILE - 1; ++k) {
    if (tx > k) {
      float factor = tile[tx][k] / tile[k][k];
      tile[tx][k] = factor;
      for (int j = 0; j < TILE; ++j)
        if (j > k)
          tile[tx][j] = fmaf(-factor, tile[k][j], tile[tx][j]);
    }
    __syncthreads();
  }

  for (int i = 0; i < TILE; ++i)
    corner[i * n + tx] = tile[i][tx];
}
