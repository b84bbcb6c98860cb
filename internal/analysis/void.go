package analysis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// The run that tries bounds takes so many cycles at most, and so long.
const (
	triedCycles = 1 << 24
	triedTime   = 10 * time.Second
)

// tryBounds makes one run if static methods alone are asked and the job states loop bounds or flow
// facts, or if Request.Try wants it, so that what a run refutes is an error here too: also one that
// was stopped above a bound. The result has no trace of the run but for the bounds that it exceeds;
// that none was made to its end is a warning.
func (l List) tryBounds(
	ctx context.Context, p runner.Platform, w *workload.Workload, req Request, a *Answer,
) ([]diag.Warning, error) {
	states := len(w.Spec.Loops)+len(w.Spec.Facts) > 0
	if !req.Try && !states || req.measured(l) || len(a.Estimates) == 0 || ctx.Err() != nil {
		return nil, nil
	}
	limit := w.Spec.Effort.Of(triedCycles)
	if req.MaxCycles > 0 {
		limit = min(limit, req.MaxCycles)
	}
	run := tryPlainly
	if states { // records tell which of them is wrong
		run = l.tryRecording
	}
	stopped, err := run(ctx, p, w, req, limit, a.Analysis)
	if long, ok := errors.AsType[*diag.LimitError](err); ok {
		a.Exceed(long.Cycle)
		stopped, err = true, nil
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if !stopped || a.Void != nil {
		return nil, nil
	}
	untried := diag.Warning{Pos: w.Spec.Pos.Kernel, ID: "bounds-untried", Text: fmt.Sprintf(
		"no whole run was held against the bounds: one takes more than %d cycles or %v; "+
			"analyze with a method that measures makes whole runs", limit, triedTime)}
	if states {
		untried.ID = "annotations-unchecked"
		untried.Text = fmt.Sprintf("no run was held against the loop bounds and flow facts of the job: "+
			"one takes more than %d cycles; analyze with a method that measures checks them", limit)
	}
	return []diag.Warning{untried}, nil
}

// tryRecording makes the run with records, and notes which bounds it exceeds.
func (l List) tryRecording(
	ctx context.Context, p runner.Platform, w *workload.Workload, req Request, limit int64, a *estimate.Analysis,
) (stopped bool, err error) {
	one := Request{Campaign: campaign.Spec{Vectors: 1}, MaxCycles: limit, Ipoints: req.Ipoints}
	run := &Answer{Analysis: Empty(w)}
	if _, err := l.measure(ctx, p, w, one, run); err != nil || run.Observed == nil {
		return false, err
	}
	a.Exceed(run.Observed.Max)
	a.ExceedLaunches(run.Launches)
	return false, nil
}

// tryPlainly makes the run without records, for so long at most, and notes which bounds it exceeds.
func tryPlainly(
	ctx context.Context, p runner.Platform, w *workload.Workload, _ Request, limit int64, a *estimate.Analysis,
) (stopped bool, err error) {
	limited, stop := context.WithTimeout(ctx, triedTime)
	defer stop()
	run, err := Simulate(limited, p, w, SimulateRequest{MaxCycles: limit})
	if run == nil {
		return false, err
	}
	a.ExceedIn(&run.Simulation)
	return run.Interrupted != nil, nil
}

// stoppedAbove returns the error of a run that was stopped above a bound, which is void then; any
// other as it is.
func stoppedAbove(w *workload.Workload, static *bounds, err error) error {
	long, ok := errors.AsType[*diag.LimitError](err)
	if !ok || long.Cycle == 0 {
		return err
	}
	a := Empty(w)
	static.enter(a)
	a.Exceed(long.Cycle)
	if void := Voided(w, a); void != nil {
		return errors.Join(void, err)
	}
	return err
}

// Voided is the error of an analysis that has void bounds; nil if it has none. Of an annotated one
// it names the annotations.
func Voided(w *workload.Workload, a *estimate.Analysis) error {
	if proof := a.VoidProof(); proof != nil {
		return &diag.VoidBoundError{Err: diag.Errorf(w.Spec.Pos.Kernel, "%s", proof.Text)}
	}
	if a.Void == nil {
		return nil
	}
	return &diag.ContradictionError{Err: fmt.Errorf("%s: %s%s", a.Job, a.Void[0].Text, statedAt(w))}
}

// statedAt names where a job states loop bounds and flow facts.
func statedAt(w *workload.Workload) string {
	const shown = 4
	var at []string
	for i := range w.Spec.Loops {
		at = append(at, w.Spec.Loops[i].Pos.String())
	}
	for i := range w.Spec.Facts {
		at = append(at, w.Spec.Facts[i].Pos.String())
	}
	if len(at) > shown {
		at = append(at[:shown], fmt.Sprintf("and %d more", len(at)-shown))
	}
	return "; they are stated at " + strings.Join(at, ", ")
}
