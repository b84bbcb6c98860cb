package analysis

import (
	"context"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/halt"
	"warpbound/internal/method"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// measure adds what was observed, and the estimates of measured methods that the machine allows.
func (l List) measure(ctx context.Context, p runner.Platform, w *workload.Workload, req Request, a *Answer) ([]diag.Warning, error) {
	needs := req.recorded() || slices.ContainsFunc(req.Methods, l.measures)
	if req.EndToEnd && needs {
		return nil, fmt.Errorf("%s: the hybrid method needs Ipoints, and none are recorded", w.Name())
	}
	allowed, err := l.recordable(p, w, req, a)
	if err != nil {
		return nil, err
	}
	if allowed != nil {
		warnings, err := record(ctx, p, w, req, allowed, a)
		if halt.Ended(ctx, err) {
			for i := range allowed {
				a.lack(req.asked(allowed[i])...)
			}
			a.lack(partRuns)
		} else if err != nil {
			return nil, err
		}
		return warnings, nil
	}
	result, _, err := campaign.Run(ctx, p, w, req.Campaign, runner.Options{MaxCycles: req.MaxCycles}, nil)
	if halt.Ended(ctx, err) {
		a.lack(partRuns)
	} else if err != nil {
		return nil, err
	}
	if result == nil {
		return nil, nil
	}
	a.note(result)
	a.Runs, a.Observed = result.Runs, &result.Observed
	return append(a.noteAdversarial(w, result.Adversarial), result.Report.Warnings...), nil
}

// recordable returns the measured methods that the machine and the platform allow. Of the others it notes why not, which is an
// error of one that is asked for by name, and if none is left of which records are wanted.
func (l List) recordable(p runner.Platform, w *workload.Workload, req Request, a *Answer) (allowed List, err error) {
	if req.EndToEnd {
		return nil, nil
	}
	var refused error
	for _, m := range l {
		measured, ok := m.Method.(method.Measured)
		if !ok {
			continue
		}
		err := measured.Applies(w.Machine)
		if err == nil {
			err = measured.Reads(p.Clocks())
		}
		if err == nil {
			allowed = append(allowed, m)
			continue
		}
		refused = &diag.UnsupportedError{Methods: List{m}.IDs(), Err: fmt.Errorf("%s: %w", w.Name(), err)}
		if !req.Refusals && req.Methods != nil && len(req.asked(m)) > 0 {
			return nil, refused
		}
		for _, id := range req.asked(m) {
			a.Refused = append(a.Refused, ofMachine(w, id, err))
		}
	}
	if allowed == nil && req.recorded() && !req.Refusals {
		return nil, refused
	}
	return allowed, nil
}

// note adds what runs gave besides their times.
func (a *Answer) note(runs *campaign.Result) {
	a.Inputs, a.Device, a.planned, a.Convergence = runs.Inputs, runs.Report.Device, runs.Planned, runs.Convergence
	a.watched = runs.Watched
	if runs.Report.Device == nil { // whose recorded runs take longer than others
		a.Times, a.Longest = &runs.Times, &runs.Longest
	}
	observeLaunches(a.Launches, runs)
}

// record makes the runs that measured methods ask for, or reads traces of them, and adds their estimates.
func record(ctx context.Context, p runner.Platform, w *workload.Workload, req Request, methods List, a *Answer) ([]diag.Warning, error) {
	all := w.Launches(func(int, int) bool { return false }) // contents do not matter to what runs show
	recordings := make([]*joint, len(all))
	placed, reached := make([][]bool, len(all)), make([]reach, len(all))
	opts := runner.Options{MaxCycles: req.MaxCycles}
	for i, one := range all {
		r, chosen, err := recordingOf(ctx, p, one, methods, req.PublishedEdges, req.Ipoints)
		if err != nil {
			return nil, err
		}
		recordings[i], placed[i] = r, chosen
		if w.Spec.Varies() && p.Clocks() == trace.Common {
			if reached[i], err = reachOf(ctx, one, w.Several()); err != nil {
				return nil, err
			}
			r.Reserve(reached[i].findReserve(one))
		}
		opts.Record = append(opts.Record, &runner.Record{Chosen: chosen, Points: r.Points(), Graph: r})
	}
	if req.Traces != nil {
		read, err := readTraces(ctx, p, w, recordings[0], req)
		if err != nil {
			return nil, &diag.TraceError{File: req.TracesName, Err: err}
		}
		answer, err := read.from.Bound(ctx, []trace.Sink{read.sink})
		if err != nil {
			return nil, err
		}
		tryPrediction(ctx, req, w, all, reached, &campaign.Result{}, []*method.Answer{answer})
		a.Refused = append(a.Refused, read.refused...)
		a.Times, a.Longest = read.times, read.longest
		read.reviews.enter(answer.Runs, answer)
		measured(a, req, answer, nil)
		return answer.Warnings, nil
	}
	if req.Campaign.Keep != nil {
		if err := widen(ctx, p, w, methods, recordings, &req, &opts); err != nil {
			return nil, err
		}
	}
	if req.Campaign.Elsewhere != nil {
		var err error
		if req.Campaign.Sinks, err = describe(p, methods, recordings, placed, req); err != nil {
			return nil, err
		}
	}
	reviews := newReviewing(ctx, w, recordings)
	req.Campaign.Review = reviews.review
	result, sinks, err := campaign.Run(ctx, p, w, req.Campaign, opts, func(launch int) trace.Sink { return recordings[launch].Sink(p.Clocks()) })
	if result == nil {
		return nil, err
	}
	a.note(result)
	if err != nil {
		a.lack(partRuns)
	}
	if result.Turned || slices.ContainsFunc(result.Report.Warnings, func(w diag.Warning) bool { return w.ID == runner.PathsTookTurns }) {
		for _, r := range recordings {
			r.Interleaved()
		}
	}
	if c := result.Convergence; c != nil && c.Stopped == estimate.StoppedInvariant {
		for _, r := range recordings {
			r.Invariant()
		}
	}
	parts, err := boundAll(ctx, req, recordings, sinks)
	if halt.Ended(ctx, err) {
		for i := range methods {
			a.lack(req.asked(methods[i])...)
		}
		if a.Device == nil { // whose traces have other times
			a.Runs, a.Observed = result.Runs, &result.Observed
		}
		return result.Report.Warnings, nil
	} else if err != nil {
		return nil, err
	}
	tryPrediction(ctx, req, w, all, reached, result, parts)
	answer, err := whole(w, parts, seen(w, result))
	if err != nil {
		return nil, err
	}
	refuteStopped(result.Adversarial, answer.Estimates)
	if w.Several() {
		answer.Runs, answer.Observed = result.Runs, &result.Observed
	}
	reviews.enter(result.Vectors, answer)
	warnings := slices.Concat(answer.Warnings, result.Report.Warnings, a.noteAdversarial(w, result.Adversarial))
	if req.Campaign.Inputs == nil && !w.Spec.Varies() {
		warnings = append(warnings, diag.Warning{
			Pos: diag.Pos{File: w.Name(), Line: 1, Col: 1}, ID: "fixed-inputs",
			Text: "no input is sampled at random, so all runs would be identical: one was made",
		})
	}
	measured(a, req, answer, parts)
	return warnings, nil
}

// boundAll is what the recordings of launches make of their runs: those so far if ctx has ended.
func boundAll(ctx context.Context, req Request, recordings []*joint, sinks [][]trace.Sink) ([]*method.Answer, error) {
	if sinks == nil {
		return nil, ctx.Err()
	}
	finish, cancel := finishing(ctx, req.Grace)
	defer cancel()
	parts := make([]*method.Answer, len(recordings))
	for i, r := range recordings {
		var err error
		if parts[i], err = r.Bound(finish, sinks[i]); halt.Ended(finish, err) {
			return nil, ctx.Err()
		} else if err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// measured adds what a measured method says of the whole and of each launch.
func measured(a *Answer, req Request, whole *method.Answer, parts []*method.Answer) {
	a.Runs, a.Observed, a.Model, a.path = whole.Runs, whole.Observed, whole.Model, whole.Certificate
	a.Coverage = whole.Coverage
	wanted := func(answer *method.Answer) *method.Answer {
		out := &method.Answer{}
		for _, e := range answer.Estimates {
			if !req.wants(e.Method) {
				continue
			}
			if d := a.Device; d != nil {
				e.Assumptions = append(e.Assumptions, fmt.Sprintf(
					"times are those of the instrumented kernel, which takes %.1f %% longer (observed)", d.Overhead.Percent))
			}
			out.Estimates = append(out.Estimates, e)
		}
		return out
	}
	found := &bounds{}
	for _, part := range parts {
		found.launches = append(found.launches, wanted(part).Estimates)
	}
	found.estimates = wanted(whole).Estimates
	found.enter(a.Analysis)
}

// recordingOf is what methods have recorded of a launch where the blocks carry an Ipoint that at chooses, with the published edges
// or all (method.Problem). chosen are those that at did choose.
func recordingOf(
	ctx context.Context, p runner.Platform, w *workload.Workload, methods List, publishedEdges bool, at method.Placement,
) (r *joint, chosen []bool, err error) {
	problem, err := graphProblem(ctx, p, w)
	if err != nil {
		return nil, nil, err
	}
	problem.PublishedEdges = publishedEdges
	return place(p, w, methods, problem, at)
}

// place asks measured methods what to record where the blocks carry an Ipoint that at chooses, as far as they
// can on the platform. chosen are those that at did choose.
func place(p runner.Platform, w *workload.Workload, methods List, problem *method.Problem, at method.Placement) (r *joint, chosen []bool, err error) {
	if at == nil {
		at = method.EveryBlock()
	}
	var parts []method.Recording
	for _, m := range methods {
		part, err := m.Method.(method.Measured).Record(problem, func(s *method.Sites) ([]bool, error) {
			if chosen, err = at(s); err != nil {
				return nil, err
			}
			return p.Recordable(w, chosen)
		})
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, part)
	}
	return join(methods, parts), chosen, nil
}
