// c = a * b for row-major matrices of halves, with sums of single precision, on tensor cores: a
// has `depth` columns, b and c have `width`. A block of four warps computes one TILE x TILE tile of
// c, a warp a quarter of it, and stages the tiles of a and b that it needs in shared memory. All
// extents are multiples of TILE.
#include "cuda.h"

constexpr int TILE = 32;
constexpr int STRIDE = TILE + 8; // in halves: eight rows of 16 bytes lie in different banks
constexpr int STEP = 16;         // the depth of a product
constexpr int WARP = 32;

typedef unsigned short half; // only its bits

// Eight halves that a thread moves at once.
struct alignas(16) Row {
  unsigned part[4];
};

DEVICE_INLINE unsigned sharedAddress(const half *p) {
  typedef __attribute__((address_space(3))) const half *Shared;
  return (unsigned)(unsigned long long)(Shared)p;
}

// Four 8 x 8 matrices, of which lane l gives the address of row l % 8 of matrix l / 8.
DEVICE_INLINE void load(unsigned (&m)[4], const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(sharedAddress(row))
               : "memory");
}

DEVICE_INLINE void loadTransposed(unsigned (&m)[4], const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
               : "r"(sharedAddress(row))
               : "memory");
}

DEVICE_INLINE void multiply(float (&sum)[4], const unsigned (&a)[4],
                            unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void halfMul(const half *a, const half *b, float *c,
                                   int depth, int width) {
  alignas(16) __shared__ half tileA[TILE * STRIDE];
  alignas(16) __shared__ half tileB[TILE * STRIDE];

  int thread = threadIdx.x;
  int lane = thread % WARP, warp = thread / WARP;
  int top = blockIdx.y * TILE, left = blockIdx.x * TILE;

  // What the thread stages, and the quarter of its warp.
  int row = thread / 4, col = thread % 4 * 8;
  int down = warp / 2 * 16, across = warp % 2 * 16;

  const half *rowA = &tileA[(down + lane % 16) * STRIDE + lane / 16 * 8];
  const half *rowB = &tileB[lane % 16 * STRIDE + across + lane / 16 * 8];
  float sum[2][4] = {};
  for (int k = 0; k < depth; k += TILE) {
    *(Row *)&tileA[row * STRIDE + col] =
        *(const Row *)&a[(top + row) * depth + k + col];
    *(Row *)&tileB[row * STRIDE + col] =
        *(const Row *)&b[(k + row) * width + left + col];
    __syncthreads();
    for (int step = 0; step < TILE; step += STEP) {
      unsigned partA[4], partB[4];
      load(partA, rowA + step);
      loadTransposed(partB, rowB + step * STRIDE);
      multiply(sum[0], partA, partB[0], partB[1]);
      multiply(sum[1], partA, partB[2], partB[3]);
    }
    __syncthreads();
  }
  for (int right = 0; right < 2; ++right)
    for (int i = 0; i < 4; ++i) {
      int y = top + down + lane / 4 + i / 2 * 8;
      int x = left + across + right * 8 + lane % 4 * 2 + i % 2;
      c[y * width + x] = sum[right][i];
    }
}
