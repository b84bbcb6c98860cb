package alu

import "warpbound/internal/vec"

// fastWord returns the processor's function for an operation, or that in Go if it has
// none.
func fastWord(op vec.WordOp, plain WordFunc) WordFunc {
	if f := vec.Word(op); f != nil {
		return WordFunc(f)
	}
	return plain
}

// fastWide is fastWord for operations on Vectors.
func fastWide(op vec.Op, plain Func) Func {
	if f := vec.Wide(op); f != nil {
		return Func(f)
	}
	return plain
}

// fastWordTest and fastTest do the same for comparisons.

func fastWordTest(t vec.WordTest, plain vec.WordTestFunc) vec.WordTestFunc {
	if f := vec.WordTests(t); f != nil {
		return f
	}
	return plain
}

func fastTest(t vec.Test, plain vec.TestFunc) vec.TestFunc {
	if f := vec.WideTests(t); f != nil {
		return f
	}
	return plain
}
