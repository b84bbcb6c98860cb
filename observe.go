package warpbound

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"warpbound/internal/estimate"
	"warpbound/internal/job"
)

// observe runs the test vectors and returns how many they are, and how long they take.
func (j *Job) observe(ctx context.Context, opts *AnalyzeOptions) (int, *estimate.Observation, error) {
	total := j.vectors(opts)
	q := &vectors{total: total, failed: total, progress: opts.Progress}
	cycles := make([]int64, total)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), total) {
		group.Go(func() { j.time(ctx, q, opts.MaxCycles, cycles) })
	}
	group.Wait()
	if q.err != nil {
		return 0, nil, q.err
	}
	o := &estimate.Observation{Min: cycles[0]}
	sum := 0.0
	for _, c := range cycles {
		o.Min, o.Max = min(o.Min, c), max(o.Max, c)
		sum += float64(c)
	}
	o.Mean = sum / float64(total)
	return total, o, nil
}

// time runs vectors from q until there are none left, and notes how long each takes.
func (j *Job) time(ctx context.Context, q *vectors, maxCycles int64, cycles []int64) {
	t, err := j.target(j.code, nil, SimulateOptions{MaxCycles: maxCycles})
	if err != nil {
		q.fail(0, err)
		return
	}
	var in job.Inputs
	for v, ok := q.next(); ok; v, ok = q.next() {
		j.bound.Fill(v, &in)
		out, err := t.Run(ctx, &in, nil)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				err = fmt.Errorf("test vector %d: %w", v, err)
			}
			q.fail(v, err)
			return
		}
		cycles[v] = out.Cycles
		q.done()
	}
}
