// A sparse matrix in compressed rows times a vector, a row for each warp.
#include "more.h"
__global__ void spmvWarp(int rows, const int *start, const int *column, const double *value, const double *x, double *y) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= rows) return;
  double sum = 0;
  for (int i = start[warp] + lane; i < start[warp + 1]; i += 32) sum += value[i] * x[column[i]];
  __shared__ double part[256];
  part[threadIdx.x] = sum;
  for (int d = 16; d > 0; d /= 2) { __syncwarp(); if (lane < d) part[threadIdx.x] += part[threadIdx.x + d]; }
  if (lane == 0) y[warp] = part[threadIdx.x];
}
