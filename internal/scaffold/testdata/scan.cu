// The inclusive scan of each block, by Hillis and Steele.
#include "more.h"
template <typename T, int N> __global__ void scanBlock(T *data, T *totals, int n) {
  __shared__ T s[2][N];
  int i = blockIdx.x * N + threadIdx.x, from = 0;
  s[0][threadIdx.x] = i < n ? data[i] : 0;
  __syncthreads();
  for (int d = 1; d < N; d *= 2) {
    T v = s[from][threadIdx.x];
    if (threadIdx.x >= d) v += s[from][threadIdx.x - d];
    from ^= 1;
    s[from][threadIdx.x] = v;
    __syncthreads();
  }
  if (i < n) data[i] = s[from][threadIdx.x];
  if (totals && threadIdx.x == N - 1) totals[blockIdx.x] = s[from][N - 1];
}
template __global__ void scanBlock<int, 256>(int *, int *, int);
