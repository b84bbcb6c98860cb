// Speckle-reducing anisotropic diffusion (Yu and Acton, 2002) of an image, first of two
// kernels of an iteration, one pixel per work-item: the differences to the four
// neighbours and from them the coefficient of diffusion, which is small where the
// image varies more than the speckle does, whose squared coefficient of variation is
// `speckle`. Pixels beyond the edge are equal to the last ones within. An iteration has
// one launch, and all have the same work; pixels are positive.
#pragma OPENCL FP_CONTRACT OFF

__kernel void sradCoefficient(__global const float *image,
                              __global float *north, __global float *south,
                              __global float *west, __global float *east,
                              __global float *coefficient, uint width,
                              uint height, float speckle) {
  uint col = get_global_id(0);
  uint row = get_global_id(1);
  if (col >= width || row >= height)
    return;

  uint i = row * width + col;
  float pixel = image[i];
  float dn = image[row > 0 ? i - width : i] - pixel;
  float ds = image[row + 1 < height ? i + width : i] - pixel;
  float dw = image[col > 0 ? i - 1 : i] - pixel;
  float de = image[col + 1 < width ? i + 1 : i] - pixel;
  north[i] = dn;
  south[i] = ds;
  west[i] = dw;
  east[i] = de;

  float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (pixel * pixel);
  float laplacian = (dn + ds + dw + de) / pixel;
  float scale = 1.0f + 0.25f * laplacian;
  float variation =
      (0.5f * gradient - 0.0625f * (laplacian * laplacian)) / (scale * scale);
  float excess = (variation - speckle) / (speckle * (1.0f + speckle));
  float c = 1.0f / (1.0f + excess);
#ifdef SELECT
  c = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
#else
  if (c < 0.0f)
    c = 0.0f;
  else if (c > 1.0f)
    c = 1.0f;
#endif
  coefficient[i] = c;
}
