package genetic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Problem is what individuals stand for.
type Problem interface {
	// Key tells individuals apart that stand for different things. No two with one key are run.
	Key(Individual) uint64
	// Run runs individuals and returns their outcomes in the same order. If ctx ends before all
	// have been run, the error is that of ctx, and the outcomes of the others are zero.
	Run(ctx context.Context, all []Individual) ([]Outcome, error)
}

// Outcome is what running an individual gave.
type Outcome struct {
	Cycles   int64   `json:"cycles"`             // 0 if the run failed or there was none
	Counters []int64 `json:"counters,omitempty"` // as many for every run
	Fault    string  `json:"fault,omitempty"`    // why the run failed
}

// Member is an individual with the outcome of its run.
type Member struct {
	Individual Individual `json:"individual"`
	Outcome    Outcome    `json:"outcome"`
}

// Point is a longest time so far.
type Point struct {
	Runs   int   `json:"runs"` // after so many
	Cycles int64 `json:"cycles"`
}

// Stop tells why a search ended.
type Stop string

// The reasons.
const (
	Running     Stop = ""
	OutOfRuns   Stop = "runs"      // all were made
	Settled     Stop = "settled"   // times have ceased to grow: Settings.Patience
	Exhausted   Stop = "exhausted" // no individual could be made that was not run before
	Interrupted Stop = "interrupted"
	OutOfTime   Stop = "time"
	Proven      Stop = "proven" // a run takes as long as a bound that is proven: Config.Enough
)

// State is a search after a generation. It does not change; encoding/json keeps all of it.
type State struct {
	Settings   Settings `json:"settings"`
	Loci       int      `json:"loci"`
	Generation int      `json:"generation"` // complete ones
	Runs       int      `json:"runs"`       // made
	Faults     int      `json:"faults"`     // runs that failed
	Stop       Stop     `json:"stop"`
	Best       *Member  `json:"best"` // the first with the longest time; nil if no run succeeded
	FirstFault string   `json:"first_fault,omitempty"`
	History    []Point  `json:"history"`    // when the longest time grew
	Population []Member `json:"population"` // longest times first
	Champions  []Member `json:"champions"`  // the last Settings.Novelty that raised a maximum
	Maxima     []int64  `json:"maxima"`     // of each counter

	Source []byte   `json:"source"` // of random numbers
	Seen   []uint64 `json:"seen"`   // keys of what was run, in order
	Level  int64    `json:"level"`  // longest time that was substantially longer
	Stale  int      `json:"stale"`  // generations since then
}

// Config is a search.
type Config struct {
	Settings
	Genome  Genome
	Special []Individual // for the first population, best first

	// Enough is a time in cycles that no run exceeds: a search that has found it ends. 0 for none.
	Enough int64

	// Resume continues a search from where it was, unless it is nil. Only Runs and Patience
	// may be different from then.
	Resume *State

	// OnGeneration, unless nil, is called with the state after every generation. An error ends
	// the search.
	OnGeneration func(*State) error
}

// Run searches. If ctx ends, the state is that of the last complete generation, but for Best,
// History, Runs and Faults, which tell of the runs since then, too, and Stop, which is
// Interrupted: it must not be resumed from. Other errors are those of the problem and of
// OnGeneration, and settings that make no sense.
func Run(ctx context.Context, c Config, p Problem) (*State, error) {
	s, err := c.begin()
	if err != nil {
		return nil, err
	}
	for s.Stop == Running {
		next, err := c.generation(ctx, s, p)
		if err != nil {
			return nil, err
		}
		s = next
		if s.Stop != Interrupted && c.OnGeneration != nil {
			if err := c.OnGeneration(s); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// begin returns the state in which the search begins or continues.
func (c *Config) begin() (*State, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	n := c.Genome.Len()
	if n == 0 {
		return nil, errors.New("there is nothing to search: no input varies")
	}
	if c.Resume == nil {
		source, err := rand.NewPCG(uint64(c.Seed), Mix(uint64(c.Seed), 0)).MarshalBinary()
		if err != nil {
			return nil, err
		}
		return &State{Settings: c.Settings, Loci: n, Source: source}, nil
	}
	s := *c.Resume
	before := s.Settings
	before.Runs, before.Patience = c.Runs, c.Patience
	switch {
	case before != c.Settings:
		return nil, errors.New("the search to resume has other settings")
	case s.Loci != n:
		return nil, fmt.Errorf("the search to resume has individuals of %d genes, this one of %d", s.Loci, n)
	case s.Stop == Interrupted:
		return nil, errors.New("the search to resume was saved within a generation")
	}
	s.Settings, s.Stop = c.Settings, c.after(&s, s.Stop)
	return &s, nil
}

// after returns whether a search ends after a generation. A search that is exhausted remains so.
func (c *Config) after(s *State, stop Stop) Stop {
	switch {
	case stop == Exhausted:
		return Exhausted
	case c.Enough > 0 && s.Best != nil && s.Best.Outcome.Cycles >= c.Enough:
		return Proven
	case s.Runs >= c.Runs:
		return OutOfRuns
	case c.Patience > 0 && s.Stale >= c.Patience:
		return Settled
	}
	return Running
}

// generation makes and runs the next generation.
func (c *Config) generation(ctx context.Context, s *State, p Problem) (*State, error) {
	var source rand.PCG
	if err := source.UnmarshalBinary(s.Source); err != nil {
		return nil, fmt.Errorf("the random numbers of the search to resume: %w", err)
	}
	b := &breeder{Config: c, rand: rand.New(&source), problem: p, state: s, seen: make(map[uint64]bool)}
	for _, key := range s.Seen {
		b.seen[key] = true
	}
	b.kept = b.keep()
	fresh := b.breed(min(c.Population-len(b.kept), c.Runs-s.Runs))
	next := *s
	next.Seen = append(slices.Clip(s.Seen), b.keys...)
	next.Population = b.kept
	if len(fresh) == 0 {
		next.Stop = Exhausted
		return &next, nil
	}
	outcomes, err := p.Run(ctx, fresh)
	switch {
	case err != nil && ctx.Err() == nil:
		return nil, err
	case len(outcomes) != len(fresh):
		return nil, fmt.Errorf("%d individuals were run with %d outcomes", len(fresh), len(outcomes))
	}
	next.History, next.Champions, next.Maxima = slices.Clone(s.History), slices.Clone(s.Champions), slices.Clone(s.Maxima)
	for i, o := range outcomes {
		next.add(Member{fresh[i], o})
	}
	if err != nil {
		next.Stop, next.Population, next.Champions, next.Maxima, next.Seen = Interrupted, s.Population, s.Champions, s.Maxima, s.Seen
		return &next, nil
	}
	next.Generation++
	slices.SortStableFunc(next.Population, func(x, y Member) int { return cmp.Compare(y.Outcome.Cycles, x.Outcome.Cycles) })
	next.Stale++
	if next.Best != nil && float64(next.Best.Outcome.Cycles) > float64(next.Level)*(1+c.Tolerance) {
		next.Level, next.Stale = next.Best.Outcome.Cycles, 0
	}
	if next.Source, err = source.MarshalBinary(); err != nil {
		return nil, err
	}
	next.Stop = c.after(&next, Running)
	return &next, nil
}

// add notes the outcome of a run.
func (s *State) add(m Member) {
	o := m.Outcome
	if o.Cycles == 0 && o.Fault == "" {
		return // not run
	}
	s.Runs++
	s.Population = append(s.Population, m)
	if o.Fault != "" {
		if s.Faults++; s.FirstFault == "" {
			s.FirstFault = o.Fault
		}
		return
	}
	if s.Best == nil || o.Cycles > s.Best.Outcome.Cycles {
		s.Best = &m
		s.History = append(s.History, Point{s.Runs, o.Cycles})
	}
	if c := s.Settings.Novelty; c > 0 && s.raise(o.Counters) {
		s.Champions = append(s.Champions, m)
		s.Champions = s.Champions[max(0, len(s.Champions)-c):]
	}
}

// raise notes counters, and returns whether one of them is a new maximum.
func (s *State) raise(counters []int64) bool {
	raised := false
	for i, n := range counters {
		switch {
		case i == len(s.Maxima):
			s.Maxima = append(s.Maxima, n)
			raised = true
		case n > s.Maxima[i]:
			s.Maxima[i] = n
			raised = true
		}
	}
	return raised
}
