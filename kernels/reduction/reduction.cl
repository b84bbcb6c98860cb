// Sums n floats to one partial sum per work-group: every work-item adds up a
// grid-stride share, then the group folds its shares in local memory. The
// local size is a power of two and `partial` has one float per work-item.
__kernel void reduction(__global const float *in, __global float *out,
                        __local float *partial, uint n) {
  uint lid = get_local_id(0);
  uint stride = get_global_size(0);

  float sum = 0.0f;
  for (uint i = get_global_id(0); i < n; i += stride)
    sum += in[i];
  partial[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint active = get_local_size(0) / 2; active > 0; active /= 2) {
    if (lid < active)
      partial[lid] += partial[lid + active];
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (lid == 0)
    out[get_group_id(0)] = partial[0];
}
