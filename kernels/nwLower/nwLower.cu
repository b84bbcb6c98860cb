// Needleman-Wunsch alignment of two sequences of length n, second of two kernels: as
// nwUpper, for the antidiagonals of n / TILE - 1, ..., 2, 1 tiles, in the lower right
// half of the matrix. The jobs are the first of these launches, which has the most
// blocks, with arbitrary scores in place of those that the launches before it make.
#include "nw.h"

extern "C" __global__ void nwLower(const int *similarity, int *score, int n,
                                   int penalty, int diagonal) {
  int x = blockIdx.x;
  int tiles = n / TILE;
  alignTile(similarity, score, n, penalty, tiles - diagonal + x, tiles - 1 - x);
}
