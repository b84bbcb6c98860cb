package genetic

import (
	"math/rand/v2"
	"slices"
)

// attempts is how often a new individual is changed that was run before, until it is
// given up.
const attempts = 32

// breeder makes the individuals of a generation.
type breeder struct {
	*Config
	rand    *rand.Rand
	problem Problem
	state   *State
	kept    []Member
	seen    map[uint64]bool
	keys    []uint64 // of new individuals
}

// keep returns who stays in the population: the elite, and the champions.
func (b *breeder) keep() []Member {
	s := b.state
	kept := slices.Clone(s.Population[:min(b.elite(), len(s.Population))])
	present := make(map[uint64]bool)
	for _, m := range kept {
		present[b.problem.Key(m.Individual)] = true
	}
	for _, m := range s.Champions {
		if b.Evolve && !present[b.problem.Key(m.Individual)] {
			kept = append(kept, m)
		}
	}
	return kept
}

// breed returns at most n new individuals, of which none was run before.
func (b *breeder) breed(n int) []Individual {
	var all []Individual
	add := func(ind Individual) bool {
		key := b.problem.Key(ind)
		if b.seen[key] {
			return false
		}
		b.seen[key] = true
		b.keys = append(b.keys, key)
		all = append(all, ind)
		return true
	}
	if b.state.Generation == 0 {
		room := min(n, int(b.Settings.Special*float64(b.Population)))
		for _, ind := range b.Config.Special {
			if len(all) < room {
				add(ind)
			}
		}
	}
	for range n - len(all) {
		for again := range attempts {
			if add(b.child(again)) {
				break
			}
		}
	}
	return all
}

// child returns a new individual. The more often it is asked for one that was not run, the
// farther it is from its parents.
func (b *breeder) child(again int) Individual {
	s := b.state
	if s.Generation == 0 || !b.Evolve || len(s.Population) == 0 || again >= attempts/2 {
		return b.draw()
	}
	x := s.Population[b.rand.IntN(len(s.Population))].Individual
	y := b.biased()
	if b.rand.IntN(2) == 0 {
		x, y = y, x
	}
	ind := x
	if n := b.Genome.Len(); n > 1 {
		ind = join(x, y, 1+b.rand.IntN(n-1))
	}
	if again > 0 || b.rand.Float64() < b.Mutation {
		ind = b.mutate(ind)
	}
	return ind
}

// biased returns a parent that is one that stays more often than others are.
func (b *breeder) biased() Individual {
	all := b.state.Population
	if b.rand.Float64() < b.Bias {
		all = b.kept
	}
	return all[b.rand.IntN(len(all))].Individual
}

// draw returns an individual that has no parents: as often as not it is wholly raw, as all are
// of random testing, and otherwise it combines some alleles at random.
func (b *breeder) draw() Individual {
	one := Span{End: b.Genome.Len(), Atoms: []int32{Raw}, Seed: b.seed(), Each: true}
	maximum := 0
	for _, block := range b.Genome {
		maximum = max(maximum, len(block.Alleles))
	}
	if maximum > 0 && b.rand.IntN(2) == 0 {
		one.Atoms, one.Of = nil, 1+b.rand.IntN(maximum)
	}
	return Individual{one}
}

// seed returns a seed that is not one of the special ones.
func (b *breeder) seed() uint64 { return max(b.rand.Uint64(), sampled) }

// rawKinds is how many cases of mutation need no allele.
const rawKinds = 4

// mutate returns an individual with another gene at one locus: one of the locus' n alleles in
// n of n+rawKinds cases, or else one that is raw with a new or a special seed, or what stands at another
// locus.
func (b *breeder) mutate(ind Individual) Individual {
	locus := b.rand.IntN(b.Genome.Len())
	block, first := b.Genome.at(locus)
	gene := Gene{Raw, b.seed()}
	if n := len(block.Alleles); n > 0 && b.rand.IntN(n+rawKinds) < n {
		gene.Atom = block.Alleles[b.rand.IntN(n)]
		return ind.with(locus, gene)
	}
	switch b.rand.IntN(rawKinds) {
	case 0:
		gene.Seed = Low + b.rand.Uint64N(2)
	case 1:
		gene = b.Genome.Genes(ind)[first+b.rand.IntN(block.Loci)]
	}
	return ind.with(locus, gene)
}
