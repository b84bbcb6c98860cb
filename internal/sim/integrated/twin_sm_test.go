package integrated

import (
	"math/bits"
	"slices"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
	"warpbound/internal/trace"
)

// nextWave begins the next wave of an SM.
func (w *twin) nextWave(c *twinCore, now int64) {
	c.wave++
	c.ctas, c.warps, c.last = nil, nil, -1
	sms := len(w.sms())
	for i := range w.occ * sms {
		cta := c.wave*sms*w.occ + i
		if i%sms != c.index || cta >= w.grid.CTAs() {
			continue
		}
		e := &emu.CTA{}
		w.grid.StartCTA(e, cta)
		c.ctas = append(c.ctas, e)
		for k := range e.Warps {
			v := &twinWarp{emu: &e.Warps[k], cta: cta, warp: k, ready: now + w.m.SM.Dispatch.Value, why: sim.StallIdle}
			c.warps = append(c.warps, v)
			w.record(c, v, now, trace.Start)
		}
	}
	c.over = len(c.warps) == 0
}

func (w *twin) record(c *twinCore, v *twinWarp, now int64, ip trace.Ipoint) {
	w.tr.Records = append(w.tr.Records, trace.Record{Cycle: now, SM: int32(c.index), CTA: int32(v.cta), Warp: int32(v.warp), Ipoint: ip})
}

func allAnswered(accesses []*twinAccess) bool {
	return !slices.ContainsFunc(accesses, func(a *twinAccess) bool { return !a.answered })
}

func (w *twin) stepSM(t testing.TB, c *twinCore, now int64) {
	for _, v := range c.warps {
		if v.exited && !v.retired && v.ready <= now && allAnswered(v.waits) {
			v.retired = true
			w.record(c, v, now, trace.Exit)
		}
	}
	if !c.over && !slices.ContainsFunc(c.warps, func(v *twinWarp) bool { return !v.retired }) {
		w.nextWave(c, now)
	}
	if now < c.portFree {
		c.stalls.Stalls[c.busy]++
		return
	}
	if c.over {
		c.stalls.Stalls[sim.StallIdle]++
		return
	}
	n := len(c.warps)
	for k := 1; k <= n; k++ {
		i := (c.last + k) % n
		v := c.warps[i]
		switch {
		case v.exited || v.emu.AtBarrier():
			continue
		case v.ready > now || !allAnswered(v.waits):
			c.stalls.Stalls[v.why]++
		case c.unanswered() >= w.m.Interconnect.Credits.Value:
			c.stalls.Stalls[sim.StallLSU]++
		default:
			c.last = i
			c.stalls.Issued++
			w.issue(t, c, i, now)
		}
		return
	}
	c.stalls.Stalls[sim.StallDrain]++
}

func (w *twin) issue(t testing.TB, c *twinCore, slot int, now int64) {
	v := c.warps[slot]
	pc := v.emu.PC()
	if ip := w.cfg.Ipoints[pc]; ip >= 0 {
		w.record(c, v, now, ip)
	}
	var eff emu.Effect
	env := emu.Env{Cycle: uint64(now), Time: uint64(w.m.Nanoseconds(now)), SM: c.index, SMs: len(w.sms())}
	if err := v.emu.Step(&env, &eff); err != nil {
		t.Fatal(err)
	}
	w.count.WarpInstrs++
	w.count.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))
	w.count.SerialisedAtomics += simtest.Serialised(&eff)
	if eff.Diverged {
		w.count.DivergentBranches++
	}
	in := w.cfg.Code.Instr(pc)
	timing := w.m.Timing(in.Class())
	service := timing.Initiation
	v.ready, v.waits, v.why, c.busy = now+timing.Latency, nil, sim.StallALU, sim.StallUnit
	switch class := in.Class(); {
	case class == isa.MemParam || class == isa.MemShared || class == isa.MemGlobal || class == isa.MemAtomic:
		v.why, c.busy = sim.StallMemory, sim.StallLSU
		if eff.Access.Kind == emu.NoAccess {
			v.ready = now + service
			break
		}
		k, accesses := w.access(c, slot, in, &eff, now, timing)
		service *= k
		over := now + (k-1)*timing.Initiation + timing.Latency
		posted := eff.Access.Kind == emu.Store || in.Op == isa.Red || in.Op == isa.Atom && !slices.ContainsFunc(in.Dst, func(o isa.Operand) bool { return o.Kind == isa.KindReg })
		if posted {
			v.ready, v.over = now+service, max(v.over, over)
			v.posted = append(v.posted, accesses...)
		} else {
			v.ready, v.waits = over, accesses
		}
	case in.Op == isa.Fence:
		v.ready, v.waits, v.why = max(v.ready, v.over), slices.Clone(v.posted), sim.StallFence
	case class == isa.Control:
		v.why = sim.StallBranch
	}
	c.portFree = now + service
	if eff.WarpDone {
		v.exited = true
		v.ready, v.waits = max(c.portFree, v.over), slices.Clone(v.posted)
	}
	for _, other := range c.warps {
		if other.cta == v.cta && eff.Released>>other.warp&1 != 0 {
			other.ready, other.waits, other.why = now+w.m.SM.Barrier.Value, nil, sim.StallBarrier
		}
	}
}

// access counts the requests of an access and makes its accesses to the LLC.
func (w *twin) access(c *twinCore, slot int, in *isa.Instr, eff *emu.Effect, now int64, timing machine.Timing) (k int64, accesses []*twinAccess) {
	acc := &eff.Access
	lanesIn := func(space isa.Space) uint64 {
		if acc.Space == space {
			return eff.Mask
		} else if acc.Space == isa.Generic {
			return acc.Lanes[space]
		}
		return 0
	}
	other := *w.m // which counts the requests to what lies on the SM
	other.Memory.Segment.Value, other.Memory.Requests.Value = 1<<20, machine.BySegment
	for _, space := range []isa.Space{isa.Shared, isa.Const, isa.Param} {
		if lanes := lanesIn(space); lanes != 0 {
			part := *eff
			part.Mask, part.Access.Space = lanes, space
			k += simtest.Requests(&other, &part, &w.count)
		}
	}
	type part struct {
		line  uint64
		local bool
		at    map[uint64]int64 // lanes by address
	}
	var parts []part
	for space := range acc.Lanes {
		lanes, from := lanesIn(isa.Space(space)), len(parts)
		if isa.Space(space) != isa.Global && isa.Space(space) != isa.Local {
			continue
		}
		for lane := range emu.MaxWidth {
			for b := range uint64(acc.Bytes) {
				if lanes>>lane&1 == 0 {
					break
				}
				a, local := acc.Addr[lane]+b, isa.Space(space) == isa.Local
				if local {
					a -= abi.LocalBase
					width := uint64(w.m.SM.WarpSize.Value)
					threads := uint64(w.m.SM.Count.Value) * uint64(w.m.SM.Warps.Value) * width
					mine := (uint64(c.index)*uint64(w.m.SM.Warps.Value)+uint64(slot))*width + uint64(lane)
					a = 1<<44 + (a/4*threads+mine)*4 + a%4
				}
				line := a / uint64(w.m.L1.Line.Value)
				i := slices.IndexFunc(parts[from:], func(p part) bool { return p.line == line }) + from
				if i < from {
					i = len(parts)
					parts = append(parts, part{line, local, map[uint64]int64{}})
				}
				if b == 0 {
					parts[i].at[a]++
				}
			}
		}
	}
	for _, p := range parts {
		w.count.Transactions++
		leaves := now + k*timing.Initiation + timing.Latency
		k++
		switch {
		case acc.Kind == emu.Load && (p.local || !in.Volatile):
			accesses = append(accesses, w.load(c, p.line, leaves))
		case acc.Kind == emu.Load:
			accesses = append(accesses, c.enqueue(p.line, emu.Load, leaves, 0))
		case acc.Kind == emu.Store:
			if l, ok := c.l1[p.line]; ok {
				w.uses++
				l.used = w.uses
			}
			accesses = append(accesses, c.enqueue(p.line, emu.Store, leaves, 0))
		default:
			delete(c.l1, p.line)
			maximum := int64(0)
			for _, n := range p.at {
				maximum = max(maximum, n)
			}
			extra := int64(0)
			if !p.local {
				extra = (maximum - 1) * w.m.LLC.Atomic.Value
			}
			accesses = append(accesses, c.enqueue(p.line, emu.Atomic, leaves, extra))
		}
	}
	return k, accesses
}
