// Package analysis bounds the worst-case execution time of workloads: it asks the methods that there are, and
// makes the runs that some of them need.
//
// Methods is the list of them; whoever wants to know what a method needs, does or is called asks that list.
// analysis must not import simulators, drivers of devices, or what takes many analyses (study).
package analysis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/campaign"
	"warpbound/internal/certify"
	"warpbound/internal/halt"
	"warpbound/internal/ipet"
	"warpbound/internal/method"
	"warpbound/internal/method/oblivious"
	"warpbound/internal/provenance"
	"warpbound/internal/runner"
	"warpbound/internal/symbol"
	"warpbound/internal/workload"
)

// Request says what is asked of an analysis, and how its runs are made.
type Request struct {
	Methods []string         // IDs of the estimates to report; nil for all
	Ipoints method.Placement // blocks to record; nil for every block
	// PublishedEdges is as in method.Problem.
	PublishedEdges bool
	// Path asks for the path model of a warp, Certify for the certificate of the one estimate that is asked
	// for, or of the best if none is named. Placed is Ipoints in words, for the certificate.
	Path, Certify bool
	Placed        string

	Campaign  campaign.Spec // which inputs are run
	MaxCycles int64         // a run that takes longer is an error; 0 for 2^30
	EndToEnd  bool          // measure only how long runs take: nothing is recorded
	Observe   bool          // make runs although no method that is asked for needs them
	Unwatched bool          // look for no data races

	// Adversarial makes a third of the runs those of inputs that are to take long (see adversary), and has others confirm the
	// estimates that the rest gives.
	Adversarial bool

	// Refusals notes that a method has no estimate although it is asked for by name, which otherwise is an error.
	Refusals bool

	// Try, unless 0, is a budget in cycles, of which it is asked whether a proven bound is within it. Measured methods are
	// left out then unless Methods names some, no method is asked after one has proven it, and of the test vectors are run the first, since a bound that it exceeds is
	// void, and others while none has exceeded the budget, unless a proven bound is within it.
	Try int64

	// Holdout is how many further test vectors, of another seed, try the estimates; 0 for none.
	Holdout int

	// Phase, unless nil, is told what is done next: the name of a static method, "runs", "races" or "holdout".
	Phase func(what string)

	// Grace is how long it may take to bound the runs so far if ctx ends; if it is 0 they are not bounded then.
	Grace time.Duration

	// Traces are read instead of running the workload, in the binary format or as CSV;
	// TracesName is their name for messages.
	Traces     io.Reader
	TracesName string
}

// Answer is what an analysis found out.
type Answer struct {
	*estimate.Analysis
	Model *ipet.Model // of the longest path of a warp; nil if no measured method was asked

	path        *ipet.Certificate    // that no path of it is longer; nil likewise
	certificate *certify.Certificate // nil if none was asked for
	planned     int                  // runs that there were to be
	watched     *campaign.Watched    // nil if no vector of the campaign was watched
	lacks       []string             // what there is no answer to because ctx has ended
}

// Write writes the path model in CPLEX LP format and the certificate, each to nowhere if its writer is nil.
func (a *Answer) Write(lp, certificate io.Writer) error {
	if lp != nil {
		if err := ipet.WriteLP(lp, a.Model); err != nil {
			return err
		}
	}
	if certificate != nil {
		return certify.Write(certificate, a.certificate)
	}
	return nil
}

// wants reports whether an estimate is asked for.
func (r *Request) wants(id string) bool { return r.Methods == nil || slices.Contains(r.Methods, id) }

// measured reports whether a method is asked for that needs runs, or runs themselves.
func (r *Request) measured(all List) bool {
	return r.Methods == nil && r.Try == 0 || r.Observe || r.recorded() || slices.ContainsFunc(r.Methods, all.measures)
}

// recorded reports whether something is asked for that only records of runs give.
func (r *Request) recorded() bool { return r.Traces != nil || r.Path }

// Analyze bounds the worst-case execution time of a workload: by static methods, and by measured
// ones from runs of its inputs or from traces. The result does not depend on the number of
// processors.
//
// It is an error if a kernel has a loop without exit, if a run fails, if a trace is damaged or does
// not belong to the kernel, if there are both traces and saved inputs, or if a static method is
// asked for by name that has no bound. If ctx ends, the error is that of ctx, and the answer is
// what was known until then, which says what it lacks; nil if that is nothing. If a run exceeds a
// bound that is proven, the error is a *diag.VoidBoundError, and if it is annotated a
// *diag.ContradictionError; the answer is complete, and its Void says which.
func Analyze(ctx context.Context, p runner.Platform, w *workload.Workload, req Request) (*Answer, error) {
	return Methods().Analyze(ctx, p, w, req)
}

// Analyze is the function Analyze with the methods of a list.
func (l List) Analyze(ctx context.Context, p runner.Platform, w *workload.Workload, req Request) (*Answer, error) {
	w = workload.KeepFacts(w)
	if req.Traces == nil {
		req.Campaign.Inputs = workload.AndKept(w, req.Campaign.Inputs)
	}
	for _, k := range w.Kernels {
		if endless := k.Graph.Endless(); len(endless) > 0 {
			return nil, endless[0]
		}
	}
	if err := req.certifiable(w); err != nil {
		return nil, err
	}
	if pos, key := w.Spec.SeveralAt(); w.Several() && req.recorded() {
		return nil, diag.Errorf(pos, "a path and traces are of one launch, and %s makes several: leave %s out for kernel %s alone", key, key, w.Kernel())
	}
	if req.Traces != nil && req.Campaign.Inputs != nil {
		return nil, fmt.Errorf("%s: inputs are run only where no traces are read", w.Name())
	}
	if req.Campaign.Shared() {
		if err := l.keeping(ctx, p, w, &req); err != nil {
			return nil, err
		}
	}
	a := &Answer{Analysis: Empty(w)}
	static, err := l.static(ctx, p, w, req)
	if err != nil {
		return nil, err
	}
	a.lack(static.missing...)
	warnings := static.warnings
	if req.measured(l) {
		found, err := l.run(ctx, p, w, req, a)
		if err != nil {
			return nil, stoppedAbove(w, static, err)
		}
		warnings = append(warnings, found...)
	}
	static.enter(a.Analysis)
	if req.Try > 0 && !req.measured(l) && ctx.Err() == nil {
		found, err := l.tryRuns(ctx, p, w, req, a)
		if err != nil {
			return nil, err
		}
		warnings = append(warnings, found...)
	}
	untriable, err := l.tryBounds(ctx, p, w, req, a)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, untriable...)
	held, err := holdOut(ctx, p, w, req, a)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, held...)
	warnings = append(warnings, untried(w, req, a)...)
	if len(a.lacks) == 0 {
		limited, err := a.addFacts(ctx, p, w)
		if err != nil {
			a.lack(partVerdict)
		}
		for _, warning := range limited {
			if !slices.Contains(warnings, warning) { // methods may have had the same reason
				warnings = append(warnings, warning)
			}
		}
	}
	qualify(a.Analysis)
	a.ExceedObserved()
	l.complete(w, a.Analysis)
	a.Answer = a.Tightest().Brief()
	a.Interrupted = a.interrupted(ctx)
	if req.Certify && a.Interrupted == nil && a.Void == nil {
		if a.certificate, err = l.certify(ctx, p, w, req, a); err != nil {
			return nil, err
		}
		warnings = append(warnings, omits(w, a.certificate)...)
	}
	a.Warnings = estimate.Warnings(slices.Concat(w.AllWarnings(), warnings))
	if err := Voided(w, a.Analysis); err != nil || a.Interrupted == nil {
		return a, err
	}
	if a.Observed == nil && len(a.Estimates) == 0 {
		return nil, ctx.Err()
	}
	return a, ctx.Err()
}

// addFacts adds what is known of a workload for all inputs, whatever methods say. It warns of limits
// of work. The error is that of ctx.
func (a *Answer) addFacts(
	ctx context.Context, p runner.Platform, w *workload.Workload,
) (limited []diag.Warning, err error) {
	possible(ctx, p, w, a.Coverage)
	values, err := valuesOf(ctx, w)
	if err != nil {
		return nil, err
	}
	used(ctx, w, values, a.Contract)
	if a.RaceVerdict, err = raceVerdict(ctx, w, values); a.RaceVerdict == nil {
		return nil, err
	}
	return values.Limited(), nil
}

// run adds what was observed and the estimates of measured methods, and looks for data races. That ctx ends is no
// error: the answer lacks something then.
func (l List) run(ctx context.Context, p runner.Platform, w *workload.Workload, req Request, a *Answer) ([]diag.Warning, error) {
	req.enter(partRuns)
	req.Campaign.Watch = !req.Unwatched
	req.shareRuns(p, w)
	warnings, err := l.measure(ctx, p, w, req, a)
	if err != nil {
		return nil, err
	}
	if req.Unwatched {
		return warnings, nil
	}
	if a.watched == nil {
		req.enter(partRaces)
	}
	var found []diag.Warning
	a.Races, found, err = watched(ctx, p, w, &req, a.watched)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		a.lack(partRaces)
	case req.Traces == nil: // traces say enough where a run is not possible
		return nil, err
	}
	return append(warnings, found...), nil
}

// Empty returns an analysis of a workload without results.
func Empty(w *workload.Workload) *estimate.Analysis {
	return &estimate.Analysis{
		Provenance: provenance.Of(),
		Job:        w.Name(), Kernel: w.Kernel(), KernelDemangled: symbol.Demangled(w.Kernel()),
		Machine: w.Machine.Name, MachineHash: w.Machine.Hash(), ModuleHash: w.Module.Hash, JobHash: workload.Hash(w),
		Launch:    shape(w.First()),
		Occupancy: occupancyOf(w),
		SplitMode: string(w.Mode()),
		Seed:      w.Spec.Seed,
		Contract:  declared(w),
		Alone:     w.Machine.Alone(), ClockMode: w.ClockMode, Threads: w.Spec.Threads.Way,
		Estimates: []estimate.Estimate{},
		Refused:   []estimate.MethodRefusal{},
		Launches:  launchesOf(w),
	}
}

// occupancyOf returns how the launch of a workload fits its machine; nil of several launches, where it does not fit, and on a device.
func occupancyOf(w *workload.Workload) *estimate.Occupancy {
	k := w.First()
	occ, err := k.Occupancy()
	if err != nil || w.Several() {
		return nil
	}
	return &estimate.Occupancy{
		CTAsPerSM: occ.CTAs, Limit: occ.Limit, Warps: occ.CTAs * occ.Warps, MaxWarps: int(k.Machine.SM.Warps.Value), Waves: occ.Waves,
		Registers: k.Registers, Estimated: k.Bound.Job.Registers == 0,
	}
}

// Static returns the analysis of a workload by the static methods that are asked for, without its warnings, which
// are those of the methods. A method that is not asked for by name is left out where the machine does not allow it,
// and with a warning where the workload does not.
func Static(ctx context.Context, p runner.Platform, w *workload.Workload, req Request) (*estimate.Analysis, []diag.Warning, error) {
	l := Methods()
	w = workload.KeepFacts(w)
	found, err := l.static(ctx, p, w, req)
	if err == nil && found.missing != nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	a := Empty(w)
	found.enter(a)
	l.complete(w, a)
	a.Answer = a.Tightest().Brief()
	return a, found.warnings, nil
}

// bounds are what methods say of a run.
type bounds struct {
	estimates []estimate.Estimate   // of the whole
	launches  [][]estimate.Estimate // of one execution of each launch; may be nil
	warnings  []diag.Warning
	refused   []estimate.MethodRefusal
	missing   []string // what ctx left no time for
}

// add adds what a method says of the whole, nil if it has no bound, and of each launch, likewise.
func (b *bounds) add(whole *method.Answer, parts []*method.Answer) {
	if whole != nil {
		b.estimates = append(b.estimates, whole.Estimates...)
		for _, w := range whole.Warnings {
			if !slices.Contains(b.warnings, w) { // several methods may have the same reason
				b.warnings = append(b.warnings, w)
			}
		}
	}
	if b.launches == nil && parts != nil {
		b.launches = make([][]estimate.Estimate, len(parts))
	}
	for i, part := range parts {
		if part != nil {
			b.launches[i] = append(b.launches[i], part.Estimates...)
		}
	}
}

// proves reports whether a proven bound of a workload is within a budget in cycles.
func (b *bounds) proves(w *workload.Workload, budget int64) bool {
	a := &estimate.Analysis{SplitMode: string(w.Mode()), Estimates: b.estimates}
	e := a.Strong(estimate.Proven)
	return e != nil && e.Cycles <= budget
}

// enter adds the estimates to an analysis: those of launches if there are several.
func (b *bounds) enter(a *estimate.Analysis) {
	a.Estimates = append(a.Estimates, b.estimates...)
	a.Refused = append(a.Refused, b.refused...)
	if b.launches == nil {
		return
	}
	for i := range a.Launches {
		a.Launches[i].Estimates = append(a.Launches[i].Estimates, b.launches[i]...)
	}
}

// static asks the static methods.
func (l List) static(ctx context.Context, p runner.Platform, w *workload.Workload, req Request) (*bounds, error) {
	found := &bounds{}
	for _, m := range l.unmeasured() {
		id := m.Names()[0].ID
		named := slices.Contains(req.Methods, id) && !req.Refusals
		if !req.wants(id) || req.Try > 0 && found.proves(w, req.Try) {
			continue
		}
		if err := notFor(p, w, m); err != nil && !named {
			found.refused = append(found.refused, ofMachine(w, id, err))
			continue
		} else if err := p.Described(); named && err != nil {
			return nil, &diag.UnsupportedError{Methods: []string{id}, Err: fmt.Errorf("%s has no bound on %w", id, err)}
		}
		if ctx.Err() != nil {
			found.missing = append(found.missing, id)
			continue
		}
		req.enter(id)
		answer, parts, err := l.bound(ctx, p, w, req, m)
		if wrong := checkLines(append(slices.Clip(parts), answer)...); wrong != nil {
			return nil, wrong
		}
		if answer != nil || ctx.Err() == nil {
			found.add(answer, parts)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil && answer == nil:
			found.missing = append(found.missing, id)
		case ctx.Err() != nil:
			found.missing = append(found.missing, id+" "+partRuns)
		case named, errors.As(err, new(*diag.ContradictionError)):
			return nil, err
		default:
			warning := noBound(w, id, err)
			refusal := estimate.MethodRefusal{Method: id, Pos: warning.Pos.String(), Reason: err.Error()}
			if reached := (*oblivious.SinkError)(nil); errors.As(err, &reached) { // which is how kernels are, and no mistake
				refusal.Pos, refusal.Sink = reached.Sink.Pos, reached.Sink
			} else {
				found.warnings = append(found.warnings, warning)
			}
			found.refused = append(found.refused, refusal)
		}
	}
	return found, nil
}

// notFor says why a method is not one for what a workload runs on, nil if it is.
func notFor(p runner.Platform, w *workload.Workload, m Method) error {
	if err := m.Applies(w.Machine); err != nil {
		return err
	}
	return p.Described()
}

// ofMachine is the refusal of a method that is not one for the machine.
func ofMachine(w *workload.Workload, id string, err error) estimate.MethodRefusal {
	return estimate.MethodRefusal{Method: id, Pos: w.Spec.Pos.Machine.String(), Reason: err.Error(), Machine: true}
}

// noBound is the warning of a static method that has none.
func noBound(w *workload.Workload, id string, err error) diag.Warning {
	warning := diag.Warning{Pos: w.Spec.Pos.Kernel, ID: "no-static-bound", Text: id + " has no bound: " + err.Error()}
	var at *diag.Error
	var loop *absexec.UnboundedLoop
	switch {
	case errors.As(err, &loop):
		warning.Pos = loop.Pos
	case errors.As(err, &at):
		warning.Pos = at.Pos
	}
	return warning
}

// bound is what a static method answers of the workload and of each of its launches; a method for a variant of
// it, of that, with what its runs take if there are any of the workload itself. Launches without a bound are nil.
func (l List) bound(ctx context.Context, p runner.Platform, w *workload.Workload, req Request, m Method) (answer *method.Answer, parts []*method.Answer, err error) {
	if f, ok := m.Method.(method.Followed); ok && req.Try > 0 {
		return followShortly(ctx, p, w, req, f)
	} else if ok {
		return follow(ctx, p, w, req, f)
	}
	variant, err := m.of(w)
	if err != nil {
		return nil, nil, err
	}
	all := launches(ctx, variant)
	if err := ctx.Err(); err != nil { // less is known of what launches find, perhaps
		return nil, nil, err
	}
	found, err := warm(ctx, variant, all, m.Method.(method.Static))
	if err != nil {
		return nil, nil, err
	}
	parts = make([]*method.Answer, len(all))
	for i, one := range all {
		part, failed := partitioned(ctx, one, m.Method.(method.Static), after(variant, found, i))
		if failed == nil {
			parts[i] = part
		} else if err == nil {
			err = failed
		}
	}
	if err == nil {
		answer, err = whole(variant, parts, stated(variant))
	}
	if err != nil {
		return nil, parts, err
	}
	to, watched := answer.Estimates[0].Detail.(estimate.Watched)
	if watched && m.Variant != nil && req.measured(l) && req.Traces == nil {
		spec := req.Campaign.Alone() // the others are for the workload itself
		result, _, err := campaign.Run(ctx, p, variant, spec, runner.Options{MaxCycles: req.MaxCycles}, nil)
		if halt.Ended(ctx, err) {
			return answer, parts, err // the bound is one all the same
		} else if err != nil {
			return nil, nil, err
		}
		if variant.Several() {
			for i, part := range parts {
				part.Estimates[0].Detail.(estimate.Watched).Watch(&result.Launches[i].Observed)
			}
		}
		to.Watch(&result.Observed)
	}
	return answer, parts, nil
}

// bound is what a static method answers of a workload as it is.
func bound(ctx context.Context, w *workload.Workload, m method.Static) (*method.Answer, error) {
	return boundWatched(ctx, w, m, nil, nil)
}

// boundWatched is bound where launches before may have left something in caches, unless found is nil, with what is told how
// many instructions abstract execution executes.
func boundWatched(ctx context.Context, w *workload.Workload, m method.Static, found *method.Warm, executed func(int64)) (*method.Answer, error) {
	if err := m.Applies(w.Machine); err != nil {
		return nil, err
	}
	p, err := Problem(ctx, w)
	if err != nil {
		return nil, err
	}
	p.Executed, p.Warm = executed, found
	answer, err := m.Bound(ctx, p)
	if loop := (*absexec.UnboundedLoop)(nil); errors.As(err, &loop) {
		solved, ended := solve(ctx, w.First(), p)
		if ended != nil {
			return nil, ended
		}
		if solved {
			answer, err = m.Bound(ctx, p)
		}
	}
	switch {
	case err == nil && ctx.Err() != nil: // it may have left out what makes the bound less
		return nil, ctx.Err()
	case err != nil && p.NoSolver != nil:
		return nil, fmt.Errorf("%w (a solver was asked for bounds of loops: %w)", err, p.NoSolver)
	case err != nil:
		return nil, err
	}
	for i := range answer.Estimates {
		answer.Estimates[i].Solver = p.Asked()
	}
	if p.NoSolver != nil {
		answer.Warnings = append(answer.Warnings, p.GaveUp("solver-failed", "bounds of loops may be missing or greater than they need be", p.NoSolver))
	}
	return answer, nil
}

// Bound is the estimate of a static method that makes one, of a workload as it is.
func Bound(ctx context.Context, w *workload.Workload, m method.Static) (*estimate.Estimate, error) {
	answer, err := bound(ctx, w, m)
	if err != nil {
		return nil, err
	}
	return &answer.Estimates[0], nil
}
