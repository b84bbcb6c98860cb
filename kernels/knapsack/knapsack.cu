// Fills a knapsack for each thread, by branch and bound: which of its `items`, 32 at
// most, weigh no more than `capacity` together and have the highest profit? A
// thread takes each item that fits, in their order, until all items that are left
// would not lead beyond the best profit so far; then it goes back to the last one
// that it took, leaves that out, and goes on from there. Its stack is one word: a
// bit for each item. Item i of a thread is `threads` bytes behind item i - 1.
#include "cuda.h"

extern "C" __global__ void
knapsack(const unsigned char *weight, const unsigned char *profit,
         unsigned *best, unsigned items, unsigned capacity) {
  unsigned threads = gridDim.x * blockDim.x;
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  weight += id;
  profit += id;

  unsigned left = 0; // profit of the items from `depth` on
#pragma unroll 1
  for (unsigned i = 0; i < items; ++i)
    left += profit[i * threads];

  unsigned depth = 0, taken = 0, load = 0, value = 0, most = 0;
  do {
    // The best profit is never below the value, so some item is left.
    while (value + left > most) {
      unsigned w = weight[depth * threads], p = profit[depth * threads];
      left -= p;
      if (load + w <= capacity) {
        taken |= 1u << depth;
        load += w;
        value += p;
        most = value > most ? value : most;
      }
      ++depth;
    }
    while (depth > 0 && !(taken >> (depth - 1) & 1)) {
      --depth;
      left += profit[depth * threads];
    }
    if (depth > 0) {
      unsigned last = depth - 1;
      taken ^= 1u << last;
      load -= weight[last * threads];
      value -= profit[last * threads];
    }
  } while (depth > 0);
  best[id] = most;
}
