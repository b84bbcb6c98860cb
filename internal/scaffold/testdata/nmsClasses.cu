// Boxes are dropped that overlap one of the same class and of a higher score: structs of floats and an integer.
#include "more.h"
struct Box { float x0, y0, x1, y1, score; int kind; };
__device__ static float overlap(const Box &a, const Box &b) {
  float w = (a.x1 < b.x1 ? a.x1 : b.x1) - (a.x0 > b.x0 ? a.x0 : b.x0), h = (a.y1 < b.y1 ? a.y1 : b.y1) - (a.y0 > b.y0 ? a.y0 : b.y0);
  if (w <= 0 || h <= 0) return 0;
  float both = w * h;
  return both / ((a.x1 - a.x0) * (a.y1 - a.y0) + (b.x1 - b.x0) * (b.y1 - b.y0) - both);
}
__global__ void suppressOfKind(const Box *boxes, unsigned char *keep, int n, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char kept = 1;
  for (int j = 0; j < n; j++) {
    bool rival = j != i && boxes[j].kind == boxes[i].kind;
    if (!rival || boxes[j].score < boxes[i].score || boxes[j].score == boxes[i].score && j > i) continue;
    if (overlap(boxes[i], boxes[j]) <= limit) continue;
    kept = 0;
    break;
  }
  keep[i] = kept;
}
