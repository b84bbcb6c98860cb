// Trees of decisions: nodes in one array, which lead to each other by index.
#include "more.h"
struct Node { int feature; float threshold; int left, right; float value; };
__global__ void forest(const Node *nodes, const int *roots, int trees, const float *x, int features, int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int t = 0; t < trees; t++) {
    int k = roots[t];
    while (nodes[k].left >= 0) k = x[i * features + nodes[k].feature] < nodes[k].threshold ? nodes[k].left : nodes[k].right;
    sum += nodes[k].value;
  }
  out[i] = sum / trees;
}
