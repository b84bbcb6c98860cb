// Package differential compares simulated runs with executions of the same inputs without time.
//
// It must not import simulators or the command line.
package differential

import (
	"bytes"
	"context"
	"fmt"

	"warpbound/diag"
	"warpbound/internal/analysis"
	"warpbound/internal/scalar"
	"warpbound/internal/workload"
)

// Compare compares a run that Simulate made of the job with two executions of the same test
// vector without time: one by the emulator, and one thread after thread by an interpreter
// that shares nothing with it and knows only what random kernels contain
// (internal/scalar). A difference in a buffer, or in how many instructions were executed, is a
// *diag.DifferenceError; other errors are those of the executions.
func Compare(ctx context.Context, w *workload.Workload, run *analysis.Run) error {
	if err := w.OneLaunch("the differential test executes"); err != nil {
		return err
	}
	k := w.First()
	in := k.Bound.Inputs(run.Vector)
	e := k.NewEmulator()
	counted, err := e.Run(ctx, in)
	if err != nil {
		return fmt.Errorf("without time: %w", err)
	}
	warps, threads := run.Counters["warp_instructions"], run.Counters["thread_instructions"]
	if warps != counted.WarpInstrs || threads != counted.ThreadInstrs {
		return &diag.DifferenceError{Err: fmt.Errorf("%d warp instructions and %d thread instructions were simulated, but %d and %d executed functionally",
			warps, threads, counted.WarpInstrs, counted.ThreadInstrs)}
	}
	if err := sameAs(w, run, e.Buffers(), "without time"); err != nil {
		return err
	}
	buffers, err := scalar.Execute(k.Graph, k.Bound, in, nil)
	if err != nil {
		return fmt.Errorf("thread by thread: %w", err)
	}
	return sameAs(w, run, buffers, "thread by thread")
}

// sameAs compares buffers, by parameter, with those after a run.
func sameAs(w *workload.Workload, run *analysis.Run, want [][]byte, how string) error {
	for i, p := range w.Spec.Params {
		got := run.Buffers[p.Name]
		if bytes.Equal(got, want[i]) {
			continue
		}
		for at := range want[i] {
			if got[at] != want[i][at] {
				return &diag.DifferenceError{Err: fmt.Errorf("byte %d of %s is %#x as simulated, %#x %s", at, p.Name, got[at], want[i][at], how)}
			}
		}
	}
	return nil
}
