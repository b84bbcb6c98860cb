// CUDA C++ for clang where there is no CUDA toolkit: what everyday kernels use, and declarations of the host's
// functions so that files that have both compile. Every file is compiled as if it included this one first.
//
// Barriers are clang's own builtin __syncthreads(). Transcendental functions of float are the approximations that
// GPUs have instructions for, as with nvcc's -use_fast_math, and a few formulas of these; those of double are missing.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __CUDACC__ 1
#define CUDART_VERSION 12000

#define WB_DEVICE static __attribute__((device, always_inline, nodebug)) inline
#define WB_BOTH static __attribute__((host, device, always_inline, nodebug)) inline
#define WB_MISSING(what) static __attribute__((device, unavailable("it is for float alone without a CUDA toolkit; " what)))

// Vectors

#define WB_VECTORS(name, type, two, four)                                      \
  struct name##1 { type x; };                                                  \
  struct __attribute__((aligned(two))) name##2 { type x, y; };                 \
  struct name##3 { type x, y, z; };                                            \
  struct __attribute__((aligned(four))) name##4 { type x, y, z, w; };          \
  WB_BOTH name##1 make_##name##1(type x) { return {x}; }                       \
  WB_BOTH name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  WB_BOTH name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  WB_BOTH name##4 make_##name##4(type x, type y, type z, type w) {             \
    return {x, y, z, w};                                                       \
  }

WB_VECTORS(char, signed char, 2, 4)
WB_VECTORS(uchar, unsigned char, 2, 4)
WB_VECTORS(short, short, 4, 8)
WB_VECTORS(ushort, unsigned short, 4, 8)
WB_VECTORS(int, int, 8, 16)
WB_VECTORS(uint, unsigned, 8, 16)
WB_VECTORS(long, long, 16, 16)
WB_VECTORS(ulong, unsigned long, 16, 16)
WB_VECTORS(longlong, long long, 16, 16)
WB_VECTORS(ulonglong, unsigned long long, 16, 16)
WB_VECTORS(float, float, 8, 16)
WB_VECTORS(double, double, 16, 16)
#undef WB_VECTORS

struct dim3 {
  unsigned x, y, z;
  __attribute__((host, device, nodebug)) constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  __attribute__((host, device, nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __attribute__((host, device, nodebug)) constexpr operator uint3() const { return {x, y, z}; }
};

// Coordinates: empty structs whose properties read special registers.

#define WB_COORDINATE(name, sreg)                                              \
  const __attribute__((device)) struct wb_##name {                             \
    __declspec(property(get = wb_x)) unsigned x;                               \
    __declspec(property(get = wb_y)) unsigned y;                               \
    __declspec(property(get = wb_z)) unsigned z;                               \
    __attribute__((device, always_inline, nodebug)) unsigned wb_x() const { return sreg##_x(); } \
    __attribute__((device, always_inline, nodebug)) unsigned wb_y() const { return sreg##_y(); } \
    __attribute__((device, always_inline, nodebug)) unsigned wb_z() const { return sreg##_z(); } \
    __attribute__((device, always_inline, nodebug)) operator uint3() const { return {x, y, z}; } \
    __attribute__((device, always_inline, nodebug)) operator dim3() const { return {x, y, z}; }  \
  } name = {}

WB_COORDINATE(threadIdx, __nvvm_read_ptx_sreg_tid);
WB_COORDINATE(blockIdx, __nvvm_read_ptx_sreg_ctaid);
WB_COORDINATE(blockDim, __nvvm_read_ptx_sreg_ntid);
WB_COORDINATE(gridDim, __nvvm_read_ptx_sreg_nctaid);
#undef WB_COORDINATE

static const int warpSize = 32;

// Barriers and fences

WB_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
WB_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
WB_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
WB_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
WB_DEVICE void __threadfence() { __nvvm_membar_gl(); }
WB_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

// Warps

WB_DEVICE unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
WB_DEVICE void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
WB_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
WB_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
WB_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
WB_DEVICE unsigned __match_any_sync(unsigned mask, unsigned v) { return __nvvm_match_any_sync_i32(mask, v); }
WB_DEVICE unsigned __match_any_sync(unsigned mask, int v) { return __nvvm_match_any_sync_i32(mask, v); }
#define WB_SHUFFLE(kind, v, lane, clamp) __nvvm_shfl_sync_##kind##_i32(mask, v, lane, ((32 - width) << 8) | clamp)
#else // all threads of a warp, whatever the mask
WB_DEVICE void __syncwarp(unsigned = 0xffffffff) {}
WB_DEVICE int __all_sync(unsigned, int p) { return __nvvm_vote_all(p); }
WB_DEVICE int __any_sync(unsigned, int p) { return __nvvm_vote_any(p); }
WB_DEVICE unsigned __ballot_sync(unsigned, int p) { return __nvvm_vote_ballot(p); }
WB_DEVICE int __all(int p) { return __nvvm_vote_all(p); }
WB_DEVICE int __any(int p) { return __nvvm_vote_any(p); }
WB_DEVICE unsigned __ballot(int p) { return __nvvm_vote_ballot(p); }
#define WB_SHUFFLE(kind, v, lane, clamp) __nvvm_shfl_##kind##_i32(v, lane, ((32 - width) << 8) | clamp)
#endif

// A value of any of the types is shuffled in words of 32 bits.
#define WB_SHUFFLES(type)                                                      \
  WB_EXCHANGE(__shfl, type, int lane, lane, idx, 0x1f)                         \
  WB_EXCHANGE(__shfl_up, type, unsigned delta, delta, up, 0)                   \
  WB_EXCHANGE(__shfl_down, type, unsigned delta, delta, down, 0x1f)            \
  WB_EXCHANGE(__shfl_xor, type, int lanes, lanes, bfly, 0x1f)

#define WB_EXCHANGE(name, type, parameter, argument, kind, clamp)              \
  WB_DEVICE type name##_sync(unsigned mask, type v, parameter, int width = 32) { \
    int words[(sizeof v + 3) / 4];                                             \
    __builtin_memcpy(words, &v, sizeof v);                                     \
    for (int i = 0; i < sizeof v / 4; i++)                                     \
      words[i] = WB_SHUFFLE(kind, words[i], argument, clamp);                  \
    __builtin_memcpy(&v, words, sizeof v);                                     \
    return v;                                                                  \
  }                                                                            \
  WB_OLD(name, type, parameter, argument)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define WB_OLD(name, type, parameter, argument)                                \
  WB_DEVICE type name(type v, parameter, int width = 32) { return name##_sync(0xffffffff, v, argument, width); }
#else
#define WB_OLD(name, type, parameter, argument)
#endif

WB_SHUFFLES(int)
WB_SHUFFLES(unsigned)
WB_SHUFFLES(long)
WB_SHUFFLES(unsigned long)
WB_SHUFFLES(long long)
WB_SHUFFLES(unsigned long long)
WB_SHUFFLES(float)
WB_SHUFFLES(double)
#undef WB_SHUFFLES
#undef WB_EXCHANGE
#undef WB_OLD

#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
WB_DEVICE unsigned __reduce_add_sync(unsigned mask, unsigned v) { return __nvvm_redux_sync_add(v, mask); }
WB_DEVICE int __reduce_add_sync(unsigned mask, int v) { return __nvvm_redux_sync_add(v, mask); }
WB_DEVICE unsigned __reduce_min_sync(unsigned mask, unsigned v) { return __nvvm_redux_sync_umin(v, mask); }
WB_DEVICE unsigned __reduce_max_sync(unsigned mask, unsigned v) { return __nvvm_redux_sync_umax(v, mask); }
WB_DEVICE int __reduce_min_sync(unsigned mask, int v) { return __nvvm_redux_sync_min(v, mask); }
WB_DEVICE int __reduce_max_sync(unsigned mask, int v) { return __nvvm_redux_sync_max(v, mask); }
#endif

// Bits as other types

#define WB_CAST(name, from, to)                                                \
  WB_DEVICE to name(from v) {                                                  \
    to out;                                                                    \
    __builtin_memcpy(&out, &v, sizeof v);                                      \
    return out;                                                                \
  }
WB_CAST(__float_as_int, float, int)
WB_CAST(__float_as_uint, float, unsigned)
WB_CAST(__int_as_float, int, float)
WB_CAST(__uint_as_float, unsigned, float)
WB_CAST(__double_as_longlong, double, long long)
WB_CAST(__longlong_as_double, long long, double)
#undef WB_CAST

// Atomics

WB_DEVICE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
WB_DEVICE unsigned atomicAdd(unsigned *p, unsigned v) { return __nvvm_atom_add_gen_i((int *)p, v); }
WB_DEVICE unsigned long long atomicAdd(unsigned long long *p, unsigned long long v) { return __nvvm_atom_add_gen_ll((long long *)p, v); }
WB_DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
WB_DEVICE double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
#endif
WB_DEVICE int atomicSub(int *p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
WB_DEVICE unsigned atomicSub(unsigned *p, unsigned v) { return __nvvm_atom_add_gen_i((int *)p, -v); }
WB_DEVICE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
WB_DEVICE unsigned atomicExch(unsigned *p, unsigned v) { return __nvvm_atom_xchg_gen_i((int *)p, v); }
WB_DEVICE unsigned long long atomicExch(unsigned long long *p, unsigned long long v) { return __nvvm_atom_xchg_gen_ll((long long *)p, v); }
WB_DEVICE float atomicExch(float *p, float v) { return __int_as_float(__nvvm_atom_xchg_gen_i((int *)p, __float_as_int(v))); }
WB_DEVICE int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
WB_DEVICE unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
WB_DEVICE long long atomicMin(long long *p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }
WB_DEVICE unsigned long long atomicMin(unsigned long long *p, unsigned long long v) { return __nvvm_atom_min_gen_ull(p, v); }
WB_DEVICE int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
WB_DEVICE unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
WB_DEVICE long long atomicMax(long long *p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }
WB_DEVICE unsigned long long atomicMax(unsigned long long *p, unsigned long long v) { return __nvvm_atom_max_gen_ull(p, v); }
WB_DEVICE unsigned atomicInc(unsigned *p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
WB_DEVICE unsigned atomicDec(unsigned *p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
#define WB_BITWISE(name, builtin)                                              \
  WB_DEVICE int name(int *p, int v) { return __nvvm_atom_##builtin##_gen_i(p, v); } \
  WB_DEVICE unsigned name(unsigned *p, unsigned v) { return __nvvm_atom_##builtin##_gen_i((int *)p, v); } \
  WB_DEVICE unsigned long long name(unsigned long long *p, unsigned long long v) { return __nvvm_atom_##builtin##_gen_ll((long long *)p, v); }
WB_BITWISE(atomicAnd, and)
WB_BITWISE(atomicOr, or)
WB_BITWISE(atomicXor, xor)
#undef WB_BITWISE
WB_DEVICE int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
WB_DEVICE unsigned atomicCAS(unsigned *p, unsigned old, unsigned v) { return __nvvm_atom_cas_gen_i((int *)p, old, v); }
WB_DEVICE unsigned long long atomicCAS(unsigned long long *p, unsigned long long old, unsigned long long v) {
  return __nvvm_atom_cas_gen_ll((long long *)p, old, v);
}

// Loads through the read-only cache

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 350
WB_DEVICE int __ldg(const int *p) { return __nvvm_ldg_i(p); }
WB_DEVICE unsigned __ldg(const unsigned *p) { return __nvvm_ldg_ui(p); }
WB_DEVICE long long __ldg(const long long *p) { return __nvvm_ldg_ll(p); }
WB_DEVICE unsigned long long __ldg(const unsigned long long *p) { return __nvvm_ldg_ull(p); }
WB_DEVICE unsigned char __ldg(const unsigned char *p) { return __nvvm_ldg_uc(p); }
WB_DEVICE short __ldg(const short *p) { return __nvvm_ldg_s(p); }
WB_DEVICE float __ldg(const float *p) { return __nvvm_ldg_f(p); }
WB_DEVICE double __ldg(const double *p) { return __nvvm_ldg_d(p); }
#endif
template <typename T> WB_DEVICE T __ldg(const T *p) { return *p; }

// Integers

WB_DEVICE int __clz(int v) { return v ? __builtin_clz(v) : 32; }
WB_DEVICE int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
WB_DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
WB_DEVICE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
WB_DEVICE int __ffs(int v) { return __builtin_ffs(v); }
WB_DEVICE int __ffsll(long long v) { return __builtin_ffsll(v); }
WB_DEVICE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
WB_DEVICE unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
WB_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { return __nvvm_prmt(a, b, s); }
WB_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WB_DEVICE unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
WB_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
WB_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
WB_DEVICE unsigned __sad(int a, int b, unsigned c) { return (a > b ? a - b : b - a) + c; }
WB_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
WB_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return n & 31 ? hi << (n & 31) | lo >> (32 - (n & 31)) : hi; }
WB_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return n & 31 ? hi << (32 - (n & 31)) | lo >> (n & 31) : lo; }

#define WB_MINMAX(type)                                                        \
  WB_DEVICE type min(type a, type b) { return a < b ? a : b; }                 \
  WB_DEVICE type max(type a, type b) { return a > b ? a : b; }
WB_MINMAX(int)
WB_MINMAX(unsigned)
WB_MINMAX(long)
WB_MINMAX(unsigned long)
WB_MINMAX(long long)
WB_MINMAX(unsigned long long)
#undef WB_MINMAX
WB_DEVICE unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
WB_DEVICE unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
WB_DEVICE unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
WB_DEVICE unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
WB_DEVICE int abs(int v) { return v < 0 ? -v : v; }
WB_DEVICE long abs(long v) { return v < 0 ? -v : v; }
WB_DEVICE long long abs(long long v) { return v < 0 ? -v : v; }

// Numbers with a point: what is exact, for both types

#define WB_EXACT(name)                                                         \
  WB_DEVICE float name##f(float x) { return __builtin_##name##f(x); }          \
  WB_DEVICE float name(float x) { return __builtin_##name##f(x); }             \
  WB_DEVICE double name(double x) { return __builtin_##name(x); }
WB_EXACT(sqrt)
WB_EXACT(fabs)
WB_EXACT(floor)
WB_EXACT(ceil)
WB_EXACT(trunc)
WB_EXACT(rint)
#undef WB_EXACT
#define WB_EXACT(name)                                                         \
  WB_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  WB_DEVICE float name(float x, float y) { return __builtin_##name##f(x, y); } \
  WB_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }
WB_EXACT(fmin)
WB_EXACT(fmax)
WB_EXACT(copysign)
#undef WB_EXACT
WB_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WB_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WB_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WB_DEVICE float nearbyintf(float x) { return __builtin_rintf(x); }
WB_DEVICE double nearbyint(double x) { return __builtin_rint(x); }
WB_DEVICE float roundf(float x) { return truncf(x + copysignf(fabsf(x) < 8388608 ? 0.49999997f : 0, x)); }
WB_DEVICE float round(float x) { return roundf(x); }
WB_DEVICE double round(double x) { return trunc(x + copysign(fabs(x) < 4503599627370496 ? 0.49999999999999994 : 0, x)); }
WB_DEVICE long lroundf(float x) { return roundf(x); }
WB_DEVICE float min(float a, float b) { return fminf(a, b); }
WB_DEVICE float max(float a, float b) { return fmaxf(a, b); }
WB_DEVICE double min(double a, double b) { return fmin(a, b); }
WB_DEVICE double max(double a, double b) { return fmax(a, b); }
WB_DEVICE double min(float a, double b) { return fmin((double)a, b); }
WB_DEVICE double min(double a, float b) { return fmin(a, (double)b); }
WB_DEVICE double max(float a, double b) { return fmax((double)a, b); }
WB_DEVICE double max(double a, float b) { return fmax(a, (double)b); }
WB_DEVICE float abs(float x) { return fabsf(x); }
WB_DEVICE double abs(double x) { return fabs(x); }
WB_DEVICE float fdimf(float x, float y) { return x > y ? x - y : 0; }
WB_DEVICE float fmodf(float x, float y) { return x - y * truncf(x / y); }
WB_DEVICE float fmod(float x, float y) { return fmodf(x, y); }
WB_DEVICE double fmod(double x, double y) { return x - y * trunc(x / y); }
WB_DEVICE float modff(float x, float *whole) { return x - (*whole = truncf(x)); }
WB_DEVICE bool isnan(float x) { return x != x; }
WB_DEVICE bool isnan(double x) { return x != x; }
WB_DEVICE bool isinf(float x) { return fabsf(x) == __builtin_inff(); }
WB_DEVICE bool isinf(double x) { return fabs(x) == __builtin_inf(); }
WB_DEVICE bool isfinite(float x) { return fabsf(x) < __builtin_inff(); }
WB_DEVICE bool isfinite(double x) { return fabs(x) < __builtin_inf(); }
WB_DEVICE bool signbit(float x) { return __float_as_int(x) < 0; }
WB_DEVICE bool signbit(double x) { return __double_as_longlong(x) < 0; }
WB_DEVICE double rsqrt(double x) { return 1 / sqrt(x); }

#define WB_ROUNDED(name, type, expression)                                     \
  WB_DEVICE type name(type a, type b) { return expression; }
WB_ROUNDED(__fadd_rn, float, __nvvm_add_rn_f(a, b))
WB_ROUNDED(__fsub_rn, float, __nvvm_add_rn_f(a, -b))
WB_ROUNDED(__fmul_rn, float, __nvvm_mul_rn_f(a, b))
WB_ROUNDED(__fdiv_rn, float, __nvvm_div_rn_f(a, b))
WB_ROUNDED(__dadd_rn, double, __nvvm_add_rn_d(a, b))
WB_ROUNDED(__dmul_rn, double, __nvvm_mul_rn_d(a, b))
WB_ROUNDED(__fdividef, float, __nvvm_div_approx_f(a, b))
#undef WB_ROUNDED
WB_DEVICE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WB_DEVICE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
WB_DEVICE float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
WB_DEVICE float __fsqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
WB_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
WB_DEVICE int __float2int_rn(float x) { return __nvvm_f2i_rn(x); }
WB_DEVICE int __float2int_rz(float x) { return __nvvm_f2i_rz(x); }
WB_DEVICE int __float2int_rd(float x) { return __nvvm_f2i_rm(x); }
WB_DEVICE int __float2int_ru(float x) { return __nvvm_f2i_rp(x); }
WB_DEVICE unsigned __float2uint_rn(float x) { return __nvvm_f2ui_rn(x); }
WB_DEVICE unsigned __float2uint_rz(float x) { return __nvvm_f2ui_rz(x); }
WB_DEVICE float __int2float_rn(int x) { return x; }
WB_DEVICE float __uint2float_rn(unsigned x) { return x; }
WB_DEVICE float __double2float_rn(double x) { return x; }

// Transcendental functions of float

WB_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
WB_DEVICE float expf(float x) { return exp2f(x * 1.44269504f); }
WB_DEVICE float exp10f(float x) { return exp2f(x * 3.32192809f); }
WB_DEVICE float expm1f(float x) { return fabsf(x) < 1e-3f ? x + 0.5f * x * x : expf(x) - 1; }
WB_DEVICE float log2f(float x) { return __nvvm_lg2_approx_f(x); }
WB_DEVICE float logf(float x) { return log2f(x) * 0.693147181f; }
WB_DEVICE float log10f(float x) { return log2f(x) * 0.301029996f; }
WB_DEVICE float log1pf(float x) { return fabsf(x) < 1e-3f ? x - 0.5f * x * x : logf(1 + x); }
WB_DEVICE float sinf(float x) { return __nvvm_sin_approx_f(x); }
WB_DEVICE float cosf(float x) { return __nvvm_cos_approx_f(x); }
WB_DEVICE float tanf(float x) { return __nvvm_div_approx_f(sinf(x), cosf(x)); }
WB_DEVICE void sincosf(float x, float *s, float *c) { *s = sinf(x), *c = cosf(x); }
WB_DEVICE float sinpif(float x) { return sinf(x * 3.14159265f); }
WB_DEVICE float cospif(float x) { return cosf(x * 3.14159265f); }
WB_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
WB_DEVICE float hypotf(float x, float y) { return sqrtf(x * x + y * y); }
WB_DEVICE float cbrtf(float x) { return copysignf(exp2f(log2f(fabsf(x)) * 0.333333333f), x); }
WB_DEVICE float powf(float x, float y) {
  float p = exp2f(y * log2f(fabsf(x)));
  if (x >= 0 || y == 0)
    return y == 0 ? 1 : p;
  if (truncf(y) != y)
    return __builtin_nanf("");
  return truncf(y * 0.5f) * 2 == y ? p : -p;
}
WB_DEVICE float sinhf(float x) { return 0.5f * (expf(x) - expf(-x)); }
WB_DEVICE float coshf(float x) { return 0.5f * (expf(x) + expf(-x)); }
WB_DEVICE float tanhf(float x) { return 1 - __nvvm_div_approx_f(2, expf(2 * x) + 1); }
// A polynomial in odd powers on [-1, 1], coefficients of Abramowitz and Stegun, 4.4.49; 1/x beyond.
WB_DEVICE float atanf(float x) {
  float a = fabsf(x), z = a > 1 ? __nvvm_div_approx_f(1, a) : a, s = z * z;
  float p = z * (1 + s * (-0.3333314528f + s * (0.1999355085f + s * (-0.1420889944f + s * (0.1065626393f +
    s * (-0.0752896400f + s * (0.0429096138f + s * (-0.0161657367f + s * 0.0028662257f))))))));
  return copysignf(a > 1 ? 1.57079633f - p : p, x);
}
WB_DEVICE float atan2f(float y, float x) {
  if (x == 0 && y == 0)
    return copysignf(signbit(x) ? 3.14159265f : 0, y);
  float a = atanf(__nvvm_div_approx_f(fabsf(y), fabsf(x)));
  return copysignf(x < 0 ? 3.14159265f - a : a, y);
}
WB_DEVICE float asinf(float x) { return atan2f(x, sqrtf((1 - x) * (1 + x))); }
WB_DEVICE float acosf(float x) { return atan2f(sqrtf((1 - x) * (1 + x)), x); }
// Abramowitz and Stegun, 7.1.26.
WB_DEVICE float erff(float x) {
  float a = fabsf(x), t = __nvvm_div_approx_f(1, 1 + 0.3275911f * a);
  float p = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  return copysignf(1 - p * expf(-a * a), x);
}
WB_DEVICE float erfcf(float x) { return 1 - erff(x); }
WB_DEVICE float normcdff(float x) { return 0.5f * (1 + erff(x * 0.707106781f)); }
WB_DEVICE float __expf(float x) { return expf(x); }
WB_DEVICE float __exp10f(float x) { return exp10f(x); }
WB_DEVICE float __logf(float x) { return logf(x); }
WB_DEVICE float __log2f(float x) { return log2f(x); }
WB_DEVICE float __log10f(float x) { return log10f(x); }
WB_DEVICE float __sinf(float x) { return sinf(x); }
WB_DEVICE float __cosf(float x) { return cosf(x); }
WB_DEVICE float __tanf(float x) { return tanf(x); }
WB_DEVICE void __sincosf(float x, float *s, float *c) { sincosf(x, s, c); }
WB_DEVICE float __powf(float x, float y) { return exp2f(y * log2f(x)); }

// The names that C++ has for the same, and what is missing

#define WB_OVERLOAD(name)                                                      \
  WB_DEVICE float name(float x) { return name##f(x); }                         \
  WB_MISSING("call " #name "f") double name(double);
WB_OVERLOAD(exp)
WB_OVERLOAD(exp2)
WB_OVERLOAD(exp10)
WB_OVERLOAD(expm1)
WB_OVERLOAD(log)
WB_OVERLOAD(log2)
WB_OVERLOAD(log10)
WB_OVERLOAD(log1p)
WB_OVERLOAD(sin)
WB_OVERLOAD(cos)
WB_OVERLOAD(tan)
WB_OVERLOAD(asin)
WB_OVERLOAD(acos)
WB_OVERLOAD(atan)
WB_OVERLOAD(sinh)
WB_OVERLOAD(cosh)
WB_OVERLOAD(tanh)
WB_OVERLOAD(cbrt)
WB_OVERLOAD(erf)
WB_OVERLOAD(erfc)
#undef WB_OVERLOAD
WB_DEVICE float rsqrt(float x) { return rsqrtf(x); }
WB_DEVICE float pow(float x, float y) { return powf(x, y); }
WB_DEVICE float pow(float x, int y) { return powf(x, y); }
WB_MISSING("call powf") double pow(double, double);
WB_DEVICE float atan2(float y, float x) { return atan2f(y, x); }
WB_MISSING("call atan2f") double atan2(double, double);
WB_DEVICE float hypot(float x, float y) { return hypotf(x, y); }
WB_DEVICE double hypot(double x, double y) { return sqrt(x * x + y * y); }

// What a thread says and asks

extern "C" {
__attribute__((device)) int printf(const char *, ...);
__attribute__((device)) int vprintf(const char *, const char *);
__attribute__((device)) void *malloc(size_t);
__attribute__((device)) void free(void *);
}
WB_DEVICE void __assert_fail(const char *, const char *, unsigned, const char *) { __builtin_trap(); }
WB_DEVICE void __trap() { __builtin_trap(); }
WB_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
WB_DEVICE int clock() { return __nvvm_read_ptx_sreg_clock(); }
WB_DEVICE void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" : : "r"(ns)); }

#undef WB_DEVICE
#undef WB_BOTH
#undef WB_MISSING
#undef WB_SHUFFLE

#include "wb_host.h"
