// Package scoreboard simulates the execution of a kernel on a machine with
// scoreboards cycle by cycle.
//
// What an instruction does happens in internal/emu in the cycle in which it
// issues; scoreboard decides when that is. docs/machine-model/scoreboard.md says what is modelled
// and what is not. The same launch over the same memory gives the same cycles,
// counters and trace on every computer.
//
// Time is counted in whole core cycles and passes in rounds. A round is as long as
// the quickest message takes from an SM to memory, so that nothing that an SM
// does in a round matters to the others before the next one. Each round belongs
// first to the dispatcher, then to the memory, and then to one SM after the
// other. Cycles in which nothing can issue and nothing arrives are skipped:
// everything knows when it has to be looked at next, and messages wait for their
// arrival in time wheels, in the order in which they were sent.
//
// scoreboard is evidence that is independent of the static methods: it must import
// neither a method nor ipet, and no other simulator.
package scoreboard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/halt"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// never is a time that does not come.
const never = math.MaxInt64 >> 1

// Sim simulates one kernel on one machine, run after run. Its storage is used
// again by later runs. It may be used by one goroutine at a time.
type Sim struct {
	cfg     sim.Config
	plan    plan
	greedy  bool  // the policy is machine.GTO or machine.GTY
	clocked bool  // the kernel reads a clock
	nsNum   int64 // nanoseconds per nsDen cycles
	nsDen   int64
	maxTime int64
	round   int64   // cycles
	flits   []int32 // see flitTable

	disp dispatcher
	mem  memory
	sms  []sm
	end  int64 // cycle of the last retirement so far

	log     *causes.Log // nil unless the chain of causes is wanted
	retired causes.ID   // the last retirement so far

	grid  *emu.Grid
	trace *trace.Run // nil if none is wanted

	crew     *crew // nil if there is one worker
	enough   int   // CTAs from which on it plays the SMs
	together bool  // it plays them
	claims   emu.Claims
	alone    error // why it could not in a run before, unless it is nil

	changed    bool  // by an SM in the last round
	recurs     bool  // a warp did in the last round
	lastActive *warp // see cannotGoOn

	kept []cache // by partition, what Continue keeps for a run that is to begin with it
	warm bool    // the next run is

	everyCycle bool // visit every cycle instead of skipping: the obvious twin
	out        sim.Result
}

// New prepares the simulation of a kernel on a machine with a scoreboard.
func New(cfg sim.Config) (*Sim, error) {
	if err := cfg.Check(machine.Scoreboard); err != nil {
		return nil, err
	}
	if cfg.Machine.IndependentThreads() {
		path, wait := cfg.Machine.Turns()
		cfg.Code = cfg.Code.WithThreads(emu.Turns{Path: path, Wait: wait, Swap: cfg.Machine.SM.SwapPaths.Value == machine.On})
	}
	s := &Sim{cfg: cfg, maxTime: cfg.Limit()}
	s.round = cfg.Machine.Interconnect.Latency.Value +
		min(cfg.Machine.Timing(isa.MemGlobal).Latency, cfg.Machine.Timing(isa.MemAtomic).Latency) - cfg.Machine.LSU.Latency.Value
	s.nsNum, s.nsDen = 1e9, cfg.Machine.Clock.Core.Value
	s.flits = flitTable(cfg.Machine)
	s.plan, s.clocked = makePlan(&s.cfg)
	s.greedy = cfg.Machine.SM.Policy.Value == machine.GTO || cfg.Machine.SM.Policy.Value == machine.GTY
	if cfg.Chain {
		s.log = &causes.Log{Told: cfg.Waited}
	}
	s.sms = make([]sm, cfg.Machine.SM.Count.Value)
	for i := range s.sms {
		s.sms[i].init(s, i)
	}
	s.mem.init(s)
	if workers := min(cfg.Workers, len(s.sms)); workers > 1 && cfg.Observe == nil && !cfg.Chain {
		s.crew, s.enough = newCrew(s.sms, workers), enoughCTAs
	}
	return s, nil
}

// Run executes a launch over mem from cycle 0 to the last retirement. It
// appends to tr, unless that is nil, a Start and an Exit record for every warp
// and between them a record whenever a warp issues the first instruction of an
// instrumented block, in the order of cycle, SM, CTA and warp, and sets its End.
//
// Caches and DRAM are as after power-up, but for Continue, and for an L2
// that the host's copies go through (machine.L2). It is an error if the launch does not
// fit the kernel or the machine, if the program does what it must not (an
// *emu.Fault), if the limit of cycles is reached, or if ctx is done. The result is
// valid until the next Run.
func (s *Sim) Run(ctx context.Context, launch emu.Launch, mem *emu.Memory, tr *trace.Run) (*sim.Result, error) {
	defer func() { s.warm = false }()
	occ, err := s.cfg.Fit(launch)
	if err != nil {
		return nil, err
	}
	if err := s.start(launch, mem); err != nil {
		return nil, err
	}
	if err := s.execute(ctx, occ, mem, tr); err != nil {
		return nil, err
	}
	for i := range s.sms {
		s.sms[i].finish(s.end)
	}
	if tr != nil {
		tr.End = s.end
	}
	return s.result(s.end, occ), nil
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
func (s *Sim) reset(occ machine.Occupancy, mem *emu.Memory, tr *trace.Run) {
	s.trace = tr
	s.end, s.lastActive = 0, nil
	if s.retired = 0; s.log != nil {
		s.log.Reset()
	}
	s.mem.reset()
	s.warmUp(mem)
	for i := range s.sms {
		s.sms[i].reset(occ)
	}
	s.disp.reset(s.grid.CTAs())
}

// checkEvery is the number of rounds after which ctx is looked at. A round of a large GPU may take milliseconds.
const checkEvery = 1 << 4

// run simulates until the last warp has retired.
func (s *Sim) run(ctx context.Context) error {
	start := int64(0)
	for rounds := 1; ; rounds++ {
		if rounds%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return &halt.RunError{Cycles: start, Err: err}
			}
		}
		end := min(start+s.round, s.maxTime+1)
		if err := s.play(start, end); err != nil {
			return err
		}
		s.compact()
		if s.disp.done == s.disp.total {
			return nil
		}
		if s.changed {
			s.grid.Change()
		} else if s.recurs && s.cannotGoOn() {
			return s.makeLivelockError(end)
		}
		next := s.next(end)
		switch {
		case next == never:
			return s.stuck(end, errors.New("no warp can ever issue again"))
		case next > s.maxTime:
			return s.stuck(s.maxTime, fmt.Errorf("%w: %d", sim.ErrCycleLimit, s.maxTime))
		}
		start = next / s.round * s.round
	}
}

// play simulates the cycles of one round, from start until before end.
func (s *Sim) play(start, end int64) error {
	s.disp.play(s, start, end)
	s.mem.play(start, end)
	if s.together && s.busy(end) > 1 {
		s.crew.play(start, end)
	} else {
		for i := range s.sms {
			if s.sms[i].play(start, end); s.sms[i].out.err != nil {
				break
			}
		}
	}
	return s.gather()
}

// busy returns on how many SMs something happens before a cycle.
func (s *Sim) busy(end int64) int {
	n := 0
	for i := range s.sms {
		if s.sms[i].due() < end {
			n++
		}
	}
	return n
}

// gather takes what the SMs have done in a round, in their order. It returns the first error.
func (s *Sim) gather() error {
	batch := 0
	if s.trace != nil {
		batch = len(s.trace.Records)
	}
	s.changed, s.recurs = false, false
	for i := range s.sms {
		out := &s.sms[i].out
		if out.err != nil {
			return out.err
		}
		s.changed, s.recurs = s.changed || out.changed, s.recurs || out.recurs
		out.changed, out.recurs = false, false
		for k := range out.packets {
			s.mem.receive(&out.packets[k])
		}
		out.packets = out.packets[:0]
		if s.trace != nil {
			s.trace.Records = append(s.trace.Records, out.records...)
			out.records = out.records[:0]
		}
		s.disp.done += out.done
		out.done = 0
		s.end = max(s.end, out.end)
	}
	if s.trace != nil {
		slices.SortStableFunc(s.trace.Records[batch:], trace.Compare)
	}
	return nil
}

// next returns when something happens for the first time after a round that
// ended before the cycle end.
func (s *Sim) next(end int64) int64 {
	if s.everyCycle {
		return end
	}
	next := min(s.disp.next(s), s.mem.next)
	for i := range s.sms {
		next = min(next, s.sms[i].due())
	}
	if next == never {
		return never
	}
	return max(next, end)
}

// result makes the result of a run of so many cycles.
func (s *Sim) result(cycles int64, occ machine.Occupancy) *sim.Result {
	r := &s.out
	if r.Schedulers == nil {
		r.Schedulers = make([][]sim.SchedulerCounters, len(s.sms))
		for i := range s.sms {
			r.Schedulers[i] = make([]sim.SchedulerCounters, len(s.sms[i].scheds))
		}
	}
	r.Cycles, r.Occupancy, r.Counters = cycles, occ, s.mem.count
	r.Watch(s.grid)
	if r.Chain = r.Chain[:0]; s.log != nil {
		r.Explain(s.cfg.Code, s.log, s.retired)
	}
	r.Turns = r.Turns[:0]
	for pc := range s.sms[0].turns {
		t := sim.Turn{Instr: s.cfg.Code.Instr(pc)}
		for i := range s.sms {
			t.Count += s.sms[i].turns[pc]
		}
		if t.Count > 0 {
			r.Turns = append(r.Turns, t)
		}
	}
	for i := range s.sms {
		r.Counters.Add(&s.sms[i].count)
		for j := range s.sms[i].scheds {
			r.Schedulers[i][j] = s.sms[i].scheds[j].count
			r.Counters.WarpInstrs += s.sms[i].scheds[j].count.Issued
		}
	}
	return r
}

// readsClock reports whether the instruction reads a clock or the global timer.
func readsClock(in *isa.Instr) bool {
	for _, o := range in.Src {
		if o.Kind != isa.KindSpecial {
			continue
		}
		switch o.Special {
		case isa.Clock, isa.Clock64, isa.ClockHi, isa.GlobalTimer, isa.GlobalTimerLo, isa.GlobalTimerHi:
			return true
		}
	}
	return false
}
