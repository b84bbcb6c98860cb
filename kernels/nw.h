// What both kernels of Needleman-Wunsch do with one tile. The block has TILE threads,
// which cross the tile in waves along its antidiagonals, so that most threads wait in
// the first and the last waves.
#pragma once

#include "cuda.h"

constexpr int TILE = 16;

DEVICE_INLINE int larger(int a, int b) { return a > b ? a : b; }

DEVICE_INLINE void alignTile(const int *similarity, int *score, int n,
                             int penalty, int tileX, int tileY) {
  __shared__ int best[TILE + 1][TILE + 1];
  __shared__ int similar[TILE][TILE];

  int tx = threadIdx.x;
  int width = n + 1;
  // The cell above and to the left of those of the tile.
  int corner = tileY * TILE * width + tileX * TILE;

  if (tx == 0)
    best[0][0] = score[corner];
  best[0][tx + 1] = score[corner + tx + 1];
  best[tx + 1][0] = score[corner + (tx + 1) * width];
  for (int i = 0; i < TILE; ++i)
    similar[i][tx] = similarity[corner + (i + 1) * width + tx + 1];
  __syncthreads();

  for (int wave = 0; wave < 2 * TILE - 1; ++wave) {
    int row = wave - tx;
    if (row >= 0 && row < TILE) {
      int aligned = best[row][tx] + similar[row][tx];
      int gap = larger(best[row][tx + 1], best[row + 1][tx]) - penalty;
      best[row + 1][tx + 1] = larger(aligned, gap);
    }
    __syncthreads();
  }

  for (int i = 0; i < TILE; ++i)
    score[corner + (i + 1) * width + tx + 1] = best[i + 1][tx + 1];
}
