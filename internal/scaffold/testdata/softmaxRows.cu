// The softmax of rows, with a quadratic in place of the exponential function.
#include "more.h"
extern __shared__ float scratch[];
__global__ void softmaxRows(const float *x, float *y, int columns, float temperature) {
  const float *row = x + (size_t)blockIdx.x * columns;
  float m = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) { float v = row[i] / temperature; if (v > m) m = v; }
  scratch[threadIdx.x] = m; __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) { if (threadIdx.x < k && scratch[threadIdx.x + k] > scratch[threadIdx.x]) scratch[threadIdx.x] = scratch[threadIdx.x + k]; __syncthreads(); }
  m = scratch[0]; __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x) { float d = row[i] / temperature - m; sum += d < -20 ? 0 : 1 + d + d * d / 2; }
  scratch[threadIdx.x] = sum; __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) { if (threadIdx.x < k) scratch[threadIdx.x] += scratch[threadIdx.x + k]; __syncthreads(); }
  for (int i = threadIdx.x; i < columns; i += blockDim.x) { float d = row[i] / temperature - m; y[(size_t)blockIdx.x * columns + i] = (d < -20 ? 0 : 1 + d + d * d / 2) / scratch[0]; }
}
