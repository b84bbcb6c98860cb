// Package sim simulates the execution of a kernel on a machine cycle by cycle.
//
// What an instruction does happens in internal/emu in the cycle in which it
// issues; sim decides when that is. docs/machine-model.md says what is modelled
// and what is not. The same launch over the same memory gives the same cycles,
// counters and trace on every computer.
//
// Time is counted in whole core cycles. Cycles in which nothing can issue and
// nothing changes are skipped: every component knows when it has to be looked
// at next, and messages between components wait in a time wheel. Within a cycle
// messages arrive first, in the order in which they were sent; then the memory
// partitions, the dispatcher and the SMs act, each in the order of its index.
//
// sim is evidence that is independent of the static methods: it must import
// neither a method nor ipet.
package sim

import (
	"context"
	"errors"
	"fmt"
	"math"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/trace"
)

// never is a time that does not come.
const never = math.MaxInt64

// MaxCycles is the largest and the default limit of a run in cycles.
const MaxCycles = 1 << 40

// ErrCycleLimit is the cause of the error of a run that reached its limit.
var ErrCycleLimit = errors.New("cycle limit reached")

// Config is what stays the same over many runs.
type Config struct {
	Code          *emu.Code
	Machine       *machine.Machine
	RegsPerThread int

	// Ipoints holds the Ipoint of the block that begins at each instruction;
	// negative where none does. Nil means that no block is instrumented.
	Ipoints []trace.Ipoint

	// MaxCycles is the limit of a run in cycles; 0 stands for the constant
	// MaxCycles.
	MaxCycles int64
}

// Sim simulates one kernel on one machine, run after run. Its storage is used
// again by later runs. It may be used by one goroutine at a time.
type Sim struct {
	cfg     Config
	plan    plan
	timer   bool  // the kernel reads the global timer
	nsNum   int64 // nanoseconds per nsDen cycles
	nsDen   int64
	maxTime int64

	sms   []sm
	parts []partition
	wheel wheel
	disp  dispatcher

	grid  *emu.Grid
	env   emu.Env
	eff   emu.Effect
	trace *trace.Run // nil if none is wanted
	batch int        // where the records of the current cycle begin

	everyCycle bool // visit every cycle instead of skipping: the obvious twin
	count      Counters
}

// New prepares the simulation of a kernel.
func New(cfg Config) (*Sim, error) {
	if cfg.Ipoints != nil && len(cfg.Ipoints) != cfg.Code.Len() {
		return nil, fmt.Errorf("%d ipoints for %d instructions", len(cfg.Ipoints), cfg.Code.Len())
	}
	if cfg.MaxCycles < 0 || cfg.MaxCycles > MaxCycles {
		return nil, fmt.Errorf("a limit of %d cycles is not between 0 and %d", cfg.MaxCycles, int64(MaxCycles))
	}
	s := &Sim{cfg: cfg, maxTime: cfg.MaxCycles}
	if s.maxTime == 0 {
		s.maxTime = MaxCycles
	}
	s.env.SMs = int(cfg.Machine.SM.Count.Value)
	s.nsNum, s.nsDen = 1e9, cfg.Machine.Clock.Core.Value
	s.plan, s.timer = makePlan(cfg.Code, cfg.Machine)
	s.sms = make([]sm, cfg.Machine.SM.Count.Value)
	for i := range s.sms {
		s.sms[i].init(s, i)
	}
	s.parts = make([]partition, cfg.Machine.L2.Partitions.Value)
	for i := range s.parts {
		s.parts[i].init(s, i)
	}
	return s, nil
}

// Run executes a launch over mem from cycle 0 to the last retirement. It
// appends to tr, unless that is nil, a Start and an Exit record for every warp
// and between them a record whenever a warp issues the first instruction of an
// instrumented block, in the order of cycle, SM, CTA and warp, and sets its End.
//
// Caches and DRAM are as after power-up. It is an error if the launch does not
// fit the kernel or the machine, if the program does what it must not (an
// *emu.Fault), if the limit of cycles is reached, or if ctx is done.
func (s *Sim) Run(ctx context.Context, launch emu.Launch, mem *emu.Memory, tr *trace.Run) (*Result, error) {
	occ, err := Fit(s.cfg.Machine, s.cfg.Code, launch, s.cfg.RegsPerThread)
	if err != nil {
		return nil, err
	}
	s.grid, err = emu.NewGrid(s.cfg.Code, launch, mem, int(s.cfg.Machine.SM.WarpSize.Value))
	if err != nil {
		return nil, err
	}
	s.reset(occ, tr)
	end, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	for i := range s.sms {
		s.sms[i].finish(end)
	}
	if tr != nil {
		s.sortBatch()
		tr.End = end
	}
	return s.result(end, occ), nil
}

// reset brings everything to the state of cycle 0.
func (s *Sim) reset(occ Occupancy, tr *trace.Run) {
	s.trace, s.batch = tr, 0
	if tr != nil {
		s.batch = len(tr.Records)
	}
	s.count = Counters{}
	s.wheel.reset()
	for i := range s.parts {
		s.parts[i].reset()
	}
	for i := range s.sms {
		s.sms[i].reset(occ)
	}
	s.disp.reset(s.grid.CTAs(), len(s.sms))
}

// checkEvery is the number of visited cycles after which ctx is looked at.
const checkEvery = 1 << 12

// run simulates until the last warp has retired and returns that cycle.
func (s *Sim) run(ctx context.Context) (int64, error) {
	now := int64(0)
	for visited := 1; ; visited++ {
		if visited%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		if err := s.cycle(now); err != nil {
			return 0, err
		}
		if s.disp.finished() {
			return now, nil
		}
		next := s.next(now)
		switch {
		case next == never:
			return 0, s.stuck(now, errors.New("no warp can ever issue again"))
		case next > s.maxTime:
			return 0, s.stuck(s.maxTime, fmt.Errorf("%w: %d", ErrCycleLimit, s.maxTime))
		}
		now = next
	}
}

// cycle performs everything that happens in one cycle.
func (s *Sim) cycle(now int64) error {
	if s.trace != nil {
		s.sortBatch()
	}
	s.env.Cycle = uint64(now)
	if s.timer {
		s.env.Time = uint64(now/s.nsDen*s.nsNum + now%s.nsDen*s.nsNum/s.nsDen)
	}
	for r := s.wheel.due(now); r != none; {
		next := s.wheel.reqs[r].next
		s.deliver(r, now)
		r = next
	}
	for i := range s.parts {
		if p := &s.parts[i]; p.next() <= now {
			p.step(now)
		}
	}
	if s.disp.next <= now {
		s.disp.step(s, now)
	}
	for i := range s.sms {
		if m := &s.sms[i]; m.next <= now || s.everyCycle {
			if err := m.step(now); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the next cycle in which anything happens.
func (s *Sim) next(now int64) int64 {
	if s.everyCycle {
		return now + 1
	}
	next := min(s.wheel.next(now), s.disp.next)
	for i := range s.parts {
		next = min(next, s.parts[i].next())
	}
	for i := range s.sms {
		next = min(next, s.sms[i].next)
	}
	return next
}

// record appends a trace record.
func (s *Sim) record(now int64, m *sm, cta, warp int, ip trace.Ipoint) {
	s.trace.Records = append(s.trace.Records, trace.Record{
		Cycle: now, SM: int32(m.index), CTA: int32(cta), Warp: int32(warp), Ipoint: ip,
	})
}

// sortBatch brings the records of the cycle that ended into the order of SM, CTA
// and warp. They are few and nearly sorted.
func (s *Sim) sortBatch() {
	recs := s.trace.Records[s.batch:]
	for i := 1; i < len(recs); i++ {
		for j := i; j > 0 && before(&recs[j], &recs[j-1]); j-- {
			recs[j], recs[j-1] = recs[j-1], recs[j]
		}
	}
	s.batch = len(s.trace.Records)
}

func before(a, b *trace.Record) bool {
	if a.SM != b.SM {
		return a.SM < b.SM
	}
	if a.CTA != b.CTA {
		return a.CTA < b.CTA
	}
	return a.Warp < b.Warp
}

// readsTimer reports whether the instruction reads the global timer.
func readsTimer(in *isa.Instr) bool {
	for _, o := range in.Src {
		if o.Kind == isa.KindSpecial && o.Special == isa.GlobalTimer {
			return true
		}
	}
	return false
}
