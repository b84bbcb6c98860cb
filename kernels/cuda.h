// The part of CUDA C that the kernels here use, for clang without a CUDA
// toolkit. Barriers are clang's own builtin __syncthreads().
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

#define DEVICE_INLINE __device__ inline __attribute__((always_inline))

// A coordinate is an empty struct whose properties read special registers.
#define COORDINATE(name, sreg)                                                 \
  const __device__ struct name##_t {                                           \
    __declspec(property(get = get_x)) unsigned x;                              \
    __declspec(property(get = get_y)) unsigned y;                              \
    __declspec(property(get = get_z)) unsigned z;                              \
    DEVICE_INLINE unsigned get_x() const { return sreg##_x(); }                \
    DEVICE_INLINE unsigned get_y() const { return sreg##_y(); }                \
    DEVICE_INLINE unsigned get_z() const { return sreg##_z(); }                \
  } name = {}

COORDINATE(threadIdx, __nvvm_read_ptx_sreg_tid);
COORDINATE(blockIdx, __nvvm_read_ptx_sreg_ctaid);
COORDINATE(blockDim, __nvvm_read_ptx_sreg_ntid);
COORDINATE(gridDim, __nvvm_read_ptx_sreg_nctaid);

#undef COORDINATE

DEVICE_INLINE float fmaf(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

DEVICE_INLINE unsigned atomicAdd(unsigned *address, unsigned value) {
  return __nvvm_atom_add_gen_i((int *)address, (int)value);
}
