package emu

import (
	"fmt"
	"math/bits"
	"strings"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// barrierOp is an arrival at a CTA barrier.
type barrierOp struct {
	form      isa.BarrierOp
	id        alu.Slot
	immediate bool          // id is the same in all lanes
	count     alu.Slot      // number of threads, if hasCount
	vote      alu.Predicate // of a reduction
	counted   bool
	partly    bool         // a warp arrives with the lanes that run, whatever the others do
	unaligned bool         // threads of a warp may come to it at different places
	d         alu.Slot     // result of a reduction that counts
	p         alu.MaskSlot // result of any other
}

func (op *barrierOp) exec(w *Warp, mask uint64, eff *Effect) error {
	pc := int32(eff.PC)
	check := w.together
	if op.partly {
		check = w.united
	}
	if err := check(pc, mask); err != nil {
		return err
	}
	if !op.immediate {
		if _, err := w.uniform(op.id, mask, pc, "barrier"); err != nil {
			return err
		}
	}
	if op.counted {
		if _, err := w.uniform(op.count, mask, pc, "thread count"); err != nil {
			return err
		}
	}
	w.joined = append(w.joined[:0], parkedGroup{pc, mask})
	return op.arriveAt(w, w.joined, eff)
}

// arriveAt is the arrival of a warp whose lanes are at instructions that execute the barrier with
// the same operands.
func (op *barrierOp) arriveAt(w *Warp, groups []parkedGroup, eff *Effect) error {
	c, pc, lane := w.cta, groups[0].pc, alu.First(groups[0].lanes)
	id := w.regs.At(op.id, lane)
	if id >= barriers {
		return w.fault(pc, lane, fmt.Errorf("barrier %d; those of a CTA are 0 to %d", id, barriers-1))
	}
	expect, err := op.expectedWarps(w, pc, lane)
	if err != nil {
		return err
	}
	b := &c.barriers[id]
	if b.arrived > 0 && b.expect != expect {
		return w.fault(pc, lane, fmt.Errorf("barrier %d for %d warps, at which others arrived for %d (0 stands for all)", id, expect, b.expect))
	}
	b.expect, b.atMost = expect, op.partly
	reduces := op.form != isa.BarrierSync && op.form != isa.BarrierArrive
	switch {
	case b.warps>>w.index&1 != 0:
		c.grid.noteUndefined(pc, fmt.Sprintf("a warp arrives twice at barrier %d before it lets warps go, and counts for another", id))
	case w.passed>>id&1 != 0 && !w.code.learns:
		const why = "a warp arrives again at barrier %d and has waited for nothing since: if the others come later, it counts for another"
		c.grid.noteUndefined(pc, fmt.Sprintf(why, id))
	case b.arrived > 0 && b.reduces != reduces:
		c.grid.noteUndefined(pc, fmt.Sprintf("others have arrived at barrier %d, and only one of them and this one reduces", id))
	}
	b.reduces = reduces
	b.arrived++
	b.warps |= 1 << w.index
	eff.Arrived = true
	if op.form == isa.BarrierArrive {
		w.passed |= 1 << id
	} else {
		b.waiting |= 1 << w.index
		w.waiting, w.arrived, w.passed = true, pc, 0
		c.stalled++
	}
	all := uint64(0)
	w.reduces = w.reduces[:0]
	for _, g := range groups {
		all |= g.lanes
		if reduces {
			b.threads += bits.OnesCount64(g.lanes)
			b.votes += bits.OnesCount64(g.lanes & w.regs.Mask(w.code.barrier(g.pc).vote))
			w.reduces = append(w.reduces, g)
		}
	}
	if c.grid.races != nil {
		c.races.Arrive(w.index, all|w.Active(), int(id))
		if !op.counted {
			c.absent += bits.OnesCount64(w.alive &^ all)
		}
	}
	c.release(b, eff)
	return c.checkDeadlock(w, pc)
}

// learnsOfOthers reports whether an instruction, which is no barrier of a CTA, can tell a warp what
// others have done.
func learnsOfOthers(in *isa.Instr) bool {
	order, _ := in.Strength()
	switch in.Op {
	case isa.Ld:
		return order != isa.OrderWeak
	case isa.Atom:
		return true
	case isa.Mbarrier:
		return in.Mbarrier.Tests()
	case isa.Bar:
		return in.Barrier == isa.BarrierClusterWait
	}
	return false
}

// expectedWarps returns how many warps the barrier takes, 0 for all that have not exited.
func (op *barrierOp) expectedWarps(w *Warp, pc int32, lane int) (int, error) {
	if !op.counted {
		return 0, nil
	}
	n, width := w.regs.At(op.count, lane), uint64(w.cta.grid.width)
	if op.partly {
		if n == 0 || n > alu.MaxWidth*width {
			return 0, w.fault(pc, lane, fmt.Errorf("a barrier for %d threads; a CTA has 1 to %d", n, alu.MaxWidth*width))
		}
		n = (n + width - 1) / width * width
	}
	if n == 0 || n%width != 0 || n > alu.MaxWidth*width {
		return 0, w.fault(pc, lane, fmt.Errorf("a barrier for %d threads; the number must be a multiple of the %d of a warp", n, width))
	}
	return int(n / width), nil
}

// together returns an error if a living lane of the warp does not arrive with those of
// mask, unless it waits where it can reach no barrier any more: such a lane counts as one
// that has exited.
func (w *Warp) together(pc int32, mask uint64) error {
	if err := w.united(pc, mask); err != nil {
		return err
	}
	if mask == w.alive {
		return nil
	}
	lanes, entry := w.missing(w.alive&^mask, w.code.awaits)
	if lanes == 0 {
		return nil
	}
	return w.fault(pc, alu.First(lanes), fmt.Errorf("%w: the thread does not arrive together with thread %s of its warp: %s. "+
		"Let all threads of a warp execute the barrier together, or let those that do not need it exit before",
		ErrBarrier, triple(w.thread(alu.First(mask))), w.pending(lanes, entry, "barrier")))
}

// missing returns those of some living lanes that wait, all in one entry of the stack, at
// an instruction for which arrive holds: they may yet come to where others are. Lanes of
// the running entry do not take part although they are there.
func (w *Warp) missing(lanes uint64, arrive []bool) (here uint64, entry int) {
	for i := len(w.stack) - 1; i >= 0 && lanes != 0; i-- {
		e := w.stack[i]
		here := lanes & e.lanes
		lanes &^= here
		if here != 0 && arrive[e.pc] {
			return here, i
		}
	}
	return 0, 0
}

// pending says why lanes of an entry of the stack do not take part in what others execute.
func (w *Warp) pending(lanes uint64, entry int, what string) string {
	if entry == len(w.stack)-1 {
		return fmt.Sprintf("the guard of the %s does not hold in lanes 0x%x", what, lanes)
	}
	in := w.code.Instr(int(w.stack[entry].pc))
	text := fmt.Sprintf("lanes 0x%x are yet to execute %s", lanes, w.code.kernel.Format(in))
	if in.Pos.Known() {
		text += fmt.Sprintf(" (%s)", in.Pos)
	}
	return text
}

// release lets the warps at a barrier go if it is satisfied.
func (c *CTA) release(b *barrier, eff *Effect) {
	expect := b.expect
	switch {
	case expect == 0:
		expect = c.live
	case b.atMost:
		expect = min(expect, c.live)
	}
	if b.arrived == 0 || b.arrived < expect {
		return
	}
	for m := b.waiting; m != 0; m &= m - 1 {
		w := &c.Warps[alu.First(m)]
		for _, g := range w.reduces {
			w.code.barrier(g.pc).deliver(w, b, g.lanes)
		}
	}
	c.resumeWarps(b.waiting, eff)
	*b = barrier{}
}

// resumeWarps lets warps go on that wait at a barrier.
func (c *CTA) resumeWarps(warps uint64, eff *Effect) {
	eff.Released |= warps
	for m := warps; m != 0; m &= m - 1 {
		c.Warps[alu.First(m)].waiting = false
		c.stalled--
	}
	if c.grid.races != nil {
		c.released(warps)
	}
}

// deliver writes the result of a reduction.
func (op *barrierOp) deliver(w *Warp, b *barrier, lanes uint64) {
	switch op.form {
	case isa.BarrierRedPopc:
		w.regs.Broadcast(op.d, uint64(b.votes), lanes)
	case isa.BarrierRedAnd:
		w.regs.SetMask(op.p, alu.Spread(b.votes == b.threads), lanes)
	case isa.BarrierRedOr:
		w.regs.SetMask(op.p, alu.Spread(b.votes > 0), lanes)
	}
}

// barrier decodes an arrival at a CTA barrier: its number, the number of
// threads if it is given, and last the predicate of a reduction.
func (d *decoder) barrier() operation {
	in := d.in
	if len(in.Src) == 0 {
		d.unsupported()
		return nil
	}
	op := &barrierOp{form: in.Barrier, id: d.source(0, false), immediate: in.Src[0].Kind == isa.KindImm, p: alu.MaskSink,
		partly: d.kernel.Reconvergence == isa.AtSyncs, unaligned: in.Unaligned}
	rest := in.Src[1:]
	switch in.Barrier {
	case isa.BarrierSync, isa.BarrierArrive:
		if len(in.Dst) > 0 {
			d.unsupported()
		}
	case isa.BarrierRedPopc, isa.BarrierRedAnd, isa.BarrierRedOr:
		if len(rest) == 0 || len(in.Dst) == 0 {
			d.unsupported()
			return nil
		}
		op.vote = d.test(rest[len(rest)-1])
		rest = rest[:len(rest)-1]
		if in.Barrier == isa.BarrierRedPopc {
			op.d = d.dest(0, 32)
		} else {
			op.p = d.maskDest(0)
		}
	default:
		d.unsupported()
	}
	if len(rest) > 1 || in.Barrier == isa.BarrierArrive && len(rest) == 0 {
		d.unsupported()
	}
	if len(rest) == 1 {
		op.count, op.counted = d.source(1, false), true
	}
	return op
}

// checkDeadlock returns an error if every warp that has not exited waits, so
// that none can ever satisfy a barrier.
func (c *CTA) checkDeadlock(w *Warp, pc int32) error {
	if c.stalled < c.live {
		return nil
	}
	var list []string
	describe := func(waiting uint64, where, lacking string) {
		for waiting != 0 {
			at := c.Warps[alu.First(waiting)].arrived
			same := uint64(0) // warps that wait at one instruction
			for m := waiting; m != 0; m &= m - 1 {
				if c.Warps[alu.First(m)].arrived == at {
					same |= 1 << alu.First(m)
				}
			}
			waiting &^= same
			text := fmt.Sprintf("%s at %s", warpList(same), where)
			if pos := c.grid.code.Instr(int(at)).Pos; pos.Known() {
				text += fmt.Sprintf(" (%s)", pos)
			}
			list = append(list, text+lacking)
		}
	}
	for id := range c.barriers {
		b := &c.barriers[id]
		lacking := ""
		if b.expect > 0 {
			lacking = fmt.Sprintf(" where %d of %d warps have arrived", b.arrived, b.expect)
		}
		describe(b.waiting, fmt.Sprintf("barrier %d", id), lacking)
	}
	describe(c.cluster.waiting, "the cluster's barrier", "")
	lane := 0
	if w.alive != 0 {
		lane = alu.First(w.alive)
	}
	return w.fault(pc, lane, fmt.Errorf("%w: %s, and the CTA has no other warp left", ErrDeadlock, strings.Join(list, ", ")))
}

// warpList says which warps wait, as in "warps 0-2 and 5 wait".
func warpList(warps uint64) string {
	var runs []string
	for m := warps; m != 0; {
		from := alu.First(m)
		n := bits.TrailingZeros64(^(m >> from))
		text := fmt.Sprint(from)
		if n > 1 {
			text = fmt.Sprintf("%d-%d", from, from+n-1)
		}
		runs = append(runs, text)
		m &^= (1<<n - 1) << from
	}
	if warps&(warps-1) == 0 {
		return "warp " + runs[0] + " waits"
	}
	if last := len(runs) - 1; last > 0 {
		return "warps " + strings.Join(runs[:last], ", ") + " and " + runs[last] + " wait"
	}
	return "warps " + runs[0] + " wait"
}
