// Package sensitivity says how far results move if the numbers of a machine are others that can be believed, if its policies are others, and
// if buffers lie elsewhere.
//
// It must not import simulators or the command line.
package sensitivity

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/halt"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// The names of what is found out here among the parts of an analysis.
const (
	part        = "sensitivity"
	assumptions = "assumed numbers"
)

// Options say on how many machines a job is analysed again.
type Options struct {
	Samples int // 0 for none
	// Policies also runs the test vectors under every choice of policies.
	Policies bool
	// Placements is how often the job is analysed with its buffers at other addresses; 0 for never.
	Placements int
	// On makes the job ready on another machine.
	On func(*machine.Machine) (runner.Platform, *workload.Workload, error)
	// With makes the job ready with something changed in a copy of what its file states.
	With func(change func(*job.Job)) (runner.Platform, *workload.Workload, error)
	// Progress is called after each machine and placement; may be nil.
	Progress func(done, total int)
}

// Analyze analyses a workload, finds out which assumed numbers decide its least bound, and then analyses it on machines whose numbers are sampled from the ranges that the description of its
// machine states, under other policies, and with its buffers at other addresses, as far as that is asked for. Samples and placements follow
// from the job's seed, and the first ones do not depend on how many there are.
//
// It is an error if the machine states no range, if traces are read, if none of many samples makes a machine, if the job
// cannot be run on one that is sampled, or if there is nothing to choose or to place; a method need not have a bound each time. If ctx ends,
// the error is that of ctx, and the answer, unless nil, is what was known until then.
func Analyze(ctx context.Context, p runner.Platform, w *workload.Workload, req analysis.Request, opts Options) (*analysis.Answer, error) {
	var parts []study
	if opts.Policies {
		parts = append(parts, study{policies, chooses, opts.choose})
	}
	if opts.Placements > 0 {
		parts = append(parts, study{placements, places, opts.place})
	}
	for _, s := range parts {
		if err := s.possible(p, w, &req); err != nil {
			return nil, err
		}
	}
	a, err := opts.analyze(ctx, p, w, req)
	if err != nil {
		return a, err
	}
	if a.Longest != nil && p.Described() == nil && req.Try == 0 {
		limit := min(cmp.Or(req.Campaign.Vectors, w.Spec.Vectors), int(w.Spec.Effort.Of(maxVaried)))
		if a.Assumed, err = opts.varyAssumed(ctx, w, a.Analysis, limit); err != nil {
			a.Interrupted = &estimate.Interruption{Reason: halt.Reason(ctx), Planned: a.Assumed.Possible, Missing: []string{assumptions}}
			return a, err
		}
	}
	req.Campaign = req.Campaign.Alone() // what is kept is of the workload as it is
	for _, s := range parts {
		if req.Phase != nil {
			req.Phase(s.name)
		}
		if err := s.add(ctx, p, w, req, a.Analysis); halt.Ended(ctx, err) {
			return a, err
		} else if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// study is what adds how far results move to an analysis.
type study struct {
	name     string // among the parts of an analysis
	possible func(runner.Platform, *workload.Workload, *analysis.Request) error
	add      func(context.Context, runner.Platform, *workload.Workload, analysis.Request, *estimate.Analysis) error
}

// analyze is Analyze without other choices of policies and without other placements.
func (opts *Options) analyze(ctx context.Context, p runner.Platform, w *workload.Workload, req analysis.Request) (*analysis.Answer, error) {
	if opts.Samples == 0 {
		return analysis.Analyze(ctx, p, w, req)
	}
	numbers := p.Machine().Ranged()
	switch {
	case len(numbers) == 0:
		return nil, fmt.Errorf("%s: no number of machine %s has a range with more than one value; state range = [LOWEST, GREATEST] beside value", w.Name(), p.Name())
	case req.Traces != nil:
		return nil, fmt.Errorf("%s: traces are of one machine; leave them out, or ask for no sensitivity", w.Name())
	}
	a, err := analysis.Analyze(ctx, p, w, req)
	if err != nil {
		return a, err
	}
	req.Campaign = req.Campaign.Alone()
	s := &estimate.Sensitivity{Numbers: numbers, Evidence: estimate.Observed, Estimates: []estimate.SampledEstimates{}}
	for i := range a.Estimates {
		s.Estimates = append(s.Estimates, estimate.SampledEstimates{Method: a.Estimates[i].Method})
	}
	if req.Phase != nil {
		req.Phase(part)
	}
	err = opts.sample(ctx, p.Machine(), w.Spec.Seed, again(req), s)
	if s.Samples > 0 {
		a.Sensitivity = s
	}
	if halt.Ended(ctx, err) {
		a.Interrupted = &estimate.Interruption{Reason: halt.Reason(ctx), Planned: opts.Samples, Missing: []string{part}}
		return a, err
	} else if err != nil {
		return nil, fmt.Errorf("%s: sample %d of the ranges of machine %s: %w", w.Name(), s.Samples+1, p.Name(), err)
	}
	return a, nil
}

// again is what is asked on sampled machines: the same, but for what is written or shown, and a method may have no bound there.
func again(req analysis.Request) analysis.Request {
	req.Path, req.Certify, req.Phase, req.Grace, req.Refusals = false, false, nil, 0, true
	req.Campaign.Progress, req.Campaign.Begin, req.Campaign.OneCore, req.Holdout = nil, nil, nil, 0
	return req
}

// sample adds the results on sampled machines.
func (o *Options) sample(ctx context.Context, m *machine.Machine, seed int64, req analysis.Request, s *estimate.Sensitivity) error {
	for i := range o.Samples {
		other, err := m.Sample(rand.New(rand.NewPCG(uint64(seed), uint64(i))))
		if err != nil {
			return err
		}
		p, w, err := o.On(other)
		if err != nil {
			return err
		}
		a, err := analysis.Analyze(ctx, p, w, req)
		if err != nil {
			return err
		}
		s.Samples++
		s.Observed, s.Estimates = widened(s.Observed, s.Estimates, a.Analysis, other.Clock.Core.Value)
		if o.Progress != nil {
			o.Progress(s.Samples, o.Samples)
		}
	}
	return nil
}

// widened adds the results of one analysis, of a machine with a clock of hz, to the smallest and largest of others.
func widened(observed *estimate.Extent, estimates []estimate.SampledEstimates, a *estimate.Analysis, hz int64) (*estimate.Extent, []estimate.SampledEstimates) {
	if a.Observed != nil {
		time := extent(a.Observed.Max, hz)
		if observed != nil {
			time = join(*observed, time)
		}
		observed = &time
	}
	for i := range a.Estimates {
		method, time := a.Estimates[i].Method, extent(a.Estimates[i].Cycles, hz)
		at := slices.IndexFunc(estimates, func(e estimate.SampledEstimates) bool { return e.Method == method })
		if at < 0 {
			at = len(estimates)
			estimates = append(estimates, estimate.SampledEstimates{Method: method})
		}
		e := &estimates[at]
		if e.Samples++; e.Samples == 1 {
			e.Extent = time
		}
		e.Extent = join(e.Extent, time)
	}
	return observed, estimates
}

// extent is that of one time.
func extent(cycles, hz int64) estimate.Extent {
	ns := int64(math.MaxInt64)
	high, low := bits.Mul64(uint64(cycles), 1e9)
	if low, carry := bits.Add64(low, uint64(hz-1), 0); high+carry < uint64(hz) {
		quotient, _ := bits.Div64(high+carry, low, uint64(hz))
		ns = int64(min(quotient, math.MaxInt64))
	}
	return estimate.Extent{Min: cycles, Max: cycles, MinNS: ns, MaxNS: ns}
}

func join(a, b estimate.Extent) estimate.Extent {
	return estimate.Extent{
		Min: min(a.Min, b.Min), Max: max(a.Max, b.Max),
		MinNS: min(a.MinNS, b.MinNS), MaxNS: max(a.MaxNS, b.MaxNS),
	}
}
