// Package differential compares simulated runs with executions of the same inputs without time.
//
// It must not import simulators or the command line.
package differential

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/analysis"
	"warpbound/internal/job"
	"warpbound/internal/scalar"
	"warpbound/internal/workload"
)

// Compare compares a run that Simulate made of the job with two executions of the same test
// vector without time: one by the emulator, and one thread after thread by an interpreter
// that shares nothing with it and knows only what random kernels contain
// (internal/scalar). A difference in a buffer, or in how many instructions were executed, is a
// *diag.DifferenceError; other errors are those of the executions.
//
// Launches hand on buffers alone: variables of the module begin anew in each.
func Compare(ctx context.Context, w *workload.Workload, run *analysis.Run) error {
	in := w.First().Bound.Inputs(run.Vector)
	emulated := &host{workload: w, inputs: in, launch: func(k *workload.Kernel, in *job.Inputs, to *host) ([][]byte, error) {
		e := k.NewEmulator()
		counted, err := e.Run(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("without time: %w", err)
		}
		to.warps, to.threads = to.warps+counted.WarpInstrs, to.threads+counted.ThreadInstrs
		return e.Buffers(), nil
	}}
	if err := w.Spec.Execute(emulated); err != nil {
		return err
	}
	warps, threads := run.Counters["warp_instructions"], run.Counters["thread_instructions"]
	if warps != emulated.warps || threads != emulated.threads {
		return &diag.DifferenceError{Err: fmt.Errorf("%d warp instructions and %d thread instructions were simulated, but %d and %d executed functionally",
			warps, threads, emulated.warps, emulated.threads)}
	}
	if err := sameAs(w, run, emulated.inputs.Buffers, "without time", false); err != nil {
		return err
	}
	scalars := &host{workload: w, inputs: in, launch: func(k *workload.Kernel, in *job.Inputs, _ *host) ([][]byte, error) {
		buffers, err := scalar.Execute(k.Graph, k.Bound, in, nil)
		if err != nil {
			return nil, fmt.Errorf("thread by thread: %w", err)
		}
		return buffers, nil
	}}
	if err := w.Spec.Execute(scalars); err != nil {
		return err
	}
	return sameAs(w, run, scalars.inputs.Buffers, "thread by thread", true)
}

// host makes a run of launches that one execution each makes (job.Host).
type host struct {
	workload *workload.Workload
	inputs   *job.Inputs // with what the launches so far left in buffers
	launch   func(k *workload.Kernel, in *job.Inputs, to *host) ([][]byte, error)

	warps, threads int64 // instructions
}

// Launch implements job.Host.
func (h *host) Launch(i int) error {
	buffers, err := h.launch(h.workload.Kernels[i], h.inputs, h)
	if err != nil {
		return err
	}
	after := *h.inputs
	after.Buffers = make([][]byte, len(buffers))
	for i, data := range buffers {
		after.Buffers[i] = slices.Clone(data)
	}
	h.inputs = &after
	return nil
}

// flag is the first element of a buffer.
func (h *host) flag(param int) []byte {
	return h.inputs.Buffers[param][:h.workload.Spec.Params[param].Type.Bytes()]
}

// Clear implements job.Host.
func (h *host) Clear(param int) error {
	own := *h.inputs
	own.Buffers = slices.Clone(own.Buffers)
	own.Buffers[param] = slices.Clone(own.Buffers[param])
	h.inputs = &own
	clear(h.flag(param))
	return nil
}

// Flagged implements job.Host.
func (h *host) Flagged(param int) (bool, error) {
	return slices.ContainsFunc(h.flag(param), func(b byte) bool { return b != 0 }), nil
}

// sameAs compares buffers, by parameter, with those after a run. elsewhere says that they lie at other addresses: pointers that
// the job has put there are not compared then.
func sameAs(w *workload.Workload, run *analysis.Run, want [][]byte, how string, elsewhere bool) error {
	for i, p := range w.Spec.Params {
		got := run.Buffers[p.Name]
		if bytes.Equal(got, want[i]) {
			continue
		}
		for at := range want[i] {
			if got[at] != want[i][at] && !(elsewhere && ofPointer(&p, at)) {
				return &diag.DifferenceError{Err: fmt.Errorf("byte %d of %s is %#x as simulated, %#x %s", at, p.Name, got[at], want[i][at], how)}
			}
		}
	}
	return nil
}

// ofPointer reports whether a byte of a buffer is one of a pointer that the job has put there.
func ofPointer(p *job.Param, at int) bool {
	return slices.ContainsFunc(p.Content.Pointers, func(to job.Pointer) bool { return at >= to.At && at < to.At+8 })
}
