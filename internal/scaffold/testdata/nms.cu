// Boxes are dropped that overlap one of a higher score.
#include "more.h"
struct Box { float x0, y0, x1, y1; };
__device__ static float overlap(const Box &a, const Box &b) {
  float w = (a.x1 < b.x1 ? a.x1 : b.x1) - (a.x0 > b.x0 ? a.x0 : b.x0), h = (a.y1 < b.y1 ? a.y1 : b.y1) - (a.y0 > b.y0 ? a.y0 : b.y0);
  if (w <= 0 || h <= 0) return 0;
  float both = w * h;
  return both / ((a.x1 - a.x0) * (a.y1 - a.y0) + (b.x1 - b.x0) * (b.y1 - b.y0) - both);
}
__global__ void suppress(const Box *boxes, const float *score, unsigned char *keep, int n, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool kept = true;
  for (int j = 0; j < n && kept; j++) if (j != i && score[j] > score[i] && overlap(boxes[i], boxes[j]) > limit) kept = false;
  keep[i] = kept;
}
