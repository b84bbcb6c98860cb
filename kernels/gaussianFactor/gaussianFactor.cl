// The first half of one step of Gaussian elimination without pivoting on an n x n
// matrix: for each row below row `pivot`, how many times that row must be
// subtracted, one row per work-item. A solver launches this kernel for each pivot
// from 0 to n - 2, gaussianUpdate after it. The jobs are the launch for pivot 0,
// which has the most work; the pivot's column is read with a stride of n.
__kernel void gaussianFactor(__global const float *a, __global float *factor,
                             uint n, uint pivot) {
  uint row = pivot + 1 + get_global_id(0);
  if (row < n)
    factor[row] = a[row * n + pivot] / a[pivot * n + pivot];
}
