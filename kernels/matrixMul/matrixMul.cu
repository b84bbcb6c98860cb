// c = a * b for row-major matrices: a has `depth` columns, b and c have
// `width`. A block computes one TILE x TILE tile of c and stages the tiles of
// a and b that it needs in shared memory. All extents are multiples of TILE.
#include "cuda.h"

constexpr int TILE = 16;

extern "C" __global__ void matrixMul(const float *a, const float *b, float *c,
                                     int depth, int width) {
  __shared__ float tileA[TILE][TILE];
  __shared__ float tileB[TILE][TILE];

  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;

  float sum = 0.0f;
  for (int k = 0; k < depth; k += TILE) {
    tileA[ty][tx] = a[row * depth + k + tx];
    tileB[ty][tx] = b[(k + ty) * width + col];
    __syncthreads();
    for (int i = 0; i < TILE; ++i)
      sum = fmaf(tileA[ty][i], tileB[i][tx], sum);
    __syncthreads();
  }
  c[row * width + col] = sum;
}
