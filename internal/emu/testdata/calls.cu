// Calls that no compiler can expand: by address, virtual and recursive. calls.O?.ptx
// are made of it by
//
//	clang++-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-feature=+ptx63
//	  -nocudainc -nocudalib -fno-rtti -std=c++17 -O? -S calls.cu -o calls.O?.ptx
#define __global__ __attribute__((global))
#define __device__ __attribute__((device, noinline))

typedef int (*Op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int sub(int a, int b) { return a - b; }
static __attribute__((device)) Op table[3] = {add, mul, sub};

struct Shape { __device__ virtual int area(int s) const = 0; };
struct Square : Shape { __device__ int area(int s) const override { return s * s; } };
struct Twice : Shape { __device__ int area(int s) const override { return 2 * s; } };
__device__ const Shape *choose(int i, const Square *a, const Twice *b) {
  return i & 1 ? (const Shape *)a : b;
}

__global__ void pointers(int *out) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  Op f = i & 1 ? add : sub;
  Square a;
  Twice b;
  out[i] = table[i % 3](i, 10) + 1000 * f(i, 5) + 100000 * choose(i, &a, &b)->area(i);
}

__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__device__ int even(int n);
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }

__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

// Swapped arguments, memory of the activation and its address passed down.
__device__ int weave(int a, int b, int *sum) {
  int mine[4] = {a, b, a - b, 0};
  if (a > 0) {
    mine[3] = weave(b, a - 1, &mine[a & 3]);
  }
  *sum += mine[a & 3] + mine[3];
  return mine[0] * 3 + mine[1] - mine[2];
}

// A function that calls itself by its address.
__device__ int apply(int (*f)(int), int n) { return f(n) + 1; }
__device__ int down(int n) { return n <= 0 ? 100 : apply(down, n - 3); }

__global__ void recursion(int *out) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  int sum = 0;
  int woven = weave(i % 7, i % 4, &sum);
  out[i] = fib(i % 11) + 100 * even(i) + 1000 * ackermann(i % 3, i % 4);
  __syncthreads();
  out[64 + i] = woven + 1000 * sum + 1000000 * down(i % 20);
}

__device__ int deep(int n) { return n == 0 ? 0 : fib(deep(n - 1)) + 1; }
__global__ void bottomless(int *out) { out[0] = deep(1 << 20); }
