package workload

import (
	"context"
	"fmt"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/job"
)

// Emulate makes a run of a job on some inputs without time. before is called with each launch as it begins, by its number in
// job.Job.Runs; an error of it ends the run. It is an error, emu.ErrLimit, if warps would execute more than limit instructions.
func Emulate(ctx context.Context, w *Workload, in *job.Inputs, limit int64, before func(launch int, e *Emulator) error) error {
	r := &emulation{ctx: ctx, workload: w, inputs: in, left: limit, before: before}
	for i, k := range w.Kernels {
		e := k.NewEmulator()
		if i > 0 {
			e.memory.Share(r.emulators[0].memory)
		} else if _, err := e.memory.Fill(in); err != nil {
			return err
		}
		r.emulators = append(r.emulators, e)
	}
	return w.Spec.Execute(r)
}

// emulation makes a run (job.Host).
type emulation struct {
	ctx       context.Context
	workload  *Workload
	inputs    *job.Inputs
	emulators []*Emulator // by job.Job.Runs, on one memory
	left      int64       // instructions of warps
	before    func(launch int, e *Emulator) error
}

// Launch implements job.Host.
func (r *emulation) Launch(i int) error {
	e := r.emulators[i]
	if err := e.begin(e.memory.Launch(r.inputs)); err != nil {
		return err
	}
	if err := r.before(i, e); err != nil {
		return err
	}
	counted, err := emu.RunUpTo(r.ctx, e.grid, r.left)
	r.left -= counted.WarpInstrs
	if err != nil {
		return fmt.Errorf("kernel %s: %w", r.workload.Kernels[i].Bound.Kernel.Readable(), err)
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
