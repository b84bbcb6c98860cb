package genetic

// Gene is what stands at a locus of an individual.
type Gene struct {
	Atom int32  // one of the alleles of its locus, or Raw
	Seed uint64 // of what is sampled for it
}

// Raw is the allele that every locus has: everything is sampled.
const Raw int32 = -1

// Low and High are seeds that ask for the least and the greatest of what can be sampled.
const (
	Low uint64 = iota
	High
	sampled // the least of other seeds
)

// Block is neighbouring loci at which the same genes make sense.
type Block struct {
	Loci    int
	Alleles []int32 // besides Raw
}

// Genome is the loci of individuals.
type Genome []Block

// Len returns the number of loci.
func (g Genome) Len() int {
	n := 0
	for _, b := range g {
		n += b.Loci
	}
	return n
}

// at returns the block of a locus, and the locus at which it begins.
func (g Genome) at(locus int) (block Block, first int) {
	for _, b := range g {
		if locus < first+b.Loci {
			return b, first
		}
		first += b.Loci
	}
	return Block{}, first
}

// Individual is a gene for every locus, in spans with one origin each. Its size does not
// depend on the number of loci, but on how often it was crossed and mutated.
type Individual []Span

// Span is the genes from the end of the span before it to End.
type Span struct {
	End   int     `json:"end"`
	Atoms []int32 `json:"atoms"` // which genes have in turn, beginning with locus 0 of the genome
	Seed  uint64  `json:"seed"`

	// Each says that every gene has a seed of its own, which Seed and its locus make.
	Each bool `json:"each,omitempty"`

	// Of says, unless it is 0, that the genes have alleles of so many draws from those of their
	// block instead, and Raw where there are none.
	Of int `json:"of,omitempty"`
}

// Genes returns the genes of an individual by locus.
func (g Genome) Genes(ind Individual) []Gene {
	genes := make([]Gene, g.Len())
	locus, block := 0, 0
	end := 0 // of the block
	for _, s := range ind {
		for ; locus < s.End; locus++ {
			for locus >= end {
				end += g[block].Loci
				block++
			}
			genes[locus] = s.gene(locus, g[block-1].Alleles)
		}
	}
	return genes
}

// gene returns the gene at a locus of the span.
func (s Span) gene(locus int, alleles []int32) Gene {
	own := Mix(s.Seed, uint64(locus))
	gene := Gene{Raw, s.Seed}
	if s.Each {
		gene.Seed = max(own, sampled)
	}
	switch {
	case s.Of == 0:
		gene.Atom = s.Atoms[locus%len(s.Atoms)]
	case len(alleles) > 0:
		which := Mix(own, 0) % uint64(s.Of)
		gene.Atom = alleles[Mix(^s.Seed, which)%uint64(len(alleles))]
	}
	return gene
}

// Mix makes a number of two that looks random (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014).
func Mix(a, b uint64) uint64 {
	z := a + (b+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// join returns the genes of x before a locus, and those of y from there.
func join(x, y Individual, locus int) Individual {
	var ind Individual
	begin := 0
	for _, s := range x {
		if begin < locus {
			begin, s.End = s.End, min(s.End, locus)
			ind = append(ind, s)
		}
	}
	for _, s := range y {
		if s.End > locus {
			ind = append(ind, s)
		}
	}
	return ind
}

// with returns an individual with another gene at a locus.
func (ind Individual) with(locus int, gene Gene) Individual {
	one := Individual{{End: locus + 1, Atoms: []int32{gene.Atom}, Seed: gene.Seed}}
	return join(join(ind, one, locus), ind, locus+1)
}
