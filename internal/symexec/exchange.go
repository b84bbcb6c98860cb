package symexec

import (
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// exchange makes the terms of one operation on several lanes, as a lifter does of what each makes
// alone.
type exchange struct {
	lifter
	mask    uint64
	lanes   []int         // those that take part, ascending
	sources [][]*smt.Term // of these, in the order of Instr.Src without the mask of members
}

// results returns what gives the results of lane n of those that take part, in the order of
// Instr.Dst, and a condition under which the first is unsettled.
func (e *exchange) results() func(n int) ([]*smt.Term, *smt.Term) {
	var values []*smt.Term // of all lanes
	settled := e.b.Truth(false)
	switch e.in.Op {
	case isa.Shfl:
		return func(n int) ([]*smt.Term, *smt.Term) {
			value, inRange, outside := e.shuffled(n)
			return []*smt.Term{value, inRange}, outside
		}
	case isa.Elect:
		leader := e.b.Number(indexWidth, uint64(e.lanes[0]))
		return func(n int) ([]*smt.Term, *smt.Term) { return []*smt.Term{leader, e.b.Truth(n == 0)}, e.b.Truth(true) } // a device may choose another
	case isa.Match:
		if e.in.Lane == isa.MatchAny {
			return func(n int) ([]*smt.Term, *smt.Term) { return one(e.ballot(e.equal(n))), settled }
		}
		all := e.b.Truth(true)
		for _, same := range e.equal(0) {
			all = e.b.And(all, same)
		}
		values = []*smt.Term{e.b.Ite(all, e.b.Number(indexWidth, e.mask), e.b.Number(indexWidth, 0)), all}
	case isa.Vote:
		values = one(e.vote())
	case isa.Redux:
		values = one(e.reduced())
	case isa.Activemask:
		values = one(e.b.Number(indexWidth, e.mask))
	}
	return func(int) ([]*smt.Term, *smt.Term) { return append([]*smt.Term(nil), values...), settled }
}

// source returns a source of lane n in the instruction's width.
func (e *exchange) source(n, i int) *smt.Term { return e.fit(e.sources[n][i], e.width) }

// ballot returns the mask of the lanes for which conditions hold, by number.
func (e *exchange) ballot(holds []*smt.Term) *smt.Term {
	bit := make([]*smt.Term, indexWidth)
	for n, c := range holds {
		bit[e.lanes[n]] = e.number(c, 1)
	}
	var mask *smt.Term
	for _, b := range bit {
		if b == nil {
			b = e.b.Number(1, 0)
		}
		if mask == nil {
			mask = b
		} else {
			mask = e.b.Concat(b, mask)
		}
	}
	return mask
}

// equal returns which lanes have the number that lane n has.
func (e *exchange) equal(n int) []*smt.Term {
	var same []*smt.Term
	for other := range e.lanes {
		same = append(same, e.b.Eq(e.source(n, 0), e.source(other, 0)))
	}
	return same
}

// vote joins predicates.
func (e *exchange) vote() *smt.Term {
	var votes []*smt.Term
	all, any := e.b.Truth(true), e.b.Truth(false)
	for _, src := range e.sources {
		e.src = src
		v := e.truth(0)
		votes, all, any = append(votes, v), e.b.And(all, v), e.b.Or(any, v)
	}
	switch e.in.Lane {
	case isa.VoteAll:
		return all
	case isa.VoteAny:
		return any
	case isa.VoteUni:
		return e.b.Or(all, e.b.Not(any))
	}
	return e.ballot(votes)
}

// shuffled returns what lane n reads of another, whether that is in range, and a condition under
// which it is and does not take part: then a device may give anything, where the emulator gives the
// lane its own number, as it does where none is in range (PTX ISA, "shfl.sync").
func (e *exchange) shuffled(n int) (value, inRange, outside *smt.Term) {
	b, lane := e.b, e.num(uint64(e.lanes[n]))
	low := func(i, from int) *smt.Term { return b.ZeroExt(b.Extract(e.source(n, i), from, 5), e.width) }
	by, clamp, segment := low(1, 0), low(2, 0), low(2, 8)
	first := b.BvAnd(lane, segment)
	last := b.BvOr(first, b.BvAnd(clamp, b.BvNot(segment)))
	var from *smt.Term
	switch e.in.Lane {
	case isa.ShflUp:
		from = b.Sub(lane, by)
		inRange = b.Sle(last, from)
	case isa.ShflDown:
		from = b.Add(lane, by)
	case isa.ShflBfly:
		from = b.BvXor(lane, by)
	default:
		from = b.BvOr(first, b.BvAnd(by, b.BvNot(segment)))
	}
	if inRange == nil {
		inRange = b.Ule(from, last)
	}
	value, outside = e.source(n, 0), inRange
	for other, at := range e.lanes {
		reads := b.And(inRange, b.Eq(from, e.num(uint64(at))))
		value = b.Ite(reads, e.source(other, 0), value)
		outside = b.And(outside, b.Not(reads))
	}
	return value, inRange, outside
}

// reduced joins the numbers of all lanes.
func (e *exchange) reduced() *smt.Term {
	if e.in.Type == isa.F32 {
		return e.extreme()
	}
	result := e.source(0, 0)
	for n := 1; n < len(e.lanes); n++ {
		switch x := e.source(n, 0); e.in.Atom {
		case isa.AtomAdd:
			result = e.b.Add(result, x)
		case isa.AtomAnd:
			result = e.b.BvAnd(result, x)
		case isa.AtomOr:
			result = e.b.BvOr(result, x)
		case isa.AtomXor:
			result = e.b.BvXor(result, x)
		case isa.AtomMin:
			result = e.b.Ite(e.less(x, result), x, result)
		case isa.AtomMax:
			result = e.b.Ite(e.less(result, x), x, result)
		}
	}
	return result
}

// extreme returns the least or the greatest of the floats of all lanes, of which zeros differ by
// their signs. NaN is left out unless the instruction keeps it or there is no number.
func (e *exchange) extreme() *smt.Term {
	b, nan, sign := e.b, e.num(1<<31-1), e.num(1<<31)
	found, isNaN, result := b.Truth(false), b.Truth(false), nan
	// rank orders floats as signed integers: of negative ones the other bits are turned.
	rank := func(x *smt.Term) *smt.Term {
		return b.BvXor(x, b.BvAnd(b.Ashr(x, e.num(31)), b.BvNot(sign)))
	}
	for n := range e.lanes {
		x := e.source(n, 0)
		unordered := b.FIsNaN(smt.Single, x)
		if e.in.Abs {
			x = b.BvAnd(x, b.BvNot(sign))
		}
		better := b.Slt(rank(x), rank(result))
		if e.in.Atom == isa.AtomMax {
			better = b.Slt(rank(result), rank(x))
		}
		result = b.Ite(b.And(b.Not(unordered), b.Or(b.Not(found), better)), x, result)
		found, isNaN = b.Or(found, b.Not(unordered)), b.Or(isNaN, unordered)
	}
	if e.in.NaN {
		result = b.Ite(isNaN, nan, result)
	}
	return result
}
