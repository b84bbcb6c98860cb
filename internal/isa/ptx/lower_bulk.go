package ptx

import "warpbound/internal/isa"

// mbarrier makes an instruction that operation on an mbarrier object.
func mbarrier(m isa.MbarrierOp) effect { return func(in *isa.Instr) { in.Mbarrier = m } }

// mbarrierWith is what a word makes of an arrival, of one that later phases do not expect, and of what is neither.
func mbarrierWith(other, arrive, drop isa.MbarrierOp) effect {
	return func(in *isa.Instr) {
		switch in.Mbarrier {
		case isa.MbarrierArrive:
			in.Mbarrier = arrive
		case isa.MbarrierDrop:
			in.Mbarrier = drop
		default:
			in.Mbarrier = other
		}
	}
}

// asynchronous makes of an instruction that tells an mbarrier of copies the steps that it stands for, the last of which
// it returns: the copy, if it is one, the wait until copies are served, and what is then done to the mbarrier.
func (fn *function) asynchronous(in isa.Instr) isa.Instr {
	in.Volatile = false // no cache has what an mbarrier holds
	drain := isa.Instr{Op: isa.BulkDrain}
	switch {
	case in.Op == isa.BulkCopy && len(in.Src) > 3:
		copies := in
		copies.Src, copies.Space = in.Src[:3], isa.Shared
		fn.before = append(fn.before, copies, drain)
		return isa.Instr{Op: isa.Mbarrier, Mbarrier: isa.MbarrierComplete, Type: isa.B64, Space: isa.Shared, Src: []isa.Operand{in.Src[3], in.Src[2]}}
	case in.Mbarrier == isa.MbarrierCopies, in.Mbarrier == isa.MbarrierCopiesExpected:
		fn.before = append(fn.before, drain)
	}
	return in
}
