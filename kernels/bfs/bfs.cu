// One level of a breadth-first search, one vertex per thread, over a graph in
// compressed sparse rows: the neighbours of v are col[row[v]] to
// col[row[v + 1] - 1]. level[v] is 0 where v has not been visited and 1 + its
// distance from the source elsewhere; the frontier is the vertices of level
// `depth`. Threads that reach one vertex together write the same level.
#include "cuda.h"

extern "C" __global__ void bfs(const unsigned *__restrict__ row,
                               const unsigned *__restrict__ col,
                               unsigned *level, unsigned *changed,
                               unsigned depth, unsigned vertices) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != depth)
    return;

  unsigned end = row[v + 1];
  for (unsigned e = row[v]; e < end; ++e) {
    unsigned neighbour = col[e];
    if (level[neighbour] == 0) {
      level[neighbour] = depth + 1;
      *changed = 1;
    }
  }
}
