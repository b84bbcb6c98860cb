// What the kernels here use of CUDA C beyond what those of the suite do.
#pragma once
#include "cuda.h"

#define __constant__ __attribute__((constant))

typedef unsigned long size_t;

DEVICE_INLINE int atomicAdd(int *address, int value) {
  return __nvvm_atom_add_gen_i(address, value);
}
DEVICE_INLINE void __syncwarp() { __nvvm_bar_warp_sync(~0u); }
