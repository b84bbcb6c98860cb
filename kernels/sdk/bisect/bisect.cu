// Divides the interval of all eigenvalues of a symmetric tridiagonal matrix,
// level after level, until there are as many intervals with eigenvalues as
// threads or all are short. One block; a thread holds one interval.
#include "sturm.h"

extern "C" __global__ void bisect(const float *diagonal, const float *above,
                                  unsigned n, float low, float high,
                                  float precision, float *leftOut,
                                  float *rightOut, unsigned *belowLeftOut,
                                  unsigned *belowRightOut, unsigned *found) {
  __shared__ Stage stage;
  __shared__ float left[2 * THREADS];
  __shared__ float right[2 * THREADS];
  __shared__ unsigned belowLeft[2 * THREADS];
  __shared__ unsigned belowRight[2 * THREADS];
  __shared__ unsigned places[THREADS];
  __shared__ volatile unsigned intervals;
  __shared__ volatile unsigned open; // whether an interval was divided in this level

  unsigned tid = threadIdx.x;
  if (tid == 0) {
    left[0] = low;
    right[0] = high;
    belowLeft[0] = 0;
    belowRight[0] = n;
    intervals = 1;
    open = 1;
  }
  __syncthreads();

#pragma unroll 1
  while (open != 0 && 2 * intervals <= THREADS) {
    bool holds = tid < intervals;
    float l = 0.0f, r = 0.0f;
    unsigned bl = 0, br = 0;
    bool divides = false;
    if (holds) {
      l = left[tid];
      r = right[tid];
      bl = belowLeft[tid];
      br = belowRight[tid];
      divides = !converged(l, r, precision);
    }
    float mid = middle(l, r);
    unsigned bm = countBelow(diagonal, above, n, mid, divides, stage);

    // How many intervals with eigenvalues remain of this one.
    bool first = divides && bm > bl;
    bool second = divides && br > bm;
    unsigned remain = holds ? 1 : 0;
    if (first && second)
      remain = 2;

    // Their places, behind those of the threads before: a scan of the sums.
    __syncthreads();
    if (tid == 0)
      open = 0;
    places[tid] = remain;
#pragma unroll 1
    for (unsigned distance = 1; distance < THREADS; distance *= 2) {
      __syncthreads();
      unsigned before = tid >= distance ? places[tid - distance] : 0;
      __syncthreads();
      places[tid] += before;
    }
    __syncthreads();

    unsigned place = places[tid] - remain;
    if (holds) {
      if (divides)
        open = 1;
      if (first && second) {
        left[place] = l;
        right[place] = mid;
        belowLeft[place] = bl;
        belowRight[place] = bm;
        left[place + 1] = mid;
        right[place + 1] = r;
        belowLeft[place + 1] = bm;
        belowRight[place + 1] = br;
      } else {
        left[place] = second ? mid : l;
        right[place] = first ? mid : r;
        belowLeft[place] = bl;
        belowRight[place] = br;
      }
    }
    if (tid == THREADS - 1)
      intervals = places[tid];
    __syncthreads();
  }

  if (tid < intervals) {
    leftOut[tid] = left[tid];
    rightOut[tid] = right[tid];
    belowLeftOut[tid] = belowLeft[tid];
    belowRightOut[tid] = belowRight[tid];
  }
  if (tid == 0)
    found[0] = intervals;
}
