package adversary

import (
	"math/rand/v2"

	"warpbound/internal/method/search"
	"warpbound/internal/symexec"
)

// lanes is how many elements patterns repeat after: as many as a warp has lanes.
const lanes = 32

// pattern is a rule for the elements of a parameter.
type pattern struct {
	name string
	at   func(e symexec.Element, i, count uint64) uint64 // the i-th of so many elements
}

// patterns are those that there are, in the order in which they are tried.
func patterns() []pattern {
	low := func(e symexec.Element, _, _ uint64) uint64 { return e.Low }
	high := func(e symexec.Element, _, _ uint64) uint64 { return e.High }
	either := func(upper func(i uint64) bool) func(symexec.Element, uint64, uint64) uint64 {
		return func(e symexec.Element, i, _ uint64) uint64 {
			if upper(i) {
				return e.High
			}
			return e.Low
		}
	}
	return []pattern{
		{"maximum", high},
		{"minimum", low},
		{"ascending", search.Spread},
		{"alternating", either(func(i uint64) bool { return i%2 > 0 })},
		{"constant", func(e symexec.Element, _, _ uint64) uint64 { return search.Spread(e, 1, 3) }},
		{"spread", func(e symexec.Element, i, _ uint64) uint64 { return search.Spread(e, i%lanes, lanes) }},
		{"descending", func(e symexec.Element, i, count uint64) uint64 { return search.Spread(e, count-1-i, count) }},
		{"sparse", either(func(i uint64) bool { return i%lanes == 0 })},
		{"gaps", either(func(i uint64) bool { return i%lanes != 0 })},
		{"stride", func(e symexec.Element, i, count uint64) uint64 { return step(e, i*lanes, i, count) }},
		{"receding", func(e symexec.Element, i, count uint64) uint64 { return step(e, -(i + 1), count-1-i, count) }},
		{"successive", func(e symexec.Element, i, count uint64) uint64 { return step(e, i, i, count) }},
	}
}

// step is the integer that is n above the least one, modulo the range. Floats ascend, since nothing
// tells what lies next to each other among them.
func step(e symexec.Element, n, i, count uint64) uint64 {
	if e.Float {
		return search.Spread(e, i, count)
	}
	return search.Advance(e, e.Low, n)
}

// fillParam gives some elements of a parameter a pattern. A number by itself is at its maximum in a
// pattern of several: so a count that bounds the elements has the kernel look at all of them.
func (m *Maker) fillParam(in search.Inputs, param int, p pattern, first, n int) {
	x := &m.space.Params[param]
	if x.Count == 1 && p.name != "minimum" && p.name != "constant" {
		m.space.Put(in, param, 0, x.Element.High)
		return
	}
	for i := range n {
		m.space.Put(in, param, first+i, p.at(x.Element, uint64(i), uint64(n)))
	}
}

// changeElements changes inputs at random.
func (m *Maker) changeElements(in search.Inputs, rng *rand.Rand) {
	for range 1 + rng.IntN(2) {
		m.changeParam(in, m.varied[rng.IntN(len(m.varied))], rng)
	}
}

// The most elements that are changed one by one.
const maxChanged = 64

// changeParam changes a parameter: all of its elements, some in a row, or a few anywhere.
func (m *Maker) changeParam(in search.Inputs, param int, rng *rand.Rand) {
	x := &m.space.Params[param]
	first, n := 0, x.Count
	if n > 1 && rng.IntN(2) == 0 {
		first = rng.IntN(n)
		n = 1 + rng.IntN(n-first)
	}
	draw := func() uint64 { return search.Draw(x.Element, rng.Uint64()|1<<63, 0) }
	switch kind := rng.IntN(8); {
	case kind < 2:
		all := patterns()
		m.fillParam(in, param, all[rng.IntN(len(all))], first, n)
	case kind == 2:
		m.fillConstant(in, param, first, n, draw())
	case kind == 3 && m.held(param) != nil:
		held := m.held(param)
		m.fillConstant(in, param, first, n, held[rng.IntN(len(held))])
	case kind == 4:
		for i := range n {
			m.space.Put(in, param, first+i, draw())
		}
	case kind == 5 && x.Count > 1: // elements of another place
		from := rng.IntN(x.Count - n + 1)
		size := x.Element.Bytes
		copy(in[param][first*size:(first+n)*size], in[param][from*size:(from+n)*size])
	default:
		for range 1 + rng.IntN(min(maxChanged, x.Count)) {
			at, value := rng.IntN(x.Count), draw()
			if !x.Element.Float && rng.IntN(2) == 0 {
				value = search.Advance(x.Element, m.space.Get(in, param, at), 1-2*rng.Uint64N(2))
			}
			m.space.Put(in, param, at, value)
		}
	}
}

// fillConstant gives elements the fillConstant value.
func (m *Maker) fillConstant(in search.Inputs, param, first, n int, value uint64) {
	for i := range n {
		m.space.Put(in, param, first+i, value)
	}
}
