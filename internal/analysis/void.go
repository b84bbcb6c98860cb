package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// tryRuns makes the runs of Request.Try.
func (l List) tryRuns(ctx context.Context, p runner.Platform, w *workload.Workload, req Request, a *Answer) ([]diag.Warning, error) {
	one := req
	one.EndToEnd, one.Adversarial, one.MaxCycles = true, false, triedLimit(w, req)
	one.Campaign = campaign.Spec{Vectors: 1, Repeats: req.Campaign.Repeats, Cores: req.Campaign.Cores, OneCore: req.Campaign.OneCore}
	limited, stop := context.WithTimeout(ctx, triedTime)
	defer stop()
	warnings, err := l.run(limited, p, w, one, a)
	switch {
	case a.noteStopped(err):
		return []diag.Warning{untriedBounds(w, one.MaxCycles)}, nil
	case err != nil:
		return nil, err
	case a.Observed == nil:
		return append(warnings, untriedBounds(w, one.MaxCycles)), nil
	case limited.Err() != nil && ctx.Err() == nil:
		warnings = append(warnings, unwatchedRun(w))
	}
	decided := a.Observed.Max > req.Try || slices.ContainsFunc(a.Estimates, func(e estimate.Estimate) bool {
		return e.Evidence == estimate.Proven && e.Bounds() && e.Cycles <= req.Try
	})
	if decided || !w.Spec.Varies() && req.Campaign.Inputs == nil {
		return warnings, nil
	}
	planned := req.Campaign.Vectors
	if planned == 0 {
		planned = w.Spec.Vectors
	}
	rest := one
	rest.Unwatched, rest.Campaign.Progress, rest.Campaign.Begin = true, req.Campaign.Progress, req.Campaign.Begin
	rest.Campaign.Inputs, rest.Campaign.Vectors = req.Campaign.Inputs, min(planned, 1+int(one.MaxCycles/max(a.Observed.Max, 1)))
	found, err := l.run(ctx, p, w, rest, a)
	if a.noteStopped(err) {
		err = nil
	}
	return append(warnings, found...), err
}

// noteStopped notes that a run was given up, if an error says so. It reports whether one does.
func (a *Answer) noteStopped(err error) bool {
	long, ok := errors.AsType[*diag.LimitError](err)
	if ok && long.Cycle > 0 { // which a device does not tell
		a.Stopped = new(long.Cycle)
		a.Exceed(long.Cycle)
	}
	return ok
}

// unwatchedRun is the warning that a run that tries bounds was not looked at to its end.
func unwatchedRun(w *workload.Workload) diag.Warning {
	return diag.Warning{Pos: w.Spec.Pos.Kernel, ID: "races-unchecked", Text: fmt.Sprintf(
		"data races and undefined behaviour were looked for no longer than %v; analyze looks for them to the end", triedTime)}
}

// triedLimit is how many cycles a run takes at most that tries bounds, and such runs together.
func triedLimit(w *workload.Workload, req Request) int64 {
	limit := w.Spec.Effort.Of(triedCycles)
	if req.MaxCycles > 0 {
		limit = min(limit, req.MaxCycles)
	}
	return limit
}

// untriedBounds is the warning that no run was made to its end that could void a bound.
func untriedBounds(w *workload.Workload, limit int64) diag.Warning {
	return diag.Warning{Pos: w.Spec.Pos.Kernel, ID: "bounds-untried", Text: fmt.Sprintf(
		"no whole run was held against the bounds: one takes more than %d cycles or %v; "+
			"analyze with a method that measures makes whole runs", limit, triedTime)}
}

// tryBounds makes one run if static methods alone are asked and the job states loop bounds or flow
// facts, with records that tell which of them is wrong, so that what a run refutes is an error here
// too: also one that was stopped above a bound. The result has no trace of the run but for the
// bounds that it exceeds; that none was made to its end is a warning.
func (l List) tryBounds(
	ctx context.Context, p runner.Platform, w *workload.Workload, req Request, a *Answer,
) ([]diag.Warning, error) {
	states := len(w.Spec.Loops)+len(w.Spec.Facts) > 0
	if !states || req.measured(l) || len(a.Estimates) == 0 || ctx.Err() != nil {
		return nil, nil
	}
	limit := triedLimit(w, req)
	err := l.tryRecording(ctx, p, w, req, limit, a.Analysis)
	if long, ok := errors.AsType[*diag.LimitError](err); ok {
		a.Exceed(long.Cycle)
		if a.Void != nil {
			return nil, nil
		}
		return []diag.Warning{{Pos: w.Spec.Pos.Kernel, ID: "annotations-unchecked", Text: fmt.Sprintf(
			"no run was held against the loop bounds and flow facts of the job: "+
				"one takes more than %d cycles; analyze with a method that measures checks them", limit)}}, nil
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return nil, nil
}

// tryRecording makes the run with records, and notes which bounds it exceeds.
func (l List) tryRecording(
	ctx context.Context, p runner.Platform, w *workload.Workload, req Request, limit int64, a *estimate.Analysis,
) error {
	one := Request{Campaign: campaign.Spec{Vectors: 1}, MaxCycles: limit, Ipoints: req.Ipoints}
	run := &Answer{Analysis: Empty(w)}
	if _, err := l.measure(ctx, p, w, one, run); err != nil || run.Observed == nil {
		return err
	}
	a.Exceed(run.Observed.Max)
	a.ExceedLaunches(run.Launches)
	return nil
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
