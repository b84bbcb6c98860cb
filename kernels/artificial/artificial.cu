// Listing 1 of Horga et al., "Measurement Based Execution Time Analysis of GPGPU
// Programs via SE+GA" (DSD 2018): where branches diverge most is not where the
// kernel takes longest. A thread whose value is CONSTANT adds it to the sum of its
// CTA CHAIN times, and all threads that do so wait for each other; any other thread
// adds to a sum of its own, once.
#include "cuda.h"

#define CONSTANT 1973480625u

#define TWICE(statement)                                                       \
  statement;                                                                   \
  statement

extern "C" __global__ void artificial(const unsigned *values,
                                      unsigned *result) {
  unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = values[tid];
  if (value == CONSTANT) {
    TWICE(TWICE(TWICE(TWICE(atomicAdd(&result[blockIdx.x], value)))));
  } else {
    atomicAdd(&result[tid], 10);
  }
}
