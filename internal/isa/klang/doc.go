// Package klang is the kernel language of Hirvisalo's examples (On Static Timing Analysis
// of GPU Kernels, WCET 2014, Listing 1): parser, checker, and a compiler to mini-SIMT
// machine code.
//
//	__kernel half(float* v, int n) {
//	    for (int i = Tid; i < n; i += Ntid)
//	        v[i] *= 0.5;
//	}
//
// It is a small part of C: int, float and pointers to them, if, while and for, blocks,
// assignments, and expressions without calls and side effects. Tid is the number of the
// thread (see package minisimt for others of the kind), _syncthreads() a barrier for all
// threads of the CTA.
//
// The compiler is simple, so that one can tell from the source how long a kernel takes
// (see Compile).
//
// klang imports minisimt, clex and diag and nothing else of this project.
package klang
