package kernelgen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	jobs "warpbound/internal/job"
	"warpbound/internal/splitting"
)

// TestSplit checks that wavefronts can split at every branch that is marked, in PTX and in
// mini-SIMT code, and that jobs choose where and how in all ways.
func TestSplit(t *testing.T) {
	found := make(map[string]int)
	for seed := range uint64(300) {
		draw, graph := New, flowGraph
		if seed%3 == 2 {
			draw, graph = NewSIMT, simtGraph
		}
		c := draw(rand.New(rand.NewPCG(seed, 0)), Options{
			Statements: 30, Depth: 3, Trips: 8, Threads: 100, CTAs: 10, Irreducible: seed%7 == 0, Bounded: true,
			Split: true, Narrowed: 1, Machine: "gcn3-split",
		})
		g := graph(t, c.Module)
		spec, err := jobs.Parse("job.toml", []byte(c.Job), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, c.Job)
		}
		bound, err := spec.Bind(g.Kernel)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, c.Job, c.Module)
		}
		var blocks []int
		for i := range g.Kernel.Instrs {
			if g.Kernel.Instrs[i].Split {
				found["pragma"]++
				blocks = append(blocks, g.BlockOf(i))
			}
		}
		for _, branch := range bound.Branches {
			found["place"]++
			blocks = append(blocks, g.BlockOf(branch.Instrs[0]))
		}
		for _, l := range g.Kernel.Labels {
			if strings.HasPrefix(l.Name, "S") && l.Name != stores {
				blocks = append(blocks, g.BlockOf(l.Index))
			}
		}
		for _, b := range blocks {
			if err := splitting.Splittable(g, b); err != nil {
				t.Fatalf("seed %d: %v\n%s\n%s", seed, err, c.Job, c.Module)
			}
		}
		slices.Sort(blocks)
		if n := len(slices.Compact(blocks)); n > 3 {
			found["many"]++
		}
		_, table, _ := strings.Cut(c.Job, "[split]")
		if _, narrow, _ := strings.Cut(c.Narrowed[0], "[split]"); narrow != table {
			t.Errorf("seed %d: a job with narrower inputs splits otherwise", seed)
		}
		if spec.Split.SIMDs != nil {
			found[fmt.Sprintf("simds %d", *spec.Split.SIMDs)]++
		}
		found["mode "+spec.Split.Mode]++
		found[fmt.Sprintf("all %t, list %t", spec.Split.All, spec.Split.Branches != nil)]++
	}
	want := map[string]int{"pragma": 100, "place": 100, "many": 50, "mode ": 20, "mode none": 20, "mode dws": 20, "mode pws": 50}
	for s := range 8 {
		want[fmt.Sprintf("simds %d", s)] = 10
	}
	for _, kind := range []string{"all false, list false", "all true, list false", "all false, list true"} {
		want[kind] = 40
	}
	for what, minimum := range want {
		if found[what] < minimum {
			t.Errorf("%s: %d times, want %d", what, found[what], minimum)
		}
	}
}
