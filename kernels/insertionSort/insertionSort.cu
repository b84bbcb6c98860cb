// Sorts an array of `length` keys for each thread, by insertion. Key i of a thread
// is `threads` words behind its key i - 1, so that the threads of a warp read
// words side by side. How often the inner loop runs depends on the keys: never if
// they are in order, i times for key i if they are in the reverse order.
#include "cuda.h"

extern "C" __global__ void insertionSort(unsigned *keys, unsigned length) {
  unsigned threads = gridDim.x * blockDim.x;
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 1; i < length; ++i) {
    unsigned key = keys[i * threads + id];
    unsigned j = i;
    for (; j > 0; --j) {
      unsigned before = keys[(j - 1) * threads + id];
      if (before <= key)
        break;
      keys[j * threads + id] = before;
    }
    keys[j * threads + id] = key;
  }
}
