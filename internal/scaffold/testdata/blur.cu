// One pass of a separable blur of an image of any element type, clamped at its edges.
#include "more.h"
template <typename T> struct View { T *data; int width, height, pitch; };
template <int R, typename T> __global__ void blurRows(View<const T> in, View<T> out, const float *weights) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= in.width || y >= in.height) return;
  float sum = 0;
  for (int i = -R; i <= R; i++) {
    int at = x + i;
    at = at < 0 ? 0 : at >= in.width ? in.width - 1 : at;
    sum += weights[i + R] * (float)in.data[y * in.pitch + at];
  }
  out.data[y * out.pitch + x] = (T)sum;
}
template __global__ void blurRows<3, unsigned char>(View<const unsigned char>, View<unsigned char>, const float *);
