// Each thread follows a list from its head and adds up the values of the nodes. The last node of a list
// is its own successor. Lists may end in common.
#include "cuda.h"

struct Node {
  unsigned value;
  const Node *next;
};

extern "C" __global__ void linkedList(const Node *const *heads, unsigned *sums) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  const Node *node = heads[id];
  unsigned sum = node->value;
  while (node->next != node) {
    node = node->next;
    sum += node->value;
  }
  sums[id] = sum;
}
