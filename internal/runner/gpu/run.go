package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	Rounds   int           // executions of the first launch
	Launches []Launch      // by job.Job.Runs

	Recording *instrument.Recording // nil unless the program records
}

// Launch adds up the executions of one of the launches of a run.
type Launch struct {
	Kernel     string
	Executions int
	Elapsed    time.Duration // of all executions
	Min, Max   time.Duration // of one
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
	for i := range r.kernels {
		run.Launches[i].Kernel = r.kernels[i].bound.Kernel.Name
	}
	if err := r.cfg.Job.Job.Whole().Execute(&host{r, ctx, run}); err != nil {
		return nil, err
	}
	run.Rounds = run.Launches[0].Executions
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
	if err := r.unwritten(in); err != nil {
		return nil, err
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
			if err := r.device.Write(b.at, r.contents(i, in)); err != nil {
				return err
			}
		}
	}
	for i := range r.kernels {
		k := &r.kernels[i]
		k.params = k.bound.ParamBlock(k.params, in, func(param int) uint64 {
			if k.bound.Job.Params[param].Kind == job.SharedPtr {
				return uint64(k.offsets[param]) // which the prepared kernel does not read
			}
			return r.address(param)
		})
	}
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

// address returns where a buffer lies on the device.
func (r *Runner) address(param int) uint64 { return uint64(r.buffers[param].at) }

// contents returns what a buffer holds before a run, with addresses of the device in it.
func (r *Runner) contents(param int, in *job.Inputs) []byte {
	b, whole := &r.buffers[param], r.cfg.Job.Job.Whole()
	if len(whole.Params[param].Content.Pointers) == 0 {
		return in.Contents(param, b.data)
	}
	in.Write(param, b.data)
	whole.Relocate(param, b.data, r.address)
	return b.data
}

// host makes one run (job.Host).
type host struct {
	*Runner
	ctx context.Context
	run *Run
}

// Launch implements job.Host.
func (h *host) Launch(i int) error {
	k := &h.kernels[i]
	ctx, cancel := h.within(h.ctx)
	defer cancel()
	spec := k.bound.Job
	took, err := k.Launch(ctx, cuda.Launch{Grid: spec.Grid, Block: spec.Block, DynamicShared: k.dynamic, Params: k.params})
	if errors.Is(err, cuda.ErrLaunch) {
		return diag.Errorf(spec.Pos.Block, "%w", err)
	}
	if fault, ok := errors.AsType[*cuda.Fault](err); ok {
		if at := h.cfg.Program.place(fault.Line); at.Known() {
			return diag.Errorf(at, "%w", err)
		}
	}
	if err != nil {
		return err
	}
	l := &h.run.Launches[i]
	if l.Executions == 0 {
		l.Min = took
	}
	l.Executions++
	l.Elapsed += took
	l.Min, l.Max = min(l.Min, took), max(l.Max, took)
	h.run.Elapsed += took
	return nil
}

// flag is what the first element of a buffer is on the device, and a place for its bytes.
func (h *host) flag(param int) (cuda.Pointer, []byte) {
	return h.buffers[param].at, make([]byte, h.cfg.Job.Job.Whole().Params[param].Type.Bytes())
}

// Clear implements job.Host.
func (h *host) Clear(param int) error {
	at, zeros := h.flag(param)
	return h.device.Write(at, zeros)
}

// Flagged implements job.Host.
func (h *host) Flagged(param int) (bool, error) {
	at, data := h.flag(param)
	err := h.device.Read(at, data)
	return slices.ContainsFunc(data, func(b byte) bool { return b != 0 }), err
}
