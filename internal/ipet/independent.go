package ipet

import "errors"

// solveInParts solves a model with the given solver, each part of it on its own where
// there are several.
func solveInParts(m *Model, solve func(*Model) (*Solution, error)) (*Solution, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	net, err := newNetwork(m)
	if err != nil {
		return nil, err
	}
	parts := independent(m, net)
	if len(parts) == 1 {
		return solve(m)
	}
	return solveParts(m, net, parts, solve)
}

// independent divides the live edges of a model into parts that can be solved one by
// one: stretches between nodes that all flow goes on from, with what loops and facts
// join. All that no fact concerns is one part, as it leaves little to branch for, or
// belongs to another part if there are no loops in it.
func independent(m *Model, net *network) [][]int {
	of, count := newSequence(m, net).stretches(m, net)
	joined := newDisjointSets(count)
	var withLoops, withFacts []int
	for i := range m.constraints() {
		first := -1
		for _, t := range m.constraint(i).terms {
			s := of[t.Edge]
			if s < 0 {
				continue
			}
			if first < 0 {
				first = s
			}
			joined.join(first, s)
		}
		switch {
		case first < 0:
		case i < len(m.Loops):
			withLoops = append(withLoops, first)
		default:
			withFacts = append(withFacts, first)
		}
	}
	own := make([]bool, count)
	for _, s := range withFacts {
		own[joined.find(s)] = true
	}
	rest := -1
	if len(withFacts) > 0 && all(withLoops, func(s int) bool { return own[joined.find(s)] }) {
		rest = withFacts[0]
	}
	for s := range count {
		if own[joined.find(s)] {
			continue
		}
		if rest < 0 {
			rest = s
		}
		joined.join(s, rest)
	}
	n := numbering{of: filled(count, -1)}
	var parts [][]int
	for e, s := range of {
		if s < 0 {
			continue
		}
		p := n.number(joined.find(s))
		for len(parts) < n.count {
			parts = append(parts, nil)
		}
		parts[p] = append(parts[p], e)
	}
	return parts
}

// solveParts solves the given parts of a model one by one.
func solveParts(m *Model, net *network, parts [][]int, solve func(*Model) (*Solution, error)) (*Solution, error) {
	models, err := divide(m, net, parts)
	if err != nil {
		return nil, err
	}
	c := &Certificate{Model: m, Parts: make([]Part, len(parts))}
	for i, p := range models {
		c.Parts[i].Edges = p.edges
	}
	all := &Solution{Method: MethodGeneral, Exact: true, Counts: make([]int64, len(m.Edges)), Certificate: c}
	var sum checked
	for i, p := range models {
		s, err := solve(&p.Model)
		if err != nil {
			return nil, c.partError(i, p, err)
		}
		c.Parts[i].prove(s.Certificate)
		all.Cycles = sum.add(all.Cycles, s.Cycles)
		all.Exact = all.Exact && s.Exact
		if s.Counts == nil {
			all.Counts = nil
		}
		if all.Counts != nil {
			for k, e := range p.edges {
				all.Counts[e] = s.Counts[k]
			}
		}
	}
	if sum.overflow {
		return nil, ErrOverflow
	}
	all.Walk = all.Counts != nil && connected(m, all.Counts)
	c.Cycles, c.Counts = all.Cycles, all.Counts
	return all, nil
}

// partError translates an error of the model of a part to the whole model.
func (c *Certificate) partError(part int, p *partModel, err error) error {
	var infeasible *InfeasibleError
	var unbounded *UnboundedError
	switch {
	case errors.As(err, &infeasible) && infeasible.proof != nil:
		proof := &Certificate{Model: c.Model, Parts: make([]Part, len(c.Parts))}
		for i, p := range c.Parts {
			proof.Parts[i].Edges = p.Edges
		}
		proof.Parts[part].prove(infeasible.proof)
		return newInfeasibleError(proof)
	case errors.As(err, &unbounded):
		cycle := make([]int, len(unbounded.Edges))
		for i, e := range unbounded.Edges {
			cycle[i] = p.edges[e]
		}
		return newUnboundedError(c.Model, cycle)
	}
	return err
}
