package sensitivity

import (
	"context"
	"errors"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/halt"
	"warpbound/internal/machine"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// policies is the name of the runs under other choices among the parts of an analysis.
const policies = "policies"

// choices returns all choices of a machine: every scheduling policy with every order of memory service, and where threads are scheduled
// independently every way to run diverged paths under the policy and the order that the machine states, which come first.
func choices(m *machine.Machine, seed int64) []machine.Choices {
	stated := machine.Choices{Policy: m.SM.Policy.Value, Order: m.DRAM.Order.Value}
	if stated.Order == "" {
		stated.Order = machine.FRFCFS
	}
	independent := m.IndependentThreads()
	if independent {
		stated.Paths = machine.AsStated
	}
	seeded := func(c machine.Choices) machine.Choices {
		if c.Policy == machine.AnyWarp || c.Order == machine.AnyRequest {
			c.Seed = &seed
		}
		return c
	}
	all := []machine.Choices{stated}
	for _, p := range machine.Policies() {
		for _, o := range machine.Orders() {
			if c := (machine.Choices{Policy: p, Order: o, Paths: stated.Paths}); c != stated {
				all = append(all, seeded(c))
			}
		}
	}
	if independent {
		for _, paths := range machine.AllPaths() {
			if paths != machine.AsStated {
				c := stated
				c.Paths = paths
				all = append(all, c)
			}
		}
	}
	return all
}

// seedOf returns the seed of random choices: that of the machine, or that of the job if the machine states none.
func seedOf(m *machine.Machine, job int64) int64 {
	if m.SM.PolicySeed.Unit != "" {
		return m.SM.PolicySeed.Value
	}
	return job & (1<<53 - 1)
}

// choose runs the test vectors under every choice of the machine. Nothing else in the answer depends on it.
func (o *Options) choose(ctx context.Context, p runner.Platform, w *workload.Workload, req analysis.Request, a *estimate.Analysis) error {
	m, err := workload.WithThreads(w.Spec, p.Machine())
	if err != nil {
		return err
	}
	seed := seedOf(m, w.Spec.Seed)
	all := choices(m, seed)
	s := &estimate.Policies{Evidence: estimate.Observed, Seed: seed, Runs: []estimate.PolicyRun{}}
	req = again(req)
	req.Methods, req.EndToEnd, req.Observe, req.Unwatched, req.Holdout = []string{}, true, true, true, 0
	for _, c := range all {
		if err := o.runUnder(ctx, m, c, req, s); halt.Ended(ctx, err) {
			a.Interrupted = &estimate.Interruption{Reason: halt.Reason(ctx), Planned: len(all), Missing: []string{policies}}
			return err
		} else if err != nil {
			return fmt.Errorf("%s: policy %s, memory order %s: %w", w.Name(), c.Policy, c.Order, err)
		}
		a.Policies = s
		if o.Progress != nil {
			o.Progress(len(s.Runs), len(all))
		}
	}
	return nil
}

// runUnder adds the longest run under a choice.
func (o *Options) runUnder(ctx context.Context, m *machine.Machine, c machine.Choices, req analysis.Request, s *estimate.Policies) error {
	other, err := m.With(c)
	if err != nil {
		return err
	}
	p, w, err := o.On(other)
	if err != nil {
		return err
	}
	run := estimate.PolicyRun{Policy: string(c.Policy), DRAMOrder: string(c.Order), Paths: string(c.Paths)}
	a, err := analysis.Analyze(ctx, p, w, req)
	switch {
	case halt.Ended(ctx, err):
		return err
	case err != nil && len(s.Runs) == 0: // as the machine says: whatever is wrong is not for another choice
		return err
	case err != nil:
		run.Failed = err.Error()
	case a.Observed == nil:
		return errors.New("nothing ran")
	default:
		run.Max, s.Vectors = a.Observed.Max, max(s.Vectors, a.Runs)
	}
	s.Runs = append(s.Runs, run)
	if run.Failed == "" {
		widen(s, len(s.Runs)-1)
	}
	return nil
}

// widen counts the run with an index in the spread. Of equal ones the first counts.
func widen(s *estimate.Policies, i int) {
	cycles := s.Runs[i].Max
	if s.Spread == nil {
		s.Spread = &estimate.PolicySpread{Min: cycles, Max: cycles, Shortest: i, Longest: i}
	}
	if cycles < s.Spread.Min {
		s.Spread.Min, s.Spread.Shortest = cycles, i
	}
	if cycles > s.Spread.Max {
		s.Spread.Max, s.Spread.Longest = cycles, i
	}
	s.Spread.Ratio = float64(s.Spread.Max) / float64(s.Spread.Min)
}

// chooses returns an error if the runs under other choices that are asked for cannot be made.
func chooses(p runner.Platform, w *workload.Workload, req *analysis.Request) error {
	switch m := p.Machine(); {
	case req.Traces != nil:
		return fmt.Errorf("%s: traces are of one choice of policies; leave them out, or ask for no other policies", w.Name())
	case m.Core != machine.Scoreboard:
		return fmt.Errorf("%s: %s of %s leaves no choice of policies; choose a machine with a scoreboard core, or ask for no other policies", w.Name(), m.Core.Named(), p.Name())
	}
	return nil
}
