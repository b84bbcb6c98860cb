package constraint_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/constraint"
)

// rule is a constraint over sets of the numbers 0 to 7: those that all of some facts have, or some
// of them has, and that are in a mask, all moved on by a distance, and a constant are in the facts
// of some variables.
type rule struct {
	uses, defines  []int
	all            bool
	mask, constant uint8
	distance       int
}

func (r *rule) apply(facts []uint8) (grown bool) {
	result := uint8(0)
	if r.all {
		result = 0xff
	}
	for _, x := range r.uses {
		if r.all {
			result &= facts[x]
		} else {
			result |= facts[x]
		}
	}
	result = result&r.mask<<r.distance | r.constant
	for _, x := range r.defines {
		grown = grown || result&^facts[x] != 0
		facts[x] |= result
	}
	return grown
}

// problem is a system with its facts.
type problem struct {
	rules   []rule
	facts   []uint8
	updates int
}

// drawProblem draws a system, in which constraints define the variables of their numbers if single.
func drawProblem(t *rapid.T, single bool) *problem {
	n := rapid.IntRange(1, 150).Draw(t, "variables")
	variables := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3)
	p := &problem{rules: make([]rule, n), facts: make([]uint8, n)}
	if !single {
		p.rules = make([]rule, rapid.IntRange(0, 150).Draw(t, "constraints"))
	}
	for c := range p.rules {
		p.rules[c] = rule{
			uses: variables.Draw(t, "uses"), defines: []int{c}, all: rapid.Bool().Draw(t, "all"),
			mask: rapid.Uint8().Draw(t, "mask"), distance: rapid.IntRange(0, 1).Draw(t, "distance"),
		}
		if !single {
			p.rules[c].defines = variables.Draw(t, "defines")
		}
		if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			p.rules[c].constant = rapid.Uint8().Draw(t, "constant")
		}
	}
	return p
}

func (p *problem) fresh() *problem {
	return &problem{rules: p.rules, facts: make([]uint8, len(p.facts))}
}

// system returns the system of constraints.
func (p *problem) system(order []int, single bool) *constraint.System {
	visitAll := func(list []int, visit func(int)) {
		for _, x := range list {
			visit(x)
		}
	}
	s := &constraint.System{
		Variables: len(p.facts), Order: order,
		Uses:   func(c int, visit func(int)) { visitAll(p.rules[c].uses, visit) },
		Update: func(c int) bool { p.updates++; return p.rules[c].apply(p.facts) },
		Height: 8 * len(p.facts),
	}
	if !single {
		s.Defines = func(c int, visit func(int)) { visitAll(p.rules[c].defines, visit) }
	}
	return s
}

// numbered describes constraints by their numbers, and all that they define.
func (p *problem) numbered(c int) (name, fact string) {
	for _, x := range p.rules[c].defines {
		fact += fmt.Sprintf("%x ", p.facts[x])
	}
	return fmt.Sprint(c), fact
}

// passOver updates all constraints in their order until nothing changes: without a worklist.
func (p *problem) passOver(order []int) (steps []constraint.Step) {
	for pass, changed := 1, true; changed; pass++ {
		changed = false
		for _, c := range order {
			name, before := p.numbered(c)
			p.updates++
			if p.rules[c].apply(p.facts) {
				changed = true
				_, after := p.numbered(c)
				steps = append(steps, constraint.Step{Iteration: pass, Name: name, Before: before, After: after})
			}
		}
	}
	return steps
}

// TestSolve compares with passes over all constraints: the facts grow in the same steps, whatever
// the order, with no more updates, and each order comes to the same solution.
func TestSolve(t *testing.T) {
	for _, single := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			p := drawProblem(t, single)
			order := rapid.Permutation(constraint.Ascending(len(p.rules))).Draw(t, "order")
			naive := p.fresh()
			want := naive.passOver(order)
			var got []constraint.Step
			s := p.system(order, single)
			s.Trace, s.Describe = func(step constraint.Step) { got = append(got, step) }, p.numbered
			s.Solve()
			if !slices.Equal(p.facts, naive.facts) || !slices.Equal(got, want) {
				t.Fatalf("steps %v to %v, without a worklist %v to %v", got, p.facts, want, naive.facts)
			}
			if p.updates > naive.updates+len(order) {
				t.Errorf("%d updates, without a worklist %d", p.updates, naive.updates)
			}
			other := p.fresh()
			other.system(constraint.Ascending(len(p.rules)), single).Solve()
			if !slices.Equal(p.facts, other.facts) {
				t.Errorf("another order finds %v, not %v", other.facts, p.facts)
			}
		})
	}
}

// TestUpdates counts updates: one for each constraint, one more in the end, and one for each that
// uses a fact which has grown.
func TestUpdates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, true)
		users := make([]int, len(p.facts))
		for _, r := range p.rules {
			for _, x := range slices.Compact(slices.Sorted(slices.Values(r.uses))) {
				users[x]++
			}
		}
		limit := 2 * len(p.rules)
		s := p.system(constraint.Ascending(len(p.rules)), true)
		apply := s.Update
		s.Update = func(c int) bool {
			grown := apply(c)
			if grown {
				limit += users[c]
			}
			return grown
		}
		if s.Solve(); p.updates > limit {
			t.Errorf("%d updates, at most %d are needed", p.updates, limit)
		}
	})
}

// TestOrder leaves out constraints that are not in the order.
func TestOrder(t *testing.T) {
	p := &problem{facts: make([]uint8, 3), rules: []rule{
		{defines: []int{0}, constant: 1}, {uses: []int{0, 2}, defines: []int{1}, mask: 0xff},
		{defines: []int{2}, constant: 2},
	}}
	if p.system([]int{1, 0}, true).Solve(); !slices.Equal(p.facts, []uint8{1, 1, 0}) {
		t.Errorf("found %v", p.facts)
	}
}

// panics returns what f panics with.
func panics(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// TestHeight solves systems whose facts grow as often as their height says, and finds those whose
// facts grow once more.
func TestHeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, false)
		order := constraint.Ascending(len(p.rules))
		grown := len(p.fresh().passOver(order))
		for _, height := range []int{grown, grown - 1} {
			s := p.fresh().system(order, false)
			s.Height = height
			want := ""
			if height < grown {
				want = fmt.Sprintf("internal error: facts grow more than %d times", height)
			}
			if got := panics(s.Solve); got != want && height >= 0 {
				t.Errorf("height %d of %d: %q", height, grown, got)
			}
		}
	})
	endless := constraint.System{
		Variables: 1, Order: []int{0}, Uses: func(c int, visit func(int)) { visit(c) },
		Update: func(int) bool { return true }, Height: 100,
	}
	if got := panics(endless.Solve); !strings.Contains(got, "facts grow more than 100 times") {
		t.Errorf("facts that always grow: %q", got)
	}
}

// TestUses finds that a constraint uses a variable of which it does not tell, or comes to the
// solution all the same.
func TestUses(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, true)
		naive := p.fresh()
		naive.passOver(constraint.Ascending(len(p.rules)))
		s := p.system(constraint.Ascending(len(p.rules)), true)
		s.Uses = func(int, func(int)) {}
		switch got := panics(s.Solve); {
		case strings.HasPrefix(got, "internal error: constraint "):
			found++
		case got != "" || !slices.Equal(p.facts, naive.facts):
			t.Errorf("%q, and %v instead of %v", got, p.facts, naive.facts)
		}
	})
	if found == 0 {
		t.Error("no constraint used a variable of which it did not tell")
	}
}

// TestIterate applies functions until nothing grows, or more often than may be.
func TestIterate(t *testing.T) {
	for _, c := range []struct {
		height, grows, calls int
		panics               bool
	}{
		{0, 0, 1, false}, {0, 1, 1, true}, {3, 2, 3, false}, {3, 3, 4, false}, {3, 4, 4, true},
		{constraint.Unbounded, 1000, 1001, false},
	} {
		calls := 0
		got := panics(func() {
			constraint.Iterate(c.height, func(pass int) bool {
				if pass != calls {
					t.Errorf("pass %d after %d", pass, calls)
				}
				calls++
				return calls <= c.grows
			})
		})
		if calls != c.calls || strings.HasPrefix(got, "internal error") != c.panics {
			t.Errorf("%+v: %d calls, %q", c, calls, got)
		}
	}
}

// TestAllocations solves two systems of which one takes many more updates than the other, which
// allocate as often.
func TestAllocations(t *testing.T) {
	const n = 1000
	count := func(order []int, defines func(int, func(int))) float64 {
		facts := make([]bool, n)
		s := constraint.System{
			Variables: n, Order: order, Height: n, Defines: defines,
			Uses: func(c int, visit func(int)) { visit(max(c-1, 0)) },
			Update: func(c int) bool {
				grown := !facts[c] && (c == 0 || facts[c-1])
				facts[c] = facts[c] || grown
				return grown
			},
		}
		return testing.AllocsPerRun(10, func() { clear(facts); s.Solve() })
	}
	single := func(c int, visit func(int)) { visit(c) }
	for _, defines := range []func(int, func(int)){nil, single} {
		few, many := count(constraint.Ascending(n), defines), count(constraint.Descending(n), defines)
		if few != many || many > 30 {
			t.Errorf("%v allocations forward, %v backward", few, many)
		}
	}
}

// TestStep renders a step.
func TestStep(t *testing.T) {
	s := constraint.Step{Iteration: 2, Name: "block 3", Before: "{}", After: "{x}"}
	if got, want := s.String(), "  2  block 3  {} -> {x}"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// A system is not solved within a context that has ended: no constraint is updated.
func TestSolveWithinEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	updates := 0
	s := &constraint.System{
		Variables: 1, Order: constraint.Ascending(1), Height: 1,
		Uses:   func(int, func(int)) {},
		Update: func(int) bool { updates++; return updates == 1 },
	}
	if err := s.SolveWithin(ctx); !errors.Is(err, context.Canceled) || updates > 0 {
		t.Errorf("%d updates, %v", updates, err)
	}
	if err := s.SolveWithin(t.Context()); err != nil || updates != 2 {
		t.Errorf("%d updates, %v", updates, err)
	}
}
