// Kernels like those with which others measured GPUs, written anew. chips.ptx is what clang makes of them:
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

// series computes a series of n multiply-adds in each thread, one for each iteration of a loop.
extern "C" __global__ void series(float *a, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = a[i];
#pragma unroll 1
	do
		x = x * 0.5f + 1.0f;
	while (--n);
	a[i] = x;
}

template <typename T> __device__ void product(const T *a, const T *b, T *c, int n) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
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

#define TILE 16

template <typename T> __device__ void tiledProduct(const T *a, const T *b, T *c, int n) {
	__shared__ T left[TILE][TILE], right[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
	T s = 0;
	for (int t = 0; t < n; t += TILE) {
		left[ty][tx] = a[y * n + t + tx];
		right[ty][tx] = b[(t + ty) * n + x];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			s += left[ty][k] * right[k][tx];
		__syncthreads();
	}
	c[y * n + x] = s;
}

// Products of matrices of n rows and columns, a multiple of the tile and of 4.
extern "C" __global__ void productU32(const unsigned *a, const unsigned *b, unsigned *c, int n) { product(a, b, c, n); }
extern "C" __global__ void productF32(const float *a, const float *b, float *c, int n) { product(a, b, c, n); }
extern "C" __global__ void tiledU32(const unsigned *a, const unsigned *b, unsigned *c, int n) { tiledProduct(a, b, c, n); }
extern "C" __global__ void tiledF32(const float *a, const float *b, float *c, int n) { tiledProduct(a, b, c, n); }

// reduce adds 2 x blockDim.x numbers in each CTA, with sequential addressing.
extern "C" __global__ void reduce(const unsigned *a, unsigned *out) {
	__shared__ unsigned s[256];
	int t = threadIdx.x, i = blockIdx.x * 256 + t;
	s[t] = a[i];
	__syncthreads();
	for (int d = 128; d > 0; d >>= 1) {
		if (t < d)
			s[t] += s[t + d];
		__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = s[0];
}
