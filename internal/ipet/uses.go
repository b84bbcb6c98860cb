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
	m := c.Model
	u := usage{loops: make([]bool, len(m.Loops)), facts: make([]bool, len(m.Facts)), limits: make([]bool, len(m.Edges))}
	for i, l := range m.Loops {
		u.loops[i] = l.Bound == 0
	}
	for i, e := range m.Edges {
		u.limits[i] = e.Limit != nil && e.Limit.Max == 0
	}
	if err := u.add(c, net); err != nil {
		return nil
	}
	var uses []Use
	for i, used := range append(u.loops, u.facts...) {
		if used {
			c := m.constraint(i)
			uses = append(uses, Use{c.name, c.evidence})
		}
	}
	for e, used := range u.limits {
		if used {
			uses = append(uses, Use{fmt.Sprintf("limit of %s", m.EdgeName(e)), m.Edges[e].Limit.Evidence})
		}
	}
	return uses
}

// usage tells which loops, facts and limits of edges a proof rests on.
type usage struct{ loops, facts, limits []bool }

// add adds those of a certificate's steps.
func (u usage) add(c *Certificate, net *network) error {
	if len(c.Parts) > 0 {
		return u.addParts(c, net)
	}
	k := checker{c: c, live: net.live}
	rounded := make([]bool, len(c.Roundings))
	for _, s := range c.Steps {
		y := s.Multipliers
		if y == nil {
			continue
		}
		for i, p := range y.Loops {
			u.loops[i] = u.loops[i] || !p.isZero()
		}
		for i, p := range y.Facts {
			u.facts[i] = u.facts[i] || !p.isZero()
		}
		for i, p := range y.Cuts {
			e := c.Cuts[i].Edge
			u.limits[e] = u.limits[e] || !p.isZero()
		}
		for i, p := range y.Roundings {
			rounded[i] = rounded[i] || !p.isZero()
		}
		_, reduced, err := k.reduce(s)
		if err != nil {
			return err
		}
		for e, r := range reduced {
			u.limits[e] = u.limits[e] || r != nil && r.Sign() > 0 && c.Model.Edges[e].Limit != nil
		}
	}
	return u.addRoundings(&k, rounded)
}

// addRoundings adds what the given roundings rest on.
func (u usage) addRoundings(k *checker, used []bool) error {
	for i := len(used) - 1; i >= 0; i-- { // they rest on those before them
		if !used[i] {
			continue
		}
		_, limits, err := k.rounding(i)
		if err != nil {
			return err
		}
		for _, e := range limits {
			u.limits[e] = true
		}
		w := k.c.Roundings[i].Weights
		for _, w := range w.Loops {
			u.loops[w.At] = true
		}
		for _, w := range w.Facts {
			u.facts[w.At] = true
		}
		for _, w := range w.Cuts {
			u.limits[k.c.Cuts[w.At].Edge] = true
		}
		for _, w := range w.Roundings {
			used[w.At] = true
		}
	}
	return nil
}

func (u usage) addParts(c *Certificate, net *network) error {
	proofs, err := c.proofs(net)
	if err != nil {
		return err
	}
	for _, p := range proofs {
		net, err := newNetwork(&p.part.Model)
		if err != nil {
			return err
		}
		part := usage{loops: make([]bool, len(p.part.loops)), facts: make([]bool, len(p.part.facts)), limits: make([]bool, len(p.part.Edges))}
		if err := part.add(p.proof, net); err != nil {
			return err
		}
		for i, loop := range p.part.loops {
			u.loops[loop] = u.loops[loop] || part.loops[i]
		}
		for i, fact := range p.part.facts {
			u.facts[fact] = u.facts[fact] || part.facts[i]
		}
		for i, edge := range p.part.edges {
			u.limits[edge] = u.limits[edge] || part.limits[i]
		}
	}
	return nil
}
