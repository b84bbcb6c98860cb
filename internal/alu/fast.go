package alu

import "warpbound/internal/vec"

// fast returns the processor's function for an operation, or that in Go if it has
// none.
func fast(op vec.Op, plain Func) Func {
	if f := vec.Fast(op); f != nil {
		return Func(f)
	}
	return plain
}

// fastTest is fast for comparisons.
func fastTest(t vec.Test, plain func(a, b *Vector) uint32) func(a, b *Vector) uint32 {
	if f := vec.FastTest(t); f != nil {
		return f
	}
	return plain
}
