package warpbound

import (
	"context"
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/instrument"
	"warpbound/internal/job"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

// measureOnDevice runs the test vectors on the device: each of them as often as the options
// say, with recording code and without by turns. It adds to a what was measured, and returns
// the profile of the recorded runs, nil if code is nil. Then what was observed is the time by events
// in cycles of the highest clock.
func (j *Job) measureOnDevice(ctx context.Context, code *instrument.Code, ipg *hybrid.IPG, opts *AnalyzeOptions, a *Analysis) (p *hybrid.Profile, warnings []diag.Warning, err error) {
	b, err := j.bench(code, ipg, opts.Repeats, opts.MaxCycles)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if code != nil {
		p = hybrid.NewProfileOf(ipg, hybrid.Options{Clocks: trace.PerSM, Unknown: true})
	}
	if err := b.begin(ctx); err != nil {
		return nil, nil, b.failed(ctx, "warming up", err)
	}
	q := j.vectors(opts)
	var own job.Inputs
	for v, in, ok := q.next(&own); ok; v, in, ok = q.next(&own) {
		most, err := b.repeat(ctx, v, in, p)
		if err != nil {
			return nil, nil, b.failed(ctx, q.name(v), err)
		}
		q.done(v, most)
	}
	a.Device, a.Inputs = b.end(), q.inputs()
	a.Runs = len(b.events)
	if code == nil {
		e := a.Device.Plain.Events
		a.Observed = &estimate.Observation{Min: b.cycles(e.Min), Max: b.cycles(e.Max), Mean: e.Mean * float64(a.Device.ClockKHz) / 1e6}
	}
	return p, b.warnings(), nil
}

// repeat runs a vector as often as it is to be, and returns the longest time in cycles.
func (b *bench) repeat(ctx context.Context, v int, in *job.Inputs, p *hybrid.Profile) (int64, error) {
	most := int64(0)
	var run trace.Run
	for i := range b.detail.Repeats {
		plain, err := b.runPlain(ctx, in)
		if err != nil {
			return 0, err
		}
		if p == nil {
			most = max(most, b.cycles(plain.Elapsed.Nanoseconds()))
			continue
		}
		run.Reset(v*b.detail.Repeats + i)
		if _, err := b.runRecorded(ctx, in, &run); err != nil {
			return 0, err
		}
		if err := run.Replay(p); err != nil {
			return 0, err
		}
		most = max(most, run.End)
	}
	return most, nil
}

// failed says in which run an error came up, or that the user ended it.
func (b *bench) failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w", what, err)
}
