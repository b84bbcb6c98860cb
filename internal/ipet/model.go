package ipet

import (
	"fmt"
	"slices"
)

// Model is a flow problem: one unit runs from Source to Sink over the edges,
// and what is asked for is the largest sum of cost times count that the
// constraints leave possible. Counts are integers and at least zero.
//
// The constraints of a model are
//   - conservation: at every node but Source and Sink the counts of the edges
//     in and the edges out have equal sums; one unit leaves Source and one
//     reaches Sink;
//   - the edges' limits, the loops and the facts;
//   - an edge has count zero unless it is live: unless it lies on a walk from
//     Source to Sink over edges that have no limit of zero and are in Iter of no
//     loop with bound zero.
//
// No edge may enter Source or leave Sink: a graph whose entry is also a loop
// header needs a node of its own as Source, else the first entry of that loop
// would be counted on no edge.
//
// Edges are named by their index in Edges, nodes by their index in Nodes.
type Model struct {
	Name   string   `json:"name"`
	Nodes  []string `json:"nodes"` // names, for messages and files
	Edges  []Edge   `json:"edges"`
	Source int      `json:"source"`
	Sink   int      `json:"sink"`
	Loops  []Loop   `json:"loops,omitempty"`
	Facts  []Fact   `json:"facts,omitempty"`
}

// Edge is a transition between two nodes.
type Edge struct {
	From int   `json:"from"`
	To   int   `json:"to"`
	Cost int64 `json:"cost"` // cycles for each traversal, at least 0
	// Limit bounds the edge's count; nil where nothing is known.
	Limit *Limit `json:"limit,omitempty"`
}

// Limit is an upper bound on the count of one edge in the whole execution.
type Limit struct {
	Max      int64  `json:"max"` // at least 0
	Evidence string `json:"evidence,omitempty"`
}

// Loop bounds the iterations of a loop relative to its entries: the sum of the
// counts of the edges Iter is at most Bound times the sum of the counts of the
// edges Entries. No edge may be in both, nor twice in one.
//
// Entries must hold every edge that leads into the body of the loop from
// outside it, branch-divergent edges included. A missing one makes the bound
// too small.
type Loop struct {
	Name     string `json:"name"`
	Iter     []int  `json:"iter"`
	Entries  []int  `json:"entries"`
	Bound    int64  `json:"bound"` // iterations for each entry, at least 0
	Evidence string `json:"evidence,omitempty"`
}

// Fact is a linear constraint on counts: the sum of Coef times the count of
// Edge over Terms stands in relation Rel to RHS. Terms may repeat an edge.
type Fact struct {
	Name     string   `json:"name"`
	Terms    []Term   `json:"terms"`
	Rel      Relation `json:"rel"`
	RHS      int64    `json:"rhs"`
	Evidence string   `json:"evidence,omitempty"`
}

// Term is one summand of a Fact.
type Term struct {
	Edge int   `json:"edge"`
	Coef int64 `json:"coef"`
}

// Relation compares the two sides of a Fact.
type Relation string

// The relations that a Fact can state.
const (
	AtMost  Relation = "<="
	Equal   Relation = "="
	AtLeast Relation = ">="
)

// AddNode appends a node and returns its index.
func (m *Model) AddNode(name string) int {
	m.Nodes = append(m.Nodes, name)
	return len(m.Nodes) - 1
}

// AddEdge appends an edge without a limit and returns its index. cost is in
// cycles.
func (m *Model) AddEdge(from, to int, cost int64) int {
	m.Edges = append(m.Edges, Edge{From: from, To: to, Cost: cost})
	return len(m.Edges) - 1
}

// EdgeName names an edge by its ends, for messages.
func (m *Model) EdgeName(edge int) string {
	e := m.Edges[edge]
	return m.Nodes[e.From] + " -> " + m.Nodes[e.To]
}

// Validate reports the first thing that makes the model meaningless: an index
// out of range, a negative cost, bound or limit, an edge into the source or out
// of the sink, an edge twice in one loop, an unknown relation, coefficients of one
// edge in a fact whose sum does not fit.
func (m *Model) Validate() error {
	if err := m.validateGraph(); err != nil {
		return err
	}
	for i, l := range m.Loops {
		if err := m.validateLoop(l); err != nil {
			return fmt.Errorf("loop %d (%s): %w", i, l.Name, err)
		}
	}
	for i, f := range m.Facts {
		if err := m.validateFact(f); err != nil {
			return fmt.Errorf("fact %d (%s): %w", i, f.Name, err)
		}
	}
	return nil
}

func (m *Model) validateGraph() error {
	isNode := func(v int) bool { return v >= 0 && v < len(m.Nodes) }
	switch {
	case !isNode(m.Source):
		return fmt.Errorf("source %d is not one of %d nodes", m.Source, len(m.Nodes))
	case !isNode(m.Sink):
		return fmt.Errorf("sink %d is not one of %d nodes", m.Sink, len(m.Nodes))
	case m.Source == m.Sink:
		return fmt.Errorf("node %q is both source and sink", m.Nodes[m.Source])
	}
	for i, e := range m.Edges {
		switch {
		case !isNode(e.From) || !isNode(e.To):
			return fmt.Errorf("edge %d joins nodes %d and %d of %d", i, e.From, e.To, len(m.Nodes))
		case e.To == m.Source:
			return fmt.Errorf("edge %d (%s) enters the source", i, m.EdgeName(i))
		case e.From == m.Sink:
			return fmt.Errorf("edge %d (%s) leaves the sink", i, m.EdgeName(i))
		case e.Cost < 0:
			return fmt.Errorf("edge %d (%s) has negative cost %d", i, m.EdgeName(i), e.Cost)
		case e.Limit != nil && e.Limit.Max < 0:
			return fmt.Errorf("edge %d (%s) has negative limit %d", i, m.EdgeName(i), e.Limit.Max)
		}
	}
	return nil
}

func (m *Model) validateLoop(l Loop) error {
	if l.Bound < 0 {
		return fmt.Errorf("negative bound %d", l.Bound)
	}
	edges := slices.Concat(l.Iter, l.Entries)
	slices.Sort(edges)
	for i, e := range edges {
		switch {
		case e < 0 || e >= len(m.Edges):
			return fmt.Errorf("no edge %d", e)
		case i > 0 && e == edges[i-1]:
			return fmt.Errorf("edge %d (%s) stands in it twice", e, m.EdgeName(e))
		}
	}
	return nil
}

func (m *Model) validateFact(f Fact) error {
	for _, t := range f.Terms {
		if t.Edge < 0 || t.Edge >= len(m.Edges) {
			return fmt.Errorf("no edge %d", t.Edge)
		}
	}
	switch f.Rel {
	case AtMost, Equal, AtLeast:
	default:
		return fmt.Errorf("unknown relation %q", f.Rel)
	}
	if _, ok := mergeTerms(f.Terms); !ok {
		return fmt.Errorf("coefficients: %w", ErrOverflow)
	}
	return nil
}

// mergeTerms adds up the coefficients of terms that repeat an edge, and reports
// whether they fit.
func mergeTerms(terms []Term) ([]Term, bool) {
	var merged []Term
	at := map[int]int{}
	for _, t := range terms {
		i, repeats := at[t.Edge]
		if !repeats {
			at[t.Edge] = len(merged)
			merged = append(merged, t)
			continue
		}
		sum, ok := addInt(merged[i].Coef, t.Coef)
		if !ok {
			return nil, false
		}
		merged[i].Coef = sum
	}
	return merged, true
}
