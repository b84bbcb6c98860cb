package ipet

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/graph"
)

// structuredModel draws a model that SolveStructured takes, but for loops
// without a bound: a random acyclic graph with some edges to dominators added,
// and every loop of the result bounded or, rarely, not.
func structuredModel(t *rapid.T, maxNodes int) *Model {
	n := rapid.IntRange(2, maxNodes).Draw(t, "nodes")
	cost := rapid.Int64Range(0, 9)
	m := newModel(n)
	for v := range n - 1 {
		for range rapid.IntRange(1, 3).Draw(t, "degree") {
			m.AddEdge(v, rapid.IntRange(v+1, n-1).Draw(t, "to"), cost.Draw(t, "cost"))
		}
	}
	dom := graph.Dominators(subgraph(m, func(int) bool { return true }), 0)
	for v := 1; v < n-1; v++ {
		for h := v; h > 0 && rapid.IntRange(0, 2).Draw(t, "back") == 0; h = dom.IDom(h) {
			if !dom.Contains(v) {
				break
			}
			m.AddEdge(v, h, cost.Draw(t, "cost"))
		}
	}
	boundLoops(m, func() (int64, bool) {
		return rapid.Int64Range(0, 4).Draw(t, "bound"), rapid.IntRange(0, 30).Draw(t, "annotated") > 0
	})
	return m
}

// newModel returns a model of n nodes without edges, the first its source and
// the last its sink.
func newModel(n int) *Model {
	m := &Model{Name: "test", Sink: n - 1}
	for v := range n {
		m.AddNode(fmt.Sprintf("b%d", v))
	}
	return m
}

// boundLoops adds a loop to the model for each loop of its graph.
func boundLoops(m *Model, bound func() (int64, bool)) {
	g := subgraph(m, func(int) bool { return true })
	rank := make([]int, len(m.Nodes))
	for i, v := range graph.ReversePostOrder(g, m.Source) {
		rank[v] = i + 1
	}
	for _, l := range graph.Loops(g, m.Source).Loops {
		b, ok := bound()
		if !ok {
			continue
		}
		loop := Loop{Name: m.Nodes[l.Header], Bound: b, Evidence: "annotated"}
		for i, e := range m.Edges {
			switch {
			case e.To != l.Header || rank[e.From] == 0:
			case rank[e.From] >= rank[e.To]:
				loop.Iter = append(loop.Iter, i)
			default:
				loop.Entries = append(loop.Entries, i)
			}
		}
		m.Loops = append(m.Loops, loop)
	}
}

// anyModel draws a model without any structure: limits on all edges or on some,
// loops and facts over arbitrary edges.
func anyModel(t *rapid.T, maxNodes, maxEdges int, maxLimit int64, allLimited bool) *Model {
	n := rapid.IntRange(2, maxNodes).Draw(t, "nodes")
	m := newModel(n)
	add := func(from, to int) {
		e := m.AddEdge(from, to, rapid.Int64Range(0, 9).Draw(t, "cost"))
		if allLimited || rapid.IntRange(0, 2).Draw(t, "limited") > 0 {
			m.Edges[e].Limit = &Limit{Max: rapid.Int64Range(0, maxLimit).Draw(t, "limit")}
		}
	}
	for v := range n - 1 {
		add(v, v+1)
	}
	for range rapid.IntRange(0, maxEdges).Draw(t, "edges") {
		add(rapid.IntRange(0, n-2).Draw(t, "from"), rapid.IntRange(1, n-1).Draw(t, "to"))
	}
	edge := rapid.IntRange(0, len(m.Edges)-1)
	for i := range rapid.IntRange(0, 2).Draw(t, "loops") {
		edges := rapid.SliceOfNDistinct(edge, 1, min(5, len(m.Edges)), rapid.ID).Draw(t, "loop")
		k := rapid.IntRange(0, len(edges)).Draw(t, "iter")
		m.Loops = append(m.Loops, Loop{Name: fmt.Sprint(i), Iter: edges[:k], Entries: edges[k:],
			Bound: rapid.Int64Range(0, 3).Draw(t, "bound")})
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "facts") {
		f := Fact{Name: fmt.Sprint(i), RHS: rapid.Int64Range(-2, 4).Draw(t, "rhs"),
			Rel: rapid.SampledFrom([]Relation{AtMost, AtMost, Equal, AtLeast}).Draw(t, "rel")}
		for range rapid.IntRange(0, 3).Draw(t, "terms") {
			f.Terms = append(f.Terms, Term{edge.Draw(t, "term"), rapid.Int64Range(-2, 3).Draw(t, "coef")})
		}
		m.Facts = append(m.Facts, f)
	}
	return m
}

func TestValidate(t *testing.T) {
	good := func() *Model {
		m := newModel(3)
		m.AddEdge(0, 1, 1)
		m.AddEdge(1, 1, 1)
		m.AddEdge(1, 2, 1)
		m.Loops = []Loop{{Name: "b1", Iter: []int{1}, Entries: []int{0}, Bound: 1}}
		m.Facts = []Fact{{Name: "f", Terms: []Term{{1, 1}}, Rel: AtMost, RHS: 1}}
		return m
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		harm func(*Model)
	}{
		{"source 7 is not one of 3 nodes", func(m *Model) { m.Source = 7 }},
		{"sink -1 is not one of 3 nodes", func(m *Model) { m.Sink = -1 }},
		{`node "b0" is both source and sink`, func(m *Model) { m.Sink = 0 }},
		{"edge 1 joins nodes 1 and 3 of 3", func(m *Model) { m.Edges[1].To = 3 }},
		{"edge 1 (b1 -> b0) enters the source", func(m *Model) { m.Edges[1].To = 0 }},
		{"edge 1 (b2 -> b1) leaves the sink", func(m *Model) { m.Edges[1].From = 2 }},
		{"edge 2 (b1 -> b2) has negative cost -4", func(m *Model) { m.Edges[2].Cost = -4 }},
		{"edge 0 (b0 -> b1) has negative limit -1", func(m *Model) { m.Edges[0].Limit = &Limit{Max: -1} }},
		{"loop 0 (b1): negative bound -2", func(m *Model) { m.Loops[0].Bound = -2 }},
		{"loop 0 (b1): no edge 3", func(m *Model) { m.Loops[0].Iter = []int{3} }},
		{"loop 0 (b1): edge 0 (b0 -> b1) stands in it twice", func(m *Model) { m.Loops[0].Iter = []int{0} }},
		{"fact 0 (f): no edge -1", func(m *Model) { m.Facts[0].Terms[0].Edge = -1 }},
		{`fact 0 (f): unknown relation "<"`, func(m *Model) { m.Facts[0].Rel = "<" }},
		{"fact 0 (f): coefficients: cost overflows 63 bits", func(m *Model) {
			m.Facts[0].Terms = []Term{{1, 1 << 62}, {1, 1 << 62}}
		}},
	} {
		m := good()
		c.harm(m)
		if err := m.Validate(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// parseModel reads edges such as "0>1:5 1>1:7<=3", each ends, cost and limit,
// into a model whose sink is the node of greatest number.
func parseModel(t *testing.T, text string) *Model {
	t.Helper()
	m := newModel(1)
	for _, word := range strings.Fields(text) {
		var from, to int
		var cost, limit int64
		n, err := fmt.Sscanf(word, "%d>%d:%d<=%d", &from, &to, &cost, &limit)
		if n < 3 {
			t.Fatalf("edge %q: %v", word, err)
		}
		for len(m.Nodes) <= max(from, to) {
			m.AddNode(fmt.Sprintf("b%d", len(m.Nodes)))
		}
		e := m.AddEdge(from, to, cost)
		if n == 4 {
			m.Edges[e].Limit = &Limit{Max: limit, Evidence: "observed"}
		}
	}
	m.Sink = len(m.Nodes) - 1
	return m
}
