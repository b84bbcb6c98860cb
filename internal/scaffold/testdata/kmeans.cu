// Points are assigned to the nearest of k centres.
#include "more.h"
namespace cluster {
struct Points { const float *at; int count, dims; };
__global__ void assign(Points p, const float *centres, int k, int *label, float *sums, int *sizes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count) return;
  int best = 0; float least = 3e38f;
  for (int c = 0; c < k; c++) {
    float d = 0;
    for (int j = 0; j < p.dims; j++) { float v = p.at[j * p.count + i] - centres[c * p.dims + j]; d += v * v; }
    if (d < least) { least = d; best = c; }
  }
  if (label[i] != best) { label[i] = best; atomicAdd(&sizes[k], 1); }
  atomicAdd(&sizes[best], 1);
}
}
