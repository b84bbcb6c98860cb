package taint

import (
	"warpbound/internal/isa"
)

// order knows what nothing but the order of threads decides: what a thread reads that another one
// writes, and which of several values stays, if no barrier of their CTA and no end of a launch lies
// between the accesses. Instructions of one warp are ordered as they were executed, and the lanes
// of one instruction are not. mbarriers, flags and locks order nothing here: how often threads ask
// them is decided by the order itself.
//
// That a read had to be tainted can become known when somebody writes behind it. Such bytes are
// remembered for the run to be made again, in which whatever is read of them is tainted. If that
// run reaches no sink, threads make the same accesses in any order, and there are no others.
type order struct {
	contested map[place]*set // bytes that one reads and another one writes in either order
	grown     bool           // in the run under way
	decided   bool           // something, likewise

	// Of the run and the launch under way.
	launch int
	global accesses
	counts bool  // barriers of the kernel count threads, or let some pass
	steps  int32 // of the launch; they begin again at 1 where they no longer fit
}

// decides reports whether the order has decided anything in the run.
func (o *order) decides() bool { return o != nil && o.decided }

// decidesHere notes that the order decides what the instruction reads or writes.
func (x *step) decidesHere() { x.spread[x.PC].unordered, x.order.decided = true, true }

// place is a memory: that of a CTA in a launch, or the global one.
type place struct{ launch, cta int }

// everyCTA stands for the CTA of global memory.
const everyCTA = -1

// beginRun begins a run.
func (o *order) beginRun() { o.launch, o.grown, o.decided = -1, false, false }

// beginLaunch begins a launch: whatever was done before is ordered before it.
func (o *order) beginLaunch(k *isa.Kernel) {
	o.launch, o.steps, o.counts = o.launch+1, 0, false
	o.global = accesses{contested: o.contestedIn(everyCTA)}
	for i := range k.Instrs {
		in := &k.Instrs[i]
		o.counts = o.counts || in.Op == isa.Bar && !waitsForAll(in)
	}
}

// waitsForAll reports whether threads wait at a barrier for all of their CTA.
func waitsForAll(in *isa.Instr) bool {
	switch in.Barrier {
	case isa.BarrierSync:
		return len(in.Src) < 2
	case isa.BarrierRedPopc, isa.BarrierRedAnd, isa.BarrierRedOr:
		return len(in.Src) < 3
	}
	return false
}

// contestedIn returns the bytes of a memory that are remembered.
func (o *order) contestedIn(cta int) *set {
	at := place{o.launch, cta}
	s := o.contested[at]
	if s == nil {
		s = new(set)
		o.contested[at] = s
	}
	return s
}

// moment is when a warp does something.
type moment struct {
	cta      int32
	warp     int16
	barriers int32 // how many all warps of the CTA have passed together
}

// accessors are warps that accessed something: none, the last one, behind all others in any order,
// or several.
type accessors struct {
	last moment
	kind accessorsKind
}

type accessorsKind uint8

const (
	noWarp accessorsKind = iota
	oneWarp
	warpsOfCTA
	warpsOfGrid
)

// before reports whether all accesses were made before a moment in any order.
func (a *accessors) before(m moment) bool {
	switch a.kind {
	case noWarp:
		return true
	case warpsOfGrid:
		return false
	}
	return a.last.cta == m.cta && (a.kind == oneWarp && a.last.warp == m.warp || a.last.barriers < m.barriers)
}

// add adds an access that is made now.
func (a *accessors) add(m moment) {
	switch {
	case a.before(m):
		a.kind = oneWarp
	case a.kind == warpsOfGrid || a.last.cta != m.cta:
		a.kind = warpsOfGrid
	default:
		a.kind = warpsOfCTA
	}
	a.last = m
}

// accessed is what is known of accesses to a few bytes in a launch.
type accessed struct {
	read, written accessors
	step          int32 // of the last write

	// How all wrote whose order is not known.
	op     isa.AtomOp // none of a store
	valued bool
	value  uint32
}

// accesses are those to a memory in a launch.
type accesses struct {
	pages     map[uint64]*accessPage
	contested *set
	last      uint64 // the page that was looked for last
	latest    *accessPage
}

// accessPage has the accesses to pageBytes, by word, or by byte once one was to less than a word.
type accessPage struct {
	unit uint64 // bytes
	of   []accessed
}

// wordBytes is how many bytes a word has.
const wordBytes = 4

// page returns the page of a byte, which notes bytes if it has to.
func (a *accesses) page(at uint64, bytes bool) *accessPage {
	number := at / pageBytes
	if a.latest == nil || a.last != number {
		if a.pages == nil {
			a.pages = make(map[uint64]*accessPage)
		}
		p := a.pages[number]
		if p == nil {
			p = &accessPage{unit: wordBytes, of: make([]accessed, pageBytes/wordBytes)}
			a.pages[number] = p
		}
		a.last, a.latest = number, p
	}
	if bytes && a.latest.unit == wordBytes {
		a.latest.divide()
	}
	return a.latest
}

// divide has the page note bytes.
func (p *accessPage) divide() {
	of := make([]accessed, pageBytes)
	for i := range of {
		of[i] = p.of[i/wordBytes]
		of[i].value = of[i].value >> (i % wordBytes * 8) & 0xff
	}
	p.unit, p.of = 1, of
}

// each calls do with what is known of each part of n bytes from one on, and with its place.
func (a *accesses) each(at, n uint64, do func(of *accessed, at, bytes uint64)) {
	bytes := at%wordBytes != 0 || n%wordBytes != 0
	for end := at + n; at < end; {
		p := a.page(at, bytes)
		do(&p.of[at%pageBytes/p.unit], at, p.unit)
		at += p.unit
	}
}

// accessesTo returns the accesses to the memory in which bytes lie, nil if no other thread accesses
// it or if nobody asks for orders.
func (x *step) accessesTo(in *set) *accesses {
	if x.order == nil {
		return nil
	}
	switch in {
	case &x.global:
		return &x.order.global
	case &x.cta.shared:
		if x.cta.accesses.contested == nil {
			x.cta.accesses.contested = x.order.contestedIn(x.cta.index)
		}
		return &x.cta.accesses
	}
	return nil
}

// now is the moment of the step.
func (x *step) now() moment {
	return moment{int32(x.cta.index), int16(x.Warp), x.cta.barriers}
}

// noteRead notes that a lane reads bytes, and reports whether the order of threads decides what it
// finds there.
func (x *step) noteRead(in *set, at, n uint64) (decided bool) {
	a := x.accessesTo(in)
	if a == nil {
		return false
	}
	now := x.now()
	decided = a.contested.any(at, n)
	a.each(at, n, func(of *accessed, _, _ uint64) {
		decided = decided || !of.written.before(now)
		of.read.add(now)
	})
	if decided {
		x.decidesHere()
	}
	return decided
}

// written is what a lane writes.
type written struct {
	op      isa.AtomOp // none of a store
	read    bool       // the lane gets what was there
	valued  bool       // value is known
	value   uint64
	tainted bool
}

// noteWrite notes that a lane writes bytes, and reports whether the order of threads decides what is
// there then.
func (x *step) noteWrite(in *set, at, n uint64, w written) (decided bool) {
	a := x.accessesTo(in)
	if a == nil {
		return false
	}
	now, from := x.now(), at
	a.each(at, n, func(of *accessed, at, bytes uint64) {
		again := of.step == x.order.steps // another lane has written it
		if !of.read.before(now) || again && w.read {
			if !a.contested.any(at, bytes) {
				x.order.grown = true
				a.contested.put(at, bytes, true)
			}
		}
		valued, value := w.valued && !w.tainted, uint32(w.value>>((at-from)*8))
		if bytes == 1 {
			value &= 0xff
		}
		switch first := of.written.before(now) && !again; {
		case first:
			of.op, of.valued, of.value = w.op, valued, value
		case w.op != isa.AtomNone && of.op == w.op:
		case w.op == isa.AtomNone && of.op == isa.AtomNone && valued && of.valued && of.value == value:
		default:
			decided = true
			of.op, of.valued = isa.AtomNone, false
		}
		of.written.add(now)
		of.step = x.order.steps
	})
	if decided {
		x.decidesHere()
	}
	return decided
}

// commutes returns the operation of an atomic instruction if several of it leave the same in any
// order, else none.
func commutes(in *isa.Instr) isa.AtomOp {
	switch in.Atom {
	case isa.AtomAdd, isa.AtomMin, isa.AtomMax, isa.AtomAnd, isa.AtomOr, isa.AtomXor:
		if !in.Type.IsFloat() {
			return in.Atom
		}
	}
	return isa.AtomNone
}

// passBarrier notes that warps of a CTA go on behind a barrier. All that its warps did is ordered before
// what they do now if all go on that have not exited.
func (x *step) passBarrier() {
	c := x.cta
	if x.Effect.WarpDone {
		c.exited |= 1 << x.Warp
	}
	if x.Effect.Released == 0 || x.Effect.Released != ^uint64(0)>>(maxWarps-x.warps)&^c.exited {
		return
	}
	if !x.order.counts || c.exited == 0 && x.in.Op == isa.Bar && x.in.Barrier != isa.BarrierArrive {
		c.barriers++
	}
}

// changesWithOrder reports whether a special register tells when or where a thread runs.
func changesWithOrder(s isa.Special) bool {
	switch s {
	case isa.Clock, isa.Clock64, isa.ClockHi, isa.GlobalTimer, isa.GlobalTimerLo, isa.GlobalTimerHi, isa.SmID:
		return true
	}
	return false
}

// answeredInOrder returns the lanes in which the order decides what a test of an mbarrier gives: none
// if threads do nothing else than to test it again until the phase is over, since then only how often
// they ask depends on it, and what they get at last does not.
func (x *step) answeredInOrder() uint64 {
	if x.order == nil || !x.in.Mbarrier.Tests() || x.waitsForPhase() {
		return 0
	}
	x.decidesHere()
	return ^uint64(0)
}

// waitsForPhase reports whether a test of an mbarrier is repeated by the branch behind it, at once or
// by a second one that the first passes, until its one result holds.
func (x *step) waitsForPhase() bool {
	branch := func(pc int) *isa.Instr {
		if pc < len(x.kernel.Instrs) && x.kernel.Instrs[pc].Op == isa.Bra {
			return &x.kernel.Instrs[pc]
		}
		return nil
	}
	first := branch(x.PC + 1)
	if x.in.Guard.Set || len(x.in.Dst) != 1 || first == nil || !first.Guard.Set || first.Guard.Reg != x.in.Dst[0].Reg {
		return false
	}
	if first.Guard.Not {
		return first.Target == x.PC
	}
	second := branch(x.PC + 2)
	return second != nil && !second.Guard.Set && second.Target == x.PC
}
