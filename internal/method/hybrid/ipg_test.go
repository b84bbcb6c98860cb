package hybrid_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/graph"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
)

// parseEdges reads edges such as "0>1 1>2".
func parseEdges(t testing.TB, text string) []graph.Edge {
	t.Helper()
	var edges []graph.Edge
	for _, field := range strings.Fields(text) {
		var e graph.Edge
		if _, err := fmt.Sscanf(field, "%d>%d", &e.From, &e.To); err != nil {
			t.Fatal(err)
		}
		edges = append(edges, e)
	}
	return edges
}

// render writes an edge per line: D marks a divergent one, L a limited one, and then
// follow the headers of the loops in which it is an iteration or an entry.
func render(g *hybrid.IPG) string {
	var b strings.Builder
	for i, e := range g.Edges {
		fmt.Fprintf(&b, "%s>%s", g.Name(e.From), g.Name(e.To))
		if e.Divergent {
			b.WriteString(" D")
		}
		if e.Limited {
			b.WriteString(" L")
		}
		for _, l := range g.Loops {
			if slices.Contains(l.Iter, i) {
				fmt.Fprintf(&b, " iter(%s)", l.Name)
			}
			if slices.Contains(l.Entries, i) {
				fmt.Fprintf(&b, " entry(%s)", l.Name)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestIPG(t *testing.T) {
	const whileLoop = "0>1 1>2 2>1 1>3"           // exit 3
	const twoArms = "0>1 1>2 1>3 2>4 3>4 4>1 4>5" // exit 5
	tests := []struct {
		name      string
		blocks    int
		edges     string
		divergent string
		place     method.Placement
		want      string
	}{
		{"straight", 2, "0>1 1>2", "", method.EveryBlock(), "b0>b1\nb1>exit\nstart>b0\n"},
		{"no ipoint", 2, "0>1 1>2", "", method.Named(), "start>exit\n"},
		{"loop at the entry", 1, "0>0 0>1", "", method.EveryBlock(),
			"b0>b0 iter(b0)\nb0>exit\nstart>b0 entry(b0)\n"},
		{"while", 3, whileLoop, "", method.EveryBlock(),
			"b0>b1 entry(b1)\nb1>b2\nb1>exit\nb2>b1 iter(b1)\nstart>b0\n"},
		{"while, headers", 3, whileLoop, "", method.LoopHeaders(),
			"b1>b1 iter(b1)\nb1>exit\nstart>b1 entry(b1)\n"},
		{"while, body", 3, whileLoop, "", method.Named("b2"),
			"b2>b2 iter(b1)\nb2>exit\nstart>b2 entry(b1)\nstart>exit\n"},
		{"while, outside", 3, whileLoop, "", method.EveryNth(3),
			"b0>exit\nstart>b0\n"},
		{"nested, inner ipoints", 3, "0>1 1>2 2>2 2>1 1>3", "", method.Named("b2"),
			"b2>b2 L entry(b2)\nb2>exit\nstart>b2 entry(b1) entry(b2)\nstart>exit\n"},
		{"arms", 5, twoArms, "2>3 3>2", method.EveryBlock(),
			"b0>b1 entry(b1)\nb1>b2\nb1>b3\nb2>b3 D L\nb2>b4\nb3>b2 D L\nb3>b4\nb4>b1 iter(b1)\nb4>exit\nstart>b0\n"},
		{"arms, one ipoint", 5, twoArms, "2>3 3>2", method.Named("b2"),
			"b2>b2 L\nb2>exit L\nstart>b2 L entry(b1)\nstart>exit\n"},
		{"break that works", 4, "0>1 0>4 1>2 1>3 2>4 3>0", "2>3 2>1 3>2 0>2", method.EveryBlock(),
			"b0>b1\nb0>b2 D L\nb0>exit\nb1>b2\nb1>b3\nb2>b1 D L entry(b0)\nb2>b3 D L entry(b0)\nb2>exit\nb3>b0 iter(b0)\nb3>b2 D L\nstart>b0 entry(b0)\n"},
		{"continue beside a merge", 3, "0>1 0>2 1>0 2>0 2>3", "", method.EveryBlock(),
			"b0>b1\nb0>b2 L entry(b0)\nb1>b0 iter(b0)\nb2>b0 iter(b0)\nb2>exit\nstart>b0 entry(b0)\n"},
		{"edge from elsewhere", 3, whileLoop, "2>2", method.EveryBlock(),
			"b0>b1 entry(b1)\nb1>b2\nb1>exit\nb2>b1 iter(b1)\nb2>b2 D L entry(b1)\nstart>b0\n"},
		{"two entries", 3, "0>1 0>2 1>2 2>1 1>3", "", method.EveryBlock(),
			"b0>b1 entry(b1)\nb0>b2 entry(b1)\nb1>b2\nb1>exit\nb2>b1 L entry(b1)\nstart>b0\n"},
		{"unreachable block", 3, "0>3 1>2 2>3", "", method.EveryBlock(), "b0>exit\nstart>b0\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := makeProgram(t, tt.blocks, parseEdges(t, tt.edges), parseEdges(t, tt.divergent))
			g, err := hybrid.NewIPG(p, tt.place)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, render(g)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPlacementErrors(t *testing.T) {
	p := makeProgram(t, 1, parseEdges(t, "0>1"), nil)
	for name, place := range map[string]method.Placement{
		"no block is named": method.Named("nowhere"),
		"at least 1":        method.EveryNth(0),
		"0 placed":          func(*method.Sites) ([]bool, error) { return nil, nil },
	} {
		if _, err := hybrid.NewIPG(p, place); !contains(err, name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}
