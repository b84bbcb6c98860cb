package ipet

import "fmt"

// Use is a constraint that a certificate's proof rests on.
type Use struct {
	Constraint string // for example: loop "b3" or: limit of b3 -> b4
	Evidence   string // as the model states it
}

// Uses returns the constraints that a certificate which Check accepts rests on:
// loops, facts, then limits of edges. They are those whose multipliers are not
// zero in some leaf, and those of zero, which rule out edges from the start.
// The bound holds also without all others.
func (c *Certificate) Uses() []Use {
	net, err := newNetwork(c.Model)
	if err != nil {
		return nil
	}
	m, k := c.Model, checker{c: c, live: net.live}
	constraints, limits := make([]bool, m.constraints()), make([]bool, len(m.Edges))
	for i, l := range m.Loops {
		constraints[i] = l.Bound == 0
	}
	for i, e := range m.Edges {
		limits[i] = e.Limit != nil && e.Limit.Max == 0
	}
	for _, s := range c.Steps {
		y := s.Multipliers
		if y == nil {
			continue
		}
		for i, p := range y.Loops {
			constraints[i] = constraints[i] || !p.isZero()
		}
		for i, p := range y.Facts {
			constraints[len(m.Loops)+i] = constraints[len(m.Loops)+i] || !p.isZero()
		}
		for i, p := range y.Cuts {
			limits[c.Cuts[i].Edge] = limits[c.Cuts[i].Edge] || !p.isZero()
		}
		_, reduced, err := k.reduce(s)
		if err != nil {
			return nil
		}
		for e, r := range reduced {
			limits[e] = limits[e] || r != nil && r.Sign() > 0 && m.Edges[e].Limit != nil
		}
	}
	var uses []Use
	for i, used := range constraints {
		if used {
			c := m.constraint(i)
			uses = append(uses, Use{c.name, c.evidence})
		}
	}
	for e, used := range limits {
		if used {
			uses = append(uses, Use{fmt.Sprintf("limit of %s", m.EdgeName(e)), m.Edges[e].Limit.Evidence})
		}
	}
	return uses
}
