package sim

import (
	"math/bits"

	"warpbound/internal/emu"
)

// warpState says what a warp waits for.
type warpState uint8

const (
	free      warpState = iota // the slot is empty
	running                    // its registers and units, if anything
	atBarrier                  // the other warps of its CTA
	atFence                    // its accesses under way
	atCopies                   // its asynchronous copies
	exited                     // its accesses under way, to retire
)

// warp is the timing state of a warp.
type warp struct {
	emu      *emu.Warp
	cta      int32 // slot
	index    int32 // in the CTA
	pc       int32
	sched    int32 // its scheduler
	pos      int32 // in the list of its scheduler
	state    warpState
	inflight int32   // accesses and exits under way
	busy     int64   // when the last access of known duration is over
	ready    []int64 // by number of the register in the plan: see readyAt; made when a CTA first comes to the slot
	copies   copies
	keep     int64 // atCopies: as step.keep
}

// readyAt packs when a register can be used and whether memory delivers it. The
// larger of two such values is the later time.
func readyAt(t int64, memory bool) int64 {
	if memory {
		return t<<1 | 1
	}
	return t << 1
}

// pending is readyAt of a register whose time is not known yet.
const pending = never

// issue executes the next instruction of the warp at position i of a scheduler
// and works out when the warp can issue again.
func (m *sm) issue(s *scheduler, i int, now int64) error {
	sim, id := m.sim, s.warps[i].warp
	w := &m.warps[id]
	st := &sim.plan.steps[w.pc]
	if sim.trace != nil && sim.cfg.Ipoints != nil {
		if ip := sim.cfg.Ipoints[w.pc]; ip >= 0 {
			sim.record(now, m, m.ctas[w.cta].emu.Index, int(w.index), ip)
		}
	}
	eff := &sim.eff
	if sim.cfg.Observe != nil {
		at := Step{Cycle: now, SM: m.index, CTA: m.ctas[w.cta].emu.Index, Warp: int(w.index)}
		if err := sim.cfg.Execute(w.emu, &sim.env, eff, at); err != nil {
			return err
		}
	} else if err := w.emu.Step(&sim.env, eff); err != nil {
		return err
	}
	sim.count.WarpInstrs++
	sim.count.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))

	next, why := now+1, StallALU
	switch st.kind {
	case kindALU:
		m.reserve(st.pipe, now+st.initiation)
		w.setReady(st.writes, readyAt(now+st.latency, false))
	case kindControl:
		m.reserve(st.pipe, now+st.initiation)
		next, why = now+st.latency, StallBranch
		if eff.Diverged {
			sim.count.DivergentBranches++
		}
	case kindBarrier:
		w.setReady(st.writes, readyAt(now+st.latency, false))
		if w.emu.AtBarrier() || eff.Released>>w.index&1 != 0 {
			w.state = atBarrier
		}
	case kindFence:
		if w.inflight > 0 {
			w.state = atFence
		}
		next, why = max(next, w.busy), StallFence
	case kindMemory:
		m.access(id, st, now)
	case kindCommit:
		m.reserve(st.pipe, now+st.initiation)
		if eff.Mask != 0 {
			w.copies.commit(now)
		}
	case kindAwait:
		m.reserve(st.pipe, now+st.initiation)
		if eff.Mask == 0 {
			break
		}
		over, known := w.copies.over(st.keep)
		if !known {
			w.state, w.keep = atCopies, st.keep
		}
		next, why = max(next, over), StallMemory
	}
	if eff.WarpDone {
		m.exit(s, id, now+st.latency)
	} else {
		w.pc = int32(w.emu.PC())
		m.schedule(w, next, why)
	}
	for set := eff.Released; set != 0; set &= set - 1 {
		m.release(&m.warps[int(w.cta)*m.perCTA+bits.TrailingZeros64(set)], now)
	}
	return nil
}

// reserve keeps the first free pipeline of a group busy until a cycle.
func (m *sm) reserve(pipe uint8, until int64) {
	group := m.pipes[pipe]
	for i, t := range group[1:] {
		group[i], until = min(t, until), max(t, until)
	}
	group[len(group)-1] = until
	m.pipeFree[pipe] = group[0]
}

func (w *warp) setReady(regs []int32, t int64) {
	for _, r := range regs {
		w.ready[r] = t
	}
}

// schedule works out from which cycle on the registers let a warp issue its next
// instruction, which is not before the given cycle for the given reason.
func (m *sm) schedule(w *warp, at int64, why Stall) {
	st := &m.sim.plan.steps[w.pc]
	if w.state != running {
		at = never
		switch w.state {
		case atBarrier:
			why = StallBarrier
		case atCopies:
			why = StallMemory
		default:
			why = StallFence
		}
	} else {
		latest, ready := at<<1, w.ready
		for regs := st.reads; len(regs) >= readGroup; regs = regs[readGroup:] {
			latest = max(latest, ready[regs[0]], ready[regs[1]], ready[regs[2]], ready[regs[3]])
		}
		if latest == pending {
			at, why = never, StallMemory
		} else if latest>>1 > at {
			at, why = latest>>1, StallALU
			if latest&1 != 0 {
				why = StallMemory
			}
		}
	}
	m.scheds[w.sched].set(w.pos, at, st.pipe, why)
}

// release lets a warp go on that waits at a barrier.
func (m *sm) release(w *warp, now int64) {
	if w.state != atBarrier {
		return
	}
	w.state = running
	m.schedule(w, now+m.sim.cfg.Machine.SM.Barrier.Value, StallBarrier)
	m.wake(&m.scheds[w.sched], now)
}

// exit takes a warp away from its scheduler. It retires when its last
// instruction and all its accesses are over.
func (m *sm) exit(s *scheduler, id int32, over int64) {
	w := &m.warps[id]
	s.remove(m, int(w.pos))
	s.draining++
	w.state = exited
	m.sendExit(w, id, max(over, w.busy))
}

// sendExit keeps a warp that has exited from retiring before a cycle.
func (m *sm) sendExit(w *warp, id int32, at int64) {
	w.inflight++
	m.wheel.send(m.wheel.alloc(request{target: id}), leave, at)
}

// settle ends one of the accesses of a warp in the cycle now; its result may be
// ready later.
func (m *sm) settle(id int32, now int64) {
	w := &m.warps[id]
	w.inflight--
	s := &m.scheds[w.sched]
	switch {
	case w.state == exited:
		if w.inflight == 0 && w.busy > now {
			m.sendExit(w, id, w.busy)
		} else if w.inflight == 0 {
			m.retire(id, now)
		}
		return
	case w.state == atFence && w.inflight == 0:
		w.state = running
		m.schedule(w, max(now, w.busy), StallFence)
	case w.state == atCopies:
		over, known := w.copies.over(w.keep)
		if !known {
			return
		}
		w.state = running
		m.schedule(w, max(now, over), StallMemory)
	case w.state == running && s.warps[w.pos].at == never:
		m.schedule(w, now, StallMemory)
	default:
		return
	}
	m.wake(s, now)
}
