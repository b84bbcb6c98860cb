// One step of the merge of runs of `size` keys, with values, in global memory:
// a thread compares two keys that are `stride` apart.
#include "bitonic.h"

extern "C" __global__ void bitonicMergeStep(unsigned *keys, unsigned *values,
                                            unsigned n, unsigned size,
                                            unsigned stride) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned comparator = i & (n / 2 - 1);

  // The whole array ascends; shorter runs alternate.
  bool ascending = (comparator & (size / 2)) == 0;
  unsigned place = firstPlace(i, stride);
  unsigned keyA = keys[place];
  unsigned valueA = values[place];
  unsigned keyB = keys[place + stride];
  unsigned valueB = values[place + stride];

  order(keyA, valueA, keyB, valueB, ascending);

  keys[place] = keyA;
  values[place] = valueA;
  keys[place + stride] = keyB;
  values[place + stride] = valueB;
}
