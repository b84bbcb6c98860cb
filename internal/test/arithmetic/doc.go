// Package arithmetic evaluates arithmetic instructions from the tables of the PTX manual, in exact
// numbers.
//
// It is the oracle of internal/alu, and shares nothing with it: of this project it imports
// internal/isa alone, for types and operations. A Row says what an instruction makes of its sources
// in one lane, a WarpRow what one of a whole warp makes of them. Numbers are integers times powers
// of two (math/big); quotients and roots are these with a note that there is more, so that rounding
// is exact, too. What the manual calls an approximation is a number to many more bits with the
// error that the manual states; where it states none, or leaves a result open, the result says so.
//
// Pages of the manual are named as in "PTX ISA 9.0"
// (docs.nvidia.com/cuda/parallel-thread-execution).
package arithmetic

import (
	"fmt"

	"warpbound/internal/isa"
)

// Row is what the manual says of one instruction.
type Row struct {
	Sources []isa.Type // how the sources are read
	Results []isa.Type // how the results are read

	// Evaluate returns the results in a lane whose sources have these bits.
	Evaluate func(s []uint64) []Result
}

// Result is what an instruction gives in one of its results.
type Result struct {
	// Bits is the result; of an approximation it is the number of the format that is nearest to the
	// exact result.
	Bits uint64

	// Parts are the numbers that an approximation gives, from the least significant, nil if the
	// result is no approximation.
	Parts []Approximation

	// Open says that the manual leaves the result open, or states no bound of its error. Bits is
	// then what is customary.
	Open bool
}

// Check returns an error if bits are no result that the manual allows.
func (r *Result) Check(bits uint64) error {
	if r.Parts == nil {
		if bits != r.Bits {
			return fmt.Errorf("want 0x%x", r.Bits)
		}
		return nil
	}
	width := r.Parts[0].width
	for i := range r.Parts {
		if err := r.Parts[i].check(bits >> (i * width) & lowBits(width)); err != nil {
			return err
		}
	}
	return nil
}

// evaluation is the result of an instruction that has one, and no approximation.
type evaluation func(s []uint64) uint64

// rowOf makes a row of an instruction with one result.
func rowOf(result isa.Type, sources []isa.Type, f evaluation) *Row {
	return &Row{Sources: sources, Results: []isa.Type{result}, Evaluate: func(s []uint64) []Result {
		return []Result{{Bits: f(s)}}
	}}
}

// Of returns the row of an instruction with so many sources, whatever its operands are; nil if the
// manual has no such instruction. Instructions of a whole warp have none: see OfWarp.
func Of(in *isa.Instr, sources int) *Row {
	var row *Row
	switch in.Op {
	case isa.Cvt:
		row = rowOfConversion(in, sources)
	case isa.CvtPack:
		row = rowOfPack(in, sources)
	case isa.Setp, isa.Set, isa.Selp, isa.Slct, isa.Testp:
		row = rowOfComparison(in, sources)
	case isa.Mov, isa.Pack, isa.Unpack, isa.Cvta, isa.CvtaTo:
		row = rowOfMove(in, sources)
	case isa.VAdd, isa.VSub, isa.VAbsDiff, isa.VMin, isa.VMax, isa.VAvrg, isa.VShl, isa.VShr, isa.VSet, isa.VMad:
		row = rowOfVideo(in, sources)
	case isa.AddCarry, isa.SubCarry, isa.MadCarry, isa.MadHiCarry:
		row = rowOfCarry(in, sources)
	default:
		switch {
		case in.Type.IsFloat() && sources == 3 && (in.Op == isa.Min || in.Op == isa.Max):
			row = rowOfThree(in)
		case in.Type.IsFloat():
			row = rowOfFloat(in)
		case isInteger(in.Type):
			row = rowOfInteger(in)
		case in.Type == isa.U16x2 || in.Type == isa.S16x2:
			row = rowOfPair(in)
		}
		if row == nil {
			row = rowOfBits(in)
		}
	}
	if row == nil || len(row.Sources) != sources {
		return nil
	}
	return row
}

// has reports whether an instruction has no modifiers but some, and no comparison or atomic
// operation.
func has(in *isa.Instr, allowed isa.Modifiers) bool {
	return in.Modifiers()&^allowed == 0 && in.Cmp == isa.CmpNone &&
		in.Combine == isa.CombineNone && in.Atom == isa.AtomNone
}

// times returns a type as often as said.
func times(n int, t isa.Type) []isa.Type {
	list := make([]isa.Type, n)
	for i := range list {
		list[i] = t
	}
	return list
}

func lowBits(n int) uint64 { return ^uint64(0) >> (64 - n) }

// choose returns one of two values.
func choose[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}
