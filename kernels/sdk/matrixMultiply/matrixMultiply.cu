// c = a * b for row-major matrices. A block computes one 16 x 16 tile of c,
// one entry in each thread, and stages tiles of a and b in shared memory.
#include "cuda.h"

constexpr int TILE = 16;

extern "C" __global__ void matrixMultiply(float *c, const float *a,
                                          const float *b, int widthA,
                                          int widthB) {
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int fromA = widthA * TILE * (int)blockIdx.y;
  int fromB = TILE * (int)blockIdx.x;
  int endA = fromA + widthA;

  float sum = 0.0f;
#pragma unroll 1
  for (; fromA < endA; fromA += TILE, fromB += TILE * widthB) {
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];
    tileA[ty][tx] = a[fromA + widthA * ty + tx];
    tileB[ty][tx] = b[fromB + widthB * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k++)
      sum = fmaf(tileA[ty][k], tileB[k][tx], sum);
    __syncthreads();
  }

  int corner = widthB * TILE * (int)blockIdx.y + TILE * (int)blockIdx.x;
  c[corner + widthB * ty + tx] = sum;
}
