// Package barrel simulates the execution of a kernel on a machine with barrel
// cores (machine.Barrel) cycle by cycle.
//
// An SM has one port, which issues one instruction at a time, and each warp has one
// instruction under way. SMs share nothing but the contents of memory: each has
// memory of its own to wait for, and the CTAs that it executes are known from
// the start. docs/machine-model.md has the rules, and the argument why the times of
// such a machine compose.
//
// What an instruction does happens in internal/emu in the cycle in which it
// issues, in the order of cycles and of SMs in a cycle. A cycle in which nothing
// happens on an SM is skipped.
//
// barrel is evidence that is independent of the static methods: it must import
// neither a method nor ipet. What it shares with the simulator of the other
// machines is what goes in (sim.Config) and what comes out (sim.Result).
package barrel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/sim/inorder"
	"warpbound/internal/trace"
)

// never is a time that does not come.
const never = math.MaxInt64

// Sim simulates one kernel on one machine, run after run. Its storage is used
// again by later runs. It may be used by one goroutine at a time.
type Sim struct {
	cfg     sim.Config
	steps   []inorder.Step // by instruction
	waves   inorder.Waves
	sms     []sm
	started int   // CTAs
	done    int   // of those
	end     int64 // cycle of the last retirement so far

	grid     *emu.Grid
	env      emu.Env
	eff      emu.Effect
	requests inorder.Counter
	trace    *trace.Run // nil if none is wanted

	count sim.Counters
	out   sim.Result
}

// New prepares the simulation of a kernel on a machine with barrel cores.
func New(cfg sim.Config) (*Sim, error) {
	if err := cfg.Check(machine.Barrel); err != nil {
		return nil, err
	}
	s := &Sim{cfg: cfg, steps: inorder.Plan(cfg.Code, cfg.Machine), requests: inorder.NewCounter(cfg.Machine)}
	n := int(cfg.Machine.SM.Count.Value)
	s.env.SMs = n
	s.sms = make([]sm, n)
	s.out.Schedulers = make([][]sim.SchedulerCounters, n)
	for i := range s.sms {
		s.sms[i].sim, s.sms[i].index = s, i
		s.out.Schedulers[i] = make([]sim.SchedulerCounters, 1)
	}
	return s, nil
}

// Run executes a launch over mem from cycle 0 to the last retirement. It
// appends to tr, unless that is nil, a Start and an Exit record for every warp
// and between them a record whenever a warp issues the first instruction of an
// instrumented block, in the order of cycle, SM, CTA and warp, and sets its End.
//
// It is an error if the launch does not fit the kernel or the machine, if the
// program does what it must not (an *emu.Fault), if the limit of cycles is reached
// (a *sim.StuckError), or if ctx is done. The result is valid until the next Run.
func (s *Sim) Run(ctx context.Context, launch emu.Launch, mem *emu.Memory, tr *trace.Run) (*sim.Result, error) {
	occ, err := sim.Fit(s.cfg.Machine, s.cfg.Code, launch, s.cfg.RegsPerThread)
	if err != nil {
		return nil, err
	}
	if err := s.start(launch, mem); err != nil {
		return nil, err
	}
	s.reset(occ, tr)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	if tr != nil {
		tr.End = s.end
	}
	s.out.Cycles, s.out.Occupancy, s.out.Counters = s.end, occ, s.count
	s.out.Uninitialised = s.grid.UninitialisedReads()
	for i := range s.sms {
		s.sms[i].account(s.end)
		s.out.Schedulers[i][0] = s.sms[i].count
	}
	return &s.out, nil
}

// start makes the grid of a launch.
func (s *Sim) start(launch emu.Launch, mem *emu.Memory) (err error) {
	if s.grid != nil {
		return s.grid.Restart(launch, mem)
	}
	s.grid, err = emu.NewGrid(s.cfg.Code, launch, mem, int(s.cfg.Machine.SM.WarpSize.Value))
	return err
}

// reset brings everything to the state of cycle 0.
func (s *Sim) reset(occ sim.Occupancy, tr *trace.Run) {
	s.trace = tr
	s.count = sim.Counters{}
	s.started, s.done, s.end = 0, 0, 0
	s.waves = inorder.Waves{CTAs: s.grid.CTAs(), SMs: len(s.sms), Slots: occ.CTAs}
	for i := range s.sms {
		s.sms[i].reset()
	}
}

// checkEvery is the number of steps after which ctx is looked at.
const checkEvery = 1 << 14

// run simulates until the last warp has retired.
func (s *Sim) run(ctx context.Context) error {
	limit := s.cfg.Limit()
	for steps := 1; ; steps++ {
		if steps%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		m := s.first()
		if m.next == never {
			return nil
		}
		if m.next > limit {
			return s.stuck(limit, fmt.Errorf("%w: %d", sim.ErrCycleLimit, limit))
		}
		if err := s.step(m); err != nil {
			return err
		}
	}
}

// first returns the SM on which something happens next, and of several that with
// the lowest number.
func (s *Sim) first() *sm {
	first := &s.sms[0]
	for i := range s.sms {
		if m := &s.sms[i]; m.next < first.next {
			first = m
		}
	}
	return first
}

// step performs what happens on an SM in its next cycle.
func (s *Sim) step(m *sm) error {
	if s.trace == nil {
		return m.step(m.next)
	}
	from := len(s.trace.Records)
	err := m.step(m.next)
	if recs := s.trace.Records[from:]; len(recs) > 1 {
		slices.SortStableFunc(recs, trace.Compare)
	}
	return err
}

// record appends a trace record.
func (s *Sim) record(now int64, m *sm, cta, warp int, ip trace.Ipoint) {
	if s.trace == nil {
		return
	}
	s.trace.Records = append(s.trace.Records, trace.Record{
		Cycle: now, SM: int32(m.index), CTA: int32(cta), Warp: int32(warp), Ipoint: ip,
	})
}
