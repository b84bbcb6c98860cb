package core

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/halt"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// Never is a time that does not come.
const Never = math.MaxInt64

// Run is what a simulator keeps of a run, whatever its cores are: what the run executes,
// what its instructions do, and what comes out. Its storage is used again by later runs.
type Run struct {
	Config   sim.Config
	Grid     *emu.Grid
	Effect   emu.Effect // of the last instruction
	Requests Counter
	Started  int // CTAs
	Done     int // of those
	Count    sim.Counters
	Result   sim.Result // valid when the run has ended

	cores  Cores
	env    emu.Env
	trace  *trace.Run // nil if none is wanted
	log    *Log       // nil unless the chain of causes is wanted
	limit  int64      // cycles
	visits int
	end    int64 // cycle of the last retirement so far
}

// Cores is what a run must be told of its cores.
type Cores struct {
	Waiting   func(now int64) []sim.Waiting // the state of the warps that have not retired
	Active    func() bool                   // a warp retires or is not inert
	Unstarted func() []int                  // CTAs that have not started, in any order
}

// Inert reports whether a warp that has not exited changes nothing as long as no other does: it
// waits at a barrier, or recurs.
func Inert(w *emu.Warp) bool { return w.AtBarrier() || w.Recurs() }

// NewRun prepares runs of a configuration on SMs with so many ports each.
func NewRun(cfg sim.Config, ports int, cores Cores) Run {
	n := int(cfg.Machine.SM.Count.Value)
	r := Run{Config: cfg, Requests: newCounter(cfg.Machine), cores: cores, limit: cfg.Limit()}
	r.env.SMs = n
	r.Result.Schedulers = make([][]sim.SchedulerCounters, n)
	for i := range r.Result.Schedulers {
		r.Result.Schedulers[i] = make([]sim.SchedulerCounters, ports)
	}
	return r
}

// Begin makes the grid of a launch and brings the run to the state of cycle 0. It is an
// error if the launch does not fit the kernel or the machine.
func (r *Run) Begin(launch emu.Launch, mem *emu.Memory, tr *trace.Run) error {
	cfg := &r.Config
	occ, err := cfg.Fit(launch)
	if err != nil {
		return err
	}
	if r.Grid != nil {
		err = r.Grid.Restart(launch, mem)
	} else {
		r.Grid, err = emu.NewGrid(cfg.Code, launch, mem, int(cfg.Machine.SM.WarpSize.Value))
	}
	if err != nil {
		return err
	}
	r.Result.Occupancy = occ
	r.Count = sim.Counters{}
	r.trace, r.visits = tr, 0
	r.Started, r.Done, r.end = 0, 0, 0
	r.log.reset()
	return nil
}

// Play simulates SMs that share nothing but the contents of memory, until nothing happens any
// more. next says of each when something happens on it, Never if nothing does; step performs
// what does on one in a cycle, and returns when something happens on it again. Of
// several SMs with the same cycle the one with the lowest number comes first.
func (r *Run) Play(ctx context.Context, next []int64, step func(sm int, now int64) (int64, error)) error {
	for {
		first, now := 0, int64(Never)
		for i, at := range next {
			if at < now {
				first, now = i, at
			}
		}
		if now == Never {
			return nil
		}
		if err := r.Visit(ctx, now); err != nil {
			return err
		}
		mark := r.Mark()
		at, err := step(first, now)
		if err != nil {
			return err
		}
		r.Sort(mark)
		next[first] = at
	}
}

// checkEvery is the number of visits after which a context is looked at.
const checkEvery = 1 << 14

// Visit is called before something happens in a cycle. It is an error if ctx is done (a
// *halt.RunError) or the cycle is beyond the limit (a *sim.StuckError).
func (r *Run) Visit(ctx context.Context, now int64) error {
	if r.visits++; r.visits%checkEvery == 0 {
		if err := ctx.Err(); err != nil {
			return &halt.RunError{Cycles: now, Err: err}
		}
	}
	r.log.shrink()
	if now <= r.limit {
		return nil
	}
	return r.gatherStuck(r.limit, fmt.Errorf("%w: %d", sim.ErrCycleLimit, r.limit))
}

// gatherStuck gathers the state of all warps.
func (r *Run) gatherStuck(now int64, cause error) *sim.StuckError {
	e := &sim.StuckError{
		Kernel: r.Config.Code.Kernel().Name, Cycle: now, Err: cause,
		CTAs: r.Grid.CTAs(), Started: r.Started, Done: r.Done, Waiting: r.cores.Unstarted(), Warps: r.cores.Waiting(now),
	}
	slices.Sort(e.Waiting)
	return e
}

// makeLivelockError returns the error of a run in which no warp gets on.
func (r *Run) makeLivelockError(now int64) error {
	e := r.gatherStuck(now, sim.ErrLivelock)
	if err := e.FindLoops(r.Config.Code, r.env.SMs); err != nil {
		return err
	}
	return e
}

// Execute performs the next instruction of a warp in a cycle, records it if its block begins
// there and is instrumented, and counts it. split is as in sim.Step.
func (r *Run) Execute(w *emu.Warp, now int64, sm, cta, warp, split int) error {
	cfg, eff := &r.Config, &r.Effect
	if cfg.Ipoints != nil {
		if ip := cfg.Ipoints[w.PC()]; ip >= 0 {
			r.Record(now, sm, cta, warp, ip)
		}
	}
	r.env.Cycle, r.env.Time, r.env.SM = cfg.Clock(sm, now), uint64(cfg.Machine.Nanoseconds(now)), sm
	if cfg.Observe != nil {
		at := sim.Step{Cycle: now, SM: sm, CTA: cta, Warp: warp, Split: split, Counters: &r.Count}
		if err := cfg.Execute(w, &r.env, eff, at); err != nil {
			return err
		}
	} else if err := w.Step(&r.env, eff); err != nil {
		return err
	}
	r.Count.WarpInstrs++
	r.Count.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))
	if eff.Diverged {
		r.Count.DivergentBranches++
	}
	r.Count.SerialisedAtomics += sim.Serialised(&eff.Access, eff.Mask)
	switch {
	case eff.Changed:
		r.Grid.Change()
	case eff.Recurs && !r.cores.Active():
		return r.makeLivelockError(now)
	}
	return nil
}

// Retire records that a warp retires.
func (r *Run) Retire(now int64, sm, cta, warp int) {
	r.end = max(r.end, now)
	r.Record(now, sm, cta, warp, trace.Exit)
}

// Record appends a record to the trace, if one is wanted.
func (r *Run) Record(now int64, sm, cta, warp int, ip trace.Ipoint) {
	if r.trace == nil {
		return
	}
	r.trace.Records = append(r.trace.Records, trace.Record{
		Cycle: now, SM: int32(sm), CTA: int32(cta), Warp: int32(warp), Ipoint: ip,
	})
}

// Mark returns where the records begin that are appended from now on.
func (r *Run) Mark() int {
	if r.trace == nil {
		return 0
	}
	return len(r.trace.Records)
}

// Sort puts the records from a mark on in order: those of an SM in a cycle.
func (r *Run) Sort(mark int) {
	if r.trace == nil {
		return
	}
	if recs := r.trace.Records[mark:]; len(recs) > 1 {
		slices.SortStableFunc(recs, trace.Compare)
	}
}

// End fills in what the run shows of all but its cores and ports, and returns the cycle of
// its last retirement.
func (r *Run) End() int64 {
	if r.trace != nil {
		r.trace.End = r.end
	}
	r.Result.Cycles, r.Result.Counters = r.end, r.Count
	r.Result.Watch(r.Grid)
	if r.Result.Chain = r.Result.Chain[:0]; r.log != nil {
		r.Result.Explain(r.Config.Code, &r.log.Log, r.log.retired)
	}
	return r.end
}
