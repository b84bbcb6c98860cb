package analysis_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/halt"
	"warpbound/internal/platform"
	"warpbound/kernels"
)

// TestInterruptedRuns ends analyses in the middle of their runs: what is known is what an analysis of as many
// vectors tells.
func TestInterruptedRuns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, name := range []string{"bfs", "bfsExpand"} {
		j, err := platform.LoadFS(kernels.Suite(), name+"/job.toml", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 3} {
			runtime.GOMAXPROCS(n)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			req := analysis.Request{Grace: time.Hour, Campaign: campaign.Spec{Vectors: 8}}
			req.Campaign.Progress = func(done, _ int) {
				if done == 3 {
					cancel(&halt.Cause{Reason: estimate.ByTimeout})
				}
			}
			got, err := analysis.Analyze(ctx, j.Platform, j.Workload, req)
			if all := got != nil && got.Runs == 8; all && n > 1 && (err == nil || slices.Equal(got.Interrupted.Missing, []string{"race verdict"})) {
				continue // all others had ended by then, and no run was left to make
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, %d workers: %v", name, n, err)
			}
			// Races are looked for in the run of the first vector, which may end behind three others.
			why := got.Interrupted
			known := why != nil && slices.Equal(why.Missing, []string{"runs"})
			later := why != nil && n > 1 && slices.Equal(why.Missing, []string{"runs", "races"})
			if !known && !later || why.Reason != estimate.ByTimeout || why.Planned != 8 {
				t.Errorf("%s, %d workers: %+v", name, n, why)
			}
			want, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Campaign: campaign.Spec{Vectors: got.Runs}})
			if err != nil {
				t.Fatal(err)
			}
			if a, b := figures(t, got.Analysis), figures(t, want.Analysis); a != b {
				t.Errorf("%s, %d workers: after %d runs\n%s\nwant\n%s", name, n, got.Runs, a, b)
			}
		}
	}
}

// figures renders what runs gave without what is known of races.
func figures(t *testing.T, a *estimate.Analysis) string {
	t.Helper()
	b := estimate.Analysis{Runs: a.Runs, Observed: a.Observed, Launches: a.Launches}
	for _, e := range a.Estimates {
		e.Assumptions = nil
		b.Estimates = append(b.Estimates, e)
	}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestInterruptedMethods ends analyses before and between their static methods.
func TestInterruptedMethods(t *testing.T) {
	j, err := platform.LoadFS(kernels.Suite(), "reduction/job.toml", "gcn3-split")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if a, err := analysis.Analyze(ctx, j.Platform, j.Workload, analysis.Request{}); a != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, %v", a, err)
	}
	// The runs of the second method's own mode are interrupted.
	between, end := context.WithCancel(t.Context())
	methods := 0
	req := analysis.Request{Campaign: campaign.Spec{Vectors: 3}}
	req.Campaign.Progress = func(done, total int) {
		if done == total {
			if methods++; methods == 1 {
				end()
			}
		}
	}
	a, err := analysis.Analyze(between, j.Platform, j.Workload, req)
	if !errors.Is(err, context.Canceled) || a == nil {
		t.Fatal(err)
	}
	if len(a.Estimates) != 1 || a.Interrupted.Reason != estimate.ByCaller || !slices.Equal(a.Interrupted.Missing, []string{"split/dws", "split/pws", "static/oblivious", "runs", "races"}) {
		t.Errorf("%d estimates, %+v", len(a.Estimates), a.Interrupted)
	}
}

// countdown is a context that ends when it has been looked at so often.
type countdown struct {
	context.Context
	left, late atomic.Int64 // looks until the end, and after it
}

func (c *countdown) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	c.late.Add(1)
	return context.Canceled
}

// TestMethodsStop ends the contexts of static methods ever later. They notice it soon, fail with the error of the
// context, and have the same bound as ever if it ends after they last looked.
func TestMethodsStop(t *testing.T) {
	const soon = 64 // looks at a context that has ended
	for _, name := range []string{"bfs", "cfdStep", "matrixMul", "nwUpper"} {
		for machine, ids := range map[string][]string{
			"predictable-rr": {"static/cta"}, "integrated-fermi": {"static/llc-simple", "static/llc-interval"}, "gcn3-split": {"split/none", "split/dws", "split/pws"},
		} {
			j, err := platform.LoadFS(kernels.Suite(), name+"/job.toml", machine)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				req := analysis.Request{Methods: []string{id}}
				const many = math.MaxInt64
				whole := &countdown{Context: t.Context()}
				whole.left.Store(many)
				want, err := analysis.Analyze(whole, j.Platform, j.Workload, req)
				if err != nil {
					continue // not every kernel has every bound
				}
				for looks := int64(1); looks < many-whole.left.Load(); looks *= 8 {
					ctx := &countdown{Context: t.Context()}
					ctx.left.Store(looks)
					a, err := analysis.Analyze(ctx, j.Platform, j.Workload, req)
					if err == nil {
						if a.Estimates[0].Cycles != want.Estimates[0].Cycles {
							t.Errorf("%s of %s: %d cycles, want %d", id, name, a.Estimates[0].Cycles, want.Estimates[0].Cycles)
						}
						continue
					}
					if late := ctx.late.Load(); !errors.Is(err, context.Canceled) || late > soon {
						t.Errorf("%s of %s after %d looks: it looks %d times at the end; %v", id, name, looks, late, err)
					}
				}
			}
		}
	}
}

// TestInterruptedRun tells how many cycles of a run were simulated when the context ended.
func TestInterruptedRun(t *testing.T) {
	for _, machine := range []string{"fermi-c2050", "predictable-rr", "gcn3-split", "integrated-fermi"} {
		for _, job := range []string{"insertionSort/job.toml", "bfsExpand/job.toml"} { // the latter has several launches
			j, err := platform.LoadFS(kernels.Suite(), job, machine)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{})
			if err != nil {
				t.Fatal(err)
			}
			last, interrupted := int64(0), 0
			for looks := int64(1); ; looks *= 2 {
				ctx := &countdown{Context: t.Context()}
				ctx.left.Store(looks)
				run, err := analysis.Simulate(ctx, j.Platform, j.Workload, analysis.SimulateRequest{})
				if err == nil {
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if run == nil {
					continue // between launches
				}
				interrupted++
				if run.Interrupted == nil || run.Cycles <= last || run.Cycles > whole.Cycles {
					t.Errorf("%s on %s: interrupted after %d cycles, before that after %d, of %d", job, machine, run.Cycles, last, whole.Cycles)
				}
				last = run.Cycles
			}
			if job == "insertionSort/job.toml" && interrupted == 0 {
				t.Errorf("%s on %s is never interrupted", job, machine)
			}
		}
	}
}
