package guided

import (
	"math/bits"
	"math/rand/v2"
	"sort"

	"warpbound/internal/method/search"
	"warpbound/internal/method/search/genetic"
)

// Ingredients are what inputs are made with. The zero value has all of them.
type Ingredients struct {
	Samples  bool `json:"samples"`  // after the first generation
	Threads  bool `json:"threads"`  // of the same or other inputs
	Atoms    bool `json:"atoms"`    // of the plans
	Later    bool `json:"later"`    // atoms of the plans but the first
	Patterns bool `json:"patterns"` // elements in a row that are the same, or as far from each other
	Steps    bool `json:"steps"`    // of elements by one
	Copies   bool `json:"copies"`   // of elements, and exchanges
}

// breeder makes the inputs of a generation.
type breeder struct {
	*Config
	*layout
	rand    *rand.Rand
	state   *State
	seen    map[uint64]bool
	keys    []uint64 // of new inputs
	sampled int      // new inputs without parents
}

// breed returns at most n new inputs, of which none was run before.
func (b *breeder) breed(n int) []search.Inputs {
	var all []search.Inputs
	for i := range n {
		for range attempts {
			in := b.child(i)
			if b.Plan.Space.Settle != nil {
				b.Plan.Space.Settle(in)
			}
			if k := key(in); !b.seen[k] {
				b.seen[k] = true
				b.keys, all = append(b.keys, k), append(all, in)
				break
			}
		}
	}
	return all
}

// child makes the i-th new inputs of a generation.
func (b *breeder) child(i int) search.Inputs {
	switch {
	case b.state.Generation == 1 || b.state.Generation > 0 && b.state.Generation == b.state.Joined:
		return b.special(i)
	case b.state.Generation == 0 || len(b.state.Elites) == 0 || i < sampled && !b.Without.Samples:
		return b.sample()
	case i == sampled && !b.Without.Patterns:
		return b.patterned() // chains and grids need patterns of several parameters at once
	}
	in := clone(b.parent())
	changed := false
	if b.rand.IntN(2) == 0 {
		changed = b.recombine(in)
	}
	if !changed || b.rand.IntN(2) == 0 {
		b.change(in)
	}
	return in
}

// patterned returns inputs without parents, with a pattern of each parameter.
func (b *breeder) patterned() search.Inputs {
	in := b.sample()
	if !b.Without.Patterns {
		for _, p := range b.params {
			b.pattern(in, p, 0, b.Plan.Space.Params[p].Count)
		}
	}
	return in
}

// special returns the i-th of the inputs of the second generation, and of the first with atoms: with patterns, and every other with one
// of the longest atoms of each plan for all threads. Where plans share elements, each is the last to write in turn.
func (b *breeder) special(i int) search.Inputs {
	in := b.patterned()
	if i%2 > 0 {
		return in
	}
	rank := i / 2
	for n := range b.plans {
		p := b.plans[(rank+1+n)%len(b.plans)]
		if rank >= len(p.Atoms) {
			continue
		}
		atom := p.Longest()[rank]
		for g := range p.Groups() {
			p.Put(in, g, atom)
		}
	}
	return in
}

// parent returns inputs of the elite.
func (b *breeder) parent() search.Inputs {
	return b.state.Elites[b.rand.IntN(len(b.state.Elites))].Inputs
}

// sample returns inputs without parents.
func (b *breeder) sample() search.Inputs {
	seed := max(genetic.Mix(uint64(b.Seed), uint64(b.state.Sampled+b.sampled)), genetic.High+1)
	b.sampled++
	return b.Plan.Space.Sample(seed)
}

// length returns a number from 1 to n, of which one half is as probable as one quarter.
func (b *breeder) length(n int) int {
	return min(n, 1<<b.rand.IntN(bits.Len(uint(n))))
}

// recombine gives inputs the elements of some threads of others, of other threads, or an atom.
func (b *breeder) recombine(in search.Inputs) bool {
	kinds := []func(search.Inputs){}
	if !b.Without.Threads {
		kinds = append(kinds, b.copyThreads)
	}
	if len(b.plans) > 0 {
		kinds = append(kinds, b.atom)
	}
	if !b.Without.Patterns {
		kinds = append(kinds, b.patterns)
	}
	if len(kinds) == 0 {
		return false
	}
	kinds[b.rand.IntN(len(kinds))](in)
	return true
}

// copyThreads gives threads the elements of others, of the same inputs or of others of the elite; of these as often as not those
// of the same threads.
func (b *breeder) copyThreads(in search.Inputs) {
	n := b.length(b.threads)
	blocks := b.threads / n
	from, first, many := b.rand.IntN(blocks), b.rand.IntN(blocks), b.length(blocks)
	m := move{n: n, strided: b.rand.IntN(2) == 0}
	other, crossed := in, false
	if b.rand.IntN(2) == 0 {
		other, crossed = b.parent(), b.rand.IntN(2) == 0
	}
	for block := first; block < min(blocks, first+many); block++ {
		if m.from, m.to = from*n, block*n; crossed {
			m.from = m.to
		}
		b.copy(in, other, m)
	}
}

// atom writes an atom, any one of all plans, over the elements of some groups of threads, in a quarter of the cases of all.
func (b *breeder) atom(in search.Inputs) {
	count := 0
	for _, p := range b.plans {
		count += len(p.Atoms)
	}
	which, of := b.rand.IntN(count), 0
	for which >= len(b.plans[of].Atoms) {
		which -= len(b.plans[of].Atoms)
		of++
	}
	plan := b.plans[of]
	groups := plan.Groups()
	n := groups
	if b.rand.IntN(4) > 0 {
		n = b.length(groups)
	}
	first := n * b.rand.IntN((groups+n-1)/n)
	for g := first; g < min(first+n, groups); g++ {
		plan.Put(in, g, int32(which))
	}
}

// patterns makes patterns of elements of some parameters, in half of the cases of all of a parameter.
func (b *breeder) patterns(in search.Inputs) {
	for range b.length(len(b.params)) {
		p := b.params[b.rand.IntN(len(b.params))]
		first, n := 0, b.Plan.Space.Params[p].Count
		if b.rand.IntN(2) == 0 {
			first = b.rand.IntN(n)
			n = b.length(n - first)
		}
		b.pattern(in, p, first, n)
	}
}

// pattern leaves elements of a parameter as they are, or lets them be the same, or, integers, each as far from the one before it,
// modulo their range.
func (b *breeder) pattern(in search.Inputs, param, first, n int) {
	s := &b.Plan.Space
	x := s.Params[param].Element
	seed, step := b.rand.Uint64(), uint64(0)
	switch b.rand.IntN(8) {
	case 0:
		return
	case 1, 2:
		seed = b.rand.Uint64N(genetic.High + 1)
	case 3:
	default:
		step = 1
		if b.rand.IntN(4) == 0 {
			step = 1 << b.rand.IntN(10)
		}
		if b.rand.IntN(2) == 0 {
			step = -step
		}
	}
	value := search.Draw(x, seed, 0)
	switch {
	case x.Float:
		step = 0
	case seed <= genetic.High && b.rand.IntN(2) == 0: // a boundary value beside the minimum or the maximum
		value = search.Advance(x, value, 1-2*seed)
	}
	for e := first; e < first+n; e++ {
		s.Put(in, param, e, value)
		value = search.Advance(x, value, step)
	}
}

// maxChanged is how many elements are changed at the most.
const maxChanged = 64

// change changes elements.
func (b *breeder) change(in search.Inputs) {
	for range b.length(min(maxChanged, b.count)) {
		p, e := b.element()
		b.changeOne(in, p, e)
	}
}

// element returns any element: of any parameter, or of any of all elements.
func (b *breeder) element() (param, element int) {
	if b.rand.IntN(4) == 0 {
		param = b.params[b.rand.IntN(len(b.params))]
		return param, b.rand.IntN(b.Plan.Space.Params[param].Count)
	}
	n := b.rand.IntN(b.count)
	i := sort.SearchInts(b.first, n+1) - 1
	return b.params[i], n - b.first[i]
}

// changeOne changes an element.
func (b *breeder) changeOne(in search.Inputs, param, element int) {
	s := &b.Plan.Space
	x := s.Params[param]
	kind := b.rand.IntN(5)
	switch {
	case kind == 0 && !b.Without.Steps && !x.Element.Float:
		s.Put(in, param, element, search.Advance(x.Element, s.Get(in, param, element), 1-2*b.rand.Uint64N(2)))
	case kind == 1 && !b.Without.Copies:
		b.run(in, in, param, element, b.rand.IntN(x.Count), 1)
	case kind == 2 && !b.Without.Copies:
		other := b.rand.IntN(x.Count)
		value := s.Get(in, param, element)
		b.run(in, in, param, element, other, 1)
		s.Put(in, param, other, value)
	case kind == 3 && !b.Without.Copies:
		n := min(b.length(maxChanged), x.Count-element)
		b.run(in, in, param, element, b.rand.IntN(x.Count-n+1), n)
	default:
		s.Put(in, param, element, search.Draw(x.Element, max(b.rand.Uint64(), genetic.High+1), 0))
	}
}
