// Transposes a square or rectangular matrix, `repeats` times, as
// transposePadded does, but blocks that run together take the tiles of a
// diagonal, so that they read and write in different partitions of memory.
#include "transpose.h"

extern "C" __global__ void transposeDiagonal(float *out, const float *in,
                                             unsigned width, unsigned height,
                                             unsigned repeats) {
  __shared__ float tile[TILE][TILE + 1];
  unsigned bx, by;
  if (width == height) {
    by = blockIdx.x;
    bx = (blockIdx.x + blockIdx.y) % gridDim.x;
  } else {
    unsigned number = blockIdx.x + gridDim.x * blockIdx.y;
    by = number % gridDim.y;
    bx = (number / gridDim.y + by) % gridDim.x;
  }
  unsigned tx = threadIdx.x;
  unsigned ty = threadIdx.y;
  unsigned from = bx * TILE + tx + width * (by * TILE + ty);
  unsigned to = by * TILE + tx + height * (bx * TILE + ty);
#pragma unroll 1
  for (unsigned r = 0; r < repeats; r++) {
#pragma unroll
    for (unsigned i = 0; i < TILE; i += ROWS)
      tile[ty + i][tx] = in[from + i * width];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < TILE; i += ROWS)
      out[to + i * height] = tile[tx][ty + i];
    __syncthreads();
  }
}
