// Kernels like those with which others measured GPUs, written anew, with the CTAs, tiles and tests of theirs. chips.ptx is what clang makes of them:
//
//	warpbound init chips.cu --kernel sum -- -O2
//
// with the module for sm_70.

// sum reads n numbers.
extern "C" __global__ void sum(const double *a, double *out, int n) {
	double s = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		s += a[i];
	if (s == 1.25)
		out[0] = s;
}

// scale multiplies n numbers.
extern "C" __global__ void scale(double *a, const double *b, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		a[i] = b[i] * 0.25;
}

// add adds arrays of n times n numbers.
extern "C" __global__ void add(const unsigned *a, const unsigned *b, unsigned *c, int n) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < n && y < n)
		c[y * n + x] = a[y * n + x] + b[y * n + x];
}

// series computes a series of n multiply-adds in each thread, one for each iteration of a loop (KW: launch-overhead).
extern "C" __global__ void series(float *a, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = i;
#pragma unroll 1
	do
		x = x * 0.5f + 1.0f;
	while (--n);
	if (x == -1.0f)
		a[i] = x;
}

template <typename T> __device__ __attribute__((always_inline)) void product(const T *a, const T *b, T *c, int n) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= n || y >= n)
		return;
	T s = 0;
	a += y * n;
	b += x;
#pragma unroll 1
	for (int k = 0; k < n; k += 4, a += 4, b += 4 * n) { // in the order in which nvcc and ptxas put such a loop
		T l0 = a[0], r0 = b[0], l1 = a[1], r1 = b[n], l2 = a[2], r2 = b[2 * n], l3 = a[3], r3 = b[3 * n];
		s += l0 * r0;
		s += l1 * r1;
		s += l2 * r2;
		s += l3 * r3;
	}
	c[y * n + x] = s;
}

// tiledProduct has tiles as large as a CTA (PMPP).
template <typename T> __device__ __attribute__((always_inline)) void tiledProduct(const T *a, const T *b, T *c, int n) {
	extern __shared__ unsigned tiles[];
	int tile = blockDim.x, tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * tile + tx, y = blockIdx.y * tile + ty;
	T *left = (T *)tiles, *right = left + tile * tile, s = 0;
	for (int t = 0; t < (n + tile - 1) / tile; t++) {
		int u = t * tile + tx, v = t * tile + ty;
		left[ty * tile + tx] = y < n && u < n ? a[y * n + u] : 0;
		right[ty * tile + tx] = v < n && x < n ? b[v * n + x] : 0;
		__syncthreads();
#pragma unroll 1
		for (int k = 0; k < tile; k += 4) { // four at a time as nvcc, and in the order of ptxas
			T l0 = left[ty * tile + k], r0 = right[k * tile + tx], l1 = left[ty * tile + k + 1], r1 = right[(k + 1) * tile + tx];
			T l2 = left[ty * tile + k + 2], r2 = right[(k + 2) * tile + tx], l3 = left[ty * tile + k + 3], r3 = right[(k + 3) * tile + tx];
			s += l0 * r0;
			s += l1 * r1;
			s += l2 * r2;
			s += l3 * r3;
		}
		__syncthreads();
	}
	if (x < n && y < n)
		c[y * n + x] = s;
}

#define TILE 32

// paddedProduct has tiles of a fixed size, with rows that begin in different banks (ORI).
template <typename T> __device__ __attribute__((always_inline)) void paddedProduct(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int n) {
	__shared__ T left[TILE][TILE + 1], right[TILE][TILE + 1];
	int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
	T s = 0;
	for (int t = 0; t < (n + TILE - 1) / TILE; t++) {
		int u = t * TILE + tx, v = t * TILE + ty;
		left[ty][tx] = y < n && u < n ? a[y * n + u] : 0;
		right[ty][tx] = v < n && x < n ? b[v * n + x] : 0;
		__syncthreads();
#pragma unroll
		for (int k = 0; k < TILE; k += 8) { // all of the tile as nvcc, with loads side by side as ptxas puts them
			T l[8], r[8];
#pragma unroll
			for (int i = 0; i < 8; i++)
				l[i] = left[ty][k + i], r[i] = right[k + i][tx];
#pragma unroll
			for (int i = 0; i < 8; i++)
				s += l[i] * r[i];
		}
		__syncthreads();
	}
	if (x < n && y < n)
		c[y * n + x] = s;
}

// Products of matrices of n rows and columns, a multiple of the tile and of 4.
extern "C" __global__ void productU32(const unsigned *a, const unsigned *b, unsigned *c, int n) { product(a, b, c, n); }
extern "C" __global__ void productF32(const float *a, const float *b, float *c, int n) { product(a, b, c, n); }
extern "C" __global__ void tiledU32(const unsigned *a, const unsigned *b, unsigned *c, int n) { tiledProduct(a, b, c, n); }
extern "C" __global__ void tiledF32(const float *a, const float *b, float *c, int n) { paddedProduct(a, b, c, n); }
