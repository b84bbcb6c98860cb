package search

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"warpbound/internal/method/search/genetic"
)

// Plan says how the inputs of a launch are divided into genes, and what atoms there are for
// them. It does not change; encoding/json keeps all of it.
type Plan struct {
	Space   Space   `json:"space"`
	Threads int     `json:"threads"` // of the launch; 0 if no elements are known to be theirs
	Group   int     `json:"group"`   // threads whose inputs are one gene
	Views   []View  `json:"views"`
	Shared  []Chunk `json:"shared"` // elements that are no thread's own: a gene for each chunk
	Atoms   []Atom  `json:"atoms"`

	// Pairs are atoms of one thread with which two threads diverge most, most first.
	Pairs [][2]int32 `json:"pairs"`
}

// View is an element that every thread reads at one place of the kernel.
type View struct {
	Param    int     `json:"param"`
	Elements []int32 `json:"elements"` // by thread; None for a thread that reads none there
	Own      bool    `json:"own"`      // no two threads read the same, nor an earlier view one of them
}

// None stands for no element.
const None int32 = -1

// Chunk is elements of a parameter, but for those among them that threads own.
type Chunk struct {
	Param int `json:"param"`
	First int `json:"first"`
	Count int `json:"count"`
}

// Atom is inputs with which some threads take one path.
type Atom struct {
	Threads      int       `json:"threads"` // of a group; if these are fewer, they are repeated
	Values       []Value   `json:"values"`
	Fixed        []Fixed   `json:"fixed"`        // elements that do not depend on where the threads are
	Instructions int       `json:"instructions"` // that all of its threads execute
	Divergence   float64   `json:"divergence"`   // brdiv in percent
	Intervals    []float64 `json:"intervals"`    // brdiv of each barrier interval
}

// Value is the element that a thread reads in a view.
type Value struct {
	Thread int    `json:"thread"` // of those of the atom
	View   int    `json:"view"`
	Bits   uint64 `json:"bits"`
}

// Fixed is an element.
type Fixed struct {
	Param   int    `json:"param"`
	Element int    `json:"element"`
	Bits    uint64 `json:"bits"`
}

// maxChunks is how many genes the shared elements of a parameter are divided into.
const maxChunks = 256

// NewPlan returns the plan in which nothing is known of threads: all elements are shared.
func NewPlan(s Space) (*Plan, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	p := &Plan{Space: s, Group: 1}
	p.share()
	return p, nil
}

// share makes chunks of all elements that are no thread's own.
func (p *Plan) share() {
	p.Shared = nil
	for param, x := range p.Space.Params {
		own := make([]bool, x.Count)
		free := x.Count // elements that are nobody's
		for _, v := range p.Views {
			if v.Own && v.Param == param {
				for _, e := range v.Elements {
					if e != None {
						own[e] = true
						free--
					}
				}
			}
		}
		maximum := (free + maxChunks - 1) / maxChunks
		held := maximum // in the last chunk
		for e := range x.Count {
			switch {
			case own[e]:
				continue
			case held == maximum:
				p.Shared = append(p.Shared, Chunk{Param: param, First: e})
				held = 0
			}
			held++
			last := &p.Shared[len(p.Shared)-1]
			last.Count = e + 1 - last.First
		}
	}
}

// Taken is the allele of chunks to which atoms of threads do not write.
const Taken int32 = -2

// Groups returns how many groups of threads there are. The last may be smaller.
func (p *Plan) Groups() int { return (p.Threads + p.Group - 1) / p.Group }

// Genome returns the loci of individuals: the groups of threads, then the chunks.
func (p *Plan) Genome() genetic.Genome {
	var g genetic.Genome
	if p.Threads > 0 {
		var alleles []int32
		for a := range p.Atoms {
			alleles = append(alleles, int32(a))
		}
		g = append(g, genetic.Block{Loci: p.Groups(), Alleles: alleles})
	}
	if len(p.Shared) > 0 {
		var alleles []int32
		if len(p.Atoms) > 0 {
			alleles = []int32{genetic.Raw, Taken}
		}
		g = append(g, genetic.Block{Loci: len(p.Shared), Alleles: alleles})
	}
	return g
}

// Decode returns the inputs that an individual stands for. Elements that no atom fixes are
// sampled: those of threads from the seed of their group's gene, the same for the same thread
// of the group and view; others from that of their chunk. Atoms are written over them in the order
// of genes: first elements that do not depend on the thread, which later genes overwrite and which
// leave chunks alone that are Taken; then what threads read of others' elements; last their
// own. At last they are settled.
func (p *Plan) Decode(ind genetic.Individual) Inputs {
	in := p.Space.New()
	genes := p.Genome().Genes(ind)
	groups, chunks := genes[:p.Groups()], genes[p.Groups():]
	taken := p.sampleChunks(in, chunks)
	p.sampleOwn(in, groups)
	for _, g := range groups {
		if g.Atom == genetic.Raw {
			continue
		}
		for _, f := range p.Atoms[g.Atom].Fixed {
			if taken[f.Param] == nil || !taken[f.Param][f.Element] {
				p.Space.Put(in, f.Param, f.Element, f.Bits)
			}
		}
	}
	for _, own := range []bool{false, true} {
		for i, g := range groups {
			if g.Atom != genetic.Raw {
				p.write(in, i, &p.Atoms[g.Atom], own, taken)
			}
		}
	}
	if p.Space.Settle != nil {
		p.Space.Settle(in)
	}
	return in
}

// Put writes an atom over inputs where a group of threads reads them: elements that do not depend on the threads, those
// that they read of others, and their own.
func (p *Plan) Put(in Inputs, group int, atom int32) {
	a := &p.Atoms[atom]
	for _, f := range a.Fixed {
		p.Space.Put(in, f.Param, f.Element, f.Bits)
	}
	none := make([][]bool, len(p.Space.Params))
	for _, own := range []bool{false, true} {
		p.write(in, group, a, own, none)
	}
}

// sampleChunks draws shared elements, and returns by parameter which of them atoms leave
// alone; nil for none.
func (p *Plan) sampleChunks(in Inputs, genes []genetic.Gene) [][]bool {
	taken := make([][]bool, len(p.Space.Params))
	for i, c := range p.Shared {
		x := p.Space.Params[c.Param]
		for k := range c.Count {
			p.Space.Put(in, c.Param, c.First+k, Draw(x.Element, genes[i].Seed, uint64(k)))
		}
		if genes[i].Atom != Taken {
			continue
		}
		if taken[c.Param] == nil {
			taken[c.Param] = make([]bool, x.Count)
		}
		for k := range c.Count {
			taken[c.Param][c.First+k] = true
		}
	}
	return taken
}

// sampleOwn draws the elements of threads.
func (p *Plan) sampleOwn(in Inputs, genes []genetic.Gene) {
	for v, view := range p.Views {
		if !view.Own {
			continue
		}
		element := p.Space.Params[view.Param].Element
		for t, e := range view.Elements {
			if e != None {
				which := uint64(v)<<32 | uint64(t%p.Group)
				p.Space.Put(in, view.Param, int(e), Draw(element, genes[t/p.Group].Seed, which))
			}
		}
	}
}

// write writes an atom over the elements of a group of threads that are their own, or over
// those that they read of others. An atom of fewer threads is repeated; what is left of its last
// repetition, and of the last group of the launch, is cut off.
func (p *Plan) write(in Inputs, group int, a *Atom, own bool, taken [][]bool) {
	begin := group * p.Group
	end := min(begin+p.Group, p.Threads)
	for first := begin; first < end; first += a.Threads {
		for _, value := range a.Values {
			t, view := first+value.Thread, p.Views[value.View]
			if t >= end || view.Own != own {
				continue
			}
			e := view.Elements[t]
			if e != None && (own || taken[view.Param] == nil || !taken[view.Param][e]) {
				p.Space.Put(in, view.Param, int(e), value.Bits)
			}
		}
	}
}

// key returns a number of inputs in which others differ.
func key(in Inputs) uint64 {
	h := fnv.New64a()
	for _, x := range in {
		h.Write(x)
	}
	return h.Sum64()
}

// check returns an error if a plan that was read contradicts itself.
func (p *Plan) check() error {
	if err := p.Space.Check(); err != nil {
		return err
	}
	if p.Group < 1 || p.Threads < 0 {
		return fmt.Errorf("the plan has groups of %d of %d threads", p.Group, p.Threads)
	}
	fits := func(param, first, n int) bool {
		return param >= 0 && param < len(p.Space.Params) && first >= 0 && n >= 0 && first <= p.Space.Params[param].Count-n
	}
	for _, v := range p.Views {
		ok := len(v.Elements) == p.Threads
		for _, e := range v.Elements {
			ok = ok && (e == None || fits(v.Param, int(e), 1))
		}
		if !ok {
			return fmt.Errorf("the plan has a view that does not fit its parameters")
		}
	}
	for _, c := range p.Shared {
		if !fits(c.Param, c.First, c.Count) {
			return fmt.Errorf("the plan has a chunk that does not fit its parameters")
		}
	}
	for _, a := range p.Atoms {
		ok := a.Threads >= 1
		for _, v := range a.Values {
			ok = ok && v.Thread >= 0 && v.Thread < a.Threads && v.View >= 0 && v.View < len(p.Views)
		}
		for _, f := range a.Fixed {
			ok = ok && fits(f.Param, f.Element, 1)
		}
		if !ok {
			return fmt.Errorf("the plan has an atom that does not fit its parameters")
		}
	}
	for _, pair := range p.Pairs {
		if min(pair[0], pair[1]) < 0 || int(max(pair[0], pair[1])) >= len(p.Atoms) {
			return fmt.Errorf("the plan has a pair of atoms that it does not have")
		}
	}
	return nil
}

// Digest tells plans apart.
func (p *Plan) Digest() (string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	h := fnv.New128a()
	h.Write(text)
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
