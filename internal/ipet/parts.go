package ipet

import (
	"errors"
	"fmt"
	"math/big"
)

// checkParts verifies a certificate that proves a bound for each part.
func (c *Certificate) checkParts(net *network) error {
	if len(c.Steps) > 0 || len(c.Cuts) > 0 || len(c.Roundings) > 0 {
		return errors.New("both parts and steps, cuts or roundings for all of the model")
	}
	proofs, err := c.proofs(net)
	if err != nil {
		return err
	}
	total := new(big.Int)
	for i, p := range proofs {
		if err := p.proof.Check(); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
		total.Add(total, big.NewInt(p.proof.Cycles))
	}
	if total.Cmp(big.NewInt(c.Cycles)) > 0 {
		return fmt.Errorf("its parts add up to %v, more than %d", total, c.Cycles)
	}
	return nil
}

// partProof is what a certificate says about one part, as a certificate for the model
// of that part.
type partProof struct {
	part  *partModel
	proof *Certificate
}

// certificate returns the proof as one of the model of the part.
func (p Part) certificate(m *Model) *Certificate {
	return &Certificate{Model: m, Cycles: p.Cycles, Cuts: p.Cuts, Roundings: p.Roundings, Steps: p.Steps}
}

// prove takes the proof of a certificate of the model of the part.
func (p *Part) prove(c *Certificate) {
	p.Cycles, p.Cuts, p.Roundings, p.Steps = c.Cycles, c.Cuts, c.Roundings, c.Steps
}

// proofs returns one for every part.
func (c *Certificate) proofs(net *network) ([]partProof, error) {
	parts := make([][]int, len(c.Parts))
	for i, p := range c.Parts {
		parts[i] = p.Edges
	}
	models, err := divide(c.Model, net, parts)
	if err != nil {
		return nil, err
	}
	proofs := make([]partProof, len(c.Parts))
	for i, p := range c.Parts {
		proofs[i] = partProof{models[i], p.certificate(&models[i].Model)}
	}
	return proofs, nil
}

// partModel is the model of a part, as Part describes it.
type partModel struct {
	Model
	edges        []int // the edges of the whole model; the last two edges of the part have none
	loops, facts []int // those of the whole model
}

// divide returns the models of parts, whose edges are given. Each live edge must be in
// one of them.
func divide(m *Model, net *network, parts [][]int) ([]*partModel, error) {
	d := &division{
		m: m, parts: parts,
		from: make([]int, len(m.Edges)), to: make([]int, len(m.Edges)),
		partOf: filled(len(m.Edges), -1), at: make([]int, len(m.Edges)),
		models: make([]*partModel, len(parts)),
	}
	for p, edges := range parts {
		for k, e := range edges {
			switch {
			case e < 0 || e >= len(m.Edges):
				return nil, fmt.Errorf("part %d: no edge %d", p, e)
			case !net.live[e]:
				return nil, fmt.Errorf("part %d: edge %d (%s) is on no walk", p, e, m.EdgeName(e))
			case d.partOf[e] >= 0:
				return nil, fmt.Errorf("edge %d (%s) is in the parts %d and %d", e, m.EdgeName(e), d.partOf[e], p)
			}
			d.partOf[e], d.at[e] = p, k
		}
	}
	for e, edge := range m.Edges {
		if net.live[e] && d.partOf[e] < 0 {
			return nil, fmt.Errorf("edge %d (%s) is in no part", e, m.EdgeName(e))
		}
		d.from[e], d.to[e] = edge.From, edge.To
	}
	d.split(span{0, len(parts)}, m.Source, m.Sink, len(m.Nodes))
	d.constrain()
	return d.models, nil
}

// division is the working state of divide. It divides parts into halves again and
// again, and joins the ends of all edges that a half does not have: every time the
// graph has only as many nodes left as its edges have ends.
type division struct {
	m        *Model
	parts    [][]int
	partOf   []int // of every edge, or -1
	at       []int // of every edge, its place in its part
	from, to []int // of every edge, its ends in the graph that is being divided
	models   []*partModel
}

// split divides a graph with the edges of some parts.
func (d *division) split(parts span, source, sink, nodes int) {
	if parts.to-parts.from == 1 {
		d.build(parts.from, source, sink, nodes)
		return
	}
	middle := (parts.from + parts.to) / 2
	halves := [2]span{{parts.from, middle}, {middle, parts.to}}
	var joined [2]disjointSets
	for i := range halves {
		joined[i] = newDisjointSets(nodes)
		d.each(halves[1-i], func(e int) { joined[i].join(d.from[e], d.to[e]) })
	}
	for i, half := range halves {
		n := numbering{of: filled(nodes, -1)}
		number := func(v int) int { return n.number(joined[i].find(v)) }
		source, sink := number(source), number(sink)
		d.each(half, func(e int) { d.from[e], d.to[e] = number(d.from[e]), number(d.to[e]) })
		d.split(half, source, sink, n.count)
	}
}

func (d *division) each(parts span, do func(edge int)) {
	for _, edges := range d.parts[parts.from:parts.to] {
		for _, e := range edges {
			do(e)
		}
	}
}

// build makes the model of a part, without constraints.
func (d *division) build(part, source, sink, nodes int) {
	p := &partModel{edges: d.parts[part]}
	d.models[part] = p
	n := numbering{of: filled(nodes, -1)}
	number := func(v int, name string) int {
		i := n.number(v)
		if i == len(p.Nodes) {
			p.AddNode(name)
		}
		return i
	}
	source, sink = number(source, d.m.Nodes[d.m.Source]), number(sink, d.m.Nodes[d.m.Sink])
	for _, e := range p.edges {
		edge := d.m.Edges[e]
		edge.From, edge.To = number(d.from[e], d.m.Nodes[edge.From]), number(d.to[e], d.m.Nodes[edge.To])
		p.Edges = append(p.Edges, edge)
	}
	p.Name, p.Source, p.Sink = d.m.Name, p.AddNode("begin"), p.AddNode("end")
	p.AddEdge(p.Source, source, 0)
	p.AddEdge(sink, p.Sink, 0)
}

// constrain gives the models of the parts the loops and facts that have no edges in
// others. One that has no live edges at all goes to the first part.
func (d *division) constrain() {
	for i := range d.m.constraints() {
		terms := d.m.constraint(i).terms
		part, whole := d.home(terms)
		if !whole {
			continue
		}
		p := d.models[part]
		if i < len(d.m.Loops) {
			l := d.m.Loops[i]
			l.Iter, l.Entries = d.inPart(l.Iter), d.inPart(l.Entries)
			p.Loops, p.loops = append(p.Loops, l), append(p.loops, i)
			continue
		}
		f := d.m.Facts[i-len(d.m.Loops)]
		f.Terms = nil
		for _, t := range terms {
			if d.partOf[t.Edge] >= 0 {
				f.Terms = append(f.Terms, Term{d.at[t.Edge], t.Coef})
			}
		}
		p.Facts, p.facts = append(p.Facts, f), append(p.facts, i-len(d.m.Loops))
	}
}

// home returns the part of the first live edge of some terms, 0 if there is none, and
// whether all others are in it too.
func (d *division) home(terms []Term) (part int, whole bool) {
	part = -1
	for _, t := range terms {
		switch p := d.partOf[t.Edge]; {
		case p < 0 || p == part:
		case part < 0:
			part = p
		default:
			return part, false
		}
	}
	return max(part, 0), true
}

// inPart returns the places of the live ones among edges in their part.
func (d *division) inPart(edges []int) []int {
	var places []int
	for _, e := range edges {
		if d.partOf[e] >= 0 {
			places = append(places, d.at[e])
		}
	}
	return places
}

// numbering numbers things in the order in which they are asked for.
type numbering struct {
	of    []int // -1 where there is no number yet
	count int
}

func (n *numbering) number(i int) int {
	if n.of[i] < 0 {
		n.of[i] = n.count
		n.count++
	}
	return n.of[i]
}
