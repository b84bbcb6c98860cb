// Package minisimt is the machine language of the mini-SIMT machine (Hirvisalo, On Static
// Timing Analysis of GPU Kernels, WCET 2014, Section 4): parser, printer, and lowering to
// package isa.
//
//	kernel half(float* v, int n)       // parameters hold their values from the start
//	int r                              // variables: int, float, bool, int*, float*
//	bool p
//	float x
//	float* a
//	100: binop p = Tid < n             // addresses follow each other; only the first is needed
//	101: bz p, 106
//	102: binop a = v + Tid             // pointers count elements
//	103: load x = a
//	104: binop x = x * 0.5
//	105: store a = x
//	106: sync                          // a thread ends behind the last instruction
//
// An instruction that names a label bz, bnz or jump goes to the instruction of that
// address. Each instruction becomes one of package isa, in the same order, and last an
// exit; lanes reconverge AtSyncs.
//
// The language of the paper has no types. Here they tell integer operations from those
// on floats, and truth values, which comparisons give, from numbers.
//
// minisimt imports isa, clex and diag and nothing else of this project.
package minisimt
