package alu

import (
	"math"
	"testing"

	"warpbound/internal/isa"
)

func single(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }

// TestUnsettled asks of results in one lane of half a warp whether bounds may rest on them.
func TestUnsettled(t *testing.T) {
	const nan32, nan64, half = 0x7fc00000, 0x7ff8000000000000, 1<<16 - 1
	add := isa.Instr{Op: isa.Add, Type: isa.F32}
	pair := isa.Instr{Op: isa.Add, Type: isa.F16x2}
	quotient := isa.Instr{Op: isa.Div, Type: isa.F32, Approx: true}
	down := isa.Instr{Op: isa.Shfl, Type: isa.B32, Lane: isa.ShflDown, Src: make([]isa.Operand, 4)}
	second := isa.Instr{Op: isa.VAdd, Type: isa.S32, Video: &isa.Video{Parts: 1}, Src: make([]isa.Operand, 3)}
	for _, c := range []struct {
		name string
		in   isa.Instr
		l    InLane
		want bool
	}{
		{"an integer of a number", isa.Instr{Op: isa.Cvt, Type: isa.U32, SrcType: isa.F32}, InLane{Src: [maxSources]uint64{single(3)}}, false},
		{"an integer of NaN", isa.Instr{Op: isa.Cvt, Type: isa.U32, SrcType: isa.F32}, InLane{Src: [maxSources]uint64{nan32}}, true},
		{"a number of an integer", isa.Instr{Op: isa.Cvt, Type: isa.F32, SrcType: isa.U32}, InLane{Dst: nan32}, false},
		{"a sum", add, InLane{Dst: single(3)}, false},
		{"a sum that is infinite", add, InLane{Dst: single(math.Inf(1))}, false},
		{"a sum that is NaN", add, InLane{Dst: nan32}, true},
		{"a sum of integers with such bits", isa.Instr{Op: isa.Add, Type: isa.U32}, InLane{Dst: nan32}, false},
		{"a double that is NaN", isa.Instr{Op: isa.Neg, Type: isa.F64}, InLane{Dst: nan64 | 1}, true},
		{"a double of a single that is NaN", isa.Instr{Op: isa.Cvt, Type: isa.F64, SrcType: isa.F32}, InLane{Src: [maxSources]uint64{nan32}, Dst: nan64}, true},
		{"a double of a single", isa.Instr{Op: isa.Cvt, Type: isa.F64, SrcType: isa.F32}, InLane{Dst: 0x3ff0000000000000}, false},
		{"a pair of numbers", pair, InLane{Dst: 0x3c007c00}, false},
		{"a pair with NaN above", pair, InLane{Dst: 0x7e000000}, true},
		{"an approximation", isa.Instr{Op: isa.Ex2, Type: isa.F32, Approx: true}, InLane{Src: [maxSources]uint64{single(3)}, Dst: single(8)}, true},
		{"an approximation at zero", isa.Instr{Op: isa.Ex2, Type: isa.F32, Approx: true}, InLane{Dst: single(1)}, false},
		{"a root that is rounded", isa.Instr{Op: isa.Sqrt, Type: isa.F32}, InLane{Src: [maxSources]uint64{single(3)}, Dst: single(1.7)}, false},
		{"a quotient", quotient, InLane{Src: [maxSources]uint64{single(3), single(7)}, Dst: single(.4)}, true},
		{"a quotient by infinity", quotient, InLane{Src: [maxSources]uint64{single(3), single(math.Inf(-1))}}, false},
		{"nothing by nothing", quotient, InLane{Dst: nan32}, true},
		{"a sine that does not say that it is an approximation", isa.Instr{Op: isa.Sin, Type: isa.F32}, InLane{Src: [maxSources]uint64{single(3)}, Dst: single(.1)}, true},
		{"a whole quotient", isa.Instr{Op: isa.Div, Type: isa.S32}, InLane{Src: [maxSources]uint64{7, 2}}, false},
		{"a whole quotient by nothing", isa.Instr{Op: isa.Div, Type: isa.S32}, InLane{Src: [maxSources]uint64{7, 0}}, true},
		{"what is left of a whole quotient by nothing", isa.Instr{Op: isa.Rem, Type: isa.U64}, InLane{Src: [maxSources]uint64{7, 0}}, true},
		{"from a lane that takes part", down, InLane{Src: [maxSources]uint64{9, 4, 31}, Lane: 11, Mask: half}, false},
		{"from a lane that does not", down, InLane{Src: [maxSources]uint64{9, 4, 31}, Lane: 12, Mask: half}, true},
		{"from beyond the warp", down, InLane{Src: [maxSources]uint64{9, 24, 31}, Lane: 12, Mask: half}, false},
		{"a field", isa.Instr{Op: isa.Bfe, Type: isa.U64}, InLane{Src: [maxSources]uint64{9, 255, 255}}, false},
		{"a field that is too long", isa.Instr{Op: isa.Bfe, Type: isa.U64}, InLane{Src: [maxSources]uint64{9, 0, 256}}, true},
		{"a field of a word", isa.Instr{Op: isa.Bfe, Type: isa.U32}, InLane{Src: [maxSources]uint64{9, 0, 256}}, false},
		{"a field put too far", isa.Instr{Op: isa.Bfi, Type: isa.B64}, InLane{Src: [maxSources]uint64{9, 9, 256, 1}}, true},
		{"a second operation", second, InLane{}, true},
		{"none", isa.Instr{Op: isa.VAdd, Type: isa.S32, Video: &isa.Video{Parts: 1}, Src: make([]isa.Operand, 2)}, InLane{}, false},
		{"of four parts", isa.Instr{Op: isa.VAdd, Type: isa.S32, Video: &isa.Video{Parts: 4}, Src: make([]isa.Operand, 3)}, InLane{}, false},
	} {
		unsettled := Unsettled(&c.in)
		if got := unsettled != nil && unsettled(&c.l); got != c.want {
			t.Errorf("%s: unsettled %t", c.name, got)
		}
	}
}
