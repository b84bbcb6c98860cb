package emu

import (
	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/race"
)

// racingAsync wraps operations on mbarriers and bulk copies for the detector of races; nil for others.
func racingAsync(in *isa.Instr, op operation) operation {
	order, scope := in.Strength()
	switch plain := underlying(op).(type) {
	case *mbarrierOp:
		return &racedMbarrier{op, plain, order, scope}
	case *bulkCopy:
		return &racedBulk{op, plain}
	}
	return nil
}

// racedMbarrier tells the detector what an operation on an mbarrier orders. The object has two words, one for the
// phases of each parity: an arrival writes that of the current phase, a test that finds a phase over reads that of this one.
type racedMbarrier struct {
	operation
	op    *mbarrierOp
	order isa.Order
	scope isa.Scope
}

func (r *racedMbarrier) exec(w *Warp, mask uint64, eff *Effect) error {
	c, does := w.cta, r.op.does
	var words [2]uint64 // lanes by parity of the phase
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		parity := uint64(0)
		switch does {
		case isa.MbarrierTest, isa.MbarrierTry:
			parity = w.regs.At(r.op.b, lane) >> 32
		case isa.MbarrierTestParity, isa.MbarrierTryParity:
			parity = w.regs.At(r.op.b, lane)
		default:
			addr := r.op.address(w, lane)
			for i := range c.mbarriers {
				if b := &c.mbarriers[i]; b.addr == addr {
					parity = uint64(b.phase)
				}
			}
		}
		words[parity&1] |= 1 << lane
	}
	if err := r.operation.exec(w, mask, eff); err != nil {
		return err
	}
	passed := mask
	if does.Tests() {
		passed = mask & w.regs.Preds[r.op.p]
		if r.op.p == alu.MaskSink {
			passed = 0
		}
	}
	a := race.Access{PC: eff.PC, Active: w.Active(), Addr: &eff.Access.Addr, Shared: true, Load: true, Store: !does.Tests(), Order: r.order, Scope: r.scope}
	if does == isa.MbarrierInit || does == isa.MbarrierInval {
		a.Lanes, a.Load, a.Pieces = mask, false, []race.Piece{{Bytes: mbarrierBytes}}
		c.races.Access(w.index, &a)
		return nil
	}
	for parity, lanes := range words {
		if a.Lanes = lanes & passed; a.Lanes == 0 {
			continue
		}
		a.Pieces = []race.Piece{{Offset: 4 * parity, Bytes: 4}}
		for m := a.Lanes; m != 0; m &= m - 1 {
			phase := eff.Access.Addr[alu.First(m)] + uint64(4*parity)
			switch {
			case does.Tests():
				c.races.Passed(phase)
			case does == isa.MbarrierComplete:
				c.races.Track(w.index, phase, race.UntilMbarrier)
			case does == isa.MbarrierCopies, does == isa.MbarrierCopiesExpected:
				c.races.Track(w.index, phase, race.UntilGroup)
			}
		}
		c.races.Access(w.index, &a)
	}
	return nil
}

// racedBulk tells the detector of a bulk copy: both of its accesses last until threads have waited.
type racedBulk struct {
	operation
	op *bulkCopy
}

func (r *racedBulk) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := r.operation.exec(w, mask, eff); err != nil || eff.Access.Kind == NoAccess {
		return err
	}
	for _, x := range []*access{&r.op.from, &r.op.to} {
		var addr [MaxWidth]uint64
		for m := mask; m != 0; m &= m - 1 {
			addr[alu.First(m)] = x.address(w, alu.First(m))
		}
		a := race.Access{PC: eff.PC, Active: w.Active(), Lanes: mask, Addr: &addr, Pieces: []race.Piece{{Bytes: eff.Access.Bytes}},
			Shared: x.space == isa.Shared, Load: x.kind == Load, Store: x.kind == Store, Copy: true, Until: race.UntilMbarrier}
		if r.op.global {
			a.Until = race.UntilBulkGroup
		}
		w.cta.races.Access(w.index, &a)
	}
	return nil
}
