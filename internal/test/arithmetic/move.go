package arithmetic

import "warpbound/internal/isa"

// rowOfMove returns the rows of what copies bits: mov, also from and to vectors, and cvta, whose
// second source is the base of the window in the generic space.
func rowOfMove(in *isa.Instr, sources int) *Row {
	t, n := in.Type, in.Type.Bits()
	if in.SrcType != isa.Invalid || !has(in, 0) {
		return nil
	}
	switch in.Op {
	case isa.Mov:
		if n > 1 && n < 8 || n > 64 {
			return nil
		}
		return rowOf(t, times(1, t), func(s []uint64) uint64 { return s[0] & lowBits(n) })
	case isa.Cvta, isa.CvtaTo:
		if t != isa.U32 && t != isa.U64 {
			return nil
		}
		if in.Op == isa.CvtaTo {
			return rowOf(t, times(2, t), func(s []uint64) uint64 { return (s[0] - s[1]) & lowBits(n) })
		}
		return rowOf(t, times(2, t), func(s []uint64) uint64 { return (s[0] + s[1]) & lowBits(n) })
	}
	if t.Class() != isa.Bits || n < 16 || n > 64 {
		return nil
	}
	parts := sources
	if in.Op == isa.Unpack {
		parts = len(in.Dst)
	}
	part := n / max(parts, 1)
	if parts < 2 || parts == 3 || part*parts != n || part < 8 {
		return nil
	}
	if in.Op == isa.Unpack {
		return &Row{Sources: times(1, t), Results: times(parts, t), Evaluate: func(s []uint64) (list []Result) {
			for i := range parts {
				list = append(list, Result{Bits: s[0] >> (i * part) & lowBits(part)})
			}
			return list
		}}
	}
	return rowOf(t, times(sources, isa.B64), func(s []uint64) (d uint64) {
		for i := range sources {
			d |= s[i] & lowBits(part) << (i * part)
		}
		return d
	})
}
