// A histogram in shared memory that is added to one in global memory.
#include "more.h"
struct Range { float low, scale; int bins; };
__global__ void histogram(const float *samples, size_t n, Range r, unsigned *counts, unsigned *outliers) {
  __shared__ unsigned own[128];
  for (int i = threadIdx.x; i < r.bins; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int bin = (int)((samples[i] - r.low) * r.scale);
    if (bin < 0 || bin >= r.bins) atomicAdd(outliers, 1); else atomicAdd(&own[bin], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < r.bins; i += blockDim.x) if (own[i]) atomicAdd(&counts[i], own[i]);
}
