// What the kernels that sum share: partial sums of a block in shared memory.
#pragma once
#include "cuda.h"

constexpr unsigned THREADS = 256;
