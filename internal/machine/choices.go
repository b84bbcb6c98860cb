package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Choices are decisions of a machine that a caller can take in place of its description: which warp issues and which request is
// served first. What is empty or nil stays as it is.
type Choices struct {
	Policy Policy
	Order  Order
	Seed   *int64 // of what is chosen at random
	Paths  Paths  // needs threads that are scheduled independently
}

// Paths says how diverged paths of a warp whose threads are scheduled independently run.
type Paths string

// The ways to run diverged paths.
const (
	AsStated    Paths = "as stated"            // by the description
	Swapped     Paths = "other path first"     // behind each branch
	Interleaved Paths = "turn at every branch" // which no path goes beyond while another can run
	Separate    Paths = "no waiting"           // at a reconvergence point for those who are not there at the next branch
)

// AllPaths returns the ways to run diverged paths.
func AllPaths() []Paths { return []Paths{AsStated, Swapped, Interleaved, Separate} }

// chosenPaths takes a way to run diverged paths in place of the description's.
func (m *Machine) chosenPaths(p Paths) error {
	if !m.IndependentThreads() {
		return fmt.Errorf(`%s: paths of a warp run one after the other; state sm.independent_threads = "on" for another order`, m.Name)
	}
	once := Number{Value: 1, Unit: "branches", Source: chosen}
	switch p {
	case AsStated:
	case Swapped:
		swap := Switch(On)
		if m.SM.SwapPaths.Value == On {
			swap = Off
		}
		m.SM.SwapPaths = Choice[Switch]{Value: swap, Source: chosen}
	case Interleaved:
		m.SM.PathTurn = once
	case Separate:
		m.SM.WaitTurn = once
	default:
		return oneOf("way to run diverged paths", p, AllPaths())
	}
	return nil
}

// With returns the machine with other choices, by the caller and not by the machine's source. Only scoreboards have several.
func (m *Machine) With(c Choices) (*Machine, error) {
	if m.Core != Scoreboard {
		return m.withInOrder(c)
	}
	other := *m
	if c.Policy != "" {
		if err := oneOf("scheduling policy", c.Policy, Policies()); err != nil {
			return nil, err
		}
		other.SM.Policy = Choice[Policy]{Value: c.Policy, Source: chosen}
	}
	if c.Order != "" {
		if err := oneOf("order of memory service", c.Order, Orders()); err != nil {
			return nil, err
		}
		other.DRAM.Order = Choice[Order]{Value: c.Order, Source: chosen}
	}
	if c.Seed != nil {
		if *c.Seed < 0 || *c.Seed > maxSeed {
			return nil, fmt.Errorf("a policy seed of %d is not between 0 and %d", *c.Seed, int64(maxSeed))
		}
		if other.SM.Policy.Value != AnyWarp && other.DRAM.Order.Value != AnyRequest {
			return nil, fmt.Errorf("%s chooses nothing at random: a policy seed needs the policy or the order of memory service %q", m.Name, AnyWarp)
		}
		other.SM.PolicySeed = Number{Value: *c.Seed, Unit: "seed", Source: chosen}
	}
	if c.Paths != "" {
		if err := other.chosenPaths(c.Paths); err != nil {
			return nil, err
		}
	}
	return &other, nil
}

// maxSeed is the greatest policy seed: every program that reads numbers of JSON can hold it.
const maxSeed = 1 << 53

// withInOrder is With for cores that leave no choice.
func (m *Machine) withInOrder(c Choices) (*Machine, error) {
	const hint = "; choose a machine with a scoreboard core, or leave it out"
	if c.Policy != "" {
		if err := oneOf("scheduling policy", c.Policy, Policies()); err != nil {
			return nil, err
		}
	}
	switch only := m.Core.policy(); {
	case c.Policy != "" && c.Policy != only:
		return nil, fmt.Errorf("%s: %s schedules by %s, not by %s%s", m.Name, m.Core.Named(), only, c.Policy, hint)
	case c.Order != "":
		return nil, fmt.Errorf("%s: %s has no choice of the order of memory service%s", m.Name, m.Core.Named(), hint)
	case c.Seed != nil:
		return nil, fmt.Errorf("%s: %s chooses nothing at random%s", m.Name, m.Core.Named(), hint)
	case c.Paths != "":
		return nil, fmt.Errorf("%s: %s has no choice of the order of paths%s", m.Name, m.Core.Named(), hint)
	}
	return m, nil
}

// WithPolicy returns the machine with another scheduling policy, chosen by the
// caller and not by the machine's source. Only scoreboards have several.
func (m *Machine) WithPolicy(p Policy) (*Machine, error) {
	if p == "" {
		return nil, oneOf("scheduling policy", p, Policies())
	}
	other, err := m.With(Choices{Policy: p})
	if other == m {
		same := *m
		same.SM.Policy = Choice[Policy]{Value: p, Source: chosen}
		return &same, nil
	}
	return other, err
}

// oneOf returns an error if a word is none of those that there are.
func oneOf[T ~string](what string, word T, words []T) error {
	if slices.Contains(words, word) {
		return nil
	}
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	last := len(names) - 1
	return fmt.Errorf("no %s %q; there are %s and %s", what, word, strings.Join(names[:last], ", "), names[last])
}
