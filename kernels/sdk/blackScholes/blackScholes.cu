// Prices of European options by the formula of Black and Scholes. The threads
// of the grid take the options in turn. Functions are the approximations of
// the hardware, without the library of a toolkit.
#include "cuda.h"

DEVICE_INLINE float log2Approx(float x) {
  float y;
  asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

DEVICE_INLINE float exp2Approx(float x) {
  float y;
  asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

DEVICE_INLINE float rootApprox(float x) {
  float y;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

DEVICE_INLINE float reciprocalApprox(float x) {
  float y;
  asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

DEVICE_INLINE float logarithm(float x) {
  return log2Approx(x) * 0.69314718f; // ln 2
}

DEVICE_INLINE float exponential(float x) {
  return exp2Approx(x * 1.44269504f); // log2 e
}

// The cumulative normal distribution, by the polynomial of Abramowitz and
// Stegun 26.2.17, whose error is below 7.5e-8.
DEVICE_INLINE float cumulative(float d) {
  float size = __builtin_fabsf(d);
  float k = reciprocalApprox(fmaf(0.2316419f, size, 1.0f));
  float sum = 1.330274429f;
  sum = fmaf(sum, k, -1.821255978f);
  sum = fmaf(sum, k, 1.781477937f);
  sum = fmaf(sum, k, -0.356563782f);
  sum = fmaf(sum, k, 0.319381530f);
  float density = 0.39894228f * exponential(-0.5f * d * d);
  float tail = density * (sum * k);
  return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void blackScholes(float *call, float *put,
                                        const float *price, const float *strike,
                                        const float *years, float rate,
                                        float volatility, unsigned n) {
  unsigned threads = gridDim.x * blockDim.x;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += threads) {
    float s = price[i];
    float x = strike[i];
    float t = years[i];

    float spread = volatility * rootApprox(t);
    float drift = fmaf(0.5f * volatility, volatility, rate) * t;
    float d1 = (logarithm(s * reciprocalApprox(x)) + drift) *
               reciprocalApprox(spread);
    float d2 = d1 - spread;
    float c1 = cumulative(d1);
    float c2 = cumulative(d2);

    float discounted = x * exponential(-rate * t);
    call[i] = s * c1 - discounted * c2;
    put[i] = discounted * (1.0f - c2) - s * (1.0f - c1);
  }
}
