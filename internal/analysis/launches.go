package analysis

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/campaign"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/symbol"
	"warpbound/internal/workload"
)

// launches returns a workload for each of the launches of a run. Buffers hold what the job says when a launch
// begins if it is the first one of a run, or if nothing in a run writes to them.
func launches(ctx context.Context, w *workload.Workload) []*workload.Workload {
	if !w.Several() {
		return w.Launches(nil)
	}
	kept := unwritten(ctx, w.Whole())
	begins := begins(w)
	return w.Launches(func(launch, param int) bool { return kept[param] || launch == 0 && begins })
}

// begins reports whether the first launch of a job is executed once, when a run begins.
func begins(w *workload.Workload) bool {
	first := &w.Spec.Sequence()[0]
	return first.Steps == nil && first.Rounds == 1 && first.While == nil
}

// unwritten tells of each buffer whether surely nothing writes to it in a run: no launch, and no host to say if
// there is another round. It is a set of buffers for which this follows if each launch finds them as the job says.
func unwritten(ctx context.Context, w *workload.Workload) []bool {
	kept := make([]bool, len(w.Spec.Params))
	for i := range kept {
		kept[i] = w.Spec.Params[i].Kind == job.Buffer
	}
	flags(w.Spec.Sequence(), kept)
	for again := true; again; {
		again = false
		for _, one := range w.Launches(func(_, param int) bool { return kept[param] }) {
			safe, err := spared(ctx, one)
			if err != nil {
				return make([]bool, len(kept)) // nothing is known
			}
			for i := range kept {
				if kept[i] && !safe[i] {
					kept[i], again = false, true
				}
			}
		}
	}
	return kept
}

// flags takes the buffers that say if there is another round from those that are kept.
func flags(steps []job.Step, kept []bool) {
	for i := range steps {
		if steps[i].While != nil {
			kept[*steps[i].While] = false
		}
		flags(steps[i].Steps, kept)
	}
}

// spared tells, of the buffers that a launch finds as the job says, to which it surely does not write. What
// the job states of loops is not used: nothing but proof keeps a buffer.
func spared(ctx context.Context, w *workload.Workload) ([]bool, error) {
	p, err := Problem(ctx, w)
	if err != nil {
		return nil, err
	}
	p.Bounds, p.Facts = nil, nil
	checked := slices.Clone(p.Fixed)
	for i := range checked {
		checked[i].ReadOnly = false
	}
	fixed, err := absexec.Assuming(checked, func(fixed []absexec.Buffer) ([]absexec.Buffer, error) {
		if len(fixed) == 0 {
			return nil, nil
		}
		x := p.WithFixed(fixed).Executor(absexec.DefaultBoxes)
		for warp := range p.Launch.Warps() {
			if _, err := x.Warp(ctx, warp, func(absexec.Box) absexec.Visitor { return nobody{} }); err != nil {
				return nil, err
			}
		}
		return fixed, nil
	})
	params := w.Spec.Whole().Params
	safe, ended := w.First().Unwritten(ctx, p.Values)
	if ended != nil {
		return nil, ended
	}
	if err != nil {
		return safe, ctx.Err()
	}
	for i := range params {
		safe[i] = safe[i] || slices.ContainsFunc(fixed, func(b absexec.Buffer) bool { return b.Name == params[i].Name })
	}
	return safe, nil
}

// warm returns what a method is told of the launches of a run, all, that find in a cache what the ones before left; nil if
// they find none, or find it empty. It is an error if the method bounds launches with empty caches alone: with some lines
// there a launch need not be faster, since accesses come in another order.
func warm(ctx context.Context, w *workload.Workload, all []*workload.Workload, m method.Static) (*method.Warm, error) {
	if !w.Several() || !w.Spec.Caches.Warm || w.Machine.Core != machine.Integrated && w.Machine.Core != machine.Scoreboard {
		return nil, nil
	}
	warmed, ok := m.(method.Warmed)
	if !ok {
		return nil, &diag.UnsupportedError{Methods: []string{m.Names()[0].ID}, Err: diag.Errorf(w.Spec.Caches.Pos,
			"the method bounds launches that find empty caches: leave caches = %q out for a bound of such", "warm")}
	}
	if err := m.Applies(w.Machine); err != nil {
		return nil, err
	}
	out := &method.Warm{}
	for _, one := range all {
		p, err := Problem(ctx, one)
		if err != nil {
			return nil, err
		}
		touched, err := warmed.Touches(ctx, p)
		if err != nil {
			return nil, err
		}
		out.All = append(out.All, *touched)
	}
	return out, nil
}

// after returns the same for the launch of a number: those of lesser numbers are executed before it, as a run executes each step
// once at the very minimum. Nothing is before the first one if a run executes it once.
func after(w *workload.Workload, found *method.Warm, launch int) *method.Warm {
	if found == nil || launch == 0 && begins(w) {
		return nil
	}
	return &method.Warm{All: found.All, Before: launch}
}

// nobody is told of an execution.
type nobody struct{}

func (nobody) Step(*absexec.Step) {}
func (nobody) Fork(int)           {}
func (nobody) Alternative()       {}
func (nobody) Join()              {}
func (nobody) Repeat(int)         {}
func (nobody) Repeated()          {}

// times is how often a run executes a launch, at most, and how that is known.
type times struct {
	count    int64
	evidence estimate.Evidence
	err      error // why there is no such number; nil if there is
}

// stated returns how often a run executes each launch by what the job states.
func stated(w *workload.Workload) []times {
	spec := w.Spec
	if !w.Several() {
		return []times{{count: 1, evidence: estimate.Proven}}
	}
	counts, unstated := spec.Executions()
	all := make([]times, len(counts))
	for i, n := range counts {
		all[i] = times{count: n, evidence: estimate.Proven}
		if limited(spec.Sequence(), i) {
			all[i].evidence = estimate.Annotated
		}
		if s := unstated[i]; s != nil {
			all[i].err = diag.Errorf(s.Pos.While, "the job does not state how many rounds a run makes while %s is not 0: give limit",
				spec.Params[*s.While].Name)
		}
	}
	return all
}

// limited reports whether a launch is below a step whose rounds a buffer ends.
func limited(steps []job.Step, launch int) bool {
	for i := range steps {
		s := &steps[i]
		if s.Steps == nil && s.Launch != launch || s.Steps != nil && !contains(s.Steps, launch) {
			continue
		}
		return s.While != nil || limited(s.Steps, launch)
	}
	return false
}

// contains reports whether a launch is below one of the steps.
func contains(steps []job.Step, launch int) bool {
	return slices.ContainsFunc(steps, func(s job.Step) bool {
		return s.Steps == nil && s.Launch == launch || contains(s.Steps, launch)
	})
}

// seen returns how often a run executes each launch: as the job states where it repeats the launch so often, and
// else as often as in the runs.
func seen(w *workload.Workload, runs *campaign.Result) []times {
	all := stated(w)
	for i := range all {
		if all[i].evidence != estimate.Proven {
			all[i] = times{count: int64(runs.Launches[i].MaxCount), evidence: estimate.Observed}
		}
	}
	return all
}

// whole makes the answer of a method for a run of those for its launches, each of one execution. It is that of
// the one launch if there is only one, and else the sum over their executions: launches do not overlap, and each
// begins on an idle machine with empty caches. Estimates that bound no launch are in no sum.
func whole(w *workload.Workload, parts []*method.Answer, often []times) (*method.Answer, error) {
	if !w.Several() {
		return parts[0], nil
	}
	out := &method.Answer{}
	for _, part := range parts {
		for _, warning := range part.Warnings {
			if !slices.Contains(out.Warnings, warning) {
				out.Warnings = append(out.Warnings, warning)
			}
		}
	}
	for i := range parts[0].Estimates {
		if !parts[0].Estimates[i].Bounds() {
			continue
		}
		e, err := sum(w, i, parts, often)
		if err != nil {
			return nil, err
		}
		out.Estimates = append(out.Estimates, *e)
	}
	return out, nil
}

// sum adds up the i-th estimates of launches.
func sum(w *workload.Workload, i int, parts []*method.Answer, often []times) (*estimate.Estimate, error) {
	detail := &estimate.Sum{}
	out := &estimate.Estimate{Method: parts[0].Estimates[i].Method, Evidence: estimate.Proven, Detail: detail}
	executed, charged := int64(0), true // by line, all of it
	for launch, part := range parts {
		e, n := &part.Estimates[i], &often[launch]
		if n.err != nil {
			return nil, n.err
		}
		share, ok := product(e.Cycles, n.count)
		if !ok || out.Cycles > math.MaxInt64-share {
			return nil, diag.Errorf(w.Spec.Runs()[launch].Pos.Entry, "%s of all launches together is more than 2^63 - 1 cycles", e.Method)
		}
		out.Cycles += share
		executed += n.count
		out.Evidence = estimate.Weakest(out.Evidence, e.Evidence, n.evidence)
		if e.Prediction.Worse(out.Prediction) {
			worst := *e.Prediction
			worst.Confirmed = nil // it is of one launch
			out.Prediction = &worst
		}
		out.Selected = out.Selected || e.Selected
		kernel := w.Kernels[launch].Bound.Kernel.Name
		for _, text := range e.Assumptions {
			common := !slices.ContainsFunc(parts, func(other *method.Answer) bool { return !slices.Contains(other.Estimates[i].Assumptions, text) })
			if !common {
				text = fmt.Sprintf("launch %d of %s: %s", launch+1, kernel, text)
			}
			if !slices.Contains(out.Assumptions, text) {
				out.Assumptions = append(out.Assumptions, text)
			}
		}
		if e.ByLine == nil {
			charged = false
		} else if charged {
			out.ByLine = addLines(out.ByLine, e.ByLine, n.count)
		}
		detail.Launches = append(detail.Launches, estimate.SumPart{Kernel: kernel, Executed: n.count, Cycles: e.Cycles, Evidence: e.Evidence})
		out.Breakdown = append(out.Breakdown, estimate.Share{
			Name: fmt.Sprintf("launch %d of %s", launch+1, kernel), Pos: w.Spec.Runs()[launch].Pos.Entry.String(), Count: n.count, Cycles: share,
		})
	}
	if !charged {
		out.ByLine = nil
	}
	slices.SortStableFunc(out.Breakdown, func(a, b estimate.Share) int { return int(min(max(b.Cycles-a.Cycles, -1), 1)) })
	caches := "empty caches"
	switch {
	case w.Spec.Caches.Warm:
		caches = "what the one before left in the cache that multiprocessors share"
	case w.Machine.WarmCopies():
		caches = "caches that are empty but for what the host has copied"
	}
	out.Assumptions = append(out.Assumptions, fmt.Sprintf(
		"sum over %d launches, executed %d times in all: they follow each other without overlap, each on an idle GPU with %s, whatever the ones before left in buffers",
		len(parts), executed, caches))
	out.Assumptions = append(out.Assumptions, rounds(often)...)
	return out, nil
}

// rounds says what it rests on how often launches are executed, if that is not in the job's launches alone.
func rounds(often []times) []string {
	of := func(evidence estimate.Evidence) func(times) bool {
		return func(t times) bool { return t.evidence == evidence }
	}
	switch {
	case slices.ContainsFunc(often, of(estimate.Observed)):
		return []string{"no run makes more rounds than the runs that were made (observed)"}
	case slices.ContainsFunc(often, of(estimate.Annotated)):
		return []string{"no run makes more rounds than the limits in the job (annotated)"}
	}
	return nil
}

// product multiplies two numbers that are not negative, unless the product is too large.
func product(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return int64(low), high == 0 && low <= math.MaxInt64
}

// launchesOf returns what the job states of the launches of a run; nil if there is only one.
func launchesOf(w *workload.Workload) []estimate.LaunchAnalysis {
	if !w.Several() {
		return nil
	}
	var all []estimate.LaunchAnalysis
	for i, t := range stated(w) {
		kernel := w.Kernels[i].Bound.Kernel.Name
		l := estimate.LaunchAnalysis{
			Kernel: kernel, KernelDemangled: symbol.Demangled(kernel), Pos: w.Spec.Runs()[i].Pos.Entry.String(), Launch: shape(w.Kernels[i]), Estimates: []estimate.Estimate{},
		}
		if t.err == nil {
			l.Executions.Bound, l.Executions.Evidence = &t.count, t.evidence
		}
		all = append(all, l)
	}
	return all
}

// observeLaunches adds what runs showed of launches.
func observeLaunches(all []estimate.LaunchAnalysis, runs *campaign.Result) {
	for i := range all {
		l := &runs.Launches[i]
		all[i].Executions.Min, all[i].Executions.Max = int64(l.MinCount), int64(l.MaxCount)
		all[i].Observed = &l.Observed
	}
}
