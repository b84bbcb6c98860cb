package access

import (
	"slices"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// avoids reports whether control can come from a block to the exit without passing another: that one
// does not post-dominate it. Endless loops have ways to the exit, too.
func avoids(g *cfg.Graph, from, without int) bool {
	seen := map[int]bool{}
	var search func(b int) bool
	search = func(b int) bool {
		if b == without || seen[b] {
			return false
		}
		seen[b] = true
		return b == g.Exit() || slices.ContainsFunc(g.Flow.Graph().Succ(b), search)
	}
	return search(from)
}

// dependsOn reports whether a branch decides whether control comes to a block: one of its ways leads
// there for sure, and it does not come there for sure itself (Ferrante, Ottenstein and Warren).
func dependsOn(g *cfg.Graph, block, branch int) bool {
	leads := func(s int) bool { return s == block || !avoids(g, s, block) }
	succ := g.Flow.Graph().Succ(branch)
	return len(succ) > 1 && slices.ContainsFunc(succ, leads) && (block == branch || avoids(g, branch, block))
}

// TestControlDependence compares what is known of control in blocks with definitions: of control
// dependence, by all paths; of facts and indices, by the dominators one after the other.
func TestControlDependence(t *testing.T) {
	explained := 0
	for _, seed := range effort.Draw(t, 4000) {
		l := flowtest.Random(t, seed, kernelgen.Options{Statements: 12, Depth: 3, Trips: 4, Threads: 80, CTAs: 2, Bounded: seed%2 == 0})
		solver := fixpoint.NewSolver(l.Graph, launchfacts.Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{80, 1, 1}, Width: 32}, nil, nil)
		if err := solver.Solve(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(l.Graph.Endless()) > 0 {
			continue
		}
		d := newControlDependence(solver.Finish())
		numbers := make(map[string]int)
		for b := range l.Graph.Blocks {
			if d.solution.In[b] == nil || !d.solution.Dom.Contains(b) {
				continue
			}
			holdConditions(t, d, b, numbers)
			want := explainedByPaths(d, b)
			for range 2 { // by several accesses
				if got := d.isExplained(b); got != want {
					t.Errorf("seed %d, block %d: explained is %v, want %v", seed, b, got, want)
				}
			}
			if want {
				explained++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if explained == 0 {
		t.Error("no block is explained")
	}
}

// holdConditions compares the conditions of a block with those that its dominators give.
func holdConditions(t *testing.T, d *controlDependence, block int, numbers map[string]int) {
	t.Helper()
	var facts []transfer.Fact
	thread, cta := allIndices(d.solution)
	for b := block; b != d.solution.Graph.Entry(); b = d.solution.Dom.IDom(b) {
		own, _, _ := ownFacts(d.solution, b)
		facts = append(facts, own...)
	}
	for _, f := range facts {
		narrowIndices(d.solution, &thread, &cta, f)
	}
	c := d.conditionsAt(block)
	key := formatFacts(facts)
	if got := formatFacts(slices.Collect(c.eachFact())); got != key || c.thread != thread || c.cta != cta {
		t.Errorf("block %d: facts%s, threads %v of %v, want%s, %v of %v", block, got, c.thread, c.cta, key, thread, cta)
	}
	if number, known := numbers[key]; known && number != c.number {
		t.Errorf("block %d: conditions %d are those with number %d", block, c.number, number)
	}
	for other, number := range numbers {
		if number == c.number && other != key {
			t.Errorf("block %d: two conditions with number %d:%s and%s", block, number, other, key)
		}
	}
	numbers[key] = c.number
}

// ownFacts returns what the branch says by which alone control comes to a block, that it is all that
// it says, and the block of the branch, -1 if there is none.
func ownFacts(r *fixpoint.Solution, b int) (facts []transfer.Fact, exact bool, branch int) {
	from, way, single := findOnlyEdge(r, b)
	if !single || b == r.Graph.Entry() || !r.Graph.Last(from).Guard.Set || len(r.Graph.Blocks[from].Edges) < 2 {
		return nil, false, -1
	}
	holds := (r.Graph.Blocks[from].Edges[way].Kind != cfg.FallThrough) != r.Graph.Last(from).Guard.Not
	facts, exact, _ = deriveFixedFacts(r, r.Machine.ReadRegister(r.Along[from][way], r.Graph.Last(from).Guard.Reg), holds)
	return facts, exact, from
}

// explainedByPaths is explained by definition: branches on which the block depends, and those on
// which these depend, say all by facts or go one way, unless they come behind the block.
func explainedByPaths(d *controlDependence, block int) bool {
	decided := make(map[int]bool)
	for b := block; b != d.solution.Graph.Entry(); b = d.solution.Dom.IDom(b) {
		if _, exact, branch := ownFacts(d.solution, b); exact {
			decided[branch] = true
		}
	}
	seen := make(map[int]bool)
	var explained func(at int) bool
	explained = func(at int) bool {
		for b := range d.solution.Graph.Blocks {
			if seen[b] || d.solution.In[b] == nil || d.solution.Dom.Dominates(block, b) || !dependsOn(d.solution.Graph, at, b) {
				continue
			}
			seen[b] = true
			if !decided[b] && !goesOneWay(d.solution, b) || !explained(b) {
				return false
			}
		}
		return true
	}
	return explained(block)
}
