// What the three kernels of a bitonic sort share: keys with values, of which a
// comparator puts two in order.
#pragma once
#include "cuda.h"

// Keys of a tile that fits in shared memory; a block has half as many threads.
constexpr unsigned TILE = 1024;

// Puts two keys, with their values, in ascending or descending order.
DEVICE_INLINE void order(unsigned &keyA, unsigned &valueA, unsigned &keyB,
                         unsigned &valueB, bool ascending) {
  if ((keyA > keyB) == ascending) {
    unsigned key = keyA;
    keyA = keyB;
    keyB = key;
    unsigned value = valueA;
    valueA = valueB;
    valueB = value;
  }
}

// The first of the two places that comparator i of a stage compares.
DEVICE_INLINE unsigned firstPlace(unsigned i, unsigned stride) {
  return 2 * i - (i & (stride - 1));
}
