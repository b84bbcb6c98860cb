// Divides intervals that hold several eigenvalues until each that remains is
// short. A block begins with one interval of up to as many eigenvalues as it
// has threads, and a thread holds one interval: the first half stays where it
// is, and the second goes to a place that is free.
#include "sturm.h"

extern "C" __global__ void
bisectMulti(const float *diagonal, const float *above, unsigned n,
            const float *leftIn, const float *rightIn,
            const unsigned *belowLeftIn, const unsigned *belowRightIn,
            float precision, float *eigenvalues, unsigned *numbers) {
  __shared__ Stage stage;
  __shared__ float left[THREADS];
  __shared__ float right[THREADS];
  __shared__ unsigned belowLeft[THREADS];
  __shared__ unsigned belowRight[THREADS];
  __shared__ unsigned places[THREADS];
  __shared__ volatile unsigned intervals;
  __shared__ volatile unsigned open;

  unsigned tid = threadIdx.x;
  unsigned block = blockIdx.x;
  if (tid == 0) {
    left[0] = leftIn[block];
    right[0] = rightIn[block];
    belowLeft[0] = belowLeftIn[block];
    belowRight[0] = belowRightIn[block];
    intervals = 1;
  }

#pragma unroll 1
  for (;;) {
    __syncthreads();
    if (tid == 0)
      open = 0;
    __syncthreads();
    bool holds = tid < intervals;
    float l = 0.0f, r = 0.0f;
    unsigned bl = 0, br = 0;
    if (holds) {
      l = left[tid];
      r = right[tid];
      bl = belowLeft[tid];
      br = belowRight[tid];
    }
    bool divides = holds && !converged(l, r, precision);
    if (divides)
      open = 1;
    __syncthreads();
    if (open == 0)
      break;

    float mid = middle(l, r);
    unsigned bm = countBelow(diagonal, above, n, mid, divides, stage);
    bool first = divides && bm > bl;
    bool second = divides && br > bm;
    bool both = first && second;

    // Where the second halves go: a scan that adds in a tree, up and down.
    __syncthreads();
    places[tid] = both ? 1 : 0;
    unsigned offset = 1;
#pragma unroll 1
    for (unsigned d = THREADS / 2; d > 0; d /= 2) {
      __syncthreads();
      if (tid < d)
        places[offset * (2 * tid + 2) - 1] += places[offset * (2 * tid + 1) - 1];
      offset *= 2;
    }
    __syncthreads();
    unsigned added = places[THREADS - 1];
    __syncthreads();
    if (tid == 0)
      places[THREADS - 1] = 0;
#pragma unroll 1
    for (unsigned d = 1; d < THREADS; d *= 2) {
      offset /= 2;
      __syncthreads();
      if (tid < d) {
        unsigned i = offset * (2 * tid + 1) - 1;
        unsigned j = offset * (2 * tid + 2) - 1;
        unsigned t = places[i];
        places[i] = places[j];
        places[j] += t;
      }
    }
    __syncthreads();

    if (both) {
      unsigned place = intervals + places[tid];
      left[place] = mid;
      right[place] = r;
      belowLeft[place] = bm;
      belowRight[place] = br;
      right[tid] = mid;
      belowRight[tid] = bm;
    } else if (first) {
      right[tid] = mid;
    } else if (second) {
      left[tid] = mid;
    }
    __syncthreads();
    if (tid == 0)
      intervals += added;
  }

  if (tid < intervals) {
    eigenvalues[block * THREADS + tid] = middle(left[tid], right[tid]);
    numbers[block * THREADS + tid] = belowRight[tid];
  }
}
