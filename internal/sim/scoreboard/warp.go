package scoreboard

import (
	"math/bits"

	"warpbound/internal/causes"
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
	at       int64     // when registers and control flow let it issue, never if not known
	next     *step     // of the next instruction, or of the last if it has exited
	ready    []int64   // by number of the register in the plan: see readyAt; made when a CTA first comes to the slot
	ahead    int32     // instructions from next on that have been executed ahead
	pos      int32     // in the calendar
	why      sim.Stall // what it waits for until at
	state    warpState
	emu      *emu.Warp
	busy     int64 // when the last access of known duration is over
	inflight int32 // accesses and exits under way
	id       int32 // slot
	cta      int32 // slot
	index    int16 // in the CTA
	sched    int16 // its scheduler
	line     int32 // of the instruction cache, the last that it came to, or none
	arrives  int64 // when that line has come
	copies   copies
	keep     int64 // atCopies: as more.keep

	// Of a warp that executes ahead: the instruction behind the run, and what the warp was before.
	after  *step
	active uint64
	depth  int
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
const pending = never<<1 | 1

// step executes the next instruction of a warp of a scheduler and works out when the
// warp can issue again.
func (m *sm) step(s *scheduler, w *warp, st *step, now int64) {
	run, eff := m.sim, &m.eff
	if st.ipoint >= 0 {
		m.enter(w, st, now)
	}
	if run.clocked {
		m.env.Cycle = run.cfg.Clock(m.index, now)
		m.env.Time = uint64(now/run.nsDen*run.nsNum + now%run.nsDen*run.nsNum/run.nsDen)
	}
	if run.cfg.Observe != nil {
		if m.out.err = m.observed(w, now); m.out.err != nil {
			return
		}
	} else if err := w.emu.Step(&m.env, eff); err != nil {
		m.out.err = err
		return
	}
	m.count.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))
	m.out.changed = m.out.changed || eff.Changed
	m.out.recurs = m.out.recurs || eff.Recurs
	m.reasons.issue(w, st, now)
	if eff.Turned {
		m.turns[eff.PC]++
	}
	if st.kind == kindMemory {
		m.access(w, st, now)
		w.next = &m.steps[w.sched][w.emu.PC()]
		m.reasons.after(w, now+1, sim.CauseIssue)
		m.schedule(w, now+1, sim.StallALU)
		return
	}
	next, why := now+1, sim.StallALU
	m.reasons.after(w, next, sim.CauseIssue)
	switch st.kind {
	case kindALU:
		m.reserve(st.pipe, now+int64(st.initiation))
		m.reasons.reserve(st, now+int64(st.initiation))
		w.setReady(st, readyAt(now+int64(st.latency), false))
		m.reasons.computes(w, st, now+int64(st.latency))
	case kindControl:
		m.reserve(st.pipe, now+int64(st.initiation))
		m.reasons.reserve(st, now+int64(st.initiation))
		next, why = now+int64(st.latency), sim.StallBranch
		m.reasons.after(w, next, byBranch)
		if eff.Diverged {
			m.count.DivergentBranches++
		}
	case kindBarrier:
		w.setReady(st, readyAt(now+int64(st.latency), false))
		m.reasons.computes(w, st, now+int64(st.latency))
	case kindFence:
		if w.inflight > 0 {
			w.state = atFence
		}
		next, why = max(next, w.busy), sim.StallFence
		m.reasons.fence(w)
	case kindCommit:
		m.reserve(st.pipe, now+int64(st.initiation))
		m.reasons.reserve(st, now+int64(st.initiation))
		if eff.Mask != 0 {
			w.copies.commit(now)
		}
	case kindAwait:
		m.reserve(st.pipe, now+int64(st.initiation))
		m.reasons.reserve(st, now+int64(st.initiation))
		if eff.Mask == 0 {
			break
		}
		over, known := w.copies.over(st.more.keep)
		if !known {
			w.state, w.keep = atCopies, st.more.keep
		}
		next, why = max(next, over), sim.StallMemory
		m.reasons.later(w, w.copies.why(st.more.keep))
	}
	if eff.WarpDone {
		m.exit(s, w, now+int64(st.latency))
	} else {
		if w.emu.AtBarrier() || eff.Released>>w.index&1 != 0 { // also behind an exit for which others of the warp waited
			w.state = atBarrier
		}
		w.next = &m.steps[w.sched][w.emu.PC()]
		m.schedule(w, next, why)
	}
	for set := eff.Released; set != 0; set &= set - 1 {
		m.release(&m.warps[int(w.cta)*m.perCTA+bits.TrailingZeros64(set)], now)
	}
}

// compute is step for an instruction of a run. The first one executes all.
func (m *sm) compute(w *warp, st *step, now int64) {
	if st.ipoint >= 0 {
		m.enter(w, st, now)
	}
	if w.ahead == 0 {
		m.ahead(w, st)
	}
	m.reserve(st.pipe, now+int64(st.initiation))
	over, loads := now+int64(st.latency), int64(st.loads)
	if st.more != nil {
		if line := st.more.constant; line != none {
			over = max(over, m.ccache.ask(uint64(line), now))
		}
		for _, r := range st.more.writes {
			w.ready[r.reg] = (over<<1 | loads) + r.late
		}
	}
	w.busy = max(w.busy, over&-loads) // a load of a parameter
	at, why := now+int64(st.gap), st.why
	ready := (*[short]int64)(w.ready)
	ready[st.write] = over<<1 | loads
	next, after := st.follow, w.after
	if w.ahead--; w.ahead == 0 {
		next = after
	}
	st, w.next = next, next
	latest := max(ready[st.reads[0]], ready[st.reads[1]], ready[st.reads[2]], ready[st.reads[3]])
	if st.more != nil {
		latest = w.later(st.more, latest)
		at, why = m.fetch(w, st.more.line, at, why)
	}
	w.at, w.why = earliest(at, why, latest)
	if m.calendars {
		m.calendar.set(int(w.pos), w.at, st.memory)
	}
}

// enter records that a warp issues the first instruction of a block, if a trace is wanted.
func (m *sm) enter(w *warp, st *step, now int64) {
	if m.sim.trace != nil {
		m.record(now, m.ctas[w.cta].emu.Index, int(w.index), st.ipoint)
	}
}

// ahead executes the run that a warp begins.
func (m *sm) ahead(w *warp, st *step) {
	w.ahead, w.active, w.depth = st.run, w.emu.Active(), w.emu.Depth()
	threads, diverged := w.emu.Ahead(&m.eff)
	m.count.ThreadInstrs += threads
	if diverged {
		m.count.DivergentBranches++
	}
	m.out.recurs = m.out.recurs || m.eff.Recurs
	if m.eff.Turned {
		m.turns[m.eff.PC]++
	}
	w.after = &m.steps[w.sched][w.emu.PC()]
}

// observed executes an instruction that is observed.
func (m *sm) observed(w *warp, now int64) error {
	at := sim.Step{Cycle: now, SM: m.index, CTA: m.ctas[w.cta].emu.Index, Warp: int(w.index), Counters: &m.count}
	return m.sim.cfg.Execute(w.emu, &m.env, &m.eff, at)
}

// setReady says when the results of an instruction can be used, as readyAt.
func (w *warp) setReady(st *step, t int64) {
	w.ready[st.write] = t
	if st.more != nil {
		for _, r := range st.more.writes {
			w.ready[r.reg] = t + r.late
		}
	}
}

// schedule works out from which cycle on the registers let a warp issue its next
// instruction, which is not before the given cycle for the given reason.
func (m *sm) schedule(w *warp, at int64, why sim.Stall) {
	st := w.next
	if st.more != nil {
		at, why = m.fetch(w, st.more.line, at, why)
	}
	if w.state != running {
		m.suspend(w)
		return
	}
	ready := (*[short]int64)(w.ready)
	latest := max(ready[st.reads[0]], ready[st.reads[1]], ready[st.reads[2]], ready[st.reads[3]])
	if st.more != nil {
		latest = w.later(st.more, latest)
	}
	w.at, w.why = earliest(at, why, latest)
	m.reasons.schedule(w)
	if m.calendars {
		m.calendar.set(int(w.pos), w.at, st.memory)
	}
}

// In the list of stalls that for memory comes right before that for arithmetic, so that the bit of readyAt
// tells which it is without a branch.
var _ = [1]struct{}{}[sim.StallALU-sim.StallMemory-1]

// earliest returns from which cycle on a warp can issue and what it waits for until then, if it cannot before
// the given cycle for the given reason, and its registers are ready at latest, as readyAt.
func earliest(at int64, why sim.Stall, latest int64) (int64, sim.Stall) {
	t, by := latest>>1, sim.StallALU-sim.Stall(latest&1)
	if t > at {
		at, why = t, by
	}
	return at, why
}

// later returns when the further registers of an instruction are ready, too.
func (w *warp) later(rest *more, latest int64) int64 {
	for _, r := range rest.reads {
		latest = max(latest, w.ready[r])
	}
	return latest
}

// suspend notes that it is not known when a warp can issue that waits for something else than registers.
func (m *sm) suspend(w *warp) {
	w.at, w.why = never, sim.StallFence
	switch w.state {
	case atBarrier:
		w.why = sim.StallBarrier
	case atCopies:
		w.why = sim.StallMemory
	}
	if m.calendars {
		m.calendar.set(int(w.pos), never, w.next.memory)
	}
}

// resume schedules a warp in the cycle now that has waited for something.
func (m *sm) resume(s *scheduler, w *warp, now, at int64, why sim.Stall) {
	m.schedule(w, at, why)
	m.wake(s, now)
}

// release lets a warp go on that waits at a barrier.
func (m *sm) release(w *warp, now int64) {
	if w.state != atBarrier {
		return
	}
	w.state = running
	s := &m.scheds[w.sched]
	m.reasons.after(w, now+m.sim.cfg.Machine.SM.Barrier.Value, byBarrier)
	m.resume(s, w, now, now+m.sim.cfg.Machine.SM.Barrier.Value, sim.StallBarrier)
}

// exit takes a warp away from its scheduler. It retires when its last
// instruction and all its accesses are over.
func (m *sm) exit(s *scheduler, w *warp, over int64) {
	s.remove(m, w)
	s.draining++
	w.state = exited
	m.reasons.exits(w, over)
	m.sendExit(w, max(over, w.busy))
}

// sendExit keeps a warp that has exited from retiring before a cycle.
func (m *sm) sendExit(w *warp, at int64) {
	w.inflight++
	m.wheel.send(m.wheel.alloc(request{target: w.id}), leave, at)
}

// settle ends one of the accesses of a warp in the cycle now; its result may be
// ready later.
func (m *sm) settle(id int32, now int64, by causes.ID) {
	w := &m.warps[id]
	w.inflight--
	s := &m.scheds[w.sched]
	switch {
	case w.state == exited:
		if w.inflight == 0 && w.busy > now {
			m.reasons.lingers(w)
			m.sendExit(w, w.busy)
		} else if w.inflight == 0 {
			m.retire(id, now, by)
		}
		return
	case w.state == atFence && w.inflight == 0:
		w.state = running
		m.reasons.resumes(w, now, by, byFence)
		m.reasons.fence(w)
		m.resume(s, w, now, max(now, w.busy), sim.StallFence)
	case w.state == atCopies:
		over, known := w.copies.over(w.keep)
		if !known {
			return
		}
		w.state = running
		m.reasons.resumes(w, now, by, byMemory)
		m.reasons.later(w, w.copies.why(w.keep))
		m.resume(s, w, now, max(now, over), sim.StallMemory)
	case w.state == running && w.at == never:
		m.reasons.resumes(w, now, by, byMemory)
		m.resume(s, w, now, now, sim.StallMemory)
	}
}
