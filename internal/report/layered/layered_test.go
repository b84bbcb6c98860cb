package layered

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func box(n int) []Node {
	nodes := make([]Node, n)
	for i := range nodes {
		nodes[i] = Node{Width: 80, Height: 20}
	}
	return nodes
}

// TestLayout draws small graphs of which the drawing is known.
func TestLayout(t *testing.T) {
	for name, c := range map[string]struct {
		nodes int
		edges []Edge
		want  []Point
		back  []bool
	}{
		"none":    {0, nil, nil, nil},
		"one":     {1, nil, []Point{{40, 10}}, []bool{}},
		"chain":   {3, []Edge{{0, 1}, {1, 2}}, []Point{{40, 10}, {40, 66}, {40, 122}}, []bool{false, false}},
		"diamond": {4, []Edge{{0, 1}, {0, 2}, {1, 3}, {2, 3}}, []Point{{92, 10}, {40, 66}, {144, 66}, {92, 122}}, make([]bool, 4)},
		"crossed": {4, []Edge{{0, 3}, {1, 2}}, []Point{{40, 10}, {144, 10}, {144, 66}, {40, 66}}, make([]bool, 2)},
		"itself":  {1, []Edge{{0, 0}}, []Point{{40, 10}}, []bool{true}},
	} {
		d := Layout(box(c.nodes), c.edges)
		if !reflect.DeepEqual(d.Nodes, c.want) {
			t.Errorf("%s: nodes at %v, want %v", name, d.Nodes, c.want)
		}
		if !reflect.DeepEqual(d.Back, c.back) {
			t.Errorf("%s: back edges %v, want %v", name, d.Back, c.back)
		}
	}
}

// TestLoop: an edge that closes a cycle leads upwards, and passes beside what is between.
func TestLoop(t *testing.T) {
	d := Layout(box(4), []Edge{{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 0}})
	if want := []bool{false, false, true, false, true}; !reflect.DeepEqual(d.Back, want) {
		t.Fatalf("back edges %v", d.Back)
	}
	path := d.Edges[4]
	if len(path) != 4 || path[0].Y <= path[3].Y {
		t.Errorf("the edge from the last node to the first goes %v", path)
	}
	for i, p := range path[1:3] {
		n := d.Nodes[2-i]
		if n.Y != p.Y || p.X > n.X-40 && p.X < n.X+40 {
			t.Errorf("it passes through the node at %v", n)
		}
	}
}

// TestProperties: nodes do not overlap and are within the drawing, each edge joins its nodes, and only those that close a cycle lead
// upwards.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "nodes")
		nodes := make([]Node, n)
		for i := range nodes {
			nodes[i] = Node{rapid.Float64Range(1, 200).Draw(t, "width"), rapid.Float64Range(1, 50).Draw(t, "height")}
		}
		node := rapid.IntRange(0, n-1)
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge { return Edge{node.Draw(t, "from"), node.Draw(t, "to")} }), 0, 60).Draw(t, "edges")
		d := Layout(nodes, edges)
		if !reflect.DeepEqual(d, Layout(nodes, edges)) {
			t.Fatal("two drawings of one graph differ")
		}
		const little = 1e-6
		for i, p := range d.Nodes {
			a := nodes[i]
			if p.X-a.Width/2 < -little || p.X+a.Width/2 > d.Width+little || p.Y-a.Height/2 < -little || p.Y+a.Height/2 > d.Height+little {
				t.Fatalf("node %d is outside", i)
			}
			for j, q := range d.Nodes[:i] {
				b := nodes[j]
				if abs(p.X-q.X) < (a.Width+b.Width)/2-little && abs(p.Y-q.Y) < (a.Height+b.Height)/2-little {
					t.Fatalf("nodes %d and %d overlap", i, j)
				}
			}
		}
		for e, path := range d.Edges {
			from, to := edges[e].From, edges[e].To
			first, last := path[0], path[len(path)-1]
			if from == to {
				if !d.Back[e] {
					t.Fatalf("edge %d leads to its own node and closes no cycle", e)
				}
				continue
			}
			if first.X != d.Nodes[from].X || last.X != d.Nodes[to].X {
				t.Fatalf("edge %d does not join its nodes", e)
			}
			if down := first.Y < last.Y; down == d.Back[e] {
				t.Fatalf("edge %d closes a cycle: %v, and leads downwards: %v", e, d.Back[e], down)
			}
			if abs(abs(first.Y-d.Nodes[from].Y)-nodes[from].Height/2) > little || abs(abs(last.Y-d.Nodes[to].Y)-nodes[to].Height/2) > little {
				t.Fatalf("edge %d ends within a node", e)
			}
		}
	})
}

func abs(x float64) float64 { return max(x, -x) }

// TestInversions counts pairs in the wrong order.
func TestInversions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.IntRange(0, 9)).Draw(t, "list")
		want := 0
		for i := range list {
			for _, before := range list[:i] {
				if before > list[i] {
					want++
				}
			}
		}
		if got := inversions(list); got != want {
			t.Fatalf("%d instead of %d", got, want)
		}
	})
}

// TestLarge draws a graph of 200 diamonds.
func TestLarge(t *testing.T) {
	var edges []Edge
	for i := 0; i < 600; i += 3 {
		edges = append(edges, Edge{i, i + 1}, Edge{i, i + 2}, Edge{i + 1, i + 3}, Edge{i + 2, i + 3}, Edge{i + 3, 0})
	}
	d := Layout(box(601), edges)
	if d.Nodes[600].Y <= d.Nodes[0].Y {
		t.Error("the last node is not below the first")
	}
}
