// Adds to `histogram` the counts of n * 4 bytes by their upper six bits. A
// work-group counts its grid-stride share, four bytes at a time, in local
// memory and then merges its counts. The local size is at least BINS.
#define BINS 64

__kernel void histogram64(__global const uchar4 *data, __global uint *histogram,
                          uint n) {
  __local uint bins[BINS];
  uint lid = get_local_id(0);
  uint stride = get_global_size(0);

  if (lid < BINS)
    bins[lid] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint i = get_global_id(0); i < n; i += stride) {
    uchar4 v = data[i];
    atomic_inc(&bins[v.x >> 2]);
    atomic_inc(&bins[v.y >> 2]);
    atomic_inc(&bins[v.z >> 2]);
    atomic_inc(&bins[v.w >> 2]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (lid < BINS)
    atomic_add(&histogram[lid], bins[lid]);
}
