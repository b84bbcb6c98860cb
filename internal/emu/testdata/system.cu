// What kernels call in the CUDA runtime. system.ptx is made of it by
//
//	clang++-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-feature=+ptx63
//	  -nocudainc -nocudalib -std=c++17 -O2 -S system.cu -o system.ptx
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);
#define assert(e) ((e) ? (void)0 : __assertfail(#e, "system.cu", __LINE__, "check", 1))

__global__ void print(int *out, float f) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  if (i % 2) out[i] = printf("thread %d says \"%s\": %6.2f %c %llx %%\n", i, "hello", f * i, 'a' + i, 1ull << 40);
  if (i == 2) printf("plain\n");
}

struct Node { Node *next; int value; };
__global__ void heap(int *out) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  Node *list = nullptr;
  for (int k = 0; k <= i % 5; k++) {
    Node *n = (Node *)malloc(sizeof(Node));
    n->next = list;
    n->value = i + k;
    list = n;
  }
  int sum = 0;
  while (list) {
    Node *next = list->next;
    sum += list->value;
    free(list);
    list = next;
  }
  out[i] = sum;
}

__global__ void check(int *out) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  if (i >= 4) {
    assert(i < out[0]);
    out[i] = i;
  }
  __syncthreads();
  out[i] += 100;
}
