package symexec

import (
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// Lift returns the results of an instruction on integers and predicates as terms, in the order of Instr.Dst, from its sources in the order
// of Instr.Src: bit-vectors of any width, of which the operation takes what it needs, or truth values for predicates. widths
// are those of the results' registers in bits. It is false for instructions that have no meaning as such terms: whatever
// touches memory, other threads or floating-point numbers.
func Lift(b *smt.Builder, in *isa.Instr, src []*smt.Term, widths []int) ([]*smt.Term, bool) {
	if in.Type.IsFloat() || in.SrcType.IsFloat() || len(widths) == 0 {
		return nil, false
	}
	return lift(b, in, src, widths)
}
