// Speckle-reducing anisotropic diffusion (Yu and Acton, 2002) of an image, second of
// two kernels of an iteration, one pixel per work-item: adds a part `rate` of the
// divergence, the differences to the neighbours weighted with the coefficients that
// sradCoefficient made. The job draws differences and coefficients from the ranges in
// which these lie.
#pragma OPENCL FP_CONTRACT OFF

__kernel void sradUpdate(__global float *image, __global const float *north,
                         __global const float *south,
                         __global const float *west, __global const float *east,
                         __global const float *coefficient, uint width,
                         uint height, float rate) {
  uint col = get_global_id(0);
  uint row = get_global_id(1);
  if (col >= width || row >= height)
    return;

  uint i = row * width + col;
  float here = coefficient[i];
  float below = coefficient[row + 1 < height ? i + width : i];
  float right = coefficient[col + 1 < width ? i + 1 : i];
  float divergence =
      here * north[i] + below * south[i] + here * west[i] + right * east[i];
  image[i] += 0.25f * rate * divergence;
}
