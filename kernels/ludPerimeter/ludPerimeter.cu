// The second of three kernels of a blocked LU decomposition in place, without
// pivoting, of a row-major n x n matrix in tiles of TILE x TILE: when ludDiagonal has
// made L and U of the tile at `first`, block b takes the b-th tile to the right of it,
// which it multiplies by the inverse of L from the left, and the b-th tile below,
// which it multiplies by the inverse of U from the right. Of the 2 * TILE threads the
// first half does the former, a column each, and the second half the latter, a row
// each. The inner loops pass over the whole tile, so that their bounds are constants.
// The jobs are the launch for first = 0, which has the most blocks.
#include "cuda.h"

constexpr int TILE = 16;

extern "C" __global__ void ludPerimeter(float *a, int n, int first) {
  __shared__ float diagonal[TILE][TILE];
  __shared__ float right[TILE][TILE];
  __shared__ float below[TILE][TILE];

  int half = threadIdx.x / TILE;
  int tx = threadIdx.x % TILE;
  int distance = (blockIdx.x + 1) * TILE;
  float *corner = a + first * n + first;

  for (int i = half; i < TILE; i += 2) {
    diagonal[i][tx] = corner[i * n + tx];
    right[i][tx] = corner[i * n + distance + tx];
    below[i][tx] = corner[(distance + i) * n + tx];
  }
  __syncthreads();

  if (half == 0) {
    for (int i = 1; i < TILE; ++i)
      for (int k = 0; k < TILE; ++k)
        if (k < i)
          right[i][tx] = fmaf(-diagonal[i][k], right[k][tx], right[i][tx]);
  } else {
    for (int j = 0; j < TILE; ++j) {
      for (int k = 0; k < TILE; ++k)
        if (k < j)
          below[tx][j] = fmaf(-below[tx][k], diagonal[k][j], below[tx][j]);
      below[tx][j] /= diagonal[j][j];
    }
  }
  __syncthreads();

  for (int i = half; i < TILE; i += 2) {
    corner[i * n + distance + tx] = right[i][tx];
    corner[(distance + i) * n + tx] = below[i][tx];
  }
}
