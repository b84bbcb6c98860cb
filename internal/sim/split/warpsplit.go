package split

import (
	"math/bits"

	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
)

// warpSplit is a wavefront that is not split, or a part of one that is, in its context.
type warpSplit struct {
	x, part int
	port    int       // on which it issues
	warp    *emu.Warp // nil if the part has no lanes
	own     emu.Warp  // the warp of a part on a split SIMD

	state   state
	why     sim.Stall // what it waits for until it is ready
	pc      int       // of the instruction that it issued last
	served  int64     // when the last of its posted accesses is
	retires int64     // when it retires, if it has exited
	met     int64     // since when it is where it merges, if it is there

	// Of what it has under way:
	task     task
	left     int64     // passes to issue
	busy     sim.Stall // what they keep the port with
	requests int64     // of its access
	lines    []uint64  // of them that it looks for in the L1
	done     bool      // its last lanes exit
	released uint64    // wavefronts of its CTA that go on from a barrier, by index
	child    int       // the part that begins with the branch that it splits at, or none
}

// state says whether a warp-split can issue.
type state uint8

const (
	absent    state = iota // its wavefront has retired, or there is none, or no such part
	running                // in the cycle ready
	beginning              // when the split is over that it comes from
	atBarrier              // when others arrive
	atMerge                // when the other part is there too
	exited                 // no more; its accesses are not served yet
)

// stall is what a warp-split waits for that does not know when it will be ready.
func (s state) stall() sim.Stall {
	switch s {
	case beginning, atMerge:
		return sim.StallSplit
	case atBarrier:
		return sim.StallBarrier
	case exited:
		return sim.StallDrain
	}
	return sim.StallIdle
}

// task is what the passes of a warp-split are for.
type task uint8

const (
	taskInstr task = iota
	taskSplit      // by the hardware, after a branch whose lanes diverged
	taskMerge      // by the hardware, where they have reconverged
)

// place puts a warp into the context of a part of a wavefront, which executes on a port.
func (st *warpSplit) place(x, part, port int, w *emu.Warp) {
	st.x, st.part, st.port, st.warp = x, part, port, w
	st.served, st.task, st.left, st.child = 0, taskInstr, 0, none
}

// issue begins what a warp-split does next: an instruction, or what the hardware does by itself.
// It returns how many instructions that are.
func (c *cu) issue(at int, now int64, by int) (instrs int64, err error) {
	st := &c.warpSplits[at]
	st.busy, st.left, st.done = sim.StallUnit, 1, false
	switch st.task {
	case taskSplit:
		return 0, nil
	case taskMerge:
		return 0, c.merge(st, now, by)
	}
	st.pc = st.warp.PC()
	switch c.sim.run.Config.Code.Instr(st.pc).Op {
	case isa.Split:
		err = c.splitAtInstr(st, now, by)
	case isa.Merge:
		err = c.merge(st, now, by)
	}
	if err != nil {
		return 0, err
	}
	return 1, c.execute(st, now, by)
}

// execute performs the next instruction of a warp-split and finds out how many passes it takes.
func (c *cu) execute(st *warpSplit, now int64, by int) error {
	s := c.sim
	eff := &s.run.Effect
	sl, warp := c.cta(st.x)
	if err := s.run.Execute(st.warp, now, c.index, sl.cta.Index, warp, st.part); err != nil {
		return err
	}
	st.done, st.released = eff.WarpDone, eff.Released
	plan := &s.plan[st.pc]
	st.left = plan.Initiation / s.shape.pass
	if plan.Kind == core.Load || plan.Kind == core.Posted {
		st.busy, st.left = sim.StallLSU, s.shape.address
		st.requests = s.run.Requests.Count(eff, &s.run.Count)
		c.gather(st)
	}
	if eff.Diverged {
		c.diverge(st, now, by)
	}
	return nil
}

// finish works out when a warp-split may issue again whose last pass ends in a cycle, and lets
// it merge if it is where it does.
func (c *cu) finish(at int, end, now int64, by int) {
	s, st := c.sim, &c.warpSplits[at]
	ready := end
	switch st.task {
	case taskSplit:
		ready, st.why, st.task = end+s.shape.split, sim.StallSplit, taskInstr
		c.reasons.ready(at, ready, st.why)
		c.depart(st, ready, now, by)
	case taskMerge:
		ready, st.why, st.task = end+s.shape.merge, sim.StallSplit, taskInstr
		c.reasons.ready(at, ready, st.why)
	default:
		ready = c.result(at, end)
		if st.child != none && s.run.Config.Code.Instr(st.pc).Op == isa.Bra {
			if s.shape.shared {
				st.task = taskSplit
			} else {
				c.depart(st, ready, now, by)
			}
		}
	}
	switch {
	case st.done:
		st.state, c.ready[at] = exited, never
		st.retires = max(end, st.served)
		c.reasons.exit(at, end)
		c.retireAt = min(c.retireAt, st.retires)
	case st.warp.AtBarrier():
		st.state, c.ready[at] = atBarrier, never
	default:
		c.ready[at] = ready
		c.arrive(at, now, by)
	}
	c.release(st, now, by)
}

// release lets go whoever waited at a barrier for a warp-split that has arrived in a cycle, or
// exited, itself included. Its instruction has one pass.
func (c *cu) release(st *warpSplit, now int64, by int) {
	first := st.x - st.x%c.sim.run.Grid.Warps()
	for ; st.released != 0; st.released &= st.released - 1 {
		at := c.warpSplit(first+bits.TrailingZeros64(st.released), 0)
		c.warpSplits[at].why = sim.StallBarrier
		c.reasons.ready(at, now+c.sim.m.SM.Barrier.Value, sim.StallBarrier)
		c.wake(at, now+c.sim.m.SM.Barrier.Value, now, by)
	}
}

// result returns when a warp-split may issue after an instruction whose last pass ends in a
// cycle, and puts its access into the queue of memory.
func (c *cu) result(at int, end int64) (ready int64) {
	s, st := c.sim, &c.warpSplits[at]
	plan := &s.plan[st.pc]
	ready = end + plan.Latency - plan.Initiation
	op := s.run.Config.Code.Instr(st.pc).Op
	switch {
	case op == isa.Split:
		ready, st.why = end+s.shape.split, sim.StallSplit
	case op == isa.Merge:
		ready, st.why = end+s.shape.merge, sim.StallSplit
	case plan.Kind == core.Plain:
		st.why = sim.StallALU
	case plan.Kind == core.Control:
		st.why = sim.StallBranch
	case plan.Kind == core.Fence:
		c.reasons.ready(at, ready, sim.StallFence)
		c.reasons.fence(at)
		st.why = sim.StallFence
		return max(ready, st.served)
	default:
		return c.access(at, end)
	}
	c.reasons.ready(at, ready, st.why)
	return ready
}

// access puts an access into the queue of memory, but for what the L1 has of it, and returns what result does.
func (c *cu) access(at int, end int64) (ready int64) {
	s, st := c.sim, &c.warpSplits[at]
	plan := &s.plan[st.pc]
	st.why = sim.StallMemory
	if st.requests == 0 {
		return end
	}
	if len(st.lines) > 0 {
		there := c.lookUp(st, end)
		if st.requests == 0 {
			c.reasons.there(at, there)
			return there.At
		}
	}
	service := st.requests * plan.Initiation
	begins := max(c.freeAt, end)
	c.freeAt = begins + service
	served := c.freeAt - plan.Initiation + plan.Latency
	access := c.reasons.access(at, begins, end, c.freeAt, served, plan.Kind == core.Posted)
	if plan.Kind == core.Load {
		c.fill(st, causes.Since{At: served, Cause: access, Kind: causes.Kind(sim.StallMemory)})
		return served
	}
	st.served = max(st.served, served)
	return c.freeAt
}
