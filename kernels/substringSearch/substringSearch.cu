// Searches a text for a pattern of `length` letters: each thread compares the
// pattern with the text from one place on, as far as they agree, and notes how far
// that was. `count` is how often the whole pattern was found.
#include "cuda.h"

extern "C" __global__ void
substringSearch(const unsigned char *text, const unsigned char *pattern,
                unsigned *agree, unsigned *count, unsigned length) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned i = 0;
  while (i < length && text[id + i] == pattern[i])
    ++i;
  agree[id] = i;
  if (i == length)
    atomicAdd(count, 1);
}
