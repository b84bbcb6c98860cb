package gpu

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warpbound/diag"
	"warpbound/internal/cuda"
	"warpbound/internal/instrument"
	"warpbound/internal/job"
)

// Run is what a run gave.
type Run struct {
	Elapsed  time.Duration // of all launches together, by events
	Buffers  [][]byte      // contents after the run, by parameter; nil for what is no buffer
	Rounds   int           // of the launches that the job repeats; 1 if it has one launch
	Launches []Launch      // by kernel of a round, in their order

	Recording *instrument.Recording // nil unless the program records
}

// Launch adds up the launches of one of the kernels of a run.
type Launch struct {
	Kernel  string
	Elapsed time.Duration
}

// firstRecords is how many records of the lowest lane of each warp the first run has room
// for; for others it is less. A run with more is made again with room for all, and for a quarter more
// of the lanes that made more, since other runs differ.
const firstRecords = 256

// Run runs the job on in. The result's buffers are valid until the next Run. A kernel that
// does what it must not is a *cuda.Fault, and one that does not end in time an error that
// wraps cuda.ErrTimeout: after both the device cannot be used any more.
func (r *Runner) Run(ctx context.Context, in *job.Inputs) (*Run, error) {
	for {
		run, err := r.once(ctx, in)
		more, overflow := errors.AsType[*instrument.OverflowError](err)
		if !overflow {
			return run, err
		}
		for lane, n := range more.Max {
			if n > more.Capacity[lane] {
				more.Max[lane] += n / 4
			}
		}
		spec := r.cfg.Job.Job
		if r.layout, err = instrument.NewLayout(spec.Grid, spec.Block, more.Max); err != nil {
			return nil, err
		}
		if err := r.device.Free(r.trace); err != nil {
			return nil, err
		}
		r.trace = 0
	}
}

// once makes one run. The error is an *instrument.OverflowError if warps made more records
// than there was room for.
func (r *Runner) once(ctx context.Context, in *job.Inputs) (*Run, error) {
	if err := r.restore(in); err != nil {
		return nil, err
	}
	run := &Run{Launches: make([]Launch, len(r.kernels))}
	run.Launches[0].Kernel = r.cfg.Job.Kernel.Name
	for i, b := range r.cfg.Job.Then {
		run.Launches[i+1].Kernel = b.Kernel.Name
	}
	if err := r.rounds(ctx, run); err != nil {
		return nil, err
	}
	run.Buffers = make([][]byte, len(r.buffers))
	for i := range r.buffers {
		b := &r.buffers[i]
		if b.at == 0 {
			continue
		}
		if err := r.device.Read(b.at, b.data); err != nil {
			return nil, err
		}
		run.Buffers[i] = b.data
	}
	if !r.cfg.Records {
		return run, nil
	}
	if err := r.device.Read(r.trace, r.records); err != nil {
		return nil, err
	}
	var err error
	run.Recording, err = r.layout.Read(r.records)
	return run, err
}

// restore brings everything that a run can find to its initial state.
func (r *Runner) restore(in *job.Inputs) error {
	for _, v := range r.initial {
		if err := r.device.Write(v.at, v.data); err != nil {
			return err
		}
	}
	for i := range r.buffers {
		if b := &r.buffers[i]; b.at != 0 {
			if err := r.device.Write(b.at, in.Contents(i, b.data)); err != nil {
				return err
			}
		}
	}
	r.params = r.cfg.Job.ParamBlock(r.params, in, func(param int) uint64 {
		if at := r.buffers[param].at; at != 0 {
			return uint64(at)
		}
		return uint64(r.offsets[param]) // which the prepared kernel does not read
	})
	if !r.cfg.Records {
		return nil
	}
	if r.trace == 0 {
		at, err := r.device.Alloc(r.layout.Bytes())
		if err != nil {
			return fmt.Errorf("the buffer for %d records of each warp: %w: take fewer ipoints", r.layout.Capacity.Total(), err)
		}
		r.trace, r.records = at, make([]byte, r.layout.Bytes())
	}
	clear(r.records)
	if err := r.device.Write(r.trace, r.records); err != nil {
		return err
	}
	return r.device.Write(r.symbol, r.layout.Symbol(uint64(r.trace)))
}

// rounds makes the launches of a run.
func (r *Runner) rounds(ctx context.Context, run *Run) error {
	repeat := &r.cfg.Job.Job.Repeat
	for again := true; again; run.Rounds++ {
		if repeat.While != nil && run.Rounds == repeat.Limit {
			return diag.Errorf(repeat.Pos.Limit, "after %d rounds the kernels still leave %s at other than 0: raise limit if runs may take more",
				run.Rounds, r.cfg.Job.Job.Params[*repeat.While].Name)
		}
		if err := r.clearFlag(repeat.While); err != nil {
			return err
		}
		for i, f := range r.kernels {
			took, err := r.launch(ctx, f)
			if err != nil {
				return err
			}
			run.Launches[i].Elapsed += took
			run.Elapsed += took
		}
		var err error
		if again, err = r.flagged(repeat.While); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runner) launch(ctx context.Context, f cuda.Function) (time.Duration, error) {
	ctx, cancel := r.within(ctx)
	defer cancel()
	spec := r.cfg.Job.Job
	took, err := f.Launch(ctx, cuda.Launch{Grid: spec.Grid, Block: spec.Block, DynamicShared: r.dynamic, Params: r.params})
	if errors.Is(err, cuda.ErrLaunch) {
		return 0, diag.Errorf(spec.Pos.Block, "%w", err)
	}
	if fault, ok := errors.AsType[*cuda.Fault](err); ok {
		if at := r.cfg.Program.place(fault.Line); at.Known() {
			return 0, diag.Errorf(at, "%w", err)
		}
	}
	return took, err
}

// clearFlag clears the element that says if there is another round, if one does.
func (r *Runner) clearFlag(param *int) error {
	if param == nil {
		return nil
	}
	return r.device.Write(r.buffers[*param].at, make([]byte, r.cfg.Job.Job.Params[*param].Type.Bytes()))
}

// flagged reports whether there is another round.
func (r *Runner) flagged(param *int) (bool, error) {
	if param == nil {
		return false, nil
	}
	flag := make([]byte, r.cfg.Job.Job.Params[*param].Type.Bytes())
	err := r.device.Read(r.buffers[*param].at, flag)
	for _, b := range flag {
		if b != 0 {
			return true, err
		}
	}
	return false, err
}
