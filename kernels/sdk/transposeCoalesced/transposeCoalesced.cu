// Transposes a matrix, `repeats` times, by tiles in shared memory: a warp
// reads a row and writes a row, and between these it reads a column of the
// tile, all of which is in one bank.
#include "transpose.h"

extern "C" __global__ void transposeCoalesced(float *out, const float *in,
                                              unsigned width, unsigned height,
                                              unsigned repeats) {
  __shared__ float tile[TILE][TILE];
  unsigned tx = threadIdx.x;
  unsigned ty = threadIdx.y;
  unsigned from = blockIdx.x * TILE + tx + width * (blockIdx.y * TILE + ty);
  unsigned to = blockIdx.y * TILE + tx + height * (blockIdx.x * TILE + ty);
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
