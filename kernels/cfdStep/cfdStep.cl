// The step that a solver of the Euler equations may make in each of n cells of a
// gas, one cell per work-item: half of what sound, carried along by the flow, takes
// to cross a length of sqrt(area). The state of a cell is its density, momentum and
// energy; momentum holds all x components, then all y, then all z.
#pragma OPENCL FP_CONTRACT OFF

#define GAMMA 1.4f

__kernel void cfdStep(__global const float *density,
                      __global const float *momentum,
                      __global const float *energy, __global const float *area,
                      __global float *step, uint n) {
  uint i = get_global_id(0);
  if (i >= n)
    return;

  float rho = density[i];
  float vx = momentum[i] / rho;
  float vy = momentum[n + i] / rho;
  float vz = momentum[2 * n + i] / rho;
  float square = vx * vx + vy * vy + vz * vz;
  float pressure = (GAMMA - 1.0f) * (energy[i] - 0.5f * rho * square);
  float sound = sqrt(GAMMA * pressure / rho);
  step[i] = 0.5f / (sqrt(area[i]) * (sqrt(square) + sound));
}
