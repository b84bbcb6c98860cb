// Package sensitivity says how far results move if the numbers of a machine are others that can be believed.
//
// It must not import simulators or the command line.
package sensitivity

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/halt"
	"warpbound/internal/machine"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// part is the name of the sensitivity among the parts of an analysis.
const part = "sensitivity"

// Options say on how many machines a job is analysed again.
type Options struct {
	Samples int // 0 for none
	// Policies also runs the test vectors under every choice of policies.
	Policies bool
	// On makes the job ready on another machine.
	On func(*machine.Machine) (runner.Platform, *workload.Workload, error)
	// Progress is called after each machine; may be nil.
	Progress func(done, total int)
}

// Analyze analyses a workload, and then on machines whose numbers are sampled from the ranges that the description of its
// machine states. The samples follow from the job's seed, and the first ones do not depend on how many there are.
//
// It is an error if the machine states no range, if traces are read, if none of many samples makes a machine, or if the job
// cannot be run on one that is sampled; a method need not have a bound on each. If ctx ends, the error is that of ctx, and the answer, unless nil, is what was known until then.
func Analyze(ctx context.Context, p runner.Platform, w *workload.Workload, req analysis.Request, opts Options) (*analysis.Answer, error) {
	if opts.Policies {
		if err := chooses(p, w, &req); err != nil {
			return nil, err
		}
	}
	a, err := opts.analyze(ctx, p, w, req)
	if err != nil || !opts.Policies {
		return a, err
	}
	if req.Phase != nil {
		req.Phase(policies)
	}
	if err := opts.choose(ctx, p, w, req, a.Analysis); halt.Ended(ctx, err) {
		return a, err
	} else if err != nil {
		return nil, err
	}
	return a, nil
}

// analyze is Analyze without other choices of policies.
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
	req.Campaign.Progress, req.Campaign.Begin, req.Campaign.OneCore = nil, nil, nil
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
		add(s, a.Analysis, other.Clock.Core.Value)
		if o.Progress != nil {
			o.Progress(s.Samples, o.Samples)
		}
	}
	return nil
}

// add adds the results on one machine with a clock of hz.
func add(s *estimate.Sensitivity, a *estimate.Analysis, hz int64) {
	if s.Samples++; a.Observed != nil {
		time := extent(a.Observed.Max, hz)
		if s.Observed == nil {
			s.Observed = &time
		}
		*s.Observed = join(*s.Observed, time)
	}
	for i := range a.Estimates {
		method, time := a.Estimates[i].Method, extent(a.Estimates[i].Cycles, hz)
		at := slices.IndexFunc(s.Estimates, func(e estimate.SampledEstimates) bool { return e.Method == method })
		if at < 0 {
			at = len(s.Estimates)
			s.Estimates = append(s.Estimates, estimate.SampledEstimates{Method: method})
		}
		e := &s.Estimates[at]
		if e.Samples++; e.Samples == 1 {
			e.Extent = time
		}
		e.Extent = join(e.Extent, time)
	}
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
