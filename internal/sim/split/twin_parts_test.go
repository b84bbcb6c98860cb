package split

import (
	"fmt"
	"math/bits"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/splitting"
	"warpbound/internal/test/simtest"
)

// issue begins what a part does next and reports whether it is an instruction.
func (w *twin) issue(u *twinCU, port int, v *twinPart, now int64) (bool, error) {
	v.left, v.busy = 1, sim.StallUnit
	if v.hard != nil {
		hard := v.hard
		v.hard = nil
		hard()
		return false, nil
	}
	f, m := v.front, w.cfg.Machine
	pc := v.warp.PC()
	in := w.cfg.Code.Instr(pc)
	switch in.Op {
	case isa.Split:
		v.comes = w.split(u, v, w.stay(v.warp, pc+1))
	case isa.Merge:
		w.merge(u, v)
	}
	own := v.mask
	if v.comes != nil {
		own |= v.comes.mask // the branch takes the others away
	}
	if out := v.warp.Active() &^ own; out != 0 {
		return false, fmt.Errorf("instruction %d: lanes %#x are not of the split mask %#x", pc, out, own)
	}
	if ip := w.cfg.Ipoints[pc]; ip >= 0 {
		w.record(u, f, now, ip)
	}
	var stay uint64
	hardware := m.Split.Mode.Value.Dynamic() && in.Op == isa.Bra && splitting.Splittable(w.graph, w.graph.BlockOf(pc)) == nil && slices.Contains(f.parts, nil)
	if hardware {
		stay = w.stay(v.warp, pc)
	}
	var eff emu.Effect
	env := emu.Env{Cycle: uint64(now), Time: uint64(m.Nanoseconds(now)), SM: u.index, SMs: int(m.SM.Count.Value)}
	if err := v.warp.Step(&env, &eff); err != nil {
		return false, err
	}
	w.count.WarpInstrs++
	w.count.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))
	w.count.SerialisedAtomics += simtest.Serialised(&eff)
	if eff.Diverged {
		w.count.DivergentBranches++
	}
	if eff.Diverged && hardware {
		v.comes = w.split(u, v, stay)
	}
	if v.comes != nil && eff.Diverged {
		v.comes.warp = new(emu.Warp)
		v.warp.Detach(v.comes.warp)
	}

	class := in.Class()
	timing := m.Timing(class)
	access := class == isa.MemParam || class == isa.MemShared || class == isa.MemGlobal || class == isa.MemAtomic
	v.left = int(timing.Initiation / w.q)
	k := int64(0)
	var lines []uint64
	if access {
		v.left, v.busy = int(m.Split.Address.Value/w.q), sim.StallLSU
		if eff.Access.Kind != emu.NoAccess {
			k = simtest.Requests(m, &eff, &w.count)
			lines = w.lines(in, &eff)
		}
	}
	posted := eff.Access.Kind == emu.Store || in.Op == isa.Red || in.Op == isa.Atom && !slices.ContainsFunc(in.Dst, func(o isa.Operand) bool { return o.Kind == isa.KindReg })
	x := cost{passes: int64(v.left), m: k * timing.Initiation, d: timing.Latency - timing.Initiation}
	if lines != nil {
		x.d = max(x.d, m.L1.Hit.Value)
	}
	v.then = func(end int64) {
		v.ready, v.why = end+timing.Latency-timing.Initiation, sim.StallALU
		switch {
		case access && k == 0:
			v.ready, v.why, x.d = end, sim.StallMemory, 0
		case access && lines != nil:
			v.ready, v.why = w.load(u, lines, k, end, timing), sim.StallMemory
		case access:
			a := twinAccess{begin: end}
			if n := len(u.queue); n > 0 {
				a.begin = max(end, u.queue[n-1].end)
			}
			a.end = a.begin + k*timing.Initiation
			u.queue = append(u.queue, a)
			served := a.begin + (k-1)*timing.Initiation + timing.Latency
			v.ready, v.why = served, sim.StallMemory
			if posted {
				v.ready = a.end
				v.served = append(v.served, served)
				v.delays = max(v.delays, x.d)
				x.d = 0
			}
		case in.Op == isa.Fence:
			v.why = sim.StallFence
			for _, s := range v.served {
				v.ready = max(v.ready, s)
			}
			x.d = max(x.d, v.delays)
		case in.Op == isa.Split:
			v.ready, v.why, x.d = end+m.Split.Split.Value, sim.StallSplit, m.Split.Split.Value
		case in.Op == isa.Merge:
			v.ready, v.why, x.d = end+m.Split.Merge.Value, sim.StallSplit, m.Split.Merge.Value
		case class == isa.Control:
			v.why = sim.StallBranch
		}
		if eff.WarpDone {
			f.retires = end
			for _, s := range v.served {
				f.retires = max(f.retires, s)
			}
			v.ready, v.state, x.d = never, sim.StallDrain, v.delays
		}
		w.add(u, v, x)
		if in.Op == isa.Bra {
			w.depart(u, v)
		}
		if eff.Arrived && v.warp.AtBarrier() {
			v.ready, v.state = never, sim.StallBarrier
		}
		by := *v.sums
		for _, other := range f.cta.fronts {
			if eff.Released>>other.index&1 != 0 {
				o := other.parts[0]
				o.ready, o.why = end-w.q+m.SM.Barrier.Value, sim.StallBarrier
				o.sums = w.letGo(by, x.d)
			}
		}
		w.arrive(u, v)
	}
	return true, nil
}

// stay returns the lanes that stay when a wavefront splits at a branch.
func (w *twin) stay(warp *emu.Warp, pc int) uint64 {
	in, taken := w.cfg.Code.Instr(pc), uint64(0)
	active := warp.Active()
	for lane := range emu.MaxWidth {
		if active>>lane&1 != 0 && (warp.Register(in.Guard.Reg, lane) != 0) != in.Guard.Not {
			taken |= 1 << lane
		}
	}
	stay := taken
	if w.graph.Blocks[w.graph.Reconverge(w.graph.BlockOf(pc))].Start == pc+1 {
		stay = active &^ taken
	}
	if stay == 0 || stay == active {
		return ^uint64(0)
	}
	return stay
}

// split gives the lanes of a part that do not stay a context.
func (w *twin) split(u *twinCU, v *twinPart, stay uint64) *twinPart {
	f := v.front
	at := slices.Index(f.parts, nil)
	child := &twinPart{
		front: f, context: at, mask: v.mask &^ stay, parent: v, ready: never, state: sim.StallSplit, met: -1,
		served: slices.Clone(v.served), delays: v.delays,
	}
	v.mask &= stay
	v.children = append(v.children, child)
	if child.simd = w.host(u, v); child.simd != f.x%w.simds {
		u.guests = append(u.guests, child)
	}
	f.parts[at] = child
	w.count.Splits++
	return child
}

// host returns the SIMD of the child of a part: where there are idle ones to use, the first of those on which nothing is, or else
// that of the part.
func (w *twin) host(u *twinCU, v *twinPart) int {
	for i := 0; i < w.simds && w.cfg.Machine.Split.Mode.Value == machine.DWSIdle; i++ {
		if !slices.ContainsFunc(u.fronts, func(f *twinFront) bool {
			return f != nil && slices.ContainsFunc(f.parts, func(p *twinPart) bool { return p != nil && p.simd == i })
		}) {
			return i
		}
	}
	return v.simd
}

// depart lets the part begin that split off at a branch.
func (w *twin) depart(u *twinCU, v *twinPart) {
	child := v.comes
	if child == nil {
		return
	}
	v.comes = nil
	begin := func() {
		child.sums = w.ownSums(v)
		child.why = v.why
		if child.warp == nil {
			child.met = v.ready
		} else {
			child.ready = v.ready
		}
	}
	if w.cfg.Machine.Split.Mode.Value == machine.PWS {
		begin()
		return
	}
	v.hard = func() {
		v.then = func(end int64) {
			v.ready, v.why = end+w.cfg.Machine.Split.Split.Value, sim.StallSplit
			w.add(u, v, cost{passes: 1, d: w.cfg.Machine.Split.Split.Value})
			begin()
			w.arrive(u, v)
		}
	}
}

// arrive lets a part wait that is where it merges, and its wavefront go on if both are.
func (w *twin) arrive(u *twinCU, v *twinPart) {
	if v.hard != nil || v.ready == never {
		return
	}
	p := v
	switch {
	case v.warp.Held():
	case v.parent != nil && v.warp.Home():
		p = v.parent
	default:
		return
	}
	v.met, v.ready, v.state = v.ready, never, sim.StallSplit
	child := p.children[len(p.children)-1]
	if p.met < 0 || child.met < 0 || len(child.children) > 0 {
		return
	}
	p.ready, p.why, p.met = max(p.met, child.met), sim.StallSplit, -1
	if w.cfg.Machine.Split.Mode.Value.Dynamic() {
		p.hard = func() {
			w.merge(u, p)
			p.then = func(end int64) {
				p.ready, p.why = end+w.cfg.Machine.Split.Merge.Value, sim.StallSplit
				w.add(u, p, cost{passes: 1, d: w.cfg.Machine.Split.Merge.Value})
				w.arrive(u, p)
			}
		}
	}
}

// merge makes one of a part and its latest child.
func (w *twin) merge(u *twinCU, p *twinPart) {
	child := p.children[len(p.children)-1]
	p.children = p.children[:len(p.children)-1]
	p.front.parts[child.context] = nil
	u.guests = slices.DeleteFunc(u.guests, func(v *twinPart) bool { return v == child })
	p.mask |= child.mask
	p.served = append(p.served, child.served...)
	p.delays = max(p.delays, child.delays)
	if child.warp != nil {
		p.warp.Join(child.warp)
	}
	w.together(p, child)
}
