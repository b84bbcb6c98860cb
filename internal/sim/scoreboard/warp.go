package scoreboard

import (
	"math/bits"

	"warpbound/internal/emu"
	"warpbound/internal/sim"
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
	// What every instruction needs comes first.
	emu      *emu.Warp
	ready    []int64 // by number of the register in the plan: see readyAt; made when a CTA first comes to the slot
	busy     int64   // when the last access of known duration is over
	pc       int32
	pos      int32 // in the list of its scheduler
	sched    int32 // its scheduler
	inflight int32 // accesses and exits under way
	id       int32 // slot
	state    warpState

	cta    int32 // slot
	index  int32 // in the CTA
	copies copies
	keep   int64 // atCopies: as more.keep
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

// issue executes the next instruction of a warp of a scheduler and works out when the
// warp can issue again.
func (m *sm) issue(s *scheduler, w *warp, now int64) error {
	run, st := m.sim, &m.steps[w.pc]
	if run.trace != nil {
		m.traced(w, now)
	}
	eff := &m.eff
	if run.cfg.Observe != nil {
		if err := m.observed(w, now); err != nil {
			return err
		}
	} else if err := w.emu.Step(&m.env, eff); err != nil {
		return err
	}
	m.count.WarpInstrs++
	m.count.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))

	next, why := now+1, sim.StallALU
	switch st.kind {
	case kindALU:
		m.units[st.pipe].reserve(now + st.initiation)
		w.setReady(st, readyAt(now+st.latency, false))
	case kindControl:
		m.units[st.pipe].reserve(now + st.initiation)
		next, why = now+st.latency, sim.StallBranch
		if eff.Diverged {
			m.count.DivergentBranches++
		}
	case kindBarrier:
		w.setReady(st, readyAt(now+st.latency, false))
		if w.emu.AtBarrier() || eff.Released>>w.index&1 != 0 {
			w.state = atBarrier
		}
	case kindFence:
		if w.inflight > 0 {
			w.state = atFence
		}
		next, why = max(next, w.busy), sim.StallFence
	case kindMemory:
		m.access(w, st, now)
	case kindCommit:
		m.units[st.pipe].reserve(now + st.initiation)
		if eff.Mask != 0 {
			w.copies.commit(now)
		}
	case kindAwait:
		m.units[st.pipe].reserve(now + st.initiation)
		if eff.Mask == 0 {
			break
		}
		over, known := w.copies.over(st.more.keep)
		if !known {
			w.state, w.keep = atCopies, st.more.keep
		}
		next, why = max(next, over), sim.StallMemory
	}
	if eff.WarpDone {
		m.exit(s, w, now+st.latency)
	} else {
		w.pc = int32(w.emu.PC())
		m.schedule(s, w, next, why)
	}
	for set := eff.Released; set != 0; set &= set - 1 {
		m.release(&m.warps[int(w.cta)*m.perCTA+bits.TrailingZeros64(set)], now)
	}
	return nil
}

// traced records that a warp issues, if its next instruction begins an instrumented
// block.
func (m *sm) traced(w *warp, now int64) {
	run := m.sim
	if run.cfg.Ipoints == nil {
		return
	}
	if ip := run.cfg.Ipoints[w.pc]; ip >= 0 {
		m.record(now, m.ctas[w.cta].emu.Index, int(w.index), ip)
	}
}

// observed executes an instruction that is observed.
func (m *sm) observed(w *warp, now int64) error {
	at := sim.Step{Cycle: now, SM: m.index, CTA: m.ctas[w.cta].emu.Index, Warp: int(w.index)}
	return m.sim.cfg.Execute(w.emu, &m.env, &m.eff, at)
}

// setReady says when the results of an instruction can be used, as readyAt.
func (w *warp) setReady(st *step, t int64) {
	w.ready[st.write] = t
	if st.more != nil {
		for _, r := range st.more.writes {
			w.ready[r] = t
		}
	}
}

// schedule works out from which cycle on the registers let a warp issue its next
// instruction, which is not before the given cycle for the given reason.
func (m *sm) schedule(s *scheduler, w *warp, at int64, why sim.Stall) {
	st := &m.steps[w.pc]
	if w.state != running {
		at = never
		switch w.state {
		case atBarrier:
			why = sim.StallBarrier
		case atCopies:
			why = sim.StallMemory
		default:
			why = sim.StallFence
		}
	} else {
		latest, ready := at<<1, w.ready
		latest = max(latest, ready[st.reads[0]], ready[st.reads[1]], ready[st.reads[2]], ready[st.reads[3]])
		if st.more != nil {
			for _, r := range st.more.reads {
				latest = max(latest, ready[r])
			}
		}
		if latest == pending {
			at, why = never, sim.StallMemory
		} else if latest>>1 > at {
			at, why = latest>>1, sim.StallALU
			if latest&1 != 0 {
				why = sim.StallMemory
			}
		}
	}
	s.set(w.pos, at, st.pipe, why)
}

// release lets a warp go on that waits at a barrier.
func (m *sm) release(w *warp, now int64) {
	if w.state != atBarrier {
		return
	}
	w.state = running
	s := &m.scheds[w.sched]
	m.schedule(s, w, now+m.sim.cfg.Machine.SM.Barrier.Value, sim.StallBarrier)
	m.wake(s, now)
}

// exit takes a warp away from its scheduler. It retires when its last
// instruction and all its accesses are over.
func (m *sm) exit(s *scheduler, w *warp, over int64) {
	s.remove(m, int(w.pos))
	s.draining++
	w.state = exited
	m.sendExit(w, max(over, w.busy))
}

// sendExit keeps a warp that has exited from retiring before a cycle.
func (m *sm) sendExit(w *warp, at int64) {
	w.inflight++
	m.wheel.send(m.wheel.alloc(request{target: w.id}), leave, at)
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
			m.sendExit(w, w.busy)
		} else if w.inflight == 0 {
			m.retire(id, now)
		}
		return
	case w.state == atFence && w.inflight == 0:
		w.state = running
		m.schedule(s, w, max(now, w.busy), sim.StallFence)
	case w.state == atCopies:
		over, known := w.copies.over(w.keep)
		if !known {
			return
		}
		w.state = running
		m.schedule(s, w, max(now, over), sim.StallMemory)
	case w.state == running && s.warps[w.pos].at == never:
		m.schedule(s, w, now, sim.StallMemory)
	default:
		return
	}
	m.wake(s, now)
}
