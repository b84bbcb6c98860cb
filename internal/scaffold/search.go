package scaffold

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"warpbound/internal/isa"
)

// How many instructions of warps trials may take together before no other guess is tried: fewer if the one that there
// is executes four blocks in five.
const (
	maxTrialSteps = 3 << 20
	fewTrialSteps = 1 << 20
)

// spent reports whether a guess with a verdict is to be the last.
func (t *trials) spent(v *verdict) bool {
	if v.err == nil && 5*v.blocks >= 4*len(v.covered) {
		return t.steps > fewTrialSteps
	}
	return t.steps > maxTrialSteps
}

// search finds a guess with which no thread fails and as many blocks as possible are executed. Everything about it is
// fixed: the same kernel gives the same guess.
func search(ctx context.Context, t *trials) (*guess, *verdict, error) {
	var best *guess
	var won *verdict
	limit := 0 // of threads, if a launch does not end soon
	for _, s := range shapes(t.kernel) {
		if !t.fits(s) || limit > 0 && s.threads() >= limit {
			continue
		}
		g := &guess{grid: s.grid, block: s.block, loops: longLoops, words: declared(t.kernel)}
		for i := range g.words {
			g.words[i].settle(t.kernel.AddressBits)
		}
		v, err := t.understand(ctx, g)
		for n := range shorter {
			if err != nil || !errors.Is(v.err, errSteps) {
				break
			}
			if g.loops = shorter[n]; t.learn(g, v) { // else nothing would be other than before
				v, err = t.understand(ctx, g)
			}
		}
		if err != nil {
			return nil, nil, err
		}
		if errors.Is(v.err, errSteps) && !t.chases() { // only fewer threads help
			limit = s.threads()
		} else if g, v, err = t.improve(ctx, g, v); err != nil {
			return nil, nil, err
		}
		if won == nil || v.better(won) {
			best, won = g, v
		}
		if won.complete() || t.spent(won) {
			break
		}
	}
	if best == nil {
		return nil, nil, fmt.Errorf("no launch of kernel %s that was tried fits the machine", t.kernel.Name)
	}
	return best, won, nil
}

// chases reports whether a loop may follow indices through a buffer.
func (t *trials) chases() bool {
	return slices.ContainsFunc(t.evidence.sources, func(s source) bool { return s.chased })
}

// The ends of loops: at first, and where a kernel does not end soon.
const longLoops = 16

var shorter = [...]float64{5, 3}

// pairs is how many times the end of other loops a number is that ends a loop and is compared with indices of threads.
const pairs = 12

// maxRounds bounds how often a guess is tried until what trials show agrees with it: contents may depend on the types of
// accesses, and these on the contents.
const maxRounds = 16

// understand tries a guess and lets its words be what the trial has shown that they are, until nothing changes.
func (t *trials) understand(ctx context.Context, g *guess) (*verdict, error) {
	for round := 1; ; round++ {
		v, err := t.try(ctx, g, atRandom(0))
		if err != nil {
			return nil, err
		}
		t.evidence.conclude()
		if round == maxRounds || !t.learn(g, v) {
			return v, nil
		}
	}
}

// learn changes the words of a guess as far as the evidence demands, and reports whether it did.
func (t *trials) learn(g *guess, v *verdict) bool {
	changed := t.discover(g)
	buffer, nodes := 0, v.reached
	for i := range g.words {
		if g.words[i].kind == isPointer {
			nodes = nodes[1:]
		}
	}
	for i := range g.words {
		w := &g.words[i]
		s := t.evidence.of(w.offset, -1)
		var r *reached
		if w.kind == isPointer {
			r = &v.reached[buffer]
			buffer++
		}
		if s == nil {
			continue
		}
		old := *w
		switch {
		case s.shared && !s.address:
			w.kind = isShared
		case w.kind == isPointer && !s.address && (s.number || s.compared != 0):
			w.kind = isNumber
		}
		if w.kind == isNumber && s.float && !w.float() && s.floatBits == w.typ.Bits() {
			w.typ, w.value = floats[s.floatBits], 1
		}
		if w.kind == isPointer && r != nil {
			if !w.cast && r.any() { // else it is what an earlier trial has shown
				w.elem = t.element(w.offset, r)
			}
			w.mixed = w.mixed || mixed(r)
			if !w.moved {
				w.holds = t.contents(g, w)
			}
			var its *reached
			if w.links.nodes > 0 {
				its, nodes = &nodes[0], nodes[1:]
			}
			if t.learnLinks(w, v, its); w.links.nodes > 0 {
				w.elem, w.holds = isa.U64, content{}
			}
		}
		if w.kind == isNumber && !w.moved && !w.float() {
			w.value = t.value(g, s)
		}
		changed = changed || old != *w
	}
	return changed
}

// floats are the types of floating-point numbers by their bits.
var floats = map[int]isa.Type{16: isa.F16, 32: isa.F32, 64: isa.F64}

// discover adds the words of structs that a trial has read and that were not known.
func (t *trials) discover(g *guess) bool {
	changed := false
	for _, s := range t.evidence.sources[firstSource:] {
		if s.word < 0 || slices.ContainsFunc(g.words, func(w word) bool { return w.offset <= s.word && s.word < w.offset+w.typ.Bytes() }) {
			continue
		}
		for i, p := range t.kernel.Params {
			if s.word < p.Offset || s.word >= p.Offset+p.Bytes || s.typ.Bytes() == 0 {
				continue
			}
			w := word{param: i, offset: s.word, typ: s.typ}
			if w.offset+w.typ.Bytes() > p.Offset+p.Bytes || slices.ContainsFunc(g.words, w.overlaps) {
				continue
			}
			w.settle(t.kernel.AddressBits)
			g.words = append(g.words, w)
			slices.SortFunc(g.words, func(a, b word) int { return a.offset - b.offset })
			changed = true
		}
	}
	return changed
}

// element returns the type of the elements of a buffer: that of most accesses.
func (t *trials) element(offset int, r *reached) isa.Type {
	best, n := isa.U8, 0
	for typ := isa.Pred; typ <= isa.F32x2; typ++ {
		if r.types[typ] > n {
			best, n = typ, r.types[typ]
		}
	}
	s := t.evidence.of(-1, offset)
	switch {
	case s == nil:
	case s.chased && best == isa.F32 && mixed(r): // indices matter more than the floats between them
		best = isa.U32
	case s.chased:
	case s.float && s.floatBits == best.Bits():
		best = floats[s.floatBits]
	}
	return plainType(best)
}

// mixed reports whether threads access integers and floats of 32 bits in a buffer, as in an array of structs.
func mixed(r *reached) bool {
	floats, integers := 0, 0
	for typ, n := range r.types {
		switch {
		case isa.Type(typ).Bits() != 32:
		case isa.Type(typ).IsFloat():
			floats += n
		default:
			integers += n
		}
	}
	return floats > 0 && integers > 0
}

// plainType returns the type that a job has for the elements of memory that are accessed as of a type.
func plainType(t isa.Type) isa.Type {
	switch {
	case t == isa.F16 || t == isa.BF16 || t == isa.F32 || t == isa.F64 || t >= isa.U8 && t <= isa.S64:
		return t
	}
	switch t.Bits() {
	case 8:
		return isa.U8
	case 16:
		return isa.U16
	case 64:
		return isa.U64
	}
	return isa.U32
}

// value returns the first guess for an integer: the number of threads that it is compared with, and the like.
func (t *trials) value(g *guess, s *source) float64 {
	along := func(a set) float64 {
		n := int64(1)
		for i := range 3 {
			if a>>i&1 != 0 {
				n *= g.threads(i)
			}
		}
		return float64(n)
	}
	switch {
	case s.compared != 0 && s.divides && bits.OnesCount64(uint64(s.compared)) == 1:
		return 16
	case s.compared != 0 && s.counts && g.loops < longLoops: // each thread looks at all others
		return min(along(s.compared), pairs*g.loops)
	case s.compared != 0:
		return along(s.compared)
	case s.divides:
		return 16
	case s.shifts:
		return 2
	case s.scaled&axisX == 0 && s.scaled != 0 && (!s.counts || g.loops == longLoops):
		return float64(g.threads(0))
	case s.counts || len(s.constants) > 0 || s.scaled != 0:
		return g.loops
	}
	return 1
}

// contents returns the first guess for what a buffer holds.
func (t *trials) contents(g *guess, w *word) content {
	s := t.evidence.of(-1, w.offset)
	switch {
	case s == nil: // nobody reads it
		return content{}
	case w.elem.IsFloat():
		return uniform(-1, 1)
	case s.chased && w.elem.Bytes() >= 4:
		return content{how: "rooted"}
	case s.indexes && s.counts && w.elem.Bytes() >= 4:
		return content{how: "offsets"}
	case s.indexes:
		return uniform(0, float64(min(g.all(), largest(w.elem)+1)-1))
	case s.counts || s.compared != 0:
		return uniform(0, 7)
	case w.elem.Bytes() == 1:
		return uniform(smallest(w.elem), float64(largest(w.elem)))
	}
	return uniform(0, 255)
}

// largest and smallest are the limits of what a buffer of integers is filled with.
func largest(t isa.Type) int64 {
	switch t {
	case isa.U8:
		return 255
	case isa.S8:
		return 127
	case isa.U16, isa.S16:
		return 32767
	}
	return 1 << 30
}

func smallest(t isa.Type) float64 {
	if t.IsSigned() {
		return -float64(largest(t)) - 1
	}
	return 0
}

// improve changes one word of a guess after the other and keeps what is better. If nothing is, it goes on from what is as
// good and executes a block that nothing kept has executed.
func (t *trials) improve(ctx context.Context, g *guess, v *verdict) (*guess, *verdict, error) {
	seen := slices.Clone(v.covered)
	for again := true; again && !v.complete(); {
		again = false
		var other *guess
		var its *verdict
		for _, s := range t.suspects(g, v) {
			for _, change := range t.changes(g, s) {
				if t.spent(v) {
					return g, v, nil
				}
				next := g.clone()
				change(&next.words[s])
				next.words[s].moved = true
				got, err := t.understand(ctx, next)
				if err != nil {
					return nil, nil, err
				}
				switch {
				case got.better(v):
					g, v, again, other = next, got, true, nil
					merge(seen, v.covered)
					if v.complete() {
						return g, v, nil
					}
				case other == nil && !v.better(got) && news(seen, got.covered):
					other, its = next, got
				}
			}
		}
		if !again && other != nil {
			g, v, again = other, its, true
			merge(seen, v.covered)
		}
	}
	return g, v, nil
}

// merge adds blocks to those that were executed before.
func merge(seen, covered []bool) {
	for i, c := range covered {
		seen[i] = seen[i] || c
	}
}

// news reports whether a block was executed that was not before.
func news(seen, covered []bool) bool {
	for i, c := range covered {
		if c && !seen[i] {
			return true
		}
	}
	return false
}

// suspects returns the words that a failed access or a branch depends on of which an outcome is missing, the
// likeliest first.
func (t *trials) suspects(g *guess, v *verdict) []int {
	var list []int
	add := func(from set) {
		from.each(func(s int) {
			src := &t.evidence.sources[s]
			at := g.at(max(src.word, src.buffer))
			if at >= 0 && !slices.Contains(list, at) && (g.words[at].kind == isNumber || src.buffer >= 0) {
				list = append(list, at)
			}
		})
	}
	if v.err != nil {
		add(v.at.all)
		for s := firstSource; s < len(t.evidence.sources); s++ {
			if t.evidence.sources[s].chased {
				add(1 << s)
			}
		}
	}
	for i, b := range t.graph.Blocks {
		if !v.covered[i] {
			continue
		}
		for _, e := range b.Edges {
			if e.To < len(v.covered) && (!v.covered[e.To] || v.err != nil) {
				add(t.evidence.branches[i].all)
			}
		}
	}
	for _, at := range list { // other elements may decide otherwise
		if g.words[at].kind == isPointer {
			add(v.reached[t.bufferOf(g, at)].from)
		}
	}
	if v.err != nil || v.below > 0 {
		for s := firstSource; s < len(t.evidence.sources); s++ {
			add(1 << s)
		}
	}
	return list
}

// changes returns what may be tried with a word.
func (t *trials) changes(g *guess, at int) []func(*word) {
	w := &g.words[at]
	var all []func(*word)
	set := func(x float64) {
		if x != w.value {
			all = append(all, func(w *word) { w.value = x })
		}
	}
	hold := func(c content) {
		if c != w.holds {
			all = append(all, func(w *word) { w.holds = c })
		}
	}
	constants := func(s *source) []float64 {
		var list []float64
		if s == nil {
			return nil
		}
		for c := range s.constants {
			list = append(list, float64(c))
		}
		slices.Sort(list)
		return list
	}
	if w.kind == isNumber {
		known := constants(t.evidence.of(w.offset, -1))
		for _, c := range known {
			set(c)
			set(c + 1)
			set(c - 1)
		}
		if w.float() {
			for _, x := range []float64{0.5, 0, -1, 2, 10, 100, 1000, 0.001} {
				set(x)
			}
			return all
		}
		for i := range 3 {
			if g.threads(i) > 1 {
				set(float64(g.threads(i)))
			}
		}
		set(float64(g.all()))
		for _, x := range []float64{16, 13, 1, 2, 3, 4, 5, 7, 8, 32, 0, 64, 256} {
			set(x)
		}
		set(float64(g.all() / 2))
		set(float64(g.all() * 2))
		set(-1)
		return all
	}
	if w.kind != isPointer {
		return nil
	}
	s := t.evidence.of(-1, w.offset)
	if s != nil && s.chased && w.elem.Bytes() >= 4 && !w.elem.IsFloat() {
		hold(content{how: "chain", lo: -1})
		hold(content{how: "chain"})
	}
	known := constants(s)
	for _, c := range known {
		hold(uniform(c-1, c+1))
		hold(uniform(c-8, c+8))
	}
	if len(known) > 0 {
		hold(uniform(known[0]-1, known[len(known)-1]+1))
	}
	if w.mixed && !w.cast {
		for _, x := range []float64{3, 1, 7, 15} {
			all = append(all, func(w *word) { w.cast, w.elem, w.holds = true, isa.U32, uniform(0, x) })
		}
	}
	if w.elem.IsFloat() {
		for _, x := range []float64{1, 10, 255, 1000} {
			hold(uniform(0, x))
			hold(uniform(-x, x))
		}
		hold(content{})
		return all
	}
	for _, x := range []float64{1, 3, 7, 15, 63, 255, 65535} {
		if x <= float64(largest(w.elem)) {
			hold(uniform(0, x))
		}
	}
	for i := range 3 {
		if n := g.threads(i); n > 1 && n <= largest(w.elem) {
			hold(uniform(0, float64(n-1)))
		}
	}
	if w.elem.Bytes() >= 4 {
		hold(content{how: "offsets"})
	}
	hold(content{how: "iota"})
	hold(content{})
	hold(uniform(0, float64(largest(w.elem))))
	return all
}
