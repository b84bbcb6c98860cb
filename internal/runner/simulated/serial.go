package simulated

import (
	"context"
	"errors"
	"slices"

	"warpbound/diag"
	"warpbound/internal/emu"
	"warpbound/internal/halt"
	"warpbound/internal/job"
	"warpbound/internal/race"
	"warpbound/internal/runner"
	"warpbound/internal/sim"
	"warpbound/internal/workload"
)

// moreSerially is how much work, in instructions of warps, a serial run may be more than the simulated one, in which
// fewer threads may have done what one alone can do at a time. It takes no time to speak of.
const moreSerially = 1 << 16

// serial looks for data races in runs of a workload in which each warp goes on until it waits or
// ends, before another does. Who is first decides what others do where threads see what others have
// done so far: in the simulated run all may have come while one held a lock, and have given up.
type serial struct {
	workload *workload.Workload // nil if order decides nothing that matters to races
	lockStep bool
	found    []serialFindings // of the last run
}

// serialFindings are the races of a serial run that are not known from others, and the fault that
// ended it.
type serialFindings struct {
	order string // as in estimate.Race
	races []emu.Race
	fault *emu.Fault // nil if it has none
}

// newSerial prepares the search for races of other orders, if races are looked for and there can be others.
func newSerial(w *workload.Workload, opts runner.Options) serial {
	decides := func(k *workload.Kernel) bool { return k.Code.OrderDecides() }
	if !opts.Races || !slices.ContainsFunc(w.Kernels, decides) {
		return serial{}
	}
	return serial{workload: w, lockStep: w.Machine.LockStep() && !opts.Unordered}
}

// findRaces makes the serial runs on inputs of which a simulated run had a result. They end early
// where they take longer, at faults, and where no warp gets on because it waits for one that comes
// later, which is no fault: what has raced by then has raced.
func (s *serial) findRaces(ctx context.Context, in *job.Inputs, simulated *sim.Result) error {
	s.found = s.found[:0]
	if s.workload == nil {
		return nil
	}
	known := slices.Clone(simulated.Races)
	for _, order := range [2]string{"ascending", "descending"} {
		var run sim.Result
		err := workload.Emulate(ctx, s.workload, in, workload.Emulation{
			Limit: simulated.Counters.WarpInstrs + moreSerially, Descending: order == "descending",
			Races: true, LockStep: s.lockStep,
			After: func(e *workload.Emulator) { run.Add(&sim.Result{Races: e.Races()}) },
		})
		if err != nil && ctx.Err() != nil {
			return &halt.RunError{Cycles: simulated.Cycles, Err: ctx.Err()}
		}
		others := slices.DeleteFunc(run.Races, func(r emu.Race) bool {
			return slices.ContainsFunc(known, func(k emu.Race) bool { return includes(&k, &r) })
		})
		fault, _ := errors.AsType[*emu.Fault](err)
		if _, waits := errors.AsType[*diag.DeadlockError](err); waits {
			fault = nil
		}
		s.found = append(s.found, serialFindings{order, others, fault})
		known = append(known, others...)
	}
	return nil
}

// includes reports whether a race tells of the instructions of another, whichever of them made its
// access first. That they write equal values in one run says nothing of another run.
func includes(known, other *emu.Race) bool {
	if known.Kind == race.EqualWrites && other.Kind != race.EqualWrites {
		return false
	}
	same := *other
	same.Kind = known.Kind
	swapped := same
	swapped.First, swapped.Second = same.Second, same.First
	return known.Same(&same) || known.Same(&swapped)
}
