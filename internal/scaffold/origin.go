package scaffold

import (
	"math/bits"

	"warpbound/internal/isa"
)

// set is a set of sources: where numbers come from that a thread computes with. The first are the coordinates of
// threads, the others in the order in which they are met (sources).
type set uint64

// The coordinates of threads and of their CTAs in x, y and z.
const (
	axisX set = 1 << iota
	axisY
	axisZ
	firstSource = 3
	axes        = axisX | axisY | axisZ
)

// each calls visit for the sources of a set that are no coordinates.
func (s set) each(visit func(source int)) {
	for s &^= axes; s != 0; s &= s - 1 {
		visit(bits.TrailingZeros64(uint64(s)))
	}
}

// origin is where a number comes from.
type origin struct {
	base set // the number is a sum in which the source is a term
	all  set // the number depends on the source
}

func (f origin) join(g origin) origin { return origin{f.base | g.base, f.all | g.all} }

// itself returns the sources of which the number is a sum; if there are none, the only one on which it depends.
func (f origin) itself() set {
	if f.base == 0 && bits.OnesCount64(uint64(f.all)) == 1 {
		return f.all
	}
	return f.base
}

// computed returns where the result of an instruction comes from that is no access.
func computed(in *isa.Instr, of []origin) origin {
	var out origin
	for _, f := range of {
		out.all |= f.all
	}
	switch in.Op {
	case isa.Mov, isa.Cvta, isa.CvtaTo, isa.Selp, isa.Min, isa.Max, isa.Or, isa.Pack, isa.Unpack:
		for _, f := range of {
			out.base |= f.base
		}
	case isa.Add:
		if !in.Type.IsFloat() {
			out.base = of[0].base | of[1].base
		}
	case isa.Sub, isa.Shfl, isa.Cvt:
		if !in.Type.IsFloat() {
			out.base = of[0].base
		}
	case isa.Mad, isa.MadWide, isa.Mad24:
		out.base = of[2].base
	}
	return out
}

// axis returns the coordinate that a special register is.
func axis(s isa.Special) set {
	switch s {
	case isa.TidX, isa.CtaidX, isa.LaneID, isa.WarpID:
		return axisX
	case isa.TidY, isa.CtaidY:
		return axisY
	case isa.TidZ, isa.CtaidZ:
		return axisZ
	}
	return 0
}

// factors says which sources of an instruction are multiplied, divided, shifted or masked, which nobody does with an
// address.
func factors(in *isa.Instr) []int {
	switch in.Op {
	case isa.Mul, isa.MulHi, isa.MulWide, isa.Mul24, isa.Div, isa.Rem, isa.Mad, isa.MadWide, isa.MadHi, isa.Mad24:
		return []int{0, 1}
	case isa.Shl, isa.Shr, isa.And:
		return []int{0, 1}
	case isa.Cvt:
		if in.Type.IsFloat() || in.Type.Bytes() < in.SrcType.Bytes() {
			return []int{0}
		}
	}
	return nil
}
