package alu

import "warpbound/internal/isa"

// match finds the lanes that have the same value.
type match struct {
	collective
	mode isa.LaneOp
	a    Slot
	d    Slot
	p    MaskSlot // all lanes have the same value
}

func (op *match) Exec(r *Registers, mask uint64) {
	for left := mask; left != 0; {
		same := r.equal(op.a, r.At(op.a, First(left)), left)
		left &^= same
		value := same
		if op.mode == isa.MatchAll {
			r.SetMask(op.p, Spread(same == mask), mask)
			if same != mask {
				value, same, left = 0, mask, 0
			}
		}
		r.Broadcast(op.d, value, same)
	}
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

// redux joins the values of the lanes, in ascending order.
type redux struct {
	collective
	a, d  Slot
	f     func(x, y uint64) uint64
	entry func(x uint64) uint64 // what is made of each value first; nil for nothing
}

func (op *redux) Exec(r *Registers, mask uint64) {
	var sum uint64
	for m := mask; m != 0; m &= m - 1 {
		x := r.At(op.a, First(m))
		if op.entry != nil {
			x = op.entry(x)
		}
		if m == mask {
			sum = x
		} else {
			sum = op.f(sum, x)
		}
	}
	r.Broadcast(op.d, sum&LowBits(32), mask)
}

func (d *decoder) redux() Operation {
	in := d.in
	op := &redux{collective: d.members(1), a: d.source(0, false), d: d.dest(0, 32)}
	switch {
	case in.Type == isa.F32 && (in.Atom == isa.AtomMin || in.Atom == isa.AtomMax):
		op.f = func(x, y uint64) uint64 { return single32.extreme(x, y, in.NaN, in.Atom == isa.AtomMin) }
		op.entry = func(x uint64) uint64 {
			switch {
			case single32.isNaN(x):
				return single32.nan()
			case in.Abs:
				return single32.abs(x)
			}
			return x
		}
		return op
	case in.NaN, in.Abs:
	case in.Type == isa.U32, in.Type == isa.S32, in.Type == isa.B32:
		if in.Atom >= isa.AtomAdd && in.Atom <= isa.AtomXor {
			if f := atomicFor(in.Atom, in.Type); f != nil {
				op.f = func(x, y uint64) uint64 { return f(x, y, 0) }
				return op
			}
		}
	}
	d.unsupported()
	return op
}

// elect chooses the lowest lane of those that take part.
type elect struct {
	collective
	d Slot
	p MaskSlot // this is the lane
}

func (op *elect) Exec(r *Registers, mask uint64) {
	leader := First(mask)
	r.Broadcast(op.d, uint64(leader), mask)
	r.SetMask(op.p, 1<<leader, mask)
}
