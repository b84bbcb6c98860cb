package ipet

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
)

func (r Rounding) constraint() constraint {
	return constraint{name: "rounding", terms: r.Terms, rel: AtMost, rhs: r.RHS}
}

// roundings verifies the roundings of a certificate.
func (k *checker) roundings() error {
	for i, r := range k.c.Roundings {
		bound, _, err := k.rounding(i)
		if err != nil {
			return fmt.Errorf("rounding %d: %w", i, err)
		}
		if err := checkFloor(bound, r.RHS); err != nil {
			return fmt.Errorf("rounding %d: %w", i, err)
		}
	}
	return nil
}

// rounding returns what the weights of a rounding prove of the sum over its terms, and
// the edges whose limits that rests on.
func (k *checker) rounding(i int) (bound *big.Rat, limits []int, err error) {
	m, r := k.c.Model, k.c.Roundings[i]
	bound = new(big.Rat)
	lack := map[int]*big.Rat{} // of every edge: its coefficient less that of the sum
	for _, t := range r.Terms {
		switch {
		case t.Edge < 0 || t.Edge >= len(m.Edges):
			return nil, nil, fmt.Errorf("no edge %d", t.Edge)
		case lack[t.Edge] != nil:
			return nil, nil, fmt.Errorf("edge %d (%s) stands in it twice", t.Edge, m.EdgeName(t.Edge))
		}
		lack[t.Edge] = new(big.Rat).SetInt64(t.Coef)
	}
	add := func(kind string, weights []Weight, count int, of func(i int) constraint) error {
		for _, w := range weights {
			if w.At < 0 || w.At >= count {
				return fmt.Errorf("weight of %s %d, which is none of %d", kind, w.At, count)
			}
			c, y := of(w.At), w.Weight.Big()
			if err := c.checkSign(y); err != nil {
				return err
			}
			for _, t := range c.terms {
				if lack[t.Edge] == nil {
					lack[t.Edge] = new(big.Rat)
				}
				lack[t.Edge].Sub(lack[t.Edge], new(big.Rat).Mul(y, new(big.Rat).SetInt64(t.Coef)))
			}
			bound.Add(bound, new(big.Rat).Mul(y, new(big.Rat).SetInt64(c.rhs)))
		}
		return nil
	}
	w := r.Weights
	for _, err := range []error{
		add("node", w.Nodes, len(m.Nodes), k.law),
		add("loop", w.Loops, len(m.Loops), m.constraint),
		add("fact", w.Facts, len(m.Facts), func(i int) constraint { return m.constraint(len(m.Loops) + i) }),
		add("cut", w.Cuts, len(k.c.Cuts), func(i int) constraint { return k.c.Cuts[i].constraint(m) }),
		add("rounding", w.Roundings, i, func(i int) constraint { return k.c.Roundings[i].constraint() }),
	} {
		if err != nil {
			return nil, nil, err
		}
	}
	for _, e := range slices.Sorted(maps.Keys(lack)) {
		if !k.live[e] || lack[e].Sign() <= 0 {
			continue
		}
		if m.Edges[e].Limit == nil {
			return nil, nil, fmt.Errorf("edge %d (%s) has no limit but lacks %s", e, m.EdgeName(e), lack[e].RatString())
		}
		bound.Add(bound, new(big.Rat).Mul(lack[e], new(big.Rat).SetInt64(m.Edges[e].Limit.Max)))
		limits = append(limits, e)
	}
	return bound, limits, nil
}

// law returns conservation at a node.
func (k *checker) law(v int) constraint {
	if k.at == nil {
		k.at = edgesAt(k.c.Model)
	}
	m := k.c.Model
	c := constraint{name: "conservation at " + m.Nodes[v], rel: Equal}
	switch v {
	case m.Source:
		c.rhs = -1
	case m.Sink:
		c.rhs = 1
	}
	for _, e := range k.at[v] {
		switch edge := m.Edges[e]; {
		case edge.From == edge.To: // cancels out
		case edge.To == v:
			c.terms = append(c.terms, Term{e, 1})
		default:
			c.terms = append(c.terms, Term{e, -1})
		}
	}
	return c
}

// edgesAt lists the edges at every node, those into it and those out of it.
func edgesAt(m *Model) [][]int {
	at := make([][]int, len(m.Nodes))
	for i, e := range m.Edges {
		at[e.From] = append(at[e.From], i)
		at[e.To] = append(at[e.To], i)
	}
	return at
}
