package guided

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"warpbound/internal/method/search"
	"warpbound/internal/method/search/genetic"
)

// Sizes of a population.
const (
	first    = 10 // inputs of the first generation, which are sampled
	elites   = 10 // inputs that are kept
	children = 20 // new inputs of the other generations
	sampled  = 2  // of these, without parents
	attempts = 16 // to make new inputs, until they are given up
)

// Settings say how to search. Two searches with the same settings for the same plan have the same result.
type Settings struct {
	Seed int64 `json:"seed"`
	Runs int   `json:"runs"` // to be made at the most

	// The search ends when the longest time has grown by no more than the share Tolerance in Patience runs in a row; 0
	// runs for never.
	Patience  int     `json:"patience"`
	Tolerance float64 `json:"tolerance"`

	// Without leaves ingredients out, to measure what they gain.
	Without Ingredients `json:"without"`
}

// Config is a search.
type Config struct {
	Settings
	Plan *search.Plan // without atoms, if Atoms is there
	// Atoms, unless nil, returns the plan with atoms once there is one, and nil before. It is called before every generation but the
	// first until then; when it waits for the plan, results do not depend on how fast the computer is. Plans behind the first are of
	// other launches, which only their atoms are used of.
	Atoms   func(context.Context) ([]*search.Plan, error)
	Threads int // of the launch, by which elements without views are divided; at least 1
	Fitness search.Fitness

	// Enough is a time in cycles that no run exceeds: a search that has found it ends. 0 for none.
	Enough int64

	// Resume continues a search of the same plan, unless it is nil. Only Runs and Patience may be different from then.
	// The result is that of a search that was not interrupted.
	Resume *State

	// OnGeneration, unless nil, is called with the state after every generation. An error ends the search.
	OnGeneration func(*State) error

	plans  []*search.Plan // those with atoms to use
	layout *layout        // of Plan
}

// Member is inputs with the outcome of their run.
type Member struct {
	Inputs  search.Inputs  `json:"inputs"`
	Outcome search.Outcome `json:"outcome"`
}

// State is a search after a generation. It does not change; encoding/json keeps all of it.
type State struct {
	Plan       string          `json:"plan"`   // tells plans apart
	Joined     int             `json:"joined"` // the first generation with the plan that Atoms returned; 0 if there was none yet
	Settings   Settings        `json:"settings"`
	Generation int             `json:"generation"` // complete ones
	Runs       int             `json:"runs"`       // made
	Faults     int             `json:"faults"`     // runs that failed
	FirstFault string          `json:"first_fault,omitempty"`
	Stop       genetic.Stop    `json:"stop"`
	History    []genetic.Point `json:"history"` // when the longest time grew
	Best       *Member         `json:"best"`    // the first with the longest time; nil if no run succeeded
	Elites     []Member        `json:"elites"`  // longest times first, of equal ones the newest
	Sampled    int             `json:"sampled"` // inputs without parents
	Seen       []uint64        `json:"seen"`    // keys of what was run, in order
	Level      int64           `json:"level"`   // longest time that was substantially longer
	Since      int             `json:"since"`   // runs when it was found
}

// Run searches for the inputs with which the kernel takes longest. If ctx ends, the state is that of the last
// complete generation, but for Best, History, Runs and Faults, which tell of the runs since then, too, and Stop,
// which is genetic.Interrupted: it must not be resumed from.
func Run(ctx context.Context, c Config) (*State, error) {
	s, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	seen := make(map[uint64]bool)
	for _, key := range s.Seen {
		seen[key] = true
	}
	for s.Stop == genetic.Running {
		if s.Generation > 0 && s.Joined == 0 && c.Atoms != nil {
			if s, err = c.join(ctx, s); err != nil {
				return nil, err
			}
		}
		if s.Stop == genetic.Running {
			if s, err = c.generation(ctx, seen, s); err != nil {
				return nil, err
			}
		}
		if s.Stop != genetic.Interrupted && c.OnGeneration != nil {
			if err := c.OnGeneration(s); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// begin returns the state in which the search begins or continues.
func (c *Config) begin(ctx context.Context) (*State, error) {
	switch {
	case c.Runs < 1:
		return nil, fmt.Errorf("the budget is %d runs: it must be at least 1", c.Runs)
	case c.Patience < 0 || !(c.Tolerance >= 0):
		return nil, fmt.Errorf("patience is %d runs and tolerance %g: they must not be negative", c.Patience, c.Tolerance)
	case c.Threads < 1:
		return nil, fmt.Errorf("the launch has %d threads", c.Threads)
	}
	plans := []*search.Plan{c.Plan}
	if r := c.Resume; r != nil && r.Joined > 0 && c.Atoms != nil {
		known, err := c.Atoms(ctx)
		if err != nil {
			return nil, err
		}
		if known != nil {
			plans = known
		}
	}
	digest, err := c.use(plans)
	if err != nil {
		return nil, err
	}
	if c.Resume == nil {
		return &State{Plan: digest, Settings: c.Settings}, nil
	}
	s := *c.Resume
	before := s.Settings
	before.Runs, before.Patience = c.Runs, c.Patience
	switch {
	case before != c.Settings:
		return nil, errors.New("the search to resume has other settings")
	case s.Plan != digest:
		return nil, errors.New("the search to resume has other atoms or other inputs")
	case s.Stop == genetic.Interrupted:
		return nil, errors.New("the search to resume was saved within a generation")
	}
	s.Settings = c.Settings
	if s.Stop != genetic.Exhausted {
		s.Stop = c.after(&s)
	}
	return &s, nil
}

// join goes on with the plan that has atoms, if there is one.
func (c *Config) join(ctx context.Context, s *State) (*State, error) {
	next := *s
	plans, err := c.Atoms(ctx)
	switch {
	case ctx.Err() != nil:
		next.Stop = genetic.Interrupted
		return &next, nil
	case err != nil || plans == nil:
		return s, err
	}
	next.Joined = s.Generation
	next.Plan, err = c.use(plans)
	return &next, err
}

// use has the search make inputs by plans. It returns what tells them from others.
func (c *Config) use(plans []*search.Plan) (digest string, err error) {
	c.Plan, c.layout, c.plans = plans[0], newLayout(plans[0], c.Threads), nil
	var all []string
	for i, p := range plans {
		if len(p.Atoms) > 0 && p.Threads > 0 && !c.Without.Atoms && (i == 0 || !c.Without.Later) {
			c.plans = append(c.plans, p)
		}
		one, err := p.Digest()
		if err != nil {
			return "", err
		}
		all = append(all, one)
	}
	return strings.Join(all, " "), nil
}

// after returns whether a search ends after a generation.
func (c *Config) after(s *State) genetic.Stop {
	switch {
	case c.Enough > 0 && s.Best != nil && s.Best.Outcome.Cycles >= c.Enough:
		return genetic.Proven
	case s.Runs >= c.Runs:
		return genetic.OutOfRuns
	case c.Patience > 0 && s.Runs-s.Since >= c.Patience:
		return genetic.Settled
	}
	return genetic.Running
}

// generation makes and runs the next generation. What was seen before is seen, and what this one makes is entered there.
func (c *Config) generation(ctx context.Context, seen map[uint64]bool, s *State) (*State, error) {
	b := &breeder{
		Config: c, layout: c.layout, state: s, seen: seen,
		rand: rand.New(rand.NewPCG(uint64(c.Seed), genetic.Mix(uint64(s.Generation), 0))),
	}
	next := *s
	size := children
	if s.Generation == 0 {
		size = first
	}
	fresh := b.breed(min(size, c.Runs-s.Runs))
	if len(fresh) == 0 {
		next.Stop = genetic.Exhausted
		return &next, nil
	}
	outcomes, err := c.Fitness.Run(ctx, len(fresh), func(i int) search.Inputs { return clone(fresh[i]) })
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	next.History, next.Elites = slices.Clone(s.History), slices.Clone(s.Elites)
	for i, o := range outcomes {
		next.add(Member{fresh[i], o})
	}
	if err != nil {
		next.Stop, next.Elites = genetic.Interrupted, s.Elites
		return &next, nil
	}
	next.Seen, next.Sampled = append(slices.Clip(s.Seen), b.keys...), s.Sampled+b.sampled
	next.Generation++
	if best := next.Best; best != nil && float64(best.Outcome.Cycles) > float64(next.Level)*(1+c.Tolerance) {
		next.Level, next.Since = best.Outcome.Cycles, next.Runs
	}
	next.Stop = c.after(&next)
	return &next, nil
}

// add notes the outcome of a run.
func (s *State) add(m Member) {
	o := m.Outcome
	if o.Cycles == 0 && o.Fault == "" {
		return // not run
	}
	s.Runs++
	if o.Fault != "" {
		if s.Faults++; s.FirstFault == "" {
			s.FirstFault = o.Fault
		}
		return
	}
	if s.Best == nil || o.Cycles > s.Best.Outcome.Cycles {
		s.Best = &m
		s.History = append(s.History, genetic.Point{Runs: s.Runs, Cycles: o.Cycles})
	}
	at, _ := slices.BinarySearchFunc(s.Elites, o.Cycles, func(e Member, cycles int64) int { return cmp.Compare(cycles, e.Outcome.Cycles) })
	if at < elites {
		s.Elites = slices.Insert(s.Elites, at, m)
		s.Elites = s.Elites[:min(len(s.Elites), elites)]
	}
}

// clone returns inputs in memory of their own.
func clone(in search.Inputs) search.Inputs {
	out := slices.Clone(in)
	for i, x := range out {
		out[i] = slices.Clone(x)
	}
	return out
}

// key returns a number of inputs in which others differ.
func key(in search.Inputs) uint64 {
	h := fnv.New64a()
	for _, x := range in {
		h.Write(x)
	}
	return h.Sum64()
}
