// The median of the 3 x 3 pixels around each pixel.
#include "more.h"
__device__ static void order(unsigned short &a, unsigned short &b) { if (a > b) { unsigned short t = a; a = b; b = t; } }
__global__ void median3(const unsigned short *in, unsigned short *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) { if (x < w && y < h) out[y * w + x] = in[y * w + x]; return; }
  unsigned short v[9];
  for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) v[j * 3 + i] = in[(y + j - 1) * w + x + i - 1];
  for (int i = 0; i < 8; i++) for (int j = 0; j < 8 - i; j++) order(v[j], v[j + 1]);
  out[y * w + x] = v[4];
}
