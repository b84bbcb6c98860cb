package cfg_test

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/test/effort"
)

func diffEdges(want, got []graph.Edge) string {
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// TestDivergentEdgesExactOnSmallGraphs compares the edges with those of every
// execution of every small flow graph, with barriers in all places. Three lanes find no
// more than two, and one lane finds nothing.
func TestDivergentEdgesExactOnSmallGraphs(t *testing.T) {
	sizes := []struct{ blocks, out, lanes int }{
		{1, 2, 3}, {2, 3, 3}, {3, 2, 3}, {3, 4, 2}, {4, 2, 2},
	}
	for _, size := range sizes {
		count, failed := 0, 0
		compare := func(f *cfg.Flow) {
			count++
			want := newMachine(f).explore(f, size.lanes, nil)
			if diff := diffEdges(want, divergentEdges(f, nil)); diff != "" && failed < 5 {
				failed++
				t.Errorf("%s: edges (-executed +computed):\n%s", describe(f), diff)
			}
		}
		forEachFlow(size.blocks, size.out, func(f *cfg.Flow) {
			if size.blocks > 3 || size.out > 3 { // too many for all places
				compare(f)
				return
			}
			forEachBarriers(f, compare)
		})
		t.Logf("%d flow graphs of %d blocks", count, size.blocks)
	}
}

// TestDivergentEdgesWithUniformBranches does the same for every choice of
// branches at which lanes always agree.
func TestDivergentEdgesWithUniformBranches(t *testing.T) {
	failed := 0
	forEachFlow(3, 3, func(f *cfg.Flow) {
		m := newMachine(f)
		for set := range 1 << 3 {
			uniform := func(b int) bool { return set>>b&1 == 1 }
			want := m.explore(f, 2, uniform)
			if diff := diffEdges(want, divergentEdges(f, uniform)); diff != "" && failed < 5 {
				failed++
				t.Errorf("%v with uniform %03b: edges (-executed +computed):\n%s", f.Graph().Edges(), set, diff)
			}
		}
	})
}

func TestDivergentEdgesExactProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawAny(6).Draw(t, "flow")
		want := newMachine(f).explore(f, 2, nil)
		if diff := diffEdges(want, divergentEdges(f, nil)); diff != "" {
			t.Errorf("%s: edges (-executed +computed):\n%s", describe(f), diff)
		}
	})
}

// TestOneLaneNeverDiverges: all added edges need two lanes.
func TestOneLaneNeverDiverges(t *testing.T) {
	forEachFlow(3, 2, func(f *cfg.Flow) {
		if got := newMachine(f).explore(f, 1, nil); len(got) > 0 {
			t.Errorf("%v: one lane makes transitions %v", f.Graph().Edges(), got)
		}
	})
}

// TestDivergentEdgesSound runs random warps on random programs: every
// transition must be an edge of the extended graph.
func TestDivergentEdgesSound(t *testing.T) {
	generators := map[string]*rapid.Generator[*cfg.Flow]{
		"structured": drawStructured(3),
		"reducible":  drawReducible(12),
		"any":        drawAny(12),
	}
	for name, flows := range generators {
		t.Run(name, func(t *testing.T) {
			check := rapid.Custom(func(r *rapid.T) bool {
				f := flows.Draw(r, "flow")
				if name == "reducible" && graph.Loops(f.Graph(), 0).Irreducible() != nil {
					t.Fatalf("%v: the generator made an irreducible graph", f.Graph().Edges())
				}
				uniform := rapid.SliceOfN(rapid.Bool(), f.Len(), f.Len()).Draw(r, "uniform")
				isUniform := func(b int) bool { return uniform[b] }
				x := f.WithEdges(divergentEdges(f, isUniform))
				m := newMachine(f)
				for range 3 {
					checkRandomWarp(t, r, x, m, isUniform)
				}
				return true
			})
			for _, seed := range effort.Draw(t, 1000) {
				if check.Example(int(seed)); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

func checkRandomWarp(t *testing.T, r *rapid.T, x *cfg.Extended, m *machine, uniform func(int) bool) {
	const maxSteps = 200
	lanes := rapid.IntRange(1, 32).Draw(r, "lanes")
	rng := rapid.Uint64().Draw(r, "seed")
	random := func(n int) int { // splitmix64
		rng += 0x9e3779b97f4a7c15
		z := rng
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return int((z ^ z>>31) >> 33 % uint64(n))
	}
	stack := m.start(lanes)
	for range maxSteps {
		if len(stack) == 0 {
			return
		}
		b := m.running(stack)
		succ := m.succ[b]
		if len(succ) == 0 {
			return
		}
		choice := slices.Repeat([]int{succ[random(len(succ))]}, lanes)
		if !uniform(b) && random(4) > 0 {
			for i := range choice {
				choice[i] = succ[random(len(succ))]
			}
		}
		order := slices.Clone(succ)
		for i := range order {
			j := i + random(len(order)-i)
			order[i], order[j] = order[j], order[i]
		}
		stack = m.step(stack, choice, order)
		to := m.running(stack)
		if !x.Graph().HasEdge(b, to) {
			t.Fatalf("%v: a warp of %d lanes went from %d to %d", x.Flow.Graph().Edges(), lanes, b, to)
		}
		if len(stack) > 0 && bits.OnesCount32(stack[len(stack)-1].lanes) == 0 {
			t.Fatalf("an entry without lanes runs")
		}
	}
}

// divergentEdges returns the edges of a graph that is small enough to have them.
func divergentEdges(f *cfg.Flow, uniform func(b int) bool) []graph.Edge {
	edges, err := cfg.DivergentEdges(f, uniform)
	if err != nil {
		panic(err)
	}
	return edges
}

func TestTooManyDivergentEdges(t *testing.T) {
	const n = 4200 // of which each adds as many edges as there are before it
	if edges, err := cfg.DivergentEdges(elseIfChain(n), nil); err == nil {
		t.Errorf("%d edges and no error", len(edges))
	}
}
