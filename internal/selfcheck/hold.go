package selfcheck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/platform"
)

// hold holds the estimates of the job against the runs: those whose evidence is observed
// against the runs that were observed, the others against all. warp is the longest time
// of a warp in the former.
func (c *checker) hold(ctx context.Context, job *platform.Job, runs []simulated, warp int64, out *outcome) error {
	analyses, refusals := c.analyses(ctx, job)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	own := of(runs, string(job.Mode()))
	all, observed := longest(own), longest(own[:vectors])
	for _, method := range c.methods {
		a := answer{Method: method, Other: !analysis.Methods().Supports(job.Workload, method)}
		if a.Other {
			out.Answers = append(out.Answers, a)
			continue
		}
		if out.Violation == nil {
			out.Violation = holdLaunches(analyses, method, own)
		}
		e, observation := estimateOf(analyses, method)
		if e == nil {
			a.Refusal = "there is no estimate"
			if err := refusals[method]; err != nil {
				a.Refusal = err.Error()
				if wrong := (*diag.ContradictionError)(nil); errors.As(err, &wrong) && out.Violation == nil {
					out.Violation = failure("annotating", jobFile, 0, err)
				}
				if void := (*diag.VoidBoundError)(nil); errors.As(err, &void) && out.Violation == nil {
					out.Violation = failure("analysing", jobFile, 0, err)
				}
			}
			out.Answers = append(out.Answers, a)
			continue
		}
		minimum := all
		if mode, splits := strings.CutPrefix(method, "split/"); splits {
			minimum = longest(of(runs, mode))
		}
		if e.Evidence == estimate.Observed {
			minimum = observed
			if observation == nil || observation.Max != observed.cycles {
				out.Violation = result(observed.job, observed.vector,
					"the longest of %d runs takes %d cycles; as %s observed them, %+v", vectors, observed.cycles, method, observation)
				return nil
			}
		}
		if !e.Bounds() {
			minimum.cycles = warp
		}
		a.Ratio = float64(e.Cycles) / float64(minimum.cycles)
		out.Answers = append(out.Answers, a)
		if e.Cycles < minimum.cycles && out.Violation == nil {
			out.Violation = &violation{Violation: estimate.Violation{
				Kind: kindBound, Method: method, Job: minimum.job, Vector: minimum.vector, Bound: e.Cycles, Cycles: minimum.cycles,
				Text: fmt.Sprintf("%s says at most %d cycles (%s); test vector %d of %s%s takes %d",
					method, e.Cycles, e.Evidence, minimum.vector, minimum.job, inWords(minimum.mode), minimum.cycles),
			}}
		}
		if out.Violation == nil && e.Exact() {
			out.Violation = holdExact(e, runs, own)
		}
		if out.Violation == nil {
			out.Violation = holdMisses(e, own)
		}
	}
	return nil
}

// holdLaunches holds what a method says of the launches of a job with several against the runs in its own mode: of
// one execution, against all executions of a run together. Those that rest on runs are held against these.
func holdLaunches(analyses []*estimate.Analysis, method string, runs []simulated) *violation {
	for _, a := range analyses {
		for i := range a.Launches {
			at := slices.IndexFunc(a.Launches[i].Estimates, func(e estimate.Estimate) bool { return e.Method == method })
			if at < 0 {
				continue
			}
			e := &a.Launches[i].Estimates[at]
			if _, other := a.OtherMode(e); other || !e.Bounds() {
				continue
			}
			held := runs
			if e.Evidence == estimate.Observed {
				held = runs[:vectors]
			}
			for _, run := range held {
				if l := &run.launches[i]; l.Cycles > int64(l.Executed)*e.Cycles {
					return &violation{Violation: estimate.Violation{
						Kind: kindBound, Method: e.Method, Job: run.job, Vector: run.vector, Bound: e.Cycles, Cycles: l.Cycles,
						Text: fmt.Sprintf("%s says at most %d cycles (%s) for launch %d of %s; in test vector %d of %s %d executions take %d",
							e.Method, e.Cycles, e.Evidence, i+1, l.Kernel, run.vector, run.job, l.Executed, l.Cycles),
					}}
				}
			}
		}
	}
	return nil
}

// holdExact holds an estimate that says how long every run takes against all runs: those in its own mode, if it has one, or else
// those of the job.
func holdExact(e *estimate.Estimate, runs, own []simulated) *violation {
	if mode, splits := strings.CutPrefix(e.Method, "split/"); splits {
		own = of(runs, mode)
	}
	for _, run := range own {
		if run.cycles != e.Cycles {
			return &violation{Violation: estimate.Violation{
				Kind: kindBound, Method: e.Method, Job: run.job, Vector: run.vector, Bound: e.Cycles, Cycles: run.cycles,
				Text: fmt.Sprintf("%s says that every run takes %d cycles; test vector %d of %s%s takes %d",
					e.Method, e.Cycles, run.vector, run.job, inWords(run.mode), run.cycles),
			}}
		}
	}
	return nil
}

// holdMisses holds what an estimate says of the misses in a shared cache, if it does, against all
// runs.
func holdMisses(e *estimate.Estimate, runs []simulated) *violation {
	d, ok := e.Detail.(*estimate.LLC)
	if !ok {
		return nil
	}
	maximum := slices.MaxFunc(runs, func(a, b simulated) int { return int(a.misses - b.misses) })
	bound := d.AllMisses
	if e.Partition != nil {
		bound = e.Partition.AllMisses
	}
	if maximum.misses <= bound {
		return nil
	}
	return &violation{Violation: estimate.Violation{
		Kind: kindBound, Method: e.Method, Job: maximum.job, Vector: maximum.vector, Bound: e.Cycles, Cycles: maximum.cycles,
		Text: fmt.Sprintf("%s says at most %d misses (%s); test vector %d of %s has %d", e.Method, bound, e.Evidence, maximum.vector, maximum.job, maximum.misses),
	}}
}

// inWords says in which mode a run was made.
func inWords(mode string) string {
	if mode == "" {
		return ""
	}
	return " in mode " + mode
}

// analyses asks all methods together or, if one fails, each alone.
func (c *checker) analyses(ctx context.Context, job *platform.Job) ([]*estimate.Analysis, map[string]error) {
	methods := slices.DeleteFunc(slices.Clone(c.methods), func(m string) bool { return !analysis.Methods().Supports(job.Workload, m) })
	if len(methods) == 0 {
		return nil, nil
	}
	opts := analysis.Request{Methods: methods, MaxCycles: maxCycles, Campaign: campaign.Spec{Vectors: vectors}, Refusals: true}
	refusals := make(map[string]error)
	a, err := c.analyze(ctx, job, opts)
	if err == nil {
		for _, r := range a.Refused {
			refusals[r.Method] = errors.New(r.Reason)
		}
		return []*estimate.Analysis{a}, refusals
	}
	var answers []*estimate.Analysis
	opts.Refusals = false
	for _, m := range methods {
		opts.Methods = []string{m}
		if a, err := c.analyze(ctx, job, opts); err != nil {
			refusals[m] = err
		} else {
			answers = append(answers, a)
		}
	}
	return answers, refusals
}

func estimateOf(analyses []*estimate.Analysis, method string) (*estimate.Estimate, *estimate.Observation) {
	for _, a := range analyses {
		for i := range a.Estimates {
			if a.Estimates[i].Method == method {
				return &a.Estimates[i], a.Observed
			}
		}
	}
	return nil, nil
}

// confirm makes a violation of a bound a failure if the run that shows it goes round a
// loop more often than the job annotates.
func (c *checker) confirm(ctx context.Context, fsys fs.FS, v *violation) error {
	j, err := platform.LoadFS(fsys, v.Job, "")
	if err == nil && j.Mode() != "" {
		j, err = inMode(j, "none")
	}
	if err == nil {
		_, err = analyze(ctx, j, analysis.Request{Methods: []string{"hybrid/dynamic"}, MaxCycles: maxCycles, Campaign: campaign.Spec{Vectors: v.Vector + 1}})
	}
	if err != nil {
		*v = *failure("annotating", v.Job, v.Vector, err)
	}
	return ctx.Err()
}
