package warpbound

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"warpbound/estimate"
	"warpbound/internal/job"
)

// observe runs the test vectors and returns how many they are, and how long they and the saved
// inputs among them take.
func (j *Job) observe(ctx context.Context, opts *AnalyzeOptions) (int, *estimate.Observation, []estimate.InputRun, error) {
	q := j.vectors(opts)
	var group sync.WaitGroup
	for range j.workers(q.total) {
		group.Go(func() { j.time(ctx, q, opts.MaxCycles) })
	}
	group.Wait()
	if q.err != nil {
		return 0, nil, nil, q.err
	}
	o := &estimate.Observation{Min: q.cycles[0]}
	sum := 0.0
	for _, c := range q.cycles {
		o.Min, o.Max = min(o.Min, c), max(o.Max, c)
		sum += float64(c)
	}
	o.Mean = sum / float64(q.total)
	return q.total, o, q.inputs(), nil
}

// time runs vectors from q until there are none left.
func (j *Job) time(ctx context.Context, q *vectors, maxCycles int64) {
	t, err := j.target(asIs, nil, SimulateOptions{MaxCycles: maxCycles})
	if err != nil {
		q.fail(0, err)
		return
	}
	var own job.Inputs
	for v, in, ok := q.next(&own); ok; v, in, ok = q.next(&own) {
		out, err := t.Run(ctx, in, nil)
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				err = fmt.Errorf("%s: %w", q.name(v), err)
			}
			q.fail(v, err)
			return
		}
		q.done(v, out.Cycles)
	}
}
