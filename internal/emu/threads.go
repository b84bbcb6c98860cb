package emu

import (
	"encoding/binary"
	"slices"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// Turns says when the paths of a warp whose threads are scheduled independently take turns. Paths are those of
// the reconvergence stack, which still reconverge at immediate post-dominators as long as that hinders nobody.
type Turns struct {
	Path int  // branches that a warp executes on one path while others could run, unless it spins
	Wait int  // branches that a diverged warp executes until lanes that wait for others at a reconvergence point go on without them, unless it spins
	Swap bool // of the two paths behind a branch the other one runs first
}

// WithThreads returns code that schedules the threads of a warp independently, as devices from
// sm_70 on do: every diverged lane goes forward however long others loop, and barriers count
// threads. Without races the results are the same, if no instruction depends on which lanes execute
// it together. Only branches, barriers and operations of a warp are slower. Both numbers must be at
// least one. A kernel whose lanes reconverge AtSyncs is not changed. Detach is not for such code.
//
// A warp needs no other state than its stack for it. An entry below the running one is a path that can go on if no lane
// of it is in an entry above; to make it the running one it is moved to the top, which leaves each entry
// below all those that are to reconverge with it. Lanes of an entry that are in none above wait at its reconvergence point;
// to let them go on they are taken out of it and get an entry of their own, until its rpc. Both choose the lowest
// entry, which has waited longest; and since entries begin at the top, each comes to be the lowest.
//
// Lanes that come to a barrier, or to an operation of a warp that names them, apart from others
// wait there while other paths run: see threadWait.
func (c *Code) WithThreads(t Turns) *Code {
	if c.kernel.Reconvergence == isa.AtSyncs {
		return c
	}
	out := *c
	out.turns = t
	if c.independent() {
		return &out
	}
	out.decisive = decisiveOf(c, deciding(c.kernel, func(int) bool { return false }, nil))
	out.instrs = slices.Clone(c.instrs)
	for pc := range out.instrs {
		in := &out.instrs[pc]
		switch underlying(in.op).(type) {
		case *branch, *indexed:
			in.op = &turningBranch{in.op}
		}
	}
	out.waitForThreads()
	return &out
}

// independent reports whether threads are scheduled independently.
func (c *Code) independent() bool { return c.turns.Path > 0 }

// turningBranch is a branch after which another path may run.
type turningBranch struct{ operation }

func (b *turningBranch) exec(w *Warp, mask uint64, eff *Effect) error {
	if len(w.stack) <= 1 { // the lanes have been together until here
		w.since, w.spent, w.spin = 0, 0, spin{}
	}
	before := w.stack[len(w.stack)-1].lanes
	if err := b.operation.exec(w, mask, eff); err != nil {
		return err
	}
	if w.code.turns.Swap && eff.Diverged {
		w.swap(before)
	}
	if len(w.stack) <= 1 {
		w.since, w.spent, w.spin = 0, 0, spin{}
		return nil
	}
	w.since++
	w.spent++
	switch {
	case w.spent >= w.code.turns.Wait:
		w.spent, w.since = 0, 0
		eff.Turned = w.turn(true) || w.turn(false)
	case w.spins(eff):
		w.spent, w.since = 0, 0
		eff.Turned = w.turn(true) || w.turn(false)
		w.lookForRecurrence(eff)
	case w.since >= w.code.turns.Path:
		w.since = 0
		eff.Turned = w.turn(false)
	}
	return nil
}

// spin is what is needed to see that a diverged warp comes back to a state in which it was, as far as that decides where it goes: then nothing
// but memory that is written meanwhile can let it go on, and lanes may be to write it that wait for the warp. The state is compared with one that is replaced after twice as many
// looks each time, so that no period is too long (Brent, An improved Monte Carlo factorization algorithm, BIT 1980).
type spin struct {
	looks int
	pc    int32
	lanes uint64
	sum   uint64 // of what is decisive, in these lanes, and of their local memory
}

// spinLooks is how many branches pass between two looks at the registers, which take as long as some instructions do.
const spinLooks = 64

// spins reports whether the warp is in a state in which it was before.
func (w *Warp) spins(eff *Effect) bool {
	s := &w.spin
	s.looks++
	if s.looks%spinLooks != 0 {
		return false
	}
	top := &w.stack[len(w.stack)-1]
	d := &w.code.decisive[w.code.graph.BlockOf(int(top.pc))]
	eff.Looked, eff.LookedLocal = d.all, w.code.localBytes > 0
	now := spin{s.looks, top.pc, top.lanes, w.regs.Sum(d.registers, d.predicates, top.lanes) ^ w.sumLocal(top.lanes)}
	if now.pc == s.pc && now.lanes == s.lanes && now.sum == s.sum {
		*s = spin{}
		return true
	}
	if k := s.looks / spinLooks; k&(k-1) == 0 {
		*s = now
	}
	return false
}

// sumLocal returns a number that tells contents of the local memory of some lanes apart. A loop
// whose counter the compiler keeps there gets on, although the registers are the same again.
func (w *Warp) sumLocal(lanes uint64) (sum uint64) {
	const prime = 0x9e3779b97f4a7c15
	for m := lanes; m != 0; m &= m - 1 {
		own := w.local.data[alu.First(m)*w.code.localBytes:][:w.code.localBytes]
		for ; len(own) > 0; own = own[8:] { // its size is a multiple of 16
			sum = (sum^binary.LittleEndian.Uint64(own))*prime ^ sum>>32
		}
	}
	return sum
}

// swap lets the other of the two paths run on which lanes diverge, if both have farther to go than where they reconverge.
func (w *Warp) swap(lanes uint64) {
	last := len(w.stack) - 1
	if last < 1 {
		return
	}
	if a, b := &w.stack[last], &w.stack[last-1]; a.lanes&b.lanes == 0 && a.lanes|b.lanes == lanes {
		*a, *b = *b, *a
	}
}

// turn makes another path run and reports whether there is one: lanes that wait at a reconvergence point, which then do
// not wait any more, or else an entry all of whose lanes can go on.
func (w *Warp) turn(waiting bool) bool {
	last := len(w.stack) - 1
	above, at, lanes := w.stack[last].lanes, -1, uint64(0)
	for i := last - 1; i >= 0; i-- {
		e := &w.stack[i]
		here := e.lanes &^ above
		if here&^w.parked != 0 && (here != e.lanes) == waiting {
			at, lanes = i, here
		}
		above |= e.lanes
	}
	if at < 0 {
		return false
	}
	e := w.stack[at]
	if waiting {
		w.stack[at].lanes &^= lanes
		e.lanes = lanes
		w.stack = append(w.stack, e)
	} else {
		copy(w.stack[at:], w.stack[at+1:])
		w.stack[last] = e
	}
	return true
}
