package kernelgen

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
)

// TestSequence checks that a sequence is made of kernels whose labels differ, but for those that no job names, and
// that every kernel is launched.
func TestSequence(t *testing.T) {
	entry := regexp.MustCompile(`(?m)^kernel = "(.*)"$`)
	generate := func(seed uint64) *Case {
		return NewSequence(rand.New(rand.NewPCG(seed, 0)), Options{
			Statements: 20, Depth: 3, Trips: 4, Threads: 60, CTAs: 5, Bounded: true, Narrowed: 2, Split: true,
		})
	}
	again := 0
	for seed := range uint64(40) {
		c := generate(seed)
		if !reflect.DeepEqual(c, generate(seed)) {
			t.Errorf("two sequences from the same numbers differ")
		}
		m, err := ptx.Parse(ModuleFile, []byte(c.Module))
		if err != nil {
			t.Fatalf("%v\n%s", err, c.Module)
		}
		p, err := ptx.Lower(m)
		if err != nil {
			t.Fatalf("%v\n%s", err, c.Module)
		}
		labels, kernels := map[string]bool{}, 0
		for _, f := range p.Entries() {
			k, err := isa.Link(p, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			kernels++
			for _, l := range k.Labels {
				if strings.HasPrefix(l.Name, "L") && l.Name != last && labels[l.Name] {
					t.Errorf("seed %d: two labels %s", seed, l.Name)
				}
				labels[l.Name] = true
			}
		}
		launched := entry.FindAllStringSubmatch(c.Job, -1)
		if kernels < 2 || len(launched) != kernels || len(c.Narrowed) != 2 || strings.Contains(c.Job, "[split]") {
			t.Errorf("seed %d: %d kernels, launched are %v", seed, kernels, launched)
		}
		again += strings.Count(c.Job, "repeat = 2") + strings.Count(c.Job, "while")
	}
	if again < 20 {
		t.Errorf("only %d launches are repeated", again)
	}
}
