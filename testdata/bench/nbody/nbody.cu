// Accelerations of n bodies by the gravity of all others: a block stages the
// positions and masses (x, y, z, m) of as many bodies as it has threads in shared
// memory, from which all threads read one after the other.
#include "cuda.h"

typedef float float4 __attribute__((ext_vector_type(4)));

constexpr int TILE = 128;
constexpr float SOFTENING = 0.01f;

extern "C" __global__ void nbody(const float4 *bodies, float4 *accelerations,
                                 int n) {
  __shared__ float4 tile[TILE];

  int i = blockIdx.x * TILE + threadIdx.x;
  float4 own = bodies[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int start = 0; start < n; start += TILE) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      float4 other = tile[k];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, SOFTENING)));
      float inverse = __nvvm_rsqrt_approx_f(square);
      float s = other.w * inverse * inverse * inverse;
      ax = fmaf(dx, s, ax);
      ay = fmaf(dy, s, ay);
      az = fmaf(dz, s, az);
    }
    __syncthreads();
  }
  accelerations[i] = float4{ax, ay, az, 0.0f};
}
