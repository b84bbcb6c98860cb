// Blends two parts of an image: each thread goes down a column. All that a thread needs is in one
// struct that is passed by value, as C++ programs pass views of their data: pointers, sizes and weights
// at the offsets that the compiler chooses. Both inputs may be parts of one buffer.
#include "cuda.h"

struct Image {
  const float *pixels;
  unsigned stride; // of a row, in pixels
};

struct Arguments {
  Image first, second;
  float *result;
  unsigned rows, columns;
  float weights[2];
};

extern "C" __global__ void blendImages(Arguments on) {
  unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= on.columns)
    return;
  for (unsigned row = 0; row < on.rows; ++row) {
    float first = on.first.pixels[row * on.first.stride + column];
    float second = on.second.pixels[row * on.second.stride + column];
    on.result[row * on.columns + column] =
        fmaf(on.weights[0], first, on.weights[1] * second);
  }
}
