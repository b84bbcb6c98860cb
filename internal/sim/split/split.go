// Package split simulates the execution of a kernel on a machine with split cores
// (machine.Splitting) cycle by cycle.
//
// An SM, here called CU as in the machine's documents, has several SIMDs, and each of them
// split SIMDs, each with a port. A port issues one pass at a time; a wavefront, and each
// part of a split one, has one instruction under way. The accesses of all of them are served
// one after the other by the memory of the CU. CUs share nothing but the contents of memory,
// and the CTAs that each executes are known from the start. docs/machine-model.md has the
// rules, and the argument why the times of such a machine compose.
//
// What an instruction does happens in internal/emu in the cycle of its first pass, in the
// order of cycles, of CUs in a cycle, and of ports on a CU. A cycle in which nothing happens
// on a CU is skipped.
//
// split is evidence that is independent of the static methods: it must import
// neither a method nor ipet. What it shares with the simulators of the other
// machines is what goes in (sim.Config), what comes out (sim.Result), and package inorder.
package split

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
	cfg      sim.Config
	plan     []inorder.Step // by instruction
	branches []branch       // by instruction
	shape    shape
	cus      []cu
	started  int   // CTAs
	done     int   // of those
	end      int64 // cycle of the last retirement so far

	grid     *emu.Grid
	env      emu.Env
	eff      emu.Effect
	requests inorder.Counter
	trace    *trace.Run // nil if none is wanted

	count sim.Counters
	out   sim.Result
}

// shape is what a CU is made of.
type shape struct {
	simds   int   // SIMDs of a CU
	parts   int   // contexts of a wavefront: its own and those on split SIMDs
	shared  bool  // the parts of a wavefront share the port of its SIMD
	pass    int64 // cycles for which a pass holds a port
	address int64 // passes of an access
	split   int64 // cycles
	merge   int64 // cycles
}

func newShape(m *machine.Machine) shape {
	s := &m.Split
	sh := shape{
		simds: int(m.SM.Schedulers.Value), parts: 1, shared: s.Mode.Value == machine.DWS,
		pass: s.Pass.Value, address: s.Address.Value / s.Pass.Value, split: s.Split.Value, merge: s.Merge.Value,
	}
	if s.Mode.Value != machine.SplitNone {
		sh.parts += int(s.SIMDs.Value)
	}
	return sh
}

// ports returns how many ports a CU has.
func (sh *shape) ports() int {
	if sh.shared {
		return sh.simds
	}
	return sh.simds * sh.parts
}

// New prepares the simulation of a kernel on a machine with split cores. It is an error if
// the kernel has instructions that split wavefronts and the machine's mode is not PWS.
func New(cfg sim.Config) (*Sim, error) {
	if err := cfg.Check(machine.Splitting); err != nil {
		return nil, err
	}
	branches, err := findBranches(cfg.Code, cfg.Machine.Split.Mode.Value)
	if err != nil {
		return nil, err
	}
	s := &Sim{
		cfg: cfg, plan: inorder.Plan(cfg.Code, cfg.Machine), branches: branches,
		shape: newShape(cfg.Machine), requests: inorder.NewCounter(cfg.Machine),
	}
	n := int(cfg.Machine.SM.Count.Value)
	s.env.SMs = n
	s.cus = make([]cu, n)
	s.out.Schedulers = make([][]sim.SchedulerCounters, n)
	for i := range s.cus {
		s.cus[i].sim, s.cus[i].index = s, i
		s.cus[i].ports = make([]port, s.shape.ports())
		s.out.Schedulers[i] = make([]sim.SchedulerCounters, len(s.cus[i].ports))
	}
	return s, nil
}

// Run executes a launch over mem from cycle 0 to the last retirement. It
// appends to tr, unless that is nil, a Start and an Exit record for every wavefront
// and between them a record whenever one, or a part of it, issues the first instruction of
// an instrumented block, in the order of cycle, SM, CTA and warp, and sets its End.
//
// It is an error if the launch does not fit the kernel or the machine, if the
// program does what it must not (an *emu.Fault), if it splits wavefronts into more parts than
// there are contexts, if the limit of cycles is reached
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
	for i := range s.cus {
		for j := range s.cus[i].ports {
			p := &s.cus[i].ports[j]
			p.account(s.end)
			s.out.Schedulers[i][j] = p.count
		}
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
	for i := range s.cus {
		s.cus[i].reset(occ)
	}
}

// checkEvery is the number of steps after which ctx is looked at.
const checkEvery = 1 << 14

// run simulates until the last wavefront has retired.
func (s *Sim) run(ctx context.Context) error {
	limit := s.cfg.Limit()
	for steps := 1; ; steps++ {
		if steps%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		c := s.first()
		if c.next == never {
			return nil
		}
		if c.next > limit {
			return s.stuck(limit, fmt.Errorf("%w: %d", sim.ErrCycleLimit, limit))
		}
		if err := s.step(c); err != nil {
			return err
		}
	}
}

// first returns the CU on which something happens next, and of several that with
// the lowest number.
func (s *Sim) first() *cu {
	first := &s.cus[0]
	for i := range s.cus {
		if c := &s.cus[i]; c.next < first.next {
			first = c
		}
	}
	return first
}

// step performs what happens on a CU in its next cycle.
func (s *Sim) step(c *cu) error {
	if s.trace == nil {
		return c.step(c.next)
	}
	from := len(s.trace.Records)
	err := c.step(c.next)
	if recs := s.trace.Records[from:]; len(recs) > 1 {
		slices.SortStableFunc(recs, trace.Compare)
	}
	return err
}

// record appends a trace record.
func (s *Sim) record(now int64, c *cu, cta, warp int, ip trace.Ipoint) {
	if s.trace == nil {
		return
	}
	s.trace.Records = append(s.trace.Records, trace.Record{
		Cycle: now, SM: int32(c.index), CTA: int32(cta), Warp: int32(warp), Ipoint: ip,
	})
}
