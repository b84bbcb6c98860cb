package emu

import (
	"math"
	"math/bits"

	"warpbound/internal/isa"
)

// transcendental returns the approximations: single precision, and the
// reciprocal square root in double precision too. Nil if there is none.
func transcendental(in *isa.Instr, f format) scalar {
	return nil
}

var _ = math.Pi
var _ = bits.Len
