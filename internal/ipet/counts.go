package ipet

import (
	"fmt"
	"math/big"
)

// cost reports the first constraint of the model that counts, one for every edge, violate,
// and otherwise returns their cost in cycles.
func (m *Model) cost(net *network, counts []int64) (*big.Int, error) {
	if len(counts) != len(m.Edges) {
		return nil, fmt.Errorf("%d counts for %d edges", len(counts), len(m.Edges))
	}
	if err := m.checkFlow(net, counts); err != nil {
		return nil, err
	}
	for i := range m.constraints() {
		row := m.constraint(i)
		sum := new(big.Int)
		for _, t := range row.terms {
			sum.Add(sum, product(t.Coef, counts[t.Edge]))
		}
		if !row.rel.holds(sum.Cmp(big.NewInt(row.rhs))) {
			return nil, fmt.Errorf("%s: the sum is %v, not %s %d", row.name, sum, row.rel, row.rhs)
		}
	}
	cost := new(big.Int)
	for i, e := range m.Edges {
		cost.Add(cost, product(e.Cost, counts[i]))
	}
	return cost, nil
}

// checkFlow checks conservation, limits, and that dead edges are not used.
func (m *Model) checkFlow(net *network, counts []int64) error {
	excess := make([]big.Int, len(m.Nodes))
	for i, e := range m.Edges {
		n := counts[i]
		switch {
		case n < 0:
			return fmt.Errorf("edge %d (%s) has negative count %d", i, m.EdgeName(i), n)
		case n > 0 && !net.live[i]:
			return fmt.Errorf("edge %d (%s) is on no walk but has count %d", i, m.EdgeName(i), n)
		case e.Limit != nil && n > e.Limit.Max:
			return fmt.Errorf("edge %d (%s) has count %d above its limit %d", i, m.EdgeName(i), n, e.Limit.Max)
		}
		excess[e.From].Sub(&excess[e.From], big.NewInt(n))
		excess[e.To].Add(&excess[e.To], big.NewInt(n))
	}
	for v := range excess {
		var want int64
		switch v {
		case m.Source:
			want = -1
		case m.Sink:
			want = 1
		}
		if excess[v].Cmp(big.NewInt(want)) != 0 {
			return fmt.Errorf("node %d (%s) keeps %v units of flow, not %d", v, m.Nodes[v], &excess[v], want)
		}
	}
	return nil
}

func product(a, b int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
}

// holds reports whether the relation holds, given how the left-hand side compares to
// the right.
func (r Relation) holds(cmp int) bool {
	switch r {
	case AtMost:
		return cmp <= 0
	case AtLeast:
		return cmp >= 0
	}
	return cmp == 0
}
