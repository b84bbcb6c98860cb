// Transposes a matrix, `repeats` times: a warp reads a row, and writes a
// column.
#include "transpose.h"

extern "C" __global__ void transposeNaive(float *out, const float *in,
                                          unsigned width, unsigned height,
                                          unsigned repeats) {
  unsigned x = blockIdx.x * TILE + threadIdx.x;
  unsigned y = blockIdx.y * TILE + threadIdx.y;
  unsigned from = x + width * y;
  unsigned to = y + height * x;
#pragma unroll 1
  for (unsigned r = 0; r < repeats; r++) {
#pragma unroll
    for (unsigned i = 0; i < TILE; i += ROWS)
      out[to + i] = in[from + i * width];
  }
}
