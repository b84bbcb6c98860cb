package search

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"warpbound/estimate"
	method "warpbound/internal/method/search"
	"warpbound/internal/method/search/guided"
	"warpbound/internal/provenance"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// State is a search after a generation, for Resume. encoding/json keeps all of it.
type State struct {
	Job        string                `json:"job"`   // tells jobs apart
	Paths      string                `json:"paths"` // tells symbolic executions apart
	Explore    ExploreOptions        `json:"explore"`
	Plan       *method.Plan          `json:"plan"`
	Later      []*method.Plan        `json:"later"`               // of launches behind the first; nil if these were not executed symbolically
	Explored   *estimate.Exploration `json:"explored"`            // nil if the kernel was not executed symbolically
	NoSolver   string                `json:"no_solver,omitempty"` // why it was not, though it was wanted
	Strategies []*method.State       `json:"strategies"`          // of the paper
	Guided     *guided.State         `json:"guided,omitempty"`
}

// searchFormat is the format of a State.
const searchFormat = "warpbound-search/1"

// sealed is the file of a State, with a hash that tells whether it was changed.
type sealed struct {
	Format string          `json:"format"`
	SHA256 string          `json:"sha256"` // of State, in hexadecimal
	State  json.RawMessage `json:"state"`
}

// Write writes the state as JSON.
func (s *State) Write(w io.Writer) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(sealed{Format: searchFormat, SHA256: digest(text), State: text})
}

// ReadState reads what Write has written. It is an error if it was changed since.
func ReadState(r io.Reader) (*State, error) {
	var file sealed
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("no state of a search: %w", err)
	}
	switch {
	case file.Format != searchFormat:
		return nil, fmt.Errorf("the format of the state is %q, not %q", file.Format, searchFormat)
	case file.SHA256 != digest(file.State):
		return nil, errors.New("the state is damaged: its hash is another")
	}
	s := new(State)
	return s, json.Unmarshal(file.State, s)
}

// Faults returns how many runs failed.
func (s *State) Faults() int {
	n := 0
	for _, x := range s.Strategies {
		n += x.Genetic.Faults
	}
	if s.Guided != nil {
		n += s.Guided.Faults
	}
	return n
}

// of returns the state of a strategy of the paper, nil if it has not begun.
func (s *State) of(strategy string) *method.State {
	for _, x := range s.Strategies {
		if string(x.Strategy) == strategy {
			return x
		}
	}
	return nil
}

// put replaces the state of a strategy of the paper.
func (s *State) put(state *method.State) {
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
	lacks := func(strategy string) bool {
		return r.Plan != nil && r.Explored == nil && explores(strategy) && (r.NoSolver == "" || strategy == string(method.GDivAn))
	}
	laterLacks := r.Explored != nil && r.Later == nil && exploresLater(s.Workload, s.opts.Strategies)
	lacking := slices.IndexFunc(s.opts.Strategies, lacks)
	switch {
	case r.Job != id:
		return fmt.Errorf("the search to resume is one of another job, seed, machine or limit of cycles than %s", s.Name())
	case lacking >= 0:
		return fmt.Errorf("the search to resume did not execute the kernel symbolically: %s needs a search of its own", s.opts.Strategies[lacking])
	case laterLacks:
		return fmt.Errorf("the search to resume executed the first launch alone symbolically: %s needs a search of its own", method.Guided)
	case r.Explore != s.opts.Explore && r.Explored != nil:
		return fmt.Errorf("the search to resume executed up to %d threads together, with the solvers %s and %s for floats", r.Explore.Threads, r.Explore.Solver, r.Explore.FloatSolver)
	}
	s.state.Explore, s.state.Plan, s.state.Later, s.state.Explored = r.Explore, r.Plan, r.Later, r.Explored
	s.state.NoSolver, s.state.Strategies, s.state.Guided = r.NoSolver, slices.Clone(r.Strategies), r.Guided
	if r.Faults() > 0 {
		s.fitness.fault = nil // one was reported
	}
	return nil
}

// identity tells searches apart that run different things: a hash of the job with its inputs,
// the module, the machine, and the limit of a run.
func (s *searching) identity() (string, error) {
	h := sha256.New()
	spec, err := s.Changed()
	if err != nil {
		return "", err
	}
	w, err := spec.Write("", s.First().Bound.Inputs(0))
	if err != nil {
		return "", err
	}
	space, err := json.Marshal(s.space)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "%s %s %d %d %s %s", s.Module.Hash, s.Machine.Hash(), s.opts.MaxCycles, s.First().Registers, s.Spec.CPU.Digest, space)
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

// pathsOf tells symbolic executions apart: a hash of the tool, the job without a seed from elsewhere, the module, the machine, and how
// it is done, for which strategies.
func pathsOf(w *workload.Workload, how ExploreOptions, strategies []string) string {
	return digest(fmt.Appendf(nil, "%s %s %s %s %+v %t",
		provenance.Of().Tool, w.Spec.Hash, w.Module.Hash, w.Machine.Hash(), how, exploresLater(w, strategies)))
}

// detail returns what was found as the result says it.
func (s *searching) detail() *estimate.Search {
	g := &s.opts.Settings
	d := &estimate.Search{
		Settings: estimate.SearchSettings{
			Seed: g.Seed, Runs: s.budget, Seconds: s.opts.Time.Seconds(), Population: g.Population, Elite: g.Elite, Mutation: g.Mutation,
			Special: g.Special, Novelty: g.Novelty, Patience: g.Patience,
		},
		Explored: s.state.Explored, File: s.opts.File, Below: []estimate.SearchBelow{}, Violated: []string{},
	}
	if g.Novelty > 0 {
		d.Settings.NoveltyCounters = runner.NoveltyCounters()
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

// digest is the SHA-256 of a text, in hexadecimal.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
