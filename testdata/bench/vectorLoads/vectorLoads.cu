// Pixels of four bytes to shades of grey and to four floating-point numbers each,
// scaled by one vector for all threads.
#include "cuda.h"

typedef float float4 __attribute__((ext_vector_type(4)));
typedef unsigned char uchar4 __attribute__((ext_vector_type(4)));

extern "C" __global__ void vectorLoads(const uchar4 *pixels,
                                       const float4 *scale, float4 *scaled,
                                       unsigned char *grey, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uchar4 p = pixels[i];
  float4 s = scale[0];
  scaled[i] = float4{p.x * s.x, p.y * s.y, p.z * s.z, p.w * s.w};
  grey[i] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}
