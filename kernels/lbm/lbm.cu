// A step of a Lattice-Boltzmann simulation (D2Q9, single relaxation time) on a
// square of edge x edge cells, one cell per thread: each cell pulls the nine
// populations that move to it and relaxes them. The square is closed by walls.
// Population k of a cell is `edge * edge` words behind its population k - 1.
// `flags` says what is special about a cell, and `probe` takes a value wherever
// something special happens, in an array of its own for each thing.
//
//   6 2 5
//   3 0 1     the directions: y grows from south (4) to north (2)
//   7 4 8
//
// All conditions are linear in the populations. Every product that is added is
// added by fmaf, so that the compiler has no choice of rounding.
#include "cuda.h"

#define OBSTACLE 1u
#define INFLOW 2u
#define OUTFLOW 4u
#define FORCED 8u

#define SPEED 0.05f    // of the inflow
#define FORCE 0.01f    // on forced cells
#define THIN 1.5f      // the lowest density
#define DENSE 7.5f     // the highest
#define FAST 0.5f      // the highest speed, as |u| + |v|
#define SHEAR 0.15f    // shear stress by density beyond which there is turbulence
#define RELAXATION 1.25f
#define TURBULENT 0.625f

// What happens with population k, of weight w, along which the speed is c.
#define RELAX(k, w, f, c)                                                      \
  next[k * cells + id] = fmaf(                                                 \
      omega, fmaf((w) * density, fmaf(c, fmaf(c, 4.5f, 3.0f), rest), -f), f)

extern "C" __global__ void lbm(const float *now, float *next,
                               const unsigned *flags, float *probe,
                               unsigned edge) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned cells = edge * edge;
  if (id >= cells)
    return;
  const float *own = now + id;
  unsigned flag = flags[id];
  unsigned x = id % edge, y = id / edge;
  unsigned west = (x > 1 ? x : 1) - 1, east = x + 1 < edge ? x + 1 : edge - 1;
  unsigned south = (y > 1 ? y : 1) - 1, north = y + 1 < edge ? y + 1 : edge - 1;
  float f0 = own[0];
  float f1 = now[1 * cells + y * edge + west];
  float f2 = now[2 * cells + south * edge + x];
  float f3 = now[3 * cells + y * edge + east];
  float f4 = now[4 * cells + north * edge + x];
  float f5 = now[5 * cells + south * edge + west];
  float f6 = now[6 * cells + south * edge + east];
  float f7 = now[7 * cells + north * edge + east];
  float f8 = now[8 * cells + north * edge + west];

  // What comes from a wall is what went to it, and pushes the wall.
  if (x == 0) {
    f1 = own[3 * cells];
    f5 = own[7 * cells];
    f8 = own[6 * cells];
    probe[0 * cells + id] = f1 + f5 + f8;
  }
  if (x == edge - 1) {
    f3 = own[1 * cells];
    f6 = own[8 * cells];
    f7 = own[5 * cells];
    probe[1 * cells + id] = f3 + f6 + f7;
  }
  if (y == 0) {
    f2 = own[4 * cells];
    f5 = own[7 * cells];
    f6 = own[8 * cells];
    probe[2 * cells + id] = f2 + f5 + f6;
  }
  if (y == edge - 1) {
    f4 = own[2 * cells];
    f7 = own[5 * cells];
    f8 = own[6 * cells];
    probe[3 * cells + id] = f4 + f7 + f8;
  }

  if (flag & OBSTACLE) { // everything turns round
    next[id] = f0;
    next[1 * cells + id] = f3;
    next[2 * cells + id] = f4;
    next[3 * cells + id] = f1;
    next[4 * cells + id] = f2;
    next[5 * cells + id] = f7;
    next[6 * cells + id] = f8;
    next[7 * cells + id] = f5;
    next[8 * cells + id] = f6;
    return;
  }
  if (flag & INFLOW) { // to the east
    probe[4 * cells + id] = f1;
    f1 = f3 + SPEED;
    f5 = f7 + 0.25f * SPEED;
    f8 = f6 + 0.25f * SPEED;
  }
  if (flag & OUTFLOW) { // nothing comes back
    probe[5 * cells + id] = f3;
    f3 = own[3 * cells];
    f6 = own[6 * cells];
    f7 = own[7 * cells];
  }

  float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
  float mx = f1 - f3 + f5 - f6 - f7 + f8;
  float my = f2 - f4 + f5 + f6 - f7 - f8;
  float stress = f5 - f6 + f7 - f8;
  float omega = RELAXATION;

  if (flag & FORCED) {
    probe[6 * cells + id] = my;
    my += FORCE;
  }
  if (density < THIN) {
    probe[7 * cells + id] = density;
    density = THIN;
  }
  if (density > DENSE) {
    probe[8 * cells + id] = density;
    density = DENSE;
  }
  if (__builtin_fabsf(mx) + __builtin_fabsf(my) > FAST * density) {
    probe[9 * cells + id] = mx;
    mx *= 0.5f;
    my *= 0.5f;
  }
  if (__builtin_fabsf(stress) > SHEAR * density) {
    probe[10 * cells + id] = stress;
    omega = TURBULENT;
  }

  float u = mx / density, v = my / density;
  float rest = fmaf(-1.5f, fmaf(u, u, v * v), 1.0f);
  RELAX(0, 4.0f / 9, f0, 0.0f);
  RELAX(1, 1.0f / 9, f1, u);
  RELAX(2, 1.0f / 9, f2, v);
  RELAX(3, 1.0f / 9, f3, -u);
  RELAX(4, 1.0f / 9, f4, -v);
  RELAX(5, 1.0f / 36, f5, u + v);
  RELAX(6, 1.0f / 36, f6, v - u);
  RELAX(7, 1.0f / 36, f7, -u - v);
  RELAX(8, 1.0f / 36, f8, u - v);
}
