// A simulation of a Petri net with 4 places and 12 transitions, each looked at once,
// in order. Written by petri.go: go test ./kernels -run PetriSources -update
//
// Each thread has a marking of its own: marking[p * threads + id] tokens are on place p,
// 0 to 3. A transition fires if three places hold neither too few nor too many; it then
// moves tokens from the first to the second. `fired` counts for each transition how often
// it fired in all threads.
#include "cuda.h"

extern "C" __global__ void petriSmall(const unsigned char *marking, unsigned char *next,
    unsigned *fired) {
  unsigned threads = gridDim.x * blockDim.x;
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned m0 = marking[0 * threads + id];
  unsigned m1 = marking[1 * threads + id];
  unsigned m2 = marking[2 * threads + id];
  unsigned m3 = marking[3 * threads + id];

  if ((m1 - 1u <= 1) & (m3 <= 1) & (m2 - 1u <= 1)) {
    m1 -= 1, m3 += 1;
    atomicAdd(&fired[0], 1);
  }

  if ((m3 - 2u <= 1) & (m0 - 1u <= 1) & (m2 - 2u <= 1)) {
    m3 -= 1, m0 += 1;
    atomicAdd(&fired[1], 1);
  }

  if ((m0 - 1u <= 1) & (m3 - 1u <= 1) & (m2 - 2u <= 1)) {
    m0 -= 1, m3 += 1;
    atomicAdd(&fired[2], 1);
  }

  if ((m3 - 1u <= 1) & (m1 <= 1) & (m2 - 2u <= 1)) {
    m3 -= 1, m1 += 1;
    atomicAdd(&fired[3], 1);
  }

  if ((m2 - 1u <= 1) & (m0 - 1u <= 1) & (m3 - 1u <= 1)) {
    m2 -= 1, m0 += 1;
    atomicAdd(&fired[4], 1);
  }

  if ((m1 - 1u <= 1) & (m0 - 1u <= 1) & (m3 <= 1)) {
    m1 -= 1, m0 += 1;
    atomicAdd(&fired[5], 1);
  }

  if ((m0 - 2u <= 1) & (m2 <= 1) & (m3 - 1u <= 1)) {
    m0 -= 1, m2 += 1;
    atomicAdd(&fired[6], 1);
  }

  if ((m0 == 2) & (m3 == 1) & (m2 == 2)) {
    m0 -= 1, m3 += 1;
    atomicAdd(&fired[7], 1);
  }

  if ((m0 - 1u <= 1) & (m3 - 1u <= 1) & (m1 <= 1)) {
    m0 -= 1, m3 += 1;
    atomicAdd(&fired[8], 1);
  }

  if ((m2 - 2u <= 1) & (m1 <= 1) & (m3 - 2u <= 1)) {
    m2 -= 1, m1 += 1;
    atomicAdd(&fired[9], 1);
  }

  if ((m2 - 1u <= 1) & (m1 - 1u <= 1) & (m0 <= 1)) {
    m2 -= 1, m1 += 1;
    atomicAdd(&fired[10], 1);
  }

  if ((m1 - 1u <= 1) & (m0 <= 1) & (m2 <= 1)) {
    m1 -= 1, m0 += 1;
    atomicAdd(&fired[11], 1);
  }

  next[0 * threads + id] = m0;
  next[1 * threads + id] = m1;
  next[2 * threads + id] = m2;
  next[3 * threads + id] = m3;
}
