// Transposes a matrix, `repeats` times, by tiles in shared memory whose rows
// have one element more, so that a column is in different banks.
#include "transpose.h"

extern "C" __global__ void transposePadded(float *out, const float *in,
                                           unsigned width, unsigned height,
                                           unsigned repeats) {
  __shared__ float tile[TILE][TILE + 1];
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
