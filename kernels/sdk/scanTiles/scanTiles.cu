// Exclusive sums of each run of `size` elements, of which a thread has four.
#include "scan.h"

extern "C" __global__ void scanTiles(Four *out, const Four *in, unsigned size) {
  __shared__ unsigned sums[2 * THREADS];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Four four = in[i];
  four.y += four.x;
  four.z += four.y;
  four.w += four.z;
  unsigned before = scanExclusive(four.w, sums, size / 4);
  out[i] = Four{before, before + four.x, before + four.y, before + four.z};
}
