package warpbound

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"warpbound/internal/estimate"
	"warpbound/internal/method/search"
)

// SearchState is a search after a generation, for Resume. encoding/json keeps all of it.
type SearchState struct {
	Format     string                `json:"format"`
	Job        string                `json:"job"` // tells jobs apart
	Explore    ExploreOptions        `json:"explore"`
	Plan       *search.Plan          `json:"plan"`
	Explored   *estimate.Exploration `json:"explored"` // nil if the kernel was not executed symbolically
	Strategies []*search.State       `json:"strategies"`
}

// searchFormat is the format of a SearchState.
const searchFormat = "warpbound-search/1"

// ReadSearchState reads the JSON of a SearchState.
func ReadSearchState(r io.Reader) (*SearchState, error) {
	s := new(SearchState)
	if err := json.NewDecoder(r).Decode(s); err != nil {
		return nil, fmt.Errorf("no state of a search: %w", err)
	}
	if s.Format != searchFormat {
		return nil, fmt.Errorf("the format of the state is %q, not %q", s.Format, searchFormat)
	}
	complete := func(x *search.State) bool { return x != nil && x.Genetic != nil }
	if s.Plan == nil || !all(s.Strategies, complete) {
		return nil, errors.New("the state of the search is not complete")
	}
	return s, nil
}

// Write writes the state as JSON.
func (s *SearchState) Write(w io.Writer) error { return json.NewEncoder(w).Encode(s) }

// Faults returns how many runs failed.
func (s *SearchState) Faults() int {
	n := 0
	for _, x := range s.Strategies {
		n += x.Genetic.Faults
	}
	return n
}

func all[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !holds(x) })
}

// of returns the state of a strategy, nil if it has not begun.
func (s *SearchState) of(strategy string) *search.State {
	for _, x := range s.Strategies {
		if string(x.Strategy) == strategy {
			return x
		}
	}
	return nil
}

// put replaces the state of a strategy.
func (s *SearchState) put(state *search.State) {
	for i, x := range s.Strategies {
		if x.Strategy == state.Strategy {
			s.Strategies[i] = state
			return
		}
	}
	s.Strategies = append(s.Strategies, state)
}

// resume goes on from a state.
func (s *searching) resume(id string) error {
	r := s.opts.Resume
	switch {
	case r.Job != id:
		return fmt.Errorf("the search to resume is one of another job, machine or limit of cycles than %s", s.Name())
	case r.Explore != s.opts.Explore && r.Explored != nil:
		return fmt.Errorf("the search to resume executed up to %d threads together, with the solvers %s and %s for floats", r.Explore.Threads, r.Explore.Solver, r.Explore.FloatSolver)
	}
	s.state.Explore, s.state.Plan, s.state.Explored = r.Explore, r.Plan, r.Explored
	s.state.Strategies = slices.Clone(r.Strategies)
	if r.Faults() > 0 {
		s.fitness.fault = nil // one was reported
	}
	return nil
}

// identity tells searches apart that run different things: a hash of the job with its inputs,
// the module, the machine, and the limit of a run.
func (s *searching) identity() (string, error) {
	h := sha256.New()
	spec, err := s.spec()
	if err != nil {
		return "", err
	}
	w, err := spec.Write("", s.bound.Inputs(0))
	if err != nil {
		return "", err
	}
	space, err := json.Marshal(s.space)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "%s %s %d %d %s %s", s.module, s.machine.Hash(), s.opts.MaxCycles, s.registers, s.bound.Job.CPU.Digest, space)
	parts := [][]byte{w.Text}
	for _, name := range slices.Sorted(maps.Keys(w.Data)) {
		parts = append(parts, w.Data[name])
	}
	for _, p := range parts {
		fmt.Fprintf(h, " %d ", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// detail returns what was found as the result says it.
func (s *searching) detail() *estimate.Search {
	g := &s.opts.Settings
	d := &estimate.Search{
		Settings: estimate.SearchSettings{
			Seed: g.Seed, Runs: g.Runs, Population: g.Population, Elite: g.Elite, Mutation: g.Mutation,
			Special: g.Special, Novelty: g.Novelty, Patience: g.Patience,
		},
		Explored: s.state.Explored, File: s.opts.File, Below: []estimate.SearchBelow{}, Violated: []string{},
	}
	if g.Novelty > 0 {
		d.Settings.NoveltyCounters = NoveltyCounters()
	}
	for _, r := range s.results {
		x := estimate.SearchStrategy{
			Strategy: string(r.Strategy), Runs: r.Runs, Cycles: r.Outcome.Cycles, Stop: string(r.Stop),
			Faults: r.Faults, Fault: r.Fault,
		}
		for _, p := range r.History {
			x.History = append(x.History, estimate.BestAfter{Runs: p.Runs, Cycles: p.Cycles})
			x.Found = p.Runs
		}
		if x.Cycles == s.best && d.Best == "" {
			d.Best = x.Strategy
		}
		d.Strategies = append(d.Strategies, x)
	}
	return d
}
