package workload

import (
	"context"
	"fmt"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/job"
)

// Emulation says how Emulate makes a run.
type Emulation struct {
	Limit      int64 // of emu.Counters.Work, of all launches together
	Descending bool  // as in emu.Serial
	Races      bool  // look for data races
	LockStep   bool  // with Races: as in emu.Code.WithRaces

	// Before, unless nil, is called with each launch as it begins, by its number in job.Job.Runs;
	// an error of it ends the run.
	Before func(launch int, e *Emulator) error
	// After, unless nil, is called with each launch as it ends, also if an error ends it.
	After func(e *Emulator)
}

// Emulate makes a run of a job on some inputs without time, warp after warp. It is an error,
// emu.ErrLimit, if the work would be more than it may.
func Emulate(ctx context.Context, w *Workload, in *job.Inputs, how Emulation) error {
	r := &emulation{Emulation: how, ctx: ctx, workload: w, inputs: in}
	for i, k := range w.Kernels {
		code := k.Code
		if how.Races {
			code = code.WithRaces(how.LockStep)
		}
		e := newEmulator(k, code)
		if i > 0 {
			e.memory.Share(r.emulators[0].memory)
		} else if _, err := e.memory.Fill(in); err != nil {
			return err
		}
		r.emulators = append(r.emulators, e)
	}
	return w.Spec.Execute(r)
}

// emulation makes a run (job.Host). Its Limit is what is left.
type emulation struct {
	Emulation
	ctx       context.Context
	workload  *Workload
	inputs    *job.Inputs
	emulators []*Emulator // by job.Job.Runs, on one memory
}

// Launch implements job.Host.
func (r *emulation) Launch(i int) error {
	e, k := r.emulators[i], r.workload.Kernels[i]
	if err := e.begin(e.memory.Launch(r.inputs)); err != nil {
		return err
	}
	if r.Before != nil {
		if err := r.Before(i, e); err != nil {
			return err
		}
	}
	how := emu.Serial{Limit: r.Limit, SMs: int(k.Machine.SM.Count.Value), Descending: r.Descending}
	counted, err := emu.RunSerially(r.ctx, e.grid, how)
	r.Limit -= counted.Work()
	if r.After != nil {
		r.After(e)
	}
	if err != nil {
		return fmt.Errorf("kernel %s: %w", k.Bound.Kernel.Readable(), err)
	}
	return nil
}

// flag is the first element of a buffer.
func (r *emulation) flag(param int) []byte {
	return r.emulators[0].Buffers()[param][:r.workload.Spec.Params[param].Type.Bytes()]
}

// Clear implements job.Host.
func (r *emulation) Clear(param int) error {
	clear(r.flag(param))
	return nil
}

// Flagged implements job.Host.
func (r *emulation) Flagged(param int) (bool, error) {
	return slices.ContainsFunc(r.flag(param), func(b byte) bool { return b != 0 }), nil
}
