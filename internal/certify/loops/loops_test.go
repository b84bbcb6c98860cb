package loops

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/graph"
	"warpbound/internal/test/effort"

	"github.com/google/go-cmp/cmp"
)

// TestAgainstForest compares the loops of random graphs with those of package graph, which finds them otherwise.
func TestAgainstForest(t *testing.T) {
	reducible := 0
	seeds := effort.Draw(t, 30_000)
	for _, seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 2))
		n := 1 + rnd.IntN(9)
		succ, g := make([][]int, n), graph.New(n)
		for b := range succ {
			for range rnd.IntN(3) {
				to := rnd.IntN(n)
				succ[b] = append(succ[b], to)
				g.AddEdge(b, to)
			}
		}
		found, order := Of(succ)
		forest := graph.Loops(g, 0)
		if forest.Irreducible() != nil {
			continue
		}
		reducible++
		got, want := make(map[int]map[int]bool), make(map[int]map[int]bool)
		for h, l := range found {
			got[h] = l.Body
		}
		for _, l := range forest.Loops {
			want[l.Header] = make(map[int]bool)
			for _, b := range l.Body {
				want[l.Header][b] = true
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%v: %s", succ, diff)
		}
		place := make(map[int]int)
		for i, b := range order {
			place[b] = i
		}
		for _, b := range order {
			for _, to := range succ[b] {
				if around := found[to] != nil && found[to].Body[b]; place[to] <= place[b] && !around {
					t.Fatalf("%v: %d before %d in %v", succ, to, b, order)
				}
			}
		}
	}
	if effort.Many() && reducible < len(seeds)/6 {
		t.Errorf("only %d graphs are reducible", reducible)
	}
}
