// A breadth-first search by two kernels that are launched in turn until nothing
// changes, one vertex per thread. The edges of vertex v are
// edges[start[v]] to edges[start[v] + degree[v] - 1]; edges of several vertices
// may be the same. `frontier`, `reached` and `visited` are 0 or 1.
#include "cuda.h"

// Notes the unvisited neighbours of the frontier. All of it is as far from the
// source, so threads that reach one vertex together write the same.
extern "C" __global__ void
bfsExpand(const unsigned *start, const unsigned *degree, const unsigned *edges,
          unsigned *frontier, unsigned *reached, unsigned *visited,
          unsigned *distance, unsigned *over, unsigned vertices) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !frontier[v])
    return;
  frontier[v] = 0;
  unsigned end = start[v] + degree[v];
#pragma unroll 1
  for (unsigned e = start[v]; e < end; ++e) {
    unsigned neighbour = edges[e];
    if (!visited[neighbour]) {
      distance[neighbour] = distance[v] + 1;
      reached[neighbour] = 1;
    }
  }
}

// Makes them the next frontier.
extern "C" __global__ void
bfsUpdate(const unsigned *start, const unsigned *degree, const unsigned *edges,
          unsigned *frontier, unsigned *reached, unsigned *visited,
          unsigned *distance, unsigned *over, unsigned vertices) {
  unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !reached[v])
    return;
  reached[v] = 0;
  frontier[v] = 1;
  visited[v] = 1;
  *over = 1;
}
