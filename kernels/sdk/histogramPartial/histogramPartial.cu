// Counts bytes in 64 bins by their upper six bits. Each thread has counters of
// a byte in shared memory, which do not overflow for 255 bytes, and of which
// the block adds up those of each bin to a partial histogram.
#include "cuda.h"

constexpr unsigned BINS = 64;
constexpr unsigned THREADS = 64;

DEVICE_INLINE void count(unsigned char *counters, unsigned word) {
  counters[(word >> 2 & 63) * THREADS]++;
  counters[(word >> 10 & 63) * THREADS]++;
  counters[(word >> 18 & 63) * THREADS]++;
  counters[(word >> 26) * THREADS]++;
}

struct alignas(16) Four {
  unsigned x, y, z, w;
};

extern "C" __global__ void histogramPartial(unsigned *partial,
                                            const Four *data, unsigned fours,
                                            unsigned share) {
  __shared__ unsigned char counters[THREADS * BINS];

  unsigned tid = threadIdx.x;
  // Lanes count in banks of their own: a word of counters has four threads
  // that are 16 apart.
  unsigned place = (tid & ~63u) | (tid & 15) << 2 | (tid & 48) >> 4;
  unsigned char *mine = counters + place;

#pragma unroll
  for (unsigned i = 0; i < BINS / 4; i++)
    ((unsigned *)counters)[tid + i * THREADS] = 0;
  __syncthreads();

  // A block counts `share` times 16 bytes, at most 15 * 16 in each thread.
  unsigned end = (blockIdx.x + 1) * share;
  end = end < fours ? end : fours;
#pragma unroll 1
  for (unsigned i = blockIdx.x * share + tid; i < end; i += THREADS) {
    Four four = data[i];
    count(mine, four.x);
    count(mine, four.y);
    count(mine, four.z);
    count(mine, four.w);
  }
  __syncthreads();

  // Thread t adds the counters of bin t, and begins with its own bank.
  unsigned char *bin = counters + tid * THREADS;
  unsigned first = 4 * (tid & 15);
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i < THREADS / 4; i++) {
    sum += (unsigned)bin[first] + bin[first + 1] + bin[first + 2] +
           bin[first + 3];
    first = (first + 4) & (THREADS - 1);
  }
  partial[blockIdx.x * BINS + tid] = sum;
}
