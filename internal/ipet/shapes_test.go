package ipet

import (
	"fmt"
	"math/rand/v2"
)

// shape generates models of one kind that only the general solver takes, of
// about the given number of blocks.
type shape struct {
	name     string
	generate func(r *rand.Rand, blocks int) *Model
}

// shapes are the kinds of large models that are tested.
var shapes = []shape{
	{"nests with a fact", func(r *rand.Rand, blocks int) *Model {
		m := kernelModel(r, blocks)
		m.Facts = append(m.Facts, Fact{Name: "first", Terms: []Term{{0, 1}}, Rel: AtMost, RHS: 1})
		return m
	}},
	{"deep nests", func(r *rand.Rand, blocks int) *Model { return nestModel(r, blocks, 12, false) }},
	{"wide", func(r *rand.Rand, blocks int) *Model { return nestModel(r, blocks, 1, false) }},
	{"irreducible", func(r *rand.Rand, blocks int) *Model { return nestModel(r, blocks, 4, true) }},
	{"facts across loops", factModel},
	{"facts in one loop", func(r *rand.Rand, blocks int) *Model { return around(factModel(r, blocks)) }},
	{"observed", func(r *rand.Rand, blocks int) *Model { return divergentModel(r, blocks, 2*blocks, 50) }},
}

// nestModel returns a sequence of nests of loops, each as deep as told, of
// bodies with alternatives. Bounds alternate between 1 and 2, so that costs
// fit. Irreducible loops are entered in their middle too.
func nestModel(r *rand.Rand, blocks, depth int, irreducible bool) *Model {
	m := newModel(1)
	cost := func() int64 { return r.Int64N(100) }
	add := func() int { return m.AddNode(fmt.Sprintf("b%d", len(m.Nodes))) }
	// diamond appends an alternative behind a node and returns where it joins.
	diamond := func(from int) int {
		a, b, join := add(), add(), add()
		for _, v := range []int{a, b} {
			m.AddEdge(from, v, cost())
			m.AddEdge(v, join, cost())
		}
		return join
	}
	at := 0
	for len(m.Nodes) < blocks {
		var nest func(level int)
		nest = func(level int) {
			before := at
			header := add()
			l := Loop{Name: m.Nodes[header], Bound: 1 + r.Int64N(2), Evidence: "annotated"}
			l.Entries = append(l.Entries, m.AddEdge(before, header, cost()))
			at = diamond(header)
			if irreducible {
				l.Entries = append(l.Entries, m.AddEdge(before, at, cost()))
			}
			if level > 1 {
				nest(level - 1)
			}
			at = diamond(at)
			l.Iter = append(l.Iter, m.AddEdge(at, header, cost()))
			m.Loops = append(m.Loops, l)
		}
		nest(depth)
	}
	sink := add()
	m.AddEdge(at, sink, 0)
	m.Sink = sink
	return m
}

// factModel returns a model of loops with facts across them: inner loops that
// iterate so often in all, blocks that exclude one another, and sums over
// blocks of several loops.
func factModel(r *rand.Rand, blocks int) *Model {
	m := nestModel(r, blocks, 3, false)
	for i := 2; i < len(m.Loops); i += 3 {
		outer, inner := &m.Loops[i], &m.Loops[i-2]
		name := func(kind string) string { return fmt.Sprint(kind, i) }
		switch r.IntN(4) {
		case 0: // a triangle: fewer iterations in all than the bounds allow
			m.Facts = append(m.Facts, Fact{Name: name("triangle"), Rel: AtMost, RHS: outer.Bound + inner.Bound,
				Terms: []Term{{inner.Iter[0], 1}}})
		case 1: // as often as in a loop before
			if i > 2 {
				m.Facts = append(m.Facts, Fact{Name: name("equal"), Rel: Equal,
					Terms: []Term{{outer.Iter[0], 1}, {m.Loops[i-3].Iter[0], -1}}})
			}
		case 2: // one arm of an alternative once for two rounds at most
			m.Facts = append(m.Facts, Fact{Name: name("seldom"), Rel: AtMost, RHS: 1,
				Terms: []Term{{inner.Entries[0] + 1, 2}, {inner.Iter[0], -1}}})
		}
	}
	return m
}
