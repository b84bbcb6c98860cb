package alu

import (
	"math/bits"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// match finds the lanes that have the same value.
type match struct {
	collective
	mode isa.LaneOp
	a    Slot
	d    Slot
	p    MaskSlot // all lanes have the same value
}

func (op *match) Exec(r *Registers, mask uint64) {
	if op.mode == isa.MatchAll {
		op.writeMatch(r, mask, mask, mask&^r.equal(op.a, r.At(op.a, First(mask))) == 0)
		return
	}
	var low, high Words
	if a := op.a; a.Wide() {
		for i, x := range r.Vecs[0][^a] {
			low[i], high[i] = uint32(x), uint32(x>>32)
		}
	} else {
		low = *r.Words[0][a]
	}
	vec.Match(&low, &low, &high, uint32(mask))
	r.AssignWords(op.d, 0, &low, mask)
}

// Gather implements Gathering.
func (op *match) Gather(r *Registers, lanes uint64, into *Gathered) { into.gather(r, op.a, lanes) }

// Deliver implements Gathering.
func (op *match) Deliver(r *Registers, lanes, all uint64, from *Gathered) {
	low := from.low
	vec.Match(&low, &low, &from.high, uint32(all))
	if op.mode == isa.MatchAll {
		op.writeMatch(r, lanes, all, uint64(low[First(all)%len(low)]) == all)
		return
	}
	r.AssignWords(op.d, 0, &low, lanes)
}

// writeMatch writes in some lanes whether all have the same value.
func (op *match) writeMatch(r *Registers, lanes, all uint64, same bool) {
	r.SetMask(op.p, Spread(same), lanes)
	r.Broadcast(op.d, all&Spread(same), lanes)
}

func (d *decoder) match() Operation {
	op := &match{collective: d.members(1), mode: d.in.Lane, a: d.source(0, d.in.Type.Bits() > 32), d: d.dest(0, 32), p: d.secondMask()}
	t := d.in.Type
	any := d.in.Lane == isa.MatchAny && len(d.in.Dst) == 1
	if t != isa.B32 && t != isa.B64 || !any && d.in.Lane != isa.MatchAll {
		d.unsupported()
	}
	return op
}

// redux joins the values of the lanes.
type redux struct {
	collective
	a, d Slot
	f    func(w *Words, mask uint32) uint32
}

func (op *redux) Exec(r *Registers, mask uint64) {
	r.Broadcast(op.d, uint64(op.f(r.Narrow(op.a, 0), uint32(mask))), mask)
}

// Gather implements Gathering.
func (op *redux) Gather(r *Registers, lanes uint64, into *Gathered) { into.gather(r, op.a, lanes) }

// Deliver implements Gathering.
func (op *redux) Deliver(r *Registers, lanes, all uint64, from *Gathered) {
	r.Broadcast(op.d, uint64(op.f(&from.low, uint32(all))), lanes)
}

func (d *decoder) redux() Operation {
	in := d.in
	op := &redux{collective: d.members(1), a: d.source(0, false), d: d.dest(0, 32)}
	switch {
	case in.Type == isa.F32 && (in.Atom == isa.AtomMin || in.Atom == isa.AtomMax):
		op.f = extremeOfLanes(in)
	case in.NaN, in.Abs:
	case in.Type == isa.U32, in.Type == isa.S32, in.Type == isa.B32:
		if in.Atom >= isa.AtomAdd && in.Atom <= isa.AtomXor && atomicFor(in.Atom, in.Type) != nil {
			op.f = reducer(in.Atom, in.Type.IsSigned())
		}
	}
	if op.f == nil {
		d.unsupported()
	}
	return op
}

// reducer returns the function that joins the integers of the lanes of a mask, nil if there is none.
func reducer(op isa.AtomOp, signed bool) func(w *Words, mask uint32) uint32 {
	switch {
	case op == isa.AtomAdd:
		return joinLanes(func(x, y uint32) uint32 { return x + y })
	case op == isa.AtomAnd:
		return joinLanes(func(x, y uint32) uint32 { return x & y })
	case op == isa.AtomOr:
		return joinLanes(func(x, y uint32) uint32 { return x | y })
	case op == isa.AtomXor:
		return joinLanes(func(x, y uint32) uint32 { return x ^ y })
	case op == isa.AtomMin && signed:
		return joinLanes(func(x, y uint32) uint32 { return uint32(min(int32(x), int32(y))) })
	case op == isa.AtomMax && signed:
		return joinLanes(func(x, y uint32) uint32 { return uint32(max(int32(x), int32(y))) })
	case op == isa.AtomMin:
		return joinLanes(func(x, y uint32) uint32 { return min(x, y) })
	case op == isa.AtomMax:
		return joinLanes(func(x, y uint32) uint32 { return max(x, y) })
	}
	return nil
}

// joinLanes makes a function that joins the values of the lanes of a mask, which is not empty.
func joinLanes(f func(x, y uint32) uint32) func(w *Words, mask uint32) uint32 {
	return func(w *Words, mask uint32) uint32 {
		x := w[bits.TrailingZeros32(mask)%lanes]
		for m := mask & (mask - 1); m != 0; m &= m - 1 {
			x = f(x, w[bits.TrailingZeros32(m)%lanes])
		}
		return x
	}
}

// extremeOfLanes returns the function that finds the least or the greatest number of the lanes of a mask.
func extremeOfLanes(in *isa.Instr) func(w *Words, mask uint32) uint32 {
	lesser, keepNaN, sign := in.Atom == isa.AtomMin, in.NaN, uint32(0)
	if in.Abs {
		sign = 1 << 31
	}
	const nan, infinity = 1<<31 - 1, 0x7f800000
	return func(w *Words, mask uint32) uint32 {
		found, extreme, isNaN := false, int32(0), false
		for m := mask; m != 0; m &= m - 1 {
			x := w[bits.TrailingZeros32(m)%lanes]
			if x&nan > infinity {
				isNaN = true
				continue
			}
			rank := int32(x &^ sign)
			rank ^= rank >> 31 & nan
			if !found || rank < extreme == lesser {
				found, extreme = true, rank
			}
		}
		if isNaN && keepNaN || !found {
			return nan
		}
		return uint32(extreme ^ extreme>>31&nan)
	}
}

// elect chooses the lowest lane of those that take part.
type elect struct {
	collective
	d Slot
	p MaskSlot // this is the lane
}

func (op *elect) Exec(r *Registers, mask uint64) { op.Deliver(r, mask, mask, nil) }

// Deliver implements Gathering.
func (op *elect) Deliver(r *Registers, lanes, all uint64, _ *Gathered) {
	leader := First(all)
	r.Broadcast(op.d, uint64(leader), lanes)
	r.SetMask(op.p, 1<<leader, lanes)
}
