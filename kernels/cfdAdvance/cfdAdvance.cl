// One stage of a Runge-Kutta method of three: every conserved variable of n cells of
// a gas becomes what it was before the step, plus its flux times a part of the step
// that is the larger the later the stage (0, 1 or 2). One cell per work-item; `old`,
// `flux` and `next` hold the five variables of all cells one after the other.
#pragma OPENCL FP_CONTRACT OFF

#define VARIABLES 5
#define STAGES 3

__kernel void cfdAdvance(__global const float *old, __global const float *flux,
                         __global const float *step, __global float *next,
                         uint stage, uint n) {
  uint i = get_global_id(0);
  if (i >= n)
    return;

  float part = step[i] / (float)(STAGES - stage);
  for (uint v = 0; v < VARIABLES; ++v)
    next[v * n + i] = old[v * n + i] + part * flux[v * n + i];
}
