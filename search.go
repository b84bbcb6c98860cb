package warpbound

import (
	"context"
	"io"
	"time"

	"warpbound/estimate"
	"warpbound/internal/fleet"
	"warpbound/internal/fleet/runs"
	"warpbound/internal/method/search/genetic"
	"warpbound/internal/study/search"
	"warpbound/internal/workload"
)

// SearchSettings say how a genetic search goes.
type SearchSettings struct {
	Seed int64
	Runs int // to be made at the most

	// Evolve lets generations descend from each other. Otherwise all individuals are sampled.
	Evolve bool

	Population int     // individuals of a generation
	Elite      float64 // share of the population that is kept as it is
	Special    float64 // share of the first population that special individuals may take
	Mutation   float64 // probability that a gene of a new individual changes
	Bias       float64 // probability that the biased parent is one that is kept; otherwise it is any
	Novelty    int     // individuals that are kept, the last that had more of a counter than any before them

	// The search ends when the longest time has grown by at most the share Tolerance in Patience generations in a row; 0 for never.
	Patience  int
	Tolerance float64
}

// DefaultSearchSettings returns the published settings with 1000 runs.
func DefaultSearchSettings() SearchSettings { return SearchSettings(search.DefaultSettings()) }

// ExploreOptions say how a kernel is executed symbolically.
type ExploreOptions struct {
	Threads     int    // that are executed together at the most
	Solver      string // z3, cvc5, or a command with arguments that reads SMT-LIB 2
	FloatSolver string // the same for formulas with floating point
}

// DefaultExploreOptions returns the options of which most is known.
func DefaultExploreOptions() ExploreOptions { return ExploreOptions(search.DefaultExploreOptions()) }

// SearchStrategies returns the names of the strategies: evolution of single elements, then those of the paper: its full method,
// evolution from inputs that are sampled, and sampling alone.
func SearchStrategies() []string { return search.Strategies() }

// SearchOptions say how Search looks for the inputs with which a job takes longest.
type SearchOptions struct {
	Strategies []string       // names of SearchStrategies, one after the other; nil for the first
	Settings   SearchSettings // of each strategy, which fixes Evolve; the seed is the job's
	Explore    ExploreOptions // for guided and gdivan
	// ExploreLimit is how long symbolic execution may take; 0 for as long as only a solver that hangs makes it take.
	ExploreLimit time.Duration
	Time         time.Duration // that a strategy may take; 0 for any. The result depends on the computer then, and 0 Settings.Runs stand for any number
	MaxCycles    int64         // a run that takes longer has failed; 0 for 2^30
	Fleet        Fleet         // as in Runs, for Bounds too
	File         string        // to which Save writes the best inputs; empty if it does not

	// Bounds says what the job is analysed for in the end, with the inputs that were found too; nil for nothing. Nothing is written.
	Bounds *AnalyzeOptions

	// Resume goes on from a state that Save was given, to the result of a search that was not interrupted. Only Runs and Patience may differ.
	Resume *SearchState

	// Before is a state of an earlier search, or nil. If that executed the same kernel symbolically in the same way, with whatever seed,
	// it is not done again.
	Before *SearchState

	// Save, unless nil, is called after symbolic execution and after every generation. best is nil if it is the same as before.
	Save func(s *SearchState, best *SavedInputs) error

	// Failed, unless nil, is called with the inputs of the first run that fails, and why.
	Failed   func(in SavedInputs, fault string) error
	Progress func(SearchProgress) // called by one goroutine at a time; may be nil
}

// SearchProgress is how far a search has come.
type SearchProgress struct {
	Strategy   string // empty while the kernel is executed symbolically
	Generation int    // complete ones
	Runs       int    // of Budget
	Budget     int    // 0 for any number
	Best       int64  // longest time of the strategy so far, in cycles
	AtOnce     int    // how many runs are made at a time
	Paths      int    // that symbolic execution has found
}

// SearchState is a search after a generation, for Resume.
type SearchState struct{ state *search.State }

// ReadSearchState reads what SearchState.Write has written. It is an error if it was changed since.
func ReadSearchState(r io.Reader) (*SearchState, error) {
	s, err := search.ReadState(r)
	if err != nil {
		return nil, err
	}
	return &SearchState{s}, nil
}

// Write writes the state as JSON.
func (s *SearchState) Write(w io.Writer) error { return s.state.Write(w) }

// Faults returns how many runs failed.
func (s *SearchState) Faults() int { return s.state.Faults() }

// Found is what a search found: an analysis with an estimate of method "search".
type Found struct {
	Analysis    *estimate.Analysis
	Search      *estimate.Search // the detail of that estimate
	Best        SavedInputs      // with the longest time of all
	Interrupted bool             // ctx ended: this is the best until then, and bounds may be missing
}

// Search looks for inputs with which the job takes longest: by the strategies asked for, with the same number of runs each.
// The result depends on the job and the options alone, not on the number of processors. If ctx ends, what was found until
// then is the result. If no run has ended by then, that is what symbolic execution found, with the error of ctx.
//
// It is an error if no input is sampled at random, if an SMT solver is missing, or if no run of a strategy succeeds; as of
// Analyze, if a bound is void.
func (j *Job) Search(ctx context.Context, opts SearchOptions) (*Found, error) {
	out := opts.options()
	end, err := runs.ShareSearch(ctx, &out, j.on, fleet.Config(opts.Fleet))
	if err != nil {
		return nil, err
	}
	defer end()
	f, err := search.Run(ctx, j.on.Platform, j.on.Workload, out)
	if f == nil {
		return nil, err
	}
	found := &Found{Analysis: f.Analysis, Search: f.Search, Best: SavedInputs{f.Best}, Interrupted: f.Interrupted}
	return found, j.on.Reproduced(err, f.Best.Inputs)
}

// options are what the options ask for.
func (o *SearchOptions) options() search.Options {
	out := search.Options{
		Strategies: o.Strategies, Settings: genetic.Settings(o.Settings), Explore: search.ExploreOptions(o.Explore), ExploreLimit: o.ExploreLimit, Time: o.Time, MaxCycles: o.MaxCycles, File: o.File,
	}
	if o.Bounds != nil {
		bounds := o.Bounds.request()
		out.Bounds = &bounds
	}
	if o.Resume != nil {
		out.Resume = o.Resume.state
	}
	if o.Before != nil {
		out.Before = o.Before.state
	}
	if save := o.Save; save != nil {
		out.Save = func(s *search.State, best *workload.SavedInputs) error {
			if best == nil {
				return save(&SearchState{s}, nil)
			}
			return save(&SearchState{s}, &SavedInputs{*best})
		}
	}
	if failed := o.Failed; failed != nil {
		out.Failed = func(in workload.SavedInputs, fault string) error { return failed(SavedInputs{in}, fault) }
	}
	if progress := o.Progress; progress != nil {
		out.Progress = func(p search.Progress) { progress(SearchProgress(p)) }
	}
	return out
}
