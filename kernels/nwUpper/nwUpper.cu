// Needleman-Wunsch alignment of two sequences of length n, first of two kernels. The
// score of a cell of the (n + 1) x (n + 1) matrix is the best of: that of the cell
// diagonally before it plus the similarity of the two symbols, and those above and to
// the left less the penalty of a gap. The first row and column are given. Tiles of TILE
// x TILE cells on a common antidiagonal are independent of each other: one block each.
//
// A solver launches this kernel for the antidiagonals of 1, 2, ..., n / TILE tiles, in
// the upper left half of the matrix, and then nwLower. The jobs are the launch for the
// last one, which has the most blocks, with arbitrary scores in place of those that the
// launches before it make: what is executed does not depend on them.
#include "nw.h"

extern "C" __global__ void nwUpper(const int *similarity, int *score, int n,
                                   int penalty, int diagonal) {
  int x = blockIdx.x;
  alignTile(similarity, score, n, penalty, x, diagonal - 1 - x);
}
