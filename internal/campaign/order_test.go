package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"warpbound/internal/campaign"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
)

// merging is a counter that can take over another one.
type merging struct{ counter }

func (m *merging) Absorb(other trace.Sink) error {
	m.runs = append(m.runs, other.(*merging).runs...)
	return nil
}

// TestInterruptedCampaign lets a vector take longer than all that are beside it, and the context end before it does.
// What is known is that of the vectors before it.
func TestInterruptedCampaign(t *testing.T) {
	j := prepare(t, random)
	whole := campaign.Spec{Vectors: 12, Inputs: saved("a.toml", "b.toml", "c.toml")}
	const total = 15
	for slow := 1; slow < total; slow++ {
		for _, n := range []int{1, 2, 5} {
			ctx, cancel := context.WithCancel(t.Context())
			p := newScript(j, n, whole)
			var before, ended atomic.Int64
			check := func() {
				if before.Load() == int64(slow) && ended.Load() >= int64(min(total-1, slow+2)) { // some of those behind it
					cancel()
				}
			}
			p.run = func(ctx context.Context, input int) (int64, error) {
				if input == slow {
					if n == 1 {
						cancel()
					}
					<-ctx.Done()
					return 0, ctx.Err()
				}
				ended.Add(1)
				check()
				return int64(100 + input), nil
			}
			spec := whole
			spec.Progress = func(done, _ int) {
				before.Store(int64(done))
				check()
			}
			result, sinks, err := campaign.Run(ctx, p, j.Workload, spec, runner.Options{}, func(int) trace.Sink { return new(merging) })
			if !errors.Is(err, context.Canceled) || result == nil {
				t.Fatalf("%d workers, %d is slow: %v", n, slow, err)
			}
			var runs []int
			for _, s := range sinks[0] {
				runs = append(runs, s.(*merging).runs...)
			}
			slices.Sort(runs)
			if result.Runs != slow || result.Planned != total || len(runs) != slow || runs[slow-1] != slow-1 ||
				result.Observed.Min != 100 || result.Observed.Max != int64(99+slow) || len(result.Inputs) != max(0, slow-12) {
				t.Errorf("%d workers, %d is slow: %+v of the runs %v", n, slow, result, runs)
			}
			p.check(t)
		}
	}
}

// TestInterruptedWithoutMerging gives no sinks back that hold other runs than the result.
func TestInterruptedWithoutMerging(t *testing.T) {
	j := prepare(t, random)
	spec := campaign.Spec{Vectors: 12}
	ctx, cancel := context.WithCancel(t.Context())
	p := newScript(j, runtime.GOMAXPROCS(0), spec)
	fast := p.run
	p.run = func(ctx context.Context, input int) (int64, error) {
		if input == 11 { // so that there is a run to interrupt
			<-ctx.Done()
			return 0, ctx.Err()
		}
		return fast(ctx, input)
	}
	spec.Progress = func(done, _ int) {
		if done == 4 {
			cancel()
		}
	}
	result, sinks, err := campaign.Run(ctx, p, j.Workload, spec, runner.Options{}, func(int) trace.Sink { return new(counter) })
	if !errors.Is(err, context.Canceled) || result == nil || sinks != nil {
		t.Errorf("%+v, %v, %v", result, sinks, err)
	}
}

// TestBegin tells how many inputs are run at a time before one ends.
func TestBegin(t *testing.T) {
	j := prepare(t, random)
	for n, want := range map[int]int{1: 1, 3: 3, 40: 12} {
		var calls []string
		spec := campaign.Spec{Vectors: 12}
		p := newScript(j, n, spec)
		spec.Begin = func(atOnce int) { calls = append(calls, fmt.Sprintf("begin %d", atOnce)) }
		spec.Progress = func(done, total int) { calls = append(calls, fmt.Sprintf("%d of %d", done, total)) }
		if _, _, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil); err != nil {
			t.Fatal(err)
		}
		if len(calls) != 13 || calls[0] != fmt.Sprintf("begin %d", want) || calls[1] != "1 of 12" {
			t.Errorf("%d workers: %v", n, calls)
		}
	}
}

// TestProgress lets the first vector end last and stops when told of progress: what was told of is known.
func TestProgress(t *testing.T) {
	j := prepare(t, random)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	spec := campaign.Spec{Vectors: 4}
	p := newScript(j, 2, spec)
	others := make(chan struct{}, spec.Vectors)
	p.run = func(_ context.Context, input int) (int64, error) {
		if input > 0 {
			others <- struct{}{}
			return 100, nil
		}
		for range spec.Vectors - 1 {
			<-others
		}
		return 100, nil
	}
	told := 0
	spec.Progress = func(done, _ int) {
		if told == 0 {
			told = done
			cancel()
		}
	}
	result, _, err := campaign.Run(ctx, p, j.Workload, spec, runner.Options{}, nil)
	if told != 1 || err == nil && result.Runs < told || err != nil && (result == nil || result.Runs < told) {
		t.Errorf("told of %d runs, and there are %+v, %v", told, result, err)
	}
}
