// Package integrated simulates the execution of a kernel on a machine whose SMs share a
// last-level cache with a CPU (machine.Integrated), which runs a stream of accesses.
//
// An SM has one port, which issues strictly in turn, and each warp has one instruction
// under way. So the order in which an SM issues, hits its L1 and accesses the shared cache
// depends on program and data alone. All that cores share, they share by time-division,
// so that the times of an SM depend on those of others only through what is in the shared
// cache, which rows of the DRAM are open, and when the intervals of the regulators end.
// docs/machine-model/integrated.md has the rules, and what follows from them.
//
// What an instruction does happens in internal/emu in the cycle in which it issues, in the
// order of cycles and of SMs in a cycle. A cycle in which nothing happens is skipped.
//
// integrated is evidence that is independent of the static methods: it must import neither
// a method nor ipet. What it shares with the simulators of the other machines is what goes in
// (sim.Config), what comes out (sim.Result), and package core.
package integrated

import (
	"context"
	"math/bits"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
	"warpbound/internal/trace"
)

// never is a time that does not come.
const never = core.Never

// Sim simulates one kernel on one machine, run after run. Its storage is used again by
// later runs. It may be used by one goroutine at a time.
type Sim struct {
	run   core.Run
	m     *machine.Machine
	steps []step // by instruction
	shift int    // log2 of the bytes of a line

	sms       []sm
	cpu       cpu
	ports     []port  // of the SMs, and of the CPU
	busy      []sm    // SMs that have CTAs of the launch
	awake     []*port // theirs, and that of the CPU
	llc       core.Cache[shared]
	kept      *core.Cache[shared] // what Continue keeps for a run that is to begin with it; nil if nothing yet
	warm      bool                // the next run is
	dram      dram
	regulator regulator

	lines []lineAccess // of the current instruction
	log   *log         // nil unless the chain of causes is wanted
}

// step is the timing of one instruction.
type step struct {
	core.Step
	volatile bool // global loads pass by the L1
}

// New prepares the simulation of a kernel on a machine with integrated cores.
func New(cfg sim.Config) (*Sim, error) {
	if err := cfg.Check(machine.Integrated); err != nil {
		return nil, err
	}
	m := cfg.Machine
	s := &Sim{m: m, shift: bits.TrailingZeros64(uint64(m.L1.Line.Value))}
	s.run = core.NewRun(cfg, 1, core.Cores{Waiting: s.waiting, Active: s.hasActive, Unstarted: s.listUnstarted})
	if l := s.run.Trace(s.names); l != nil {
		s.log = &log{Log: l}
	}
	s.run.Result.Cores = make([]sim.CoreCounters, m.Cores())
	for pc, st := range core.Plan(cfg.Code, m) {
		s.steps = append(s.steps, step{st, cfg.Code.Instr(pc).Volatile})
	}
	s.llc = newLLC(m)
	s.dram = newDRAM(m)
	s.ports = make([]port, m.Cores())
	for i := range s.ports {
		s.ports[i] = newPort(s, i)
	}
	n := m.Cores() - 1
	s.cpu = cpu{sim: s, port: &s.ports[n], l1: newL1(m)}
	s.sms = make([]sm, n)
	for i := range s.sms {
		s.sms[i] = sm{Resident: core.NewResident(&s.run, i), sim: s, index: i, port: &s.ports[i], l1: newL1(m)}
		if s.log != nil {
			s.sms[i].reasons = &reasons{log: s.log, sm: &s.sms[i]}
			s.ports[i].reasons = s.sms[i].reasons
		}
	}
	return s, nil
}

// Run executes a launch over mem from cycle 0 to the last retirement. It appends to tr,
// unless that is nil, a Start and an Exit record for every warp and between them a record
// whenever a warp issues the first instruction of an instrumented block, in the order of
// cycle, SM, CTA and warp, and sets its End.
//
// It is an error if the launch does not fit the kernel or the machine, if the program does
// what it must not (an *emu.Fault), if the limit of cycles is reached (a *sim.StuckError),
// or if ctx is done. The result is valid until the next Run.
func (s *Sim) Run(ctx context.Context, launch emu.Launch, mem *emu.Memory, tr *trace.Run) (*sim.Result, error) {
	defer func() { s.warm = false }()
	if err := s.run.Begin(launch, mem, tr); err != nil {
		return nil, err
	}
	if err := s.reset(); err != nil {
		return nil, err
	}
	for s.run.Done < s.run.Grid.CTAs() {
		now := s.next()
		if err := s.run.Visit(ctx, now); err != nil {
			return nil, err
		}
		if err := s.cycle(now); err != nil {
			return nil, err
		}
	}
	return s.result(), nil
}

// reset brings everything to the state of cycle 0.
func (s *Sim) reset() error {
	s.llc.Reset()
	s.warmUp()
	s.dram.reset()
	s.regulator.reset(s.m)
	s.log.reset()
	for i := range s.ports {
		s.ports[i].reset()
	}
	s.awake = s.awake[:0]
	s.busy = s.sms[:min(len(s.sms), s.run.Grid.CTAs())]
	for i := range s.sms {
		s.sms[i].reset()
		if i < len(s.busy) {
			s.awake = append(s.awake, &s.ports[i])
		}
	}
	s.awake = append(s.awake, s.cpu.port)
	return s.cpu.reset()
}

// result gathers what was counted.
func (s *Sim) result() *sim.Result {
	r, count := &s.run.Result, &s.run.Count
	r.Intervals = 0
	if s.regulator.on {
		r.Intervals = s.regulator.interval + 1
	}
	for i := range s.ports {
		c := &s.ports[i].count
		r.Cores[i] = *c
		if i < len(s.sms) {
			count.L1Hits += c.L1Hits
			count.L1Misses += c.L1Misses
			count.L1Merged += c.L1Merged
		}
		count.L2Hits += c.Hits
		count.L2Misses += c.Misses
		count.L2Merged += c.Joined
	}
	count.L2WriteBacks = count.DRAMWrites
	end := s.run.End()
	for i := range s.sms {
		s.sms[i].Idle(end)
		r.Schedulers[i][0] = s.sms[i].Count
	}
	return r
}

// next returns the next cycle in which something happens.
func (s *Sim) next() int64 {
	next := min(s.regulator.next, s.cpu.next)
	for i := range s.busy {
		next = min(next, s.busy[i].next)
	}
	for _, p := range s.awake {
		next = min(next, p.next)
	}
	return next
}

// cycle performs what happens in a cycle: what arrives at the cores, then what they issue,
// then what they send, and last what the shared cache and the DRAM do.
func (s *Sim) cycle(now int64) error {
	for _, p := range s.awake {
		if p.answerAt == now {
			p.arrive(now)
		}
	}
	for i := range s.busy {
		if m := &s.busy[i]; m.next <= now {
			mark := s.run.Mark()
			if err := m.step(now); err != nil {
				return err
			}
			s.run.Sort(mark)
		}
	}
	if s.cpu.next <= now {
		if err := s.cpu.step(now); err != nil {
			return err
		}
	}
	s.regulator.begin(s, now)
	for _, p := range s.awake {
		if p.next <= now {
			p.step(now)
		}
	}
	for _, p := range s.awake {
		if p.readAt == now {
			p.readDRAM(now)
		}
	}
	s.regulator.look(s, now)
	return nil
}

// waiting returns the state of all warps that have not retired.
func (s *Sim) waiting(now int64) (list []sim.Waiting) {
	for i := range s.sms {
		m := &s.sms[i]
		for id := range m.warps {
			w := &m.warps[id]
			ready := w.ready <= now && m.port.answered >= w.until
			list = m.Waiting(list, id, &w.Warp, ready, "waits for its turn or can issue")
		}
	}
	return list
}

// hasActive reports whether a warp may go on although no other does.
func (s *Sim) hasActive() bool {
	for i := range s.sms {
		for id := range s.sms[i].warps {
			if s.sms[i].warps[id].Active() {
				return true
			}
		}
	}
	return false
}

// listUnstarted returns the CTAs that have not started.
func (s *Sim) listUnstarted() (list []int) {
	for i := range s.sms {
		list = s.sms[i].Unstarted(list)
	}
	return list
}
