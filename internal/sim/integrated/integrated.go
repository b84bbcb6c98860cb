// Package integrated simulates the execution of a kernel on a machine whose SMs share a
// last-level cache with a CPU (machine.Integrated), which runs a stream of accesses.
//
// An SM has one port, which issues strictly in turn, and each warp has one instruction
// under way. So the order in which an SM issues, hits its L1 and accesses the shared cache
// depends on program and data alone. All that cores share, they share by time-division,
// so that the times of an SM depend on those of others only through what is in the shared
// cache, which rows of the DRAM are open, and when the intervals of the regulators end.
// docs/machine-model.md has the rules, and what follows from them.
//
// What an instruction does happens in internal/emu in the cycle in which it issues, in the
// order of cycles and of SMs in a cycle. A cycle in which nothing happens is skipped.
//
// integrated is evidence that is independent of the static methods: it must import neither
// a method nor ipet.
package integrated

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/sim/inorder"
	"warpbound/internal/trace"
)

// never is a time that does not come.
const never = math.MaxInt64

// Sim simulates one kernel on one machine, run after run. Its storage is used again by
// later runs. It may be used by one goroutine at a time.
type Sim struct {
	cfg   sim.Config
	steps []step // by instruction
	shift int    // log2 of the bytes of a line
	waves inorder.Waves

	sms       []sm
	cpu       cpu
	ports     []port // of the SMs, and of the CPU
	llc       cache[shared]
	dram      dram
	regulator regulator

	started int   // CTAs
	done    int   // of those
	end     int64 // cycle of the last retirement so far

	grid     *emu.Grid
	env      emu.Env
	eff      emu.Effect
	requests inorder.Counter
	lines    []lineAccess // of the current instruction
	trace    *trace.Run   // nil if none is wanted

	count sim.Counters
	out   sim.Result
}

// step is the timing of one instruction.
type step struct {
	inorder.Step
	volatile bool // global loads pass by the L1
}

// New prepares the simulation of a kernel on a machine with integrated cores.
func New(cfg sim.Config) (*Sim, error) {
	if err := cfg.Check(machine.Integrated); err != nil {
		return nil, err
	}
	m := cfg.Machine
	s := &Sim{cfg: cfg, requests: inorder.NewCounter(m), shift: bits.TrailingZeros64(uint64(m.L1.Line.Value))}
	for pc, st := range inorder.Plan(cfg.Code, m) {
		s.steps = append(s.steps, step{st, cfg.Code.Instr(pc).Volatile})
	}
	s.llc = newCache[shared](m.LLC.Sets, m.LLC.Ways)
	s.dram = newDRAM(m)
	s.ports = make([]port, m.Cores())
	for i := range s.ports {
		s.ports[i] = newPort(s, i)
	}
	n := m.Cores() - 1
	s.cpu = cpu{sim: s, port: &s.ports[n], l1: newL1(m)}
	s.env.SMs = n
	s.sms = make([]sm, n)
	s.out.Schedulers = make([][]sim.SchedulerCounters, n)
	s.out.Cores = make([]sim.CoreCounters, m.Cores())
	for i := range s.sms {
		s.sms[i] = sm{sim: s, index: i, port: &s.ports[i], l1: newL1(m)}
		s.out.Schedulers[i] = make([]sim.SchedulerCounters, 1)
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
	occ, err := sim.Fit(s.cfg.Machine, s.cfg.Code, launch, s.cfg.RegsPerThread)
	if err != nil {
		return nil, err
	}
	if err := s.start(launch, mem); err != nil {
		return nil, err
	}
	if err := s.reset(occ, tr); err != nil {
		return nil, err
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	if tr != nil {
		tr.End = s.end
	}
	return s.result(occ), nil
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
func (s *Sim) reset(occ sim.Occupancy, tr *trace.Run) error {
	s.trace = tr
	s.count = sim.Counters{}
	s.started, s.done, s.end = 0, 0, 0
	s.waves = inorder.Waves{CTAs: s.grid.CTAs(), SMs: len(s.sms), Slots: occ.CTAs}
	s.llc.reset()
	s.dram.reset()
	s.regulator.reset(s.cfg.Machine)
	for i := range s.ports {
		s.ports[i].reset()
	}
	for i := range s.sms {
		s.sms[i].reset()
	}
	return s.cpu.reset()
}

// result gathers what was counted.
func (s *Sim) result(occ sim.Occupancy) *sim.Result {
	r := &s.out
	r.Cycles, r.Occupancy, r.Intervals = s.end, occ, 0
	if s.regulator.on {
		r.Intervals = s.regulator.interval + 1
	}
	for i := range s.ports {
		c := &s.ports[i].count
		r.Cores[i] = *c
		if i < len(s.sms) {
			s.count.L1Hits += c.L1Hits
			s.count.L1Misses += c.L1Misses
			s.count.L1Merged += c.L1Merged
		}
		s.count.L2Hits += c.Hits
		s.count.L2Misses += c.Misses
		s.count.L2Merged += c.Joined
	}
	s.count.L2WriteBacks = s.count.DRAMWrites
	r.Counters, r.Uninitialised = s.count, s.grid.UninitialisedReads()
	for i := range s.sms {
		s.sms[i].account(s.end)
		r.Schedulers[i][0] = s.sms[i].count
	}
	return r
}

// checkEvery is the number of cycles visited after which ctx is looked at.
const checkEvery = 1 << 14

// run simulates until the last warp has retired.
func (s *Sim) run(ctx context.Context) error {
	limit := s.cfg.Limit()
	for visited := 1; s.done < s.waves.CTAs; visited++ {
		if visited%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		now := s.next()
		if now > limit {
			return s.stuck(limit, fmt.Errorf("%w: %d", sim.ErrCycleLimit, limit))
		}
		if err := s.cycle(now); err != nil {
			return err
		}
	}
	return nil
}

// next returns the next cycle in which something happens.
func (s *Sim) next() int64 {
	next := min(s.regulator.next, s.cpu.next)
	for i := range s.sms {
		next = min(next, s.sms[i].next)
	}
	for i := range s.ports {
		next = min(next, s.ports[i].next)
	}
	return next
}

// cycle performs what happens in a cycle: what arrives at the cores, then what they issue,
// then what they send, and last what the shared cache and the DRAM do.
func (s *Sim) cycle(now int64) error {
	for i := range s.ports {
		if s.ports[i].answerAt == now {
			s.ports[i].arrive(now)
		}
	}
	for i := range s.sms {
		if m := &s.sms[i]; m.next <= now {
			if err := s.issue(m, now); err != nil {
				return err
			}
		}
	}
	if s.cpu.next <= now {
		if err := s.cpu.step(now); err != nil {
			return err
		}
	}
	s.regulator.begin(s, now)
	for i := range s.ports {
		if p := &s.ports[i]; p.next <= now {
			p.step(now)
		}
	}
	for i := range s.ports {
		if p := &s.ports[i]; p.readAt == now {
			p.readDRAM(now)
		}
	}
	s.regulator.look(s, now)
	return nil
}

// issue performs what happens on an SM in a cycle.
func (s *Sim) issue(m *sm, now int64) error {
	if s.trace == nil {
		return m.step(now)
	}
	from := len(s.trace.Records)
	err := m.step(now)
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
