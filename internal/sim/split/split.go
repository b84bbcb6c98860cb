// Package split simulates the execution of a kernel on a machine with split cores
// (machine.Splitting) cycle by cycle.
//
// An SM, here called CU as in the machine's documents, has several SIMDs, and each of them
// split SIMDs, each with a port. A port issues one pass at a time; a wavefront, and each
// part of a split one, has one instruction under way. The accesses of all of them are served
// one after the other by the memory of the CU, but for loads of lines that its L1 holds, if it has one. CUs share nothing but the contents of memory,
// and the CTAs that each executes are known from the start. docs/machine-model/split.md has the
// rules, and the argument why the times of such a machine compose.
//
// What an instruction does happens in internal/emu in the cycle of its first pass, in the
// order of cycles, of CUs in a cycle, and of ports on a CU. A cycle in which nothing happens
// on a CU is skipped.
//
// split is evidence that is independent of the static methods: it must import
// neither a method nor ipet. What it shares with the simulators of the other
// machines is what goes in (sim.Config), what comes out (sim.Result), and package core.
package split

import (
	"context"
	"math/bits"

	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
	"warpbound/internal/trace"
)

// never is a time that does not come.
const never = core.Never

// Sim simulates one kernel on one machine, run after run. Its storage is used again by later
// runs. It may be used by one goroutine at a time.
type Sim struct {
	run      core.Run
	m        *machine.Machine
	plan     []core.Step // by instruction
	branches []branch    // by instruction
	cached   []bool      // by instruction: it loads from global memory through the L1
	shape    shape
	cus      []cu
	next     []int64 // by CU: when something happens; never if all CTAs have been executed
}

// shape is what a CU is made of.
type shape struct {
	simds   int   // SIMDs of a CU
	parts   int   // contexts of a wavefront: its own and those on split SIMDs
	shared  bool  // the parts of a wavefront share the port of its SIMD
	idle    bool  // but those that find an idle SIMD
	pass    int64 // cycles for which a pass holds a port
	address int64 // passes of an access
	split   int64 // cycles
	merge   int64 // cycles
	hit     int64 // cycles
	segment int   // log2 of the bytes of a segment, which is a line of the L1
}

func newShape(m *machine.Machine) shape {
	s := &m.Split
	sh := shape{
		simds: int(m.SM.Schedulers.Value), parts: 1, shared: s.Mode.Value.Dynamic(), idle: s.Mode.Value == machine.DWSIdle,
		pass: s.Pass.Value, address: s.Address.Value / s.Pass.Value, split: s.Split.Value, merge: s.Merge.Value,
		hit: m.L1.Hit.Value, segment: bits.TrailingZeros64(uint64(m.Memory.Segment.Value)),
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
	n := int(cfg.Machine.SM.Count.Value)
	s := &Sim{
		m: cfg.Machine, plan: core.Plan(cfg.Code, cfg.Machine), branches: branches, cached: cachedLoads(cfg.Code, cfg.Machine),
		shape: newShape(cfg.Machine), cus: make([]cu, n), next: make([]int64, n),
	}
	s.run = core.NewRun(cfg, s.shape.ports(), core.Cores{Waiting: s.waiting, Active: s.hasActive, Unstarted: s.listUnstarted})
	log := s.run.Trace(s.names)
	for i := range s.cus {
		s.cus[i] = cu{sim: s, index: i, ports: make([]port, s.shape.ports())}
		if s.m.Cached() {
			s.cus[i].l1 = core.NewCache[causes.Since](s.m.L1.Sets, s.m.L1.Ways)
		}
		if log != nil {
			s.cus[i].reasons = &reasons{log: log, cu: &s.cus[i], ports: make([]causes.Since, s.shape.ports())}
		}
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
	if err := s.run.Begin(launch, mem, tr); err != nil {
		return nil, err
	}
	for i := range s.cus {
		s.next[i] = s.cus[i].reset(s.run.Result.Occupancy)
	}
	err := s.run.Play(ctx, s.next, func(i int, now int64) (int64, error) { return s.cus[i].step(now) })
	if err != nil {
		return nil, err
	}
	end := s.run.End()
	for i := range s.cus {
		for j := range s.cus[i].ports {
			p := &s.cus[i].ports[j]
			p.Idle(end)
			s.run.Result.Schedulers[i][j] = p.Count
		}
	}
	return &s.run.Result, nil
}
