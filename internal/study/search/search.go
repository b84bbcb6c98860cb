// Package search looks for the inputs with which a job takes longest (Horga et al., DSD 2018), and holds what
// it finds against bounds of the job.
//
// It must not import simulators or the command line.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/adversary"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/halt"
	method "warpbound/internal/method/search"
	"warpbound/internal/method/search/genetic"
	"warpbound/internal/method/search/guided"
	"warpbound/internal/premise"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// DefaultSettings returns the published settings with 1000 runs.
func DefaultSettings() genetic.Settings {
	s := genetic.Defaults()
	s.Runs = 1000
	return s
}

// Strategies returns the names of the strategies: first the one that is used unless another is asked for, then those of the
// paper.
func Strategies() []string { return append([]string{string(method.Guided)}, PaperStrategies()...) }

// PaperStrategies returns the names of the strategies of the paper: its full method first, then evolution from inputs that
// are sampled, and inputs that are sampled alone.
func PaperStrategies() []string {
	return []string{string(method.GDivAn), string(method.RandomGA), string(method.Random)}
}

// Options say how Run looks for the inputs with which a job takes longest.
type Options struct {
	Strategies []string         // names of Strategies, one after the other; nil for the first
	Settings   genetic.Settings // of each strategy, which fixes Evolve; the seed is the job's
	Explore    ExploreOptions   // for guided and gdivan
	// Without leaves ingredients of guided out, to measure what they gain.
	Without guided.Ingredients
	// ExploreLimit is how long symbolic execution may take; 0 for as long as only a solver that hangs makes it take.
	ExploreLimit time.Duration
	// Time is how long a strategy may search, with the symbolic execution that it needs; 0 for any time. How many runs it makes
	// depends on how fast computers are then, and 0 as number of runs stands for any.
	Time      time.Duration
	MaxCycles int64 // a run that takes longer has failed; 0 for 2^30

	// Elsewhere, unless nil, runs what it can.
	Elsewhere Elsewhere

	// File is the name of the file to which Save writes the best inputs; empty if it does not.
	File string

	// Bounds says what the job is analysed for in the end, with the inputs that were found as
	// further ones; nil for nothing.
	Bounds *analysis.Request

	// Resume goes on from a state that Save was given. The result is that of a search which was
	// not interrupted. Of the settings only Runs and Patience may be other ones.
	Resume *State

	// Before, unless nil, is a state of an earlier search. If that executed the same kernel symbolically in the same way, with whatever
	// seed, it is not done again.
	Before *State

	// Save, unless nil, is called once the kernel was executed symbolically, and after every
	// generation. best is nil if it is the same as before.
	Save func(s *State, best *workload.SavedInputs) error

	// Failed, unless nil, is called with the inputs of the first run that fails, and why.
	Failed func(in workload.SavedInputs, fault string) error

	Progress func(Progress) // called by one goroutine at a time; may be nil
}

// Progress is how far a search has come.
type Progress struct {
	Strategy   string // empty while the kernel is executed symbolically
	Generation int    // complete ones
	Runs       int    // of Budget
	Budget     int    // 0 for any number
	Best       int64  // longest time of the strategy so far, in cycles
	AtOnce     int    // how many runs are made at a time
	Paths      int    // that symbolic execution has found
}

// Found is what a search found: an analysis with an estimate of method "search".
type Found struct {
	Analysis    *estimate.Analysis
	Search      *estimate.Search     // the detail of that estimate
	Best        workload.SavedInputs // with the longest time of all
	Interrupted bool                 // ctx ended: this is the best until then, and bounds may be missing
}

// Run looks for inputs with which the job takes longest: by the strategies asked for, with the same
// number of runs each. The result depends on the job and the options alone, not on the number of
// processors. If ctx ends, what was found until then is the result. If no run has ended by then,
// that is what symbolic execution found, with the error of ctx.
//
// It is an error if no input is sampled at random, if an SMT solver is needed that is not
// installed, or if no run of a strategy succeeds; beside a result, if a bound is void
// (analysis.Voided).
func Run(ctx context.Context, p runner.Platform, w *workload.Workload, opts Options) (found *Found, err error) {
	s, err := newSearching(p, w, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.fitness.close()) }()
	err = s.all(ctx)
	if x := s.exploration; x != nil {
		if x.end(); s.state.Explored == nil {
			s.state.Explored = x.explored // what it knew when the search ended
		}
	}
	switch {
	case err == nil:
		return s.found(ctx)
	case ctx.Err() != nil && s.state.Explored != nil:
		return s.foundWithoutRuns(ctx), err
	}
	return nil, err
}

// all searches by all strategies, or until ctx ends.
func (s *searching) all(ctx context.Context) error {
	if err := s.plan(ctx); err != nil {
		return err
	}
	s.prove(ctx)
	for _, strategy := range s.opts.Strategies {
		if err := s.run(ctx, strategy); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	if s.opts.Time > 0 {
		return nil
	}
	if err := s.await(); ctx.Err() == nil {
		return err // what a search tells of paths must not depend on the computer
	}
	return nil
}

// searching is the state of Search.
type searching struct {
	platform runner.Platform
	*workload.Workload
	opts    Options
	space   *method.Space
	fitness *fitness
	state   *State
	results []*method.Result
	budget  int // runs of each strategy; 0 for any number

	exploration *exploration // nil unless the kernel is executed symbolically
	enough      int64        // cycles of the least proven bound that needs no runs; 0 if there is none

	progress Progress
	telling  sync.Mutex           // of progress
	best     int64                // of all strategies
	inputs   workload.SavedInputs // that take so long
}

func newSearching(p runner.Platform, w *workload.Workload, opts Options) (*searching, error) {
	for _, name := range opts.Strategies {
		if !slices.Contains(Strategies(), name) {
			return nil, fmt.Errorf("there is no strategy %q to search by; there are %v", name, Strategies())
		}
	}
	varied, err := adversary.SpaceOf(w)
	if err != nil {
		return nil, err
	}
	s := &searching{platform: p, Workload: w, opts: opts, space: varied}
	if s.opts.Strategies == nil {
		s.opts.Strategies = Strategies()[:1]
	}
	s.opts.Settings.Seed = w.Spec.Seed
	if s.budget = opts.Settings.Runs; s.budget == 0 && opts.Time > 0 {
		s.opts.Settings.Runs = math.MaxInt
	}
	s.fitness = newFitness(p, w, opts.MaxCycles)
	s.fitness.fault, s.fitness.elsewhere = opts.Failed, opts.Elsewhere
	s.fitness.ran = func(o method.Outcome) {
		s.tell(func(p *Progress) {
			p.Runs++
			p.Best = max(p.Best, o.Cycles)
		})
	}
	id, err := s.identity()
	if err != nil {
		return nil, err
	}
	s.state = &State{Job: id, Paths: pathsOf(w, opts.Explore, s.opts.Strategies)}
	if x := opts.Before; x != nil && x.Paths == s.state.Paths && x.Plan != nil && x.Explored != nil && !x.Explored.Stopped {
		s.state.Explore, s.state.Plan, s.state.Later, s.state.Explored = x.Explore, x.Plan, x.Later, x.Explored
	}
	if opts.Resume != nil {
		return s, s.resume(id)
	}
	return s, nil
}

// run searches by a strategy.
func (s *searching) run(ctx context.Context, strategy string) error {
	if strategy != string(method.Guided) {
		switch err := s.await(); {
		case err != nil && ctx.Err() != nil && len(s.results) > 0:
			return nil
		case err != nil:
			return err
		}
	}
	s.tell(func(p *Progress) {
		*p = Progress{
			Strategy: strategy, Budget: s.budget, Paths: p.Paths,
			AtOnce: s.platform.Workers(s.opts.Settings.Population, runner.Options{MaxCycles: s.opts.MaxCycles}),
		}
	})
	at, _ := s.resumed(strategy)
	s.tell(at.note)
	limited, cancel := s.limit(ctx, strategy)
	defer cancel()
	var r *method.Result
	var err error
	if strategy == string(method.Guided) {
		r, err = s.guided(limited)
	} else {
		r, err = s.genetic(limited, strategy)
	}
	switch {
	case err != nil && ctx.Err() != nil && len(s.results) > 0:
		return nil // before its first run
	case err != nil:
		return err
	case r.Stop == genetic.Interrupted && ctx.Err() == nil:
		r.Stop = genetic.OutOfTime
	}
	s.results = append(s.results, r)
	if r.Outcome.Cycles > s.best {
		s.best, s.inputs = r.Outcome.Cycles, s.inputsOf(r.Best)
	}
	return nil
}

// limit ends a context once a strategy has searched long enough.
func (s *searching) limit(ctx context.Context, strategy string) (context.Context, context.CancelFunc) {
	if s.opts.Time == 0 {
		return ctx, func() {}
	}
	left := s.opts.Time
	if x := s.exploration; x != nil && explores(strategy) && s.state.Plan != nil { // else it is under way
		left -= x.took
	}
	return context.WithTimeout(ctx, left)
}

// tell changes the progress and tells of it.
func (s *searching) tell(change func(p *Progress)) {
	s.telling.Lock()
	defer s.telling.Unlock()
	change(&s.progress)
	if s.opts.Progress != nil {
		s.opts.Progress(s.progress)
	}
}

// reached notes a generation and hands out the state after it, with its best inputs if they are the best of all so far.
func (s *searching) reached(at stage) error {
	s.tell(at.note)
	if s.opts.Save == nil {
		return nil
	}
	var best *workload.SavedInputs
	if at.outcome.Cycles > s.best {
		s.best, s.inputs = at.outcome.Cycles, s.inputsOf(at.best())
		best = &s.inputs
	}
	return s.opts.Save(s.state, best)
}

// inputsOf returns inputs that were found.
func (s *searching) inputsOf(in method.Inputs) workload.SavedInputs {
	return workload.SavedInputs{File: cmp.Or(s.opts.File, "the longest run found"), Inputs: s.fitness.whole(in)}
}

// foundWithoutRuns is what symbolic execution found before ctx ended.
func (s *searching) foundWithoutRuns(ctx context.Context) *Found {
	f := &Found{Interrupted: true, Search: s.detail()}
	f.Search.Interrupted = true
	f.Analysis = analysis.Empty(s.Workload)
	f.Analysis.Explored = s.state.Explored
	f.Analysis.Warnings = estimate.Warnings(s.Warnings())
	f.Analysis.Interrupted = s.interruption(ctx)
	return f
}

// interruption says what a search lacks that ctx has ended.
func (s *searching) interruption(ctx context.Context) *estimate.Interruption {
	in := &estimate.Interruption{Reason: halt.Reason(ctx), Planned: len(s.opts.Strategies) * s.budget, Missing: []string{"runs"}}
	if s.opts.Bounds != nil {
		in.Missing = append(in.Missing, "bounds")
	}
	return in
}

// found sums up what was found, and holds it against bounds.
func (s *searching) found(ctx context.Context) (*Found, error) {
	if s.inputs.Inputs == nil {
		return nil, errors.New("nothing was run")
	}
	f := &Found{Best: s.inputs, Interrupted: ctx.Err() != nil, Search: s.detail()}
	f.Search.Interrupted = f.Interrupted
	f.Analysis = analysis.Empty(s.Workload)
	f.Analysis.Warnings = estimate.Warnings(s.Warnings())
	if s.opts.Bounds != nil && !f.Interrupted {
		if err := s.compare(ctx, f); err != nil {
			return nil, err
		}
	}
	e := estimate.Estimate{
		Method: estimate.SearchMethod, Cycles: s.best, Evidence: estimate.Observed, Detail: f.Search, Numbers: analysis.Numbers(s.Workload),
		Assumptions: []string{
			fmt.Sprintf("inputs that were not run take no longer than the longest of %d runs of the search (observed)", f.Search.Runs()),
			"the traced PTX instructions are those executed (a device executes the SASS that ptxas generates)",
			premise.Alone,
			premise.NoHost,
		},
	}
	if s.Machine.WarmCopies() {
		e.Assumptions = append(e.Assumptions, premise.WarmCopies)
	}
	if f.Interrupted && f.Analysis.Interrupted == nil {
		f.Analysis.Interrupted = s.interruption(ctx)
	}
	if s.state.NoSolver != "" {
		f.Analysis.Warnings = append(f.Analysis.Warnings, estimate.Warnings([]diag.Warning{{
			Pos: s.Spec.Pos.Kernel, ID: "no-solver", Text: "guided searched without symbolic execution: " + s.state.NoSolver,
		}})...)
	}
	if x := s.state.Explored; x != nil && x.Stopped {
		f.Analysis.Warnings = append(f.Analysis.Warnings, estimate.Warnings([]diag.Warning{{
			Pos: s.Spec.Pos.Kernel, ID: "exploration-stopped",
			Text: "symbolic execution took too long and was stopped: inputs are those of the paths until then; choose another solver (--solver), fewer --threads or more time",
		}})...)
	}
	hold(f.Analysis, s.best, f.Search)
	f.Analysis.Exceed(s.best)
	f.Analysis.Answer = f.Analysis.Tightest().Brief() // which may have become void
	if bound := minProven(f.Analysis); bound != nil && f.Analysis.VoidProof() == nil {
		var err error
		if f.Search.Gap, err = s.gap(ctx, bound); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	f.Analysis.Estimates = append(f.Analysis.Estimates, e)
	return f, analysis.Voided(s.Workload, f.Analysis)
}

// compare analyses the job with the best inputs. That it cannot be is a warning: what was found holds
// all the same, and so do static bounds.
func (s *searching) compare(ctx context.Context, f *Found) error {
	opts := *s.opts.Bounds
	opts.Adversarial = false // the search has looked for such inputs
	opts.Campaign.Inputs = append(slices.Clone(opts.Campaign.Inputs), s.inputs)
	a, err := analysis.Analyze(ctx, s.platform, s.Workload, opts)
	switch {
	case err == nil, a != nil && a.Void != nil:
		f.Analysis = a.Analysis
	case ctx.Err() != nil:
		f.Interrupted, f.Search.Interrupted = true, true
		if a != nil {
			f.Analysis = a.Analysis
		}
	default:
		return s.compareStatic(ctx, f, err)
	}
	return nil
}

// compareStatic takes the static bounds alone, where methods that measure have none for a reason.
func (s *searching) compareStatic(ctx context.Context, f *Found, reason error) error {
	found := []diag.Warning{{Pos: s.Spec.Pos.Kernel, ID: "no-bounds", Text: "there are no measurement-based bounds to compare with: " + reason.Error()}}
	a, warnings, err := analysis.Static(ctx, s.platform, s.Workload, analysis.Request{
		Methods: s.opts.Bounds.Methods, MaxCycles: s.opts.Bounds.MaxCycles, Refusals: s.opts.Bounds.Refusals, Campaign: campaign.Spec{Vectors: s.opts.Bounds.Campaign.Vectors},
	})
	switch {
	case ctx.Err() != nil:
		f.Interrupted, f.Search.Interrupted = true, true
		return nil
	case err != nil:
		found[0].Text += "; " + err.Error()
	default:
		f.Analysis, found = a, append(found, warnings...)
	}
	f.Analysis.Warnings = estimate.Warnings(slices.Concat(s.Warnings(), found))
	return nil
}

// hold holds what inputs take against all bounds of the kernel.
func hold(a *estimate.Analysis, found int64, d *estimate.Search) {
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if _, other := a.OtherMode(e); !e.Bounds() || other {
			continue
		}
		d.Below = append(d.Below, estimate.SearchBelow{
			Method: e.Method, Cycles: e.Cycles, Evidence: e.Evidence, Numbers: e.Numbers, Percent: 100 * float64(e.Cycles-found) / float64(e.Cycles),
		})
		if e.Evidence != estimate.Observed && e.Cycles < found {
			d.Violated = append(d.Violated, e.Method)
		}
	}
}
