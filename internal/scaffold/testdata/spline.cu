// A cubic between knots, which are found by bisection.
#include "more.h"
struct Knot { double t, y, slope; };
__global__ void spline(const Knot *k, int knots, const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  if (v <= k[0].t) { y[i] = k[0].y; return; }
  if (v >= k[knots - 1].t) { y[i] = k[knots - 1].y; return; }
  int lo = 0, hi = knots - 1;
  while (hi - lo > 1) {
    int m = (lo + hi) / 2;
    if (k[m].t <= v) lo = m; else hi = m;
  }
  double h = k[hi].t - k[lo].t, s = (v - k[lo].t) / h;
  y[i] = k[lo].y * (1 - s) + k[hi].y * s + h * s * (1 - s) * (k[lo].slope - k[hi].slope);
}
