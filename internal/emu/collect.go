package emu

import "warpbound/internal/isa"

// match finds the lanes that have the same value.
type match struct {
	warpWide
	mode isa.LaneOp
	a    slot
	d    slot
	p    maskSlot // all lanes have the same value
}

func (op *match) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := op.check(w, mask, eff); err != nil {
		return err
	}
	for left := mask; left != 0; {
		same := w.equal(op.a, w.at(op.a, first(left)), left)
		left &^= same
		value := same
		if op.mode == isa.MatchAll {
			w.setMask(op.p, spread(same == mask), mask)
			if same != mask {
				value, same, left = 0, mask, 0
			}
		}
		w.broadcast(op.d, value, same)
	}
	return nil
}

// equal returns the lanes of mask that have the value x.
func (w *Warp) equal(s slot, x, mask uint64) (lanes uint64) {
	for m := mask; m != 0; m &= m - 1 {
		if lane := first(m); w.at(s, lane) == x {
			lanes |= 1 << lane
		}
	}
	return lanes
}

func (d *decoder) match() operation {
	op := &match{warpWide: d.members(1), mode: d.in.Lane, a: d.source(0), d: d.dest(0, 32), p: d.secondMask()}
	t := d.in.Type
	any := d.in.Lane == isa.MatchAny && len(d.in.Dst) == 1
	if t != isa.B32 && t != isa.B64 || !any && d.in.Lane != isa.MatchAll {
		d.unsupported()
	}
	return op
}

// redux joins the values of the lanes, in ascending order.
type redux struct {
	warpWide
	a, d  slot
	f     func(x, y uint64) uint64
	entry func(x uint64) uint64 // what is made of each value first; nil for nothing
}

func (op *redux) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := op.check(w, mask, eff); err != nil {
		return err
	}
	var sum uint64
	for m := mask; m != 0; m &= m - 1 {
		x := w.at(op.a, first(m))
		if op.entry != nil {
			x = op.entry(x)
		}
		if m == mask {
			sum = x
		} else {
			sum = op.f(sum, x)
		}
	}
	w.broadcast(op.d, sum&lowBits(32), mask)
	return nil
}

func (d *decoder) redux() operation {
	in := d.in
	op := &redux{warpWide: d.members(1), a: d.source(0), d: d.dest(0, 32)}
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
	warpWide
	d slot
	p maskSlot // this is the lane
}

func (op *elect) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := op.check(w, mask, eff); err != nil {
		return err
	}
	leader := first(mask)
	w.broadcast(op.d, uint64(leader), mask)
	w.setMask(op.p, 1<<leader, mask)
	return nil
}
