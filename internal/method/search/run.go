package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/internal/method/search/genetic"
)

// Strategy is a way to search.
type Strategy string

// The strategies. The paper compares three: Random draws all inputs, RandomGA evolves them without atoms, and GDivAn is
// its full method. Guided is that of package guided.
const (
	Guided   Strategy = "guided"
	GDivAn   Strategy = "gdivan"
	RandomGA Strategy = "random+ga"
	Random   Strategy = "random"
)

// Outcome is what a run gave.
type Outcome = genetic.Outcome

// Fitness runs a kernel on inputs.
type Fitness interface {
	// Run runs the kernel on n inputs and returns their outcomes in order. inputs returns the
	// i-th of them, in memory of its own, and may be called by several goroutines at a time.
	// If ctx ends before all have been run, the error is that of ctx, and the outcomes of the
	// others are zero. The outcome of a run depends on its inputs alone, and its cycles are at least 1
	// unless it failed.
	Run(ctx context.Context, n int, inputs func(i int) Inputs) ([]Outcome, error)
}

// Config is a search.
type Config struct {
	Plan     *Plan            // only GDivAn uses the atoms
	Strategy Strategy         // one of the paper
	Settings genetic.Settings // Evolve is the strategy's
	Fitness  Fitness
	Enough   int64 // cycles, as genetic.Config has it

	// Resume continues a search of the same plan, unless it is nil: genetic.Config has what
	// may have changed. The result is that of a search that was not interrupted.
	Resume *State

	// OnGeneration, unless nil, is called with the state after every generation.
	OnGeneration func(*State) error
}

// State is a search after a generation; encoding/json keeps all of it.
type State struct {
	Strategy Strategy       `json:"strategy"`
	Plan     string         `json:"plan"` // tells plans apart
	Genetic  *genetic.State `json:"genetic"`
}

// Result is what a search found.
type Result struct {
	Strategy Strategy
	Best     Inputs  // the first with the longest time
	Outcome  Outcome // of Best
	Stop     genetic.Stop
	Runs     int
	Faults   int             // runs that failed
	Fault    string          // of the first of them
	History  []genetic.Point // when the longest time grew
}

// Run searches for the inputs with which the kernel takes longest. If ctx ends, what was best
// until then is the result, and Stop is genetic.Interrupted. It is an error if no run
// succeeded. A search can be resumed from the last state that OnGeneration was given.
func Run(ctx context.Context, c Config) (*Result, error) {
	if err := c.Plan.check(); err != nil {
		return nil, err
	}
	digest, err := c.Plan.Digest()
	if err != nil {
		return nil, err
	}
	g := genetic.Config{Settings: c.Settings, Enough: c.Enough}
	plan := *c.Plan
	switch c.Strategy {
	case GDivAn:
		g.Special = plan.special(g.Seed)
	case RandomGA, Random:
		plan.Atoms = nil
	default:
		return nil, fmt.Errorf("there is no strategy %q: there are %s, %s and %s", c.Strategy, GDivAn, RandomGA, Random)
	}
	g.Evolve, g.Genome = c.Strategy != Random, plan.Genome()
	if r := c.Resume; r != nil {
		switch {
		case r.Strategy != c.Strategy:
			return nil, fmt.Errorf("the search to resume is by %s, not by %s", r.Strategy, c.Strategy)
		case r.Plan != digest:
			return nil, errors.New("the search to resume has other atoms or other inputs")
		}
		g.Resume = r.Genetic
	}
	g.OnGeneration = func(s *genetic.State) error {
		if c.OnGeneration == nil {
			return nil
		}
		return c.OnGeneration(&State{c.Strategy, digest, s})
	}
	s, err := genetic.Run(ctx, g, &problem{&plan, c.Fitness})
	if err != nil {
		return nil, err
	}
	if s.Best == nil {
		if s.Runs == 0 {
			return nil, fmt.Errorf("no input was run: %w", context.Cause(ctx))
		}
		return nil, fmt.Errorf("none of %d runs succeeded, the first with: %s", s.Runs, s.FirstFault)
	}
	return &Result{
		Strategy: c.Strategy, Best: plan.Decode(s.Best.Individual), Outcome: s.Best.Outcome,
		Stop: s.Stop, Runs: s.Runs, Faults: s.Faults, Fault: s.FirstFault, History: s.History,
	}, nil
}

// problem runs individuals of a plan.
type problem struct {
	plan    *Plan
	fitness Fitness
}

// Key implements genetic.Problem.
func (p *problem) Key(ind genetic.Individual) uint64 { return key(p.plan.Decode(ind)) }

// Run implements genetic.Problem.
func (p *problem) Run(ctx context.Context, all []genetic.Individual) ([]genetic.Outcome, error) {
	return p.fitness.Run(ctx, len(all), func(i int) Inputs { return p.plan.Decode(all[i]) })
}

// special returns individuals with special traits, best first: in turn the paths with most
// instructions and those with most divergence, of threads that do not communicate pairs of
// paths, each repeated over all threads, first with the same inputs for all of them and then
// with what a path leaves open sampled for each; between them 2, 4, ... 32 of the longest paths
// in turn, as many as lanes of a warp. At last come the greatest and the least of everything.
func (p *Plan) special(seed int64) []genetic.Individual {
	longest := p.Longest()
	widest := p.ranked(func(a *Atom) float64 { return a.Divergence })
	n := p.Genome().Len()
	var all []genetic.Individual
	add := func(each bool, atoms ...int32) {
		own := genetic.Mix(uint64(seed), uint64(len(all))) | 2 // not a special seed
		all = append(all, genetic.Individual{
			{End: p.Groups(), Atoms: atoms, Seed: own, Each: each},
			{End: n, Atoms: []int32{genetic.Raw}, Seed: own, Each: true},
		})
	}
	both := func(atoms ...int32) {
		add(false, atoms...)
		add(true, atoms...)
	}
	for rank := range longest {
		both(longest[rank])
		switch {
		case rank < len(p.Pairs):
			both(p.Pairs[rank][:]...)
		case len(p.Pairs) == 0 && widest[rank] != longest[rank]:
			both(widest[rank])
		}
		if rank < 5 && 1<<rank < len(longest) {
			add(true, longest[:min(2<<rank, len(longest))]...)
		}
	}
	for _, s := range []uint64{genetic.High, genetic.Low} {
		all = append(all, genetic.Individual{{End: n, Atoms: []int32{genetic.Raw}, Seed: s}})
	}
	return all
}

// Longest returns the atoms with most instructions of a thread first.
func (p *Plan) Longest() []int32 {
	return p.ranked(func(a *Atom) float64 { return float64(a.Instructions) / float64(a.Threads) })
}

// ranked returns the atoms that have most of something first.
func (p *Plan) ranked(of func(*Atom) float64) []int32 {
	order := make([]int32, len(p.Atoms))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(of(&p.Atoms[y]), of(&p.Atoms[x])) })
	return order
}
