// What the kernels that transpose share: tiles of 32 x 32 for blocks of
// 32 x 8 threads, each of which moves four elements.
#pragma once
#include "cuda.h"

constexpr unsigned TILE = 32;
constexpr unsigned ROWS = 8;
