// The second half of one step of Gaussian elimination without pivoting on an n x n
// matrix and its right-hand side: subtracts `factor` times row `pivot` from each row
// below, one element per work-item; those of the pivot's column do the right-hand
// side, too. A solver launches this kernel for each pivot from 0 to n - 2, after
// gaussianFactor. The jobs are the launch for pivot 0, which has the most work, with
// factors as quotients of such elements have them.
#pragma OPENCL FP_CONTRACT OFF

__kernel void gaussianUpdate(__global float *a, __global float *rhs,
                             __global const float *factor, uint n, uint pivot) {
  uint col = pivot + get_global_id(0);
  uint row = pivot + 1 + get_global_id(1);
  if (row >= n || col >= n)
    return;

  a[row * n + col] -= factor[row] * a[pivot * n + col];
  if (col == pivot)
    rhs[row] -= factor[row] * rhs[pivot];
}
