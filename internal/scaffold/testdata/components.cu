// Equal neighbours in an image, to the right and below, are put into one set.
#include "more.h"
DEVICE_INLINE int root(const int *parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}
DEVICE_INLINE void join(int *parent, int i, int j) {
  int a = root(parent, i), b = root(parent, j);
  while (a != b) {
    int high = a > b ? a : b, low = a > b ? b : a;
    int old = __nvvm_atom_min_gen_i(&parent[high], low);
    if (old == high) break;
    a = root(parent, old), b = low;
  }
}
__global__ void link(const unsigned char *image, int *parent, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  if (x + 1 < width && image[i] == image[i + 1]) join(parent, i, i + 1);
  if (y + 1 < height && image[i] == image[i + width]) join(parent, i, i + width);
}
