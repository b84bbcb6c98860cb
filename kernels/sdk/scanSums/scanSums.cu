// Exclusive sums of the totals of tiles of 1024 elements, of which the last
// element and its exclusive sum are added: runs of `size` tiles, in all n.
#include "scan.h"

extern "C" __global__ void scanSums(unsigned *totals, const unsigned *scanned,
                                    const unsigned *in, unsigned n,
                                    unsigned size) {
  __shared__ unsigned sums[2 * THREADS];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned total = 0;
  if (i < n) {
    unsigned last = 4 * THREADS * i + 4 * THREADS - 1;
    total = scanned[last] + in[last];
  }
  unsigned before = scanExclusive(total, sums, size);
  if (i < n)
    totals[i] = before;
}
