package genetic_test

import (
	"fmt"
	"slices"
	"testing"

	"warpbound/internal/method/search/genetic"
)

// pattern is an individual whose genes are these atoms.
func pattern(atoms ...int32) genetic.Individual {
	var ind genetic.Individual
	for i, a := range atoms {
		ind = append(ind, genetic.Span{End: i + 1, Atoms: []int32{a}})
	}
	return ind
}

// everySeed demands that searches with each of some seeds find a time.
func everySeed(t *testing.T, c genetic.Config, d *digits, want int64) {
	t.Helper()
	for seed := range int64(10) {
		d.keys, c.Seed = nil, seed
		if s := search(t, c, d); s.Best.Outcome.Cycles != want {
			t.Errorf("seed %d finds %d in %d runs, the worst case is %d", seed, s.Best.Outcome.Cycles, s.Runs, want)
		}
	}
}

// TestOnlyMutationReaches searches for digits that random ones hardly ever are, and that no special
// individual has: the greatest of 65536 at each of four loci, which mutation sets one at a time.
func TestOnlyMutationReaches(t *testing.T) {
	d := &digits{genome: genetic.Genome{{Loci: 4}}, base: 1 << 16, cycles: func(all []uint64) int64 {
		n := int64(1)
		for _, x := range all {
			if x == 1<<16-1 {
				n++
			}
		}
		return n
	}}
	everySeed(t, genetic.Config{Settings: settings(0, 1500)}, d, 5)
}

// TestOnlyCrossoverReaches begins with three individuals, each of which has one of three parts
// right. A part counts only as a whole, so that nothing but crossover where parts reconverge
// puts them together.
func TestOnlyCrossoverReaches(t *testing.T) {
	const part = 4
	key := []int32{3, 14, 1, 5, 9, 2, 6, 13, 8, 9, 7, 12}
	d := &digits{genome: genetic.Genome{{Loci: len(key)}}, base: 16, cycles: func(all []uint64) int64 {
		n := int64(1)
		for from := 0; from < len(key); from += part {
			whole := true
			for i := from; i < from+part; i++ {
				whole = whole && all[i] == uint64(key[i])
			}
			if whole {
				n++
			}
		}
		return n
	}}
	c := genetic.Config{Settings: settings(0, 4000)}
	for from := 0; from < len(key); from += part {
		atoms := make([]int32, len(key))
		copy(atoms[from:from+part], key[from:])
		c.Special = append(c.Special, pattern(atoms...))
	}
	everySeed(t, c, d, 4)
}

// TestOnlySpecialIndividualsReach searches for one of 2^64 individuals, which is special.
func TestOnlySpecialIndividualsReach(t *testing.T) {
	needle := []int32{3, 14, 1, 5, 9, 2, 6, 13, 8, 9, 7, 12, 3, 11, 4, 10}
	d := &digits{genome: genetic.Genome{{Loci: 16}}, base: 16, cycles: func(all []uint64) int64 {
		for i, x := range all {
			if x != uint64(needle[i]) {
				return 1
			}
		}
		return 2
	}}
	everySeed(t, genetic.Config{Settings: settings(0, 100), Special: []genetic.Individual{pattern(needle...)}}, d, 2)
}

// TestFirstPopulation: special individuals, the first ones first, make the share of the first population
// that they may take, and none of a later one.
func TestFirstPopulation(t *testing.T) {
	var ran []uint64 // first digits
	d := &digits{genome: genetic.Genome{{Loci: 2}}, base: 1 << 32, cycles: func(all []uint64) int64 {
		ran = append(ran, all[0])
		return 1
	}}
	c := genetic.Config{Settings: settings(1, 250)}
	for i := range int32(50) {
		c.Special = append(c.Special, pattern(1000+i, i))
	}
	for _, share := range []float64{0, 0.3, 1} {
		ran, d.keys, c.Settings.Special = nil, nil, share
		search(t, c, d)
		for i, x := range ran {
			place := x - 1000
			special := place < 50
			if want := i < min(50, int(100*share)); special && i < 100 != want || want && place != uint64(i) {
				t.Errorf("share %g: run %d has the digit %d", share, i, x)
			}
		}
	}
}

// TestChildren tells by their digits, which are hardly ever sampled twice, what the genes of
// the second generation come of. Children are mutated as often as the settings say, and those
// that are not are the beginning of one parent and the end of another.
func TestChildren(t *testing.T) {
	for _, test := range []struct{ mutation, minimum, maximum float64 }{{0, 0, 0.1}, {0.25, 0.18, 0.36}, {1, 0.9, 1}} {
		t.Run(fmt.Sprint(test.mutation), func(t *testing.T) {
			d := &digits{genome: genetic.Genome{{Loci: 8}}, base: 1 << 60, cycles: func(all []uint64) int64 {
				return 1 + int64(genetic.Mix(all[0], all[7])%1000)
			}}
			mutated, crossed, kids := 0, 0, 0
			for seed := range int64(10) {
				d.keys = nil
				c := genetic.Config{Settings: settings(seed, 190)}
				c.Mutation = test.mutation
				var parents [][]uint64
				c.OnGeneration = func(s *genetic.State) error {
					for _, m := range s.Population {
						all := d.decode(m.Individual)
						switch {
						case s.Generation == 1:
							parents = append(parents, all)
							continue
						case slices.ContainsFunc(parents, func(p []uint64) bool { return slices.Equal(p, all) }):
							continue // it stays
						}
						kids++
						if _, ok := descent(parents, all); ok {
							crossed++
						} else {
							mutated++
						}
					}
					return nil
				}
				search(t, c, d)
			}
			if share := float64(mutated) / float64(kids); kids != 900 || share < test.minimum || share > test.maximum {
				t.Errorf("%d children, %d of which are crossed and %d mutated", kids, crossed, mutated)
			}
		})
	}
}

// descent returns the parents of a child that is the beginning of one and the end of another.
func descent(parents [][]uint64, child []uint64) (pair [2]int, ok bool) {
	for i, x := range parents {
		same := 0
		for same < len(child) && x[same] == child[same] {
			same++
		}
		for j, y := range parents {
			if same > 0 && slices.Equal(y[same:], child[same:]) {
				return [2]int{i, j}, true
			}
		}
	}
	return pair, false
}
