// Calls of device functions in all shapes of arguments and results. calls.O?.ptx
// are made of it by
//
//	clang++-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-feature=+ptx63
//	  -nocudainc -nocudalib -std=c++17 -O? -S calls.cu -o calls.O?.ptx
#define __global__ __attribute__((global))
#define __device__ __attribute__((device, noinline))

struct Vec { float x, y, z; };
struct Mixed { double d; int i; char c; };

__device__ float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ Vec scale(Vec a, float s) { return {a.x * s, a.y * s, a.z * s}; }
__device__ char narrow(char c, short s, bool b) { return b ? c + s : c; }
__device__ long sum(Mixed m) { return (long)m.d * 2 + m.i + m.c; }
__device__ void store(float *p, float v) { *p = v; }

__global__ void calls(float *out, Vec a, Mixed m, int n) {
  Vec b = {1, 2, 3};
  store(out, dot(scale(a, 2.0f), b) + narrow(n, n, n > 3));
  out[1] = sum(m);
}
