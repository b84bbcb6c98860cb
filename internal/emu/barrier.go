package emu

import (
	"fmt"
	"math/bits"
	"strings"

	"warpbound/internal/isa"
)

// barriers is the number of barriers of a CTA.
const barriers = 16

// barrier is the state of one barrier of a CTA. Barriers count warps, as they do
// on devices before sm_70: a warp arrives with all its threads at once.
type barrier struct {
	waiting uint64 // warps that wait
	arrived int    // warps that have arrived, those that do not wait included
	expect  int    // warps that it takes; 0 for all that have not exited
	threads int    // that took part in a reduction
	votes   int    // of them with the predicate true
}

// barrierOp is an arrival at a CTA barrier.
type barrierOp struct {
	form    isa.BarrierOp
	id      slot
	count   slot      // number of threads, if hasCount
	vote    predicate // of a reduction
	counted bool
	d       slot     // result of a reduction that counts
	p       maskSlot // result of any other
}

func (op *barrierOp) exec(w *Warp, mask uint64, eff *Effect) error {
	c := w.cta
	pc := int32(eff.PC)
	if mask != w.alive {
		return w.fault(pc, first(w.alive&^mask), fmt.Errorf("%w: the thread does not arrive together with thread %s of its warp",
			ErrBarrier, triple(w.thread(first(mask)))))
	}
	id, err := w.uniform(op.id, mask, pc, "barrier")
	if err != nil {
		return err
	}
	if id >= barriers {
		return w.faultf(pc, mask, "barrier %d; a CTA has %d", id, barriers)
	}
	expect := 0
	if op.counted {
		n, err := w.uniform(op.count, mask, pc, "thread count")
		if err != nil {
			return err
		}
		width := uint64(c.grid.width)
		if n == 0 || n%width != 0 || n > MaxWidth*width {
			return w.faultf(pc, mask, "a barrier for %d threads; the number must be a multiple of the %d of a warp", n, width)
		}
		expect = int(n / width)
	}
	b := &c.barriers[id]
	if b.arrived > 0 && b.expect != expect {
		return w.faultf(pc, mask, "barrier %d for %d warps, at which others arrived for %d (0 stands for all)", id, expect, b.expect)
	}
	b.expect = expect
	b.arrived++
	eff.Arrived = true
	if op.form != isa.BarrierArrive {
		b.waiting |= 1 << w.index
		w.waiting, w.arrived = true, pc
		c.stalled++
	}
	if op.form != isa.BarrierSync && op.form != isa.BarrierArrive {
		b.threads += bits.OnesCount64(mask)
		b.votes += bits.OnesCount64(mask & w.mask(op.vote))
	}
	c.release(b, eff)
	return c.checkDeadlock(w, pc)
}

// release lets the warps at a barrier go if it is satisfied.
func (c *CTA) release(b *barrier, eff *Effect) {
	expect := b.expect
	if expect == 0 {
		expect = c.live
	}
	if b.arrived == 0 || b.arrived < expect {
		return
	}
	eff.Released |= b.waiting
	for m := b.waiting; m != 0; m &= m - 1 {
		w := &c.Warps[first(m)]
		w.waiting = false
		c.stalled--
		w.code.instrs[w.arrived].op.(*barrierOp).deliver(w, b)
	}
	*b = barrier{}
}

// deliver writes the result of a reduction.
func (op *barrierOp) deliver(w *Warp, b *barrier) {
	switch op.form {
	case isa.BarrierRedPopc:
		w.broadcast(op.d, uint64(b.votes), w.alive)
	case isa.BarrierRedAnd:
		w.setMask(op.p, spread(b.votes == b.threads), w.alive)
	case isa.BarrierRedOr:
		w.setMask(op.p, spread(b.votes > 0), w.alive)
	}
}

// retire takes note that a warp has exited, which may satisfy barriers.
func (c *CTA) retire(w *Warp, eff *Effect) error {
	c.live--
	if c.live == 0 {
		eff.CTADone = true
		return nil
	}
	for i := range c.barriers {
		c.release(&c.barriers[i], eff)
	}
	return c.checkDeadlock(w, int32(eff.PC))
}

// checkDeadlock returns an error if every warp that has not exited waits, so
// that none can ever satisfy a barrier.
func (c *CTA) checkDeadlock(w *Warp, pc int32) error {
	if c.stalled < c.live {
		return nil
	}
	var list strings.Builder
	sep := ""
	for id := range c.barriers {
		for m := c.barriers[id].waiting; m != 0; m &= m - 1 {
			v := &c.Warps[first(m)]
			fmt.Fprintf(&list, "%swarp %d waits at barrier %d", sep, v.index, id)
			if at := c.grid.code.Instr(int(v.arrived)).Pos; at.Known() {
				fmt.Fprintf(&list, " (%s)", at)
			}
			sep = ", "
		}
	}
	lane := 0
	if w.alive != 0 {
		lane = first(w.alive)
	}
	return w.fault(pc, lane, fmt.Errorf("%w: %s, and no other warp of the CTA is left", ErrDeadlock, &list))
}
