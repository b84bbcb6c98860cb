package warpbound

import (
	"bytes"
	"context"
	"fmt"

	"warpbound/diag"
	"warpbound/internal/scalar"
	"warpbound/internal/target"
)

// Crosscheck compares a run that Simulate made of the job with two executions of the same test
// vector without time: one by the emulator, and one thread after thread by an interpreter
// that shares nothing with it and knows only what random kernels contain
// (internal/scalar). A difference in a buffer, or in how many instructions were executed, is a
// *diag.DifferenceError; other errors are those of the executions.
func (j *Job) Crosscheck(ctx context.Context, run *Run) error {
	if err := j.oneLaunch("the comparison executes"); err != nil {
		return err
	}
	in := j.bound.Inputs(run.Vector)
	e := target.NewEmulator(j.bound, j.code, int(j.machine.SM.WarpSize.Value))
	counted, err := e.Run(ctx, in)
	if err != nil {
		return fmt.Errorf("without time: %w", err)
	}
	warps, threads := run.Counters["warp_instructions"], run.Counters["thread_instructions"]
	if warps != counted.WarpInstrs || threads != counted.ThreadInstrs {
		return &diag.DifferenceError{Err: fmt.Errorf("%d instructions of warps and %d of threads were simulated, %d and %d executed without time",
			warps, threads, counted.WarpInstrs, counted.ThreadInstrs)}
	}
	if err := j.sameAs(run, e.Buffers(), "without time"); err != nil {
		return err
	}
	buffers, err := scalar.Execute(j.graph, j.bound, in, nil)
	if err != nil {
		return fmt.Errorf("thread by thread: %w", err)
	}
	return j.sameAs(run, buffers, "thread by thread")
}

// sameAs compares buffers, by parameter, with those after a run.
func (j *Job) sameAs(run *Run, want [][]byte, how string) error {
	for i, p := range j.bound.Job.Params {
		got := run.buffers[p.Name]
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
