package symexec

import (
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// atomic executes an atomic operation on one number.
func (s *state) atomic(in *isa.Instr, r int, offset *smt.Term) error {
	b, width := s.x.b, in.Type.Bits()
	format, float := formatOf(in.Type)
	if in.Type.IsFloat() && (!float || in.Atom != isa.AtomAdd) || in.Type.Class() == isa.Packed || len(in.Dst) > 1 || len(in.Src) > 3 {
		return s.x.unsupported(in)
	}
	var src [3]*smt.Term
	for i, o := range in.Src[1:] {
		value, err := s.operand(in, o)
		if err != nil {
			return err
		}
		src[i] = fit(b, value, width)
	}
	old, x := s.load(r, offset, width/8), src[0]
	less := b.Ult(old, x)
	if in.Type.IsSigned() {
		less = b.Slt(old, x)
	}
	zero := b.Number(width, 0)
	var value *smt.Term
	switch in.Atom {
	case isa.AtomAdd:
		value = b.Add(old, x)
		if float {
			flush := lifter{b: b, in: &isa.Instr{FTZ: in.Type == isa.F32 && s.x.regions[r].space == isa.Global}}
			sum := b.FAdd(format, smt.NearestEven, flush.flush(format, old), flush.flush(format, x))
			value = flush.flush(format, sum)
		}
	case isa.AtomMin:
		value = b.Ite(less, old, x)
	case isa.AtomMax:
		value = b.Ite(less, x, old)
	case isa.AtomAnd:
		value = b.BvAnd(old, x)
	case isa.AtomOr:
		value = b.BvOr(old, x)
	case isa.AtomXor:
		value = b.BvXor(old, x)
	case isa.AtomExch:
		value = x
	case isa.AtomCas:
		value = b.Ite(b.Eq(old, x), src[1], old)
	case isa.AtomInc:
		value = b.Ite(b.Ule(x, old), zero, b.Add(old, b.Number(width, 1)))
	case isa.AtomDec:
		value = b.Ite(b.Or(b.Eq(old, zero), b.Ult(x, old)), x, b.Sub(old, b.Number(width, 1)))
	default:
		return s.x.unsupported(in)
	}
	s.store(r, offset, value)
	if len(in.Dst) > 0 {
		s.assign(in, in.Dst[0], old)
	}
	return nil
}
