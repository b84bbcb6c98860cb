package differential

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Invariant has what is sampled of the first test vector followed through a run. If it reaches nothing that time depends
// on, one run stands for all, and Invariant returns its time in cycles: then it is a *diag.DifferenceError if any of the
// first vectors, so many, takes another time, or if a warp is elsewhere at any time. Else it returns 0.
func Invariant(ctx context.Context, p runner.Platform, w *workload.Workload, vectors int, maxCycles int64) (cycles int64, err error) {
	opts := runner.Options{MaxCycles: maxCycles, Repeats: 1, Follow: true}
	for _, k := range w.Kernels {
		points := make([]trace.Ipoint, len(k.Graph.Blocks))
		for b := range points {
			points[b] = trace.Ipoint(b)
		}
		opts.Record = append(opts.Record, &runner.Record{Points: workload.AtBlocks(k, points)})
	}
	one, err := record(ctx, p, w, opts, 0)
	if errors.Is(err, runner.ErrFollow) || err == nil && !one.Invariant {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	opts.Follow = false
	for vector := range vectors {
		run, err := record(ctx, p, w, opts, vector)
		if err != nil {
			return 0, err
		}
		if run.Cycles != one.Cycles || !slices.Equal(run.records, one.records) {
			return 0, &diag.DifferenceError{Err: fmt.Errorf("inputs reach nothing in a run of %d cycles, but test vector %d takes %d, with %d records and %d",
				one.Cycles, vector, run.Cycles, len(one.records), len(run.records))}
		}
	}
	return one.Cycles, nil
}

// recorded is a run and where its warps were when.
type recorded struct {
	runner.Outcome
	records []trace.Record
}

// record makes a run of a test vector.
func record(ctx context.Context, p runner.Platform, w *workload.Workload, opts runner.Options, vector int) (run recorded, err error) {
	r, err := p.Open(w, opts)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err := r.Run(ctx, w.First().Bound.Inputs(vector), &runner.Recorder{Take: func(_ int, t *trace.Run) error {
		run.records = append(run.records, t.Records...)
		return nil
	}})
	if err != nil {
		return run, err
	}
	run.Outcome = *out
	return run, nil
}
