package ipet

import (
	"errors"
	"fmt"
)

// constraint is a loop, a fact or a cut as a linear constraint. Its terms name
// no edge twice.
type constraint struct {
	name     string
	terms    []Term
	rel      Relation
	rhs      int64
	evidence string
}

// constraints returns the number of loops and facts.
func (m *Model) constraints() int { return len(m.Loops) + len(m.Facts) }

// constraint returns, of a valid model, loop i, or fact i less the number of
// loops.
func (m *Model) constraint(i int) constraint {
	if i >= len(m.Loops) {
		f := m.Facts[i-len(m.Loops)]
		terms, _ := mergeTerms(f.Terms) // fits, as the model is valid
		return constraint{fmt.Sprintf("fact %q", f.Name), terms, f.Rel, f.RHS, f.Evidence}
	}
	l := m.Loops[i]
	c := constraint{name: fmt.Sprintf("loop %q", l.Name), rel: AtMost, evidence: l.Evidence}
	for _, e := range l.Iter {
		c.terms = append(c.terms, Term{e, 1})
	}
	for _, e := range l.Entries {
		c.terms = append(c.terms, Term{e, -l.Bound})
	}
	return c
}

func (c Cut) check(m *Model) error {
	inside := make([]bool, len(m.Nodes))
	for _, v := range c.Nodes {
		if v < 0 || v >= len(m.Nodes) {
			return fmt.Errorf("no node %d", v)
		}
		inside[v] = true
	}
	switch {
	case c.Edge < 0 || c.Edge >= len(m.Edges):
		return fmt.Errorf("no edge %d", c.Edge)
	case inside[m.Source]:
		return errors.New("the source is in its nodes")
	case !inside[m.Edges[c.Edge].From] || !inside[m.Edges[c.Edge].To]:
		return fmt.Errorf("edge %d (%s) is not inside its nodes", c.Edge, m.EdgeName(c.Edge))
	case m.Edges[c.Edge].Limit == nil:
		return fmt.Errorf("edge %d (%s) has no limit", c.Edge, m.EdgeName(c.Edge))
	}
	return nil
}

// constraint returns the cut as a constraint. The cut has been checked.
func (c Cut) constraint(m *Model) constraint {
	inside := make([]bool, len(m.Nodes))
	for _, v := range c.Nodes {
		inside[v] = true
	}
	row := constraint{name: "cut", rel: AtMost, terms: []Term{{c.Edge, 1}}}
	for i, e := range m.Edges {
		if !inside[e.From] && inside[e.To] {
			row.terms = append(row.terms, Term{i, -m.Edges[c.Edge].Limit.Max})
		}
	}
	return row
}
