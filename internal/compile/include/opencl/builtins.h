// The builtin functions of OpenCL C that everyday kernels use, for clang without libclc. Every file is compiled as if
// it included this one first. Its declarations take the place of those that clang has.
//
// Transcendental functions are the approximations that GPUs have instructions for, and a few formulas of these. What is
// not here stays a call of an undefined function, of which Warpbound says so.
#pragma once

#define WB inline __attribute__((overloadable, always_inline, nodebug))

// Coordinates

#define WB_COORDINATE(name, type, sreg)                                        \
  WB type name(uint d) { return d == 0 ? sreg##_x() : d == 1 ? sreg##_y() : d == 2 ? sreg##_z() : 0; }
WB_COORDINATE(get_local_id, size_t, __nvvm_read_ptx_sreg_tid)
WB_COORDINATE(get_group_id, size_t, __nvvm_read_ptx_sreg_ctaid)
#undef WB_COORDINATE
#define WB_COORDINATE(name, type, sreg)                                        \
  WB type name(uint d) { return d == 0 ? sreg##_x() : d == 1 ? sreg##_y() : d == 2 ? sreg##_z() : 1; }
WB_COORDINATE(get_local_size, size_t, __nvvm_read_ptx_sreg_ntid)
WB_COORDINATE(get_enqueued_local_size, size_t, __nvvm_read_ptx_sreg_ntid)
WB_COORDINATE(get_num_groups, size_t, __nvvm_read_ptx_sreg_nctaid)
#undef WB_COORDINATE
// As 32 bits, which no grid exceeds.
WB size_t get_global_id(uint d) { return (uint)get_group_id(d) * (uint)get_local_size(d) + (uint)get_local_id(d); }
WB size_t get_global_size(uint d) { return (uint)get_num_groups(d) * (uint)get_local_size(d); }
WB size_t get_global_offset(uint d) { return 0; }
WB uint get_work_dim(void) { return 3; }

// Barriers and fences

WB void barrier(uint flags) { __syncthreads(); }
WB void work_group_barrier(uint flags) { __syncthreads(); }
WB void mem_fence(uint flags) { if (flags & CLK_GLOBAL_MEM_FENCE) __nvvm_membar_gl(); else __nvvm_membar_cta(); }
WB void read_mem_fence(uint flags) { mem_fence(flags); }
WB void write_mem_fence(uint flags) { mem_fence(flags); }

// A function of vectors is that of scalars on each element.

#define WB_ONE(ret, name, type)                                                \
  WB ret##2 name(type##2 a) { return (ret##2)(name(a.x), name(a.y)); }         \
  WB ret##3 name(type##3 a) { return (ret##3)(name(a.x), name(a.y), name(a.z)); } \
  WB ret##4 name(type##4 a) { return (ret##4)(name(a.lo), name(a.hi)); }       \
  WB ret##8 name(type##8 a) { return (ret##8)(name(a.lo), name(a.hi)); }       \
  WB ret##16 name(type##16 a) { return (ret##16)(name(a.lo), name(a.hi)); }
#define WB_TWO(ret, name, type)                                                \
  WB ret##2 name(type##2 a, type##2 b) { return (ret##2)(name(a.x, b.x), name(a.y, b.y)); } \
  WB ret##3 name(type##3 a, type##3 b) { return (ret##3)(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z)); } \
  WB ret##4 name(type##4 a, type##4 b) { return (ret##4)(name(a.lo, b.lo), name(a.hi, b.hi)); } \
  WB ret##8 name(type##8 a, type##8 b) { return (ret##8)(name(a.lo, b.lo), name(a.hi, b.hi)); } \
  WB ret##16 name(type##16 a, type##16 b) { return (ret##16)(name(a.lo, b.lo), name(a.hi, b.hi)); }
#define WB_SCALAR(name, type)                                                  \
  WB type##2 name(type##2 a, type b) { return name(a, (type##2)(b)); }         \
  WB type##3 name(type##3 a, type b) { return name(a, (type##3)(b)); }         \
  WB type##4 name(type##4 a, type b) { return name(a, (type##4)(b)); }
#define WB_THREE(name, type)                                                   \
  WB type##2 name(type##2 a, type##2 b, type##2 c) { return (type##2)(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); } \
  WB type##3 name(type##3 a, type##3 b, type##3 c) { return (type##3)(name(a.x, b.x, c.x), name(a.y, b.y, c.y), name(a.z, b.z, c.z)); } \
  WB type##4 name(type##4 a, type##4 b, type##4 c) { return (type##4)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi)); } \
  WB type##8 name(type##8 a, type##8 b, type##8 c) { return (type##8)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi)); }

// Integers

#define WB_INTEGER(type, wider)                                                \
  WB type min(type a, type b) { return a < b ? a : b; }                        \
  WB type max(type a, type b) { return a > b ? a : b; }                        \
  WB type clamp(type x, type lo, type hi) { return min(max(x, lo), hi); }      \
  WB type rotate(type x, type n) {                                             \
    const wider bits = 8 * sizeof(type), by = n & (bits - 1);                  \
    return (wider)x << by | (wider)x >> ((bits - by) & (bits - 1));            \
  }                                                                            \
  WB_TWO(type, min, type) WB_TWO(type, max, type) WB_TWO(type, rotate, type)   \
  WB_SCALAR(min, type) WB_SCALAR(max, type)                                    \
  WB_THREE(clamp, type)
WB_INTEGER(char, uchar)
WB_INTEGER(uchar, uchar)
WB_INTEGER(short, ushort)
WB_INTEGER(ushort, ushort)
WB_INTEGER(int, uint)
WB_INTEGER(uint, uint)
WB_INTEGER(long, ulong)
WB_INTEGER(ulong, ulong)
#undef WB_INTEGER
WB uint abs(int x) { return x < 0 ? -(uint)x : x; }
WB uint abs(uint x) { return x; }
WB ulong abs(long x) { return x < 0 ? -(ulong)x : x; }
WB uint abs_diff(int a, int b) { return a > b ? (uint)a - b : (uint)b - a; }
WB uint abs_diff(uint a, uint b) { return a > b ? a - b : b - a; }
WB int clz(int x) { return x ? __builtin_clz(x) : 32; }
WB uint clz(uint x) { return x ? __builtin_clz(x) : 32; }
WB int popcount(int x) { return __builtin_popcount(x); }
WB uint popcount(uint x) { return __builtin_popcount(x); }
WB ulong popcount(ulong x) { return __builtin_popcountl(x); }
WB int mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WB uint mul24(uint a, uint b) { return __nvvm_mul24_ui(a, b); }
WB int mad24(int a, int b, int c) { return mul24(a, b) + c; }
WB uint mad24(uint a, uint b, uint c) { return mul24(a, b) + c; }
WB int mul_hi(int a, int b) { return __nvvm_mulhi_i(a, b); }
WB uint mul_hi(uint a, uint b) { return __nvvm_mulhi_ui(a, b); }

// Conversions

#define WB_TO(to, from)                                                        \
  WB to convert_##to(from x) { return (to)x; }                                 \
  WB to##2 convert_##to##2(from##2 x) { return __builtin_convertvector(x, to##2); } \
  WB to##3 convert_##to##3(from##3 x) { return __builtin_convertvector(x, to##3); } \
  WB to##4 convert_##to##4(from##4 x) { return __builtin_convertvector(x, to##4); } \
  WB to##8 convert_##to##8(from##8 x) { return __builtin_convertvector(x, to##8); }
#define WB_FROM(from)                                                          \
  WB_TO(char, from) WB_TO(uchar, from) WB_TO(short, from) WB_TO(ushort, from) WB_TO(int, from) \
  WB_TO(uint, from) WB_TO(long, from) WB_TO(ulong, from) WB_TO(float, from)
WB_FROM(char)
WB_FROM(uchar)
WB_FROM(short)
WB_FROM(ushort)
WB_FROM(int)
WB_FROM(uint)
WB_FROM(long)
WB_FROM(ulong)
WB_FROM(float)
#undef WB_FROM
#undef WB_TO
#define WB_SATURATED(to, lo, hi)                                               \
  WB to convert_##to##_sat(int x) { return (to)clamp(x, lo, hi); }             \
  WB to convert_##to##_sat(float x) { return (to)__nvvm_f2i_rz(__builtin_fminf(__builtin_fmaxf(x, lo), hi)); } \
  WB to convert_##to##_sat_rte(float x) { return (to)__nvvm_f2i_rn(__builtin_fminf(__builtin_fmaxf(x, lo), hi)); } \
  WB to##4 convert_##to##4_sat(int4 x) { return __builtin_convertvector(clamp(x, (int4)(lo), (int4)(hi)), to##4); } \
  WB to##4 convert_##to##4_sat(float4 x) {                                     \
    return (to##4)(convert_##to##_sat(x.x), convert_##to##_sat(x.y), convert_##to##_sat(x.z), convert_##to##_sat(x.w)); \
  }
WB_SATURATED(uchar, 0, 255)
WB_SATURATED(char, -128, 127)
WB_SATURATED(ushort, 0, 65535)
WB_SATURATED(short, -32768, 32767)
#undef WB_SATURATED
WB int convert_int_rte(float x) { return __nvvm_f2i_rn(x); }
WB int convert_int_rtz(float x) { return __nvvm_f2i_rz(x); }
WB int convert_int_rtn(float x) { return __nvvm_f2i_rm(x); }
WB int convert_int_rtp(float x) { return __nvvm_f2i_rp(x); }

// Numbers with a point: what is exact

#define WB_FLOAT1(name, expression)                                            \
  WB float name(float x) { return expression; }                                \
  WB_ONE(float, name, float)
#define WB_FLOAT2(name, expression)                                            \
  WB float name(float x, float y) { return expression; }                       \
  WB_TWO(float, name, float)
WB_FLOAT1(sqrt, __builtin_sqrtf(x))
WB_FLOAT1(fabs, __builtin_fabsf(x))
WB_FLOAT1(floor, __builtin_floorf(x))
WB_FLOAT1(ceil, __builtin_ceilf(x))
WB_FLOAT1(trunc, __builtin_truncf(x))
WB_FLOAT1(rint, __builtin_rintf(x))
WB_FLOAT1(round, trunc(x + __builtin_copysignf(fabs(x) < 8388608 ? 0.49999997f : 0, x)))
WB_FLOAT1(sign, x > 0 ? 1.0f : x < 0 ? -1.0f : x)
WB_FLOAT1(radians, x * 0.0174532925f)
WB_FLOAT1(degrees, x * 57.2957795f)
WB_FLOAT2(fmin, __builtin_fminf(x, y))
WB_FLOAT2(fmax, __builtin_fmaxf(x, y))
WB_FLOAT2(min, __builtin_fminf(x, y))
WB_FLOAT2(max, __builtin_fmaxf(x, y))
WB_FLOAT2(copysign, __builtin_copysignf(x, y))
WB_FLOAT2(fmod, x - y * trunc(x / y))
WB_FLOAT2(step, y < x ? 0.0f : 1.0f)
WB_SCALAR(fmin, float)
WB_SCALAR(fmax, float)
WB_SCALAR(min, float)
WB_SCALAR(max, float)
WB float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WB float mad(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WB float clamp(float x, float lo, float hi) { return fmin(fmax(x, lo), hi); }
WB float mix(float x, float y, float a) { return x + (y - x) * a; }
WB float smoothstep(float lo, float hi, float x) {
  float t = clamp((x - lo) / (hi - lo), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}
WB_THREE(fma, float)
WB_THREE(mad, float)
WB_THREE(clamp, float)
WB_THREE(mix, float)
#define WB_BOUNDS(n)                                                           \
  WB float##n clamp(float##n x, float lo, float hi) { return clamp(x, (float##n)(lo), (float##n)(hi)); } \
  WB float##n mix(float##n x, float##n y, float a) { return mix(x, y, (float##n)(a)); }
WB_BOUNDS(2)
WB_BOUNDS(3)
WB_BOUNDS(4)
#undef WB_BOUNDS
WB int isnan(float x) { return x != x; }
WB int isinf(float x) { return fabs(x) == INFINITY; }
WB int isfinite(float x) { return fabs(x) < INFINITY; }
WB int signbit(float x) { return as_int(x) < 0; }

#ifdef cl_khr_fp64
WB double sqrt(double x) { return __builtin_sqrt(x); }
WB double fabs(double x) { return __builtin_fabs(x); }
WB double floor(double x) { return __builtin_floor(x); }
WB double ceil(double x) { return __builtin_ceil(x); }
WB double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
WB double mad(double a, double b, double c) { return __builtin_fma(a, b, c); }
WB double fmin(double a, double b) { return __builtin_fmin(a, b); }
WB double fmax(double a, double b) { return __builtin_fmax(a, b); }
WB double min(double a, double b) { return __builtin_fmin(a, b); }
WB double max(double a, double b) { return __builtin_fmax(a, b); }
#endif

// Selection by scalars, and by the signs of vectors' elements

#define WB_SELECT(type, by, unsigned_by)                                       \
  WB type select(type a, type b, by c) { return c ? b : a; }                   \
  WB type select(type a, type b, unsigned_by c) { return c ? b : a; }          \
  WB type##2 select(type##2 a, type##2 b, by##2 c) { return c ? b : a; }       \
  WB type##3 select(type##3 a, type##3 b, by##3 c) { return c ? b : a; }       \
  WB type##4 select(type##4 a, type##4 b, by##4 c) { return c ? b : a; }
WB_SELECT(float, int, uint)
WB_SELECT(int, int, uint)
WB_SELECT(uint, int, uint)
#undef WB_SELECT

// Transcendental functions

WB_FLOAT1(exp2, __nvvm_ex2_approx_f(x))
WB_FLOAT1(exp, exp2(x * 1.44269504f))
WB_FLOAT1(exp10, exp2(x * 3.32192809f))
WB_FLOAT1(log2, __nvvm_lg2_approx_f(x))
WB_FLOAT1(log, log2(x) * 0.693147181f)
WB_FLOAT1(log10, log2(x) * 0.301029996f)
WB_FLOAT1(sin, __nvvm_sin_approx_f(x))
WB_FLOAT1(cos, __nvvm_cos_approx_f(x))
WB_FLOAT1(tan, __nvvm_div_approx_f(sin(x), cos(x)))
WB_FLOAT1(rsqrt, __nvvm_rsqrt_approx_f(x))
WB_FLOAT1(sinh, 0.5f * (exp(x) - exp(-x)))
WB_FLOAT1(cosh, 0.5f * (exp(x) + exp(-x)))
WB_FLOAT1(tanh, 1 - __nvvm_div_approx_f(2, exp(2 * x) + 1))
WB_FLOAT2(hypot, sqrt(x * x + y * y))
WB_FLOAT2(powr, exp2(y * log2(x)))
WB float pow(float x, float y) {
  float p = exp2(y * log2(fabs(x)));
  if (x >= 0 || y == 0)
    return y == 0 ? 1 : p;
  if (trunc(y) != y)
    return NAN;
  return trunc(y * 0.5f) * 2 == y ? p : -p;
}
WB_TWO(float, pow, float)
WB float pown(float x, int y) { return pow(x, (float)y); }
#define WB_NATIVE(name) WB_FLOAT1(native_##name, name(x)) WB_FLOAT1(half_##name, name(x))
WB_NATIVE(exp)
WB_NATIVE(exp2)
WB_NATIVE(exp10)
WB_NATIVE(log)
WB_NATIVE(log2)
WB_NATIVE(log10)
WB_NATIVE(sin)
WB_NATIVE(cos)
WB_NATIVE(tan)
WB_NATIVE(rsqrt)
WB_NATIVE(sqrt)
#undef WB_NATIVE
WB_FLOAT1(native_recip, __nvvm_div_approx_f(1, x))
WB_FLOAT1(half_recip, __nvvm_div_approx_f(1, x))
WB_FLOAT2(native_divide, __nvvm_div_approx_f(x, y))
WB_FLOAT2(half_divide, __nvvm_div_approx_f(x, y))
WB_FLOAT2(native_powr, exp2(y * log2(x)))

// Geometry

WB float dot(float a, float b) { return a * b; }
WB float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
WB float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
WB float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
#define WB_LENGTHS(type)                                                       \
  WB float length(type a) { return sqrt(dot(a, a)); }                          \
  WB float fast_length(type a) { return sqrt(dot(a, a)); }                     \
  WB float distance(type a, type b) { return length(a - b); }                  \
  WB type normalize(type a) { return a * rsqrt(dot(a, a)); }                   \
  WB type fast_normalize(type a) { return a * rsqrt(dot(a, a)); }
WB_LENGTHS(float)
WB_LENGTHS(float2)
WB_LENGTHS(float3)
WB_LENGTHS(float4)
#undef WB_LENGTHS
WB float3 cross(float3 a, float3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }
WB float4 cross(float4 a, float4 b) { return (float4)(cross(a.xyz, b.xyz), 0); }

// Vectors in memory

#define WB_MEMORY(type, n, space)                                              \
  WB type##n vload##n(size_t i, const space type *p) {                         \
    type##n v;                                                                 \
    __builtin_memcpy(&v, p + n * i, n * sizeof(type));                         \
    return v;                                                                  \
  }
#define WB_STORE(type, n, space)                                               \
  WB void vstore##n(type##n v, size_t i, space type *p) { __builtin_memcpy(p + n * i, &v, n * sizeof(type)); }
#define WB_SPACES(type, n)                                                     \
  WB_MEMORY(type, n, __global) WB_MEMORY(type, n, __local) WB_MEMORY(type, n, __constant) WB_MEMORY(type, n, __private) \
  WB_STORE(type, n, __global) WB_STORE(type, n, __local) WB_STORE(type, n, __private)
#define WB_WIDTHS(type) WB_SPACES(type, 2) WB_SPACES(type, 3) WB_SPACES(type, 4) WB_SPACES(type, 8) WB_SPACES(type, 16)
WB_WIDTHS(float)
WB_WIDTHS(int)
WB_WIDTHS(uint)
WB_WIDTHS(uchar)
#undef WB_WIDTHS
#undef WB_SPACES
#undef WB_STORE
#undef WB_MEMORY

// Atomics

#define WB_ATOMIC(name, type, builtin, cast)                                   \
  WB type name(volatile __global type *p, type v) { return builtin((cast *)p, v); } \
  WB type name(volatile __local type *p, type v) { return builtin((cast *)p, v); }
#define WB_ATOMICS(prefix)                                                     \
  WB_ATOMIC(prefix##add, int, __nvvm_atom_add_gen_i, int)                      \
  WB_ATOMIC(prefix##add, uint, __nvvm_atom_add_gen_i, int)                     \
  WB_ATOMIC(prefix##xchg, int, __nvvm_atom_xchg_gen_i, int)                    \
  WB_ATOMIC(prefix##xchg, uint, __nvvm_atom_xchg_gen_i, int)                   \
  WB_ATOMIC(prefix##min, int, __nvvm_atom_min_gen_i, int)                      \
  WB_ATOMIC(prefix##min, uint, __nvvm_atom_min_gen_ui, uint)                   \
  WB_ATOMIC(prefix##max, int, __nvvm_atom_max_gen_i, int)                      \
  WB_ATOMIC(prefix##max, uint, __nvvm_atom_max_gen_ui, uint)                   \
  WB_ATOMIC(prefix##and, int, __nvvm_atom_and_gen_i, int)                      \
  WB_ATOMIC(prefix##and, uint, __nvvm_atom_and_gen_i, int)                     \
  WB_ATOMIC(prefix##or, int, __nvvm_atom_or_gen_i, int)                        \
  WB_ATOMIC(prefix##or, uint, __nvvm_atom_or_gen_i, int)                       \
  WB_ATOMIC(prefix##xor, int, __nvvm_atom_xor_gen_i, int)                      \
  WB_ATOMIC(prefix##xor, uint, __nvvm_atom_xor_gen_i, int)                     \
  WB_MORE(prefix, int, __global) WB_MORE(prefix, int, __local)                 \
  WB_MORE(prefix, uint, __global) WB_MORE(prefix, uint, __local)
#define WB_MORE(prefix, type, space)                                           \
  WB type prefix##sub(volatile space type *p, type v) { return prefix##add(p, -v); } \
  WB type prefix##inc(volatile space type *p) { return prefix##add(p, (type)1); } \
  WB type prefix##dec(volatile space type *p) { return prefix##add(p, (type)-1); } \
  WB type prefix##cmpxchg(volatile space type *p, type old, type v) { return __nvvm_atom_cas_gen_i((int *)p, old, v); }
WB_ATOMICS(atomic_)
WB_ATOMICS(atom_)
#undef WB_ATOMICS
#undef WB_MORE
#undef WB_ATOMIC

#undef WB
#undef WB_ONE
#undef WB_TWO
#undef WB_SCALAR
#undef WB_THREE
#undef WB_FLOAT1
#undef WB_FLOAT2
