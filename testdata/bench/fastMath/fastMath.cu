// Prices of European options (Black and Scholes) with approximate functions that
// flush subnormal numbers, as compilers use them where fast mathematics is asked for.
#include "cuda.h"

DEVICE_INLINE float ex2(float x) { return __nvvm_ex2_approx_ftz_f(x); }
DEVICE_INLINE float lg2(float x) { return __nvvm_lg2_approx_ftz_f(x); }
DEVICE_INLINE float root(float x) { return __nvvm_sqrt_approx_ftz_f(x); }
DEVICE_INLINE float over(float x, float y) {
  return __nvvm_div_approx_ftz_f(x, y);
}

// The distribution function of the normal distribution by Abramowitz and Stegun, 26.2.17.
DEVICE_INLINE float normal(float x) {
  float y = __builtin_fabsf(x);
  float k = over(1.0f, fmaf(0.2316419f, y, 1.0f));
  float p = fmaf(k, fmaf(k, fmaf(k, fmaf(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.319381530f);
  float tail = 0.398942280f * ex2(-0.72134752f * x * x) * k * p;
  return x > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void fastMath(const float *prices, const float *strikes,
                                    const float *years, float *calls,
                                    float *puts, int n) {
  constexpr float RATE = 0.02f, VOLATILITY = 0.3f;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float price = prices[i], strike = strikes[i], time = years[i];
  float spread = VOLATILITY * root(time);
  float d1 = over(fmaf(0.69314718f, lg2(over(price, strike)), (RATE + 0.5f * VOLATILITY * VOLATILITY) * time), spread);
  float d2 = d1 - spread;
  float discounted = strike * ex2(-1.44269504f * RATE * time);
  float c1 = normal(d1), c2 = normal(d2);
  calls[i] = price * c1 - discounted * c2;
  puts[i] = discounted * (1.0f - c2) - price * (1.0f - c1);
}
