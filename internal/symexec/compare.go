package symexec

import (
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// compare compares two sources of a type; nil if there is no such comparison.
func (l *lifter) compare(t isa.Type) *smt.Term {
	x, y := l.fit(l.src[0], t.Bits()), l.fit(l.src[1], t.Bits())
	if f, ok := formatOf(t); ok {
		return l.compareFloats(f, l.flush(f, x), l.flush(f, y))
	}
	less := l.b.Ult
	if t.IsSigned() && l.in.Cmp <= isa.Ge {
		less = l.b.Slt
	}
	switch l.in.Cmp {
	case isa.Eq:
		return l.b.Eq(x, y)
	case isa.Ne:
		return l.b.Not(l.b.Eq(x, y))
	case isa.Lt, isa.Lo:
		return less(x, y)
	case isa.Le, isa.Ls:
		return l.b.Not(less(y, x))
	case isa.Gt, isa.Hi:
		return less(y, x)
	case isa.Ge, isa.Hs:
		return l.b.Not(less(x, y))
	}
	return nil
}

func (l *lifter) compareFloats(f smt.Format, x, y *smt.Term) *smt.Term {
	nan := l.b.Or(l.b.FIsNaN(f, x), l.b.FIsNaN(f, y))
	equal := l.b.FEq(f, x, y)
	switch l.in.Cmp {
	case isa.Eq:
		return equal
	case isa.Ne:
		return l.b.Not(l.b.Or(nan, equal))
	case isa.Lt:
		return l.b.FLt(f, x, y)
	case isa.Le:
		return l.b.FLe(f, x, y)
	case isa.Gt:
		return l.b.FLt(f, y, x)
	case isa.Ge:
		return l.b.FLe(f, y, x)
	case isa.EqU:
		return l.b.Or(nan, equal)
	case isa.NeU:
		return l.b.Not(equal)
	case isa.LtU:
		return l.b.Not(l.b.FLe(f, y, x))
	case isa.LeU:
		return l.b.Not(l.b.FLt(f, y, x))
	case isa.GtU:
		return l.b.Not(l.b.FLe(f, x, y))
	case isa.GeU:
		return l.b.Not(l.b.FLt(f, x, y))
	case isa.Num:
		return l.b.Not(nan)
	case isa.NaN:
		return nan
	}
	return nil
}

// combine joins a comparison with a predicate; nil if the instruction does not say how.
func (l *lifter) combine(holds, p *smt.Term) *smt.Term {
	switch l.in.Combine {
	case isa.CombineAnd:
		return l.b.And(holds, p)
	case isa.CombineOr:
		return l.b.Or(holds, p)
	case isa.CombineXor:
		return l.b.Xor(holds, p)
	}
	return nil
}

// joined returns a comparison of a type, or its complement, with the predicate if there is one.
func (l *lifter) joined(t isa.Type, complement bool) *smt.Term {
	holds := l.compare(t)
	if holds == nil {
		return nil
	}
	if complement {
		holds = l.b.Not(holds)
	}
	if len(l.src) > 2 {
		return l.combine(holds, l.truth(2))
	}
	return holds
}

func setp(l *lifter) []*smt.Term {
	holds := l.joined(l.in.Type, false)
	if holds == nil || len(l.in.Dst) == 1 {
		return one(holds)
	}
	return []*smt.Term{holds, l.joined(l.in.Type, true)}
}

// set assigns all ones, or the number one, by a comparison.
func set(l *lifter) []*smt.Term {
	if kindOf(l.in.SrcType)&(onBits|onInts|onFloats) == 0 {
		return nil
	}
	holds := l.joined(l.in.SrcType, false)
	if holds == nil {
		return nil
	}
	yes := ^uint64(0)
	if f, ok := formatOf(l.in.Type); ok {
		yes = f.One()
	}
	return one(l.b.Ite(holds, l.num(yes), l.num(0)))
}

// selectBySign is Slct.
func selectBySign(l *lifter) []*smt.Term {
	var take *smt.Term
	switch c := l.fit(l.src[2], 32); l.in.SrcType {
	case isa.S32:
		take = l.b.Sle(l.b.Number(32, 0), c)
	case isa.F32:
		take = l.b.FLe(smt.Single, l.b.Number(32, 0), l.flush(smt.Single, c))
	default:
		return nil
	}
	return one(l.b.Ite(take, l.a(), l.at(1)))
}
