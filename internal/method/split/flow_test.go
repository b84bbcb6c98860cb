package split_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/splitting/bsb"
)

// program draws the flow graph of a random program with if, while, do, switch, break,
// continue and return, nested.
type program struct {
	t     *rapid.T
	edges []graph.Edge
	n     int // blocks so far
}

const ended = -1 // destination of edges to the exit while n is not known, and where control does not go on

// target is where break and continue of a loop lead.
type target struct{ brk, cont int }

func (p *program) block() int {
	p.n++
	return p.n - 1
}

func (p *program) edge(u, v int) { p.edges = append(p.edges, graph.Edge{From: u, To: v}) }

func (p *program) join(from, to int) {
	if from >= 0 {
		p.edge(from, to)
	}
}

// statement adds a statement that starts at block at, and returns the block where control
// goes on.
func (p *program) statement(at, depth int, loops []target) int {
	kind := rapid.IntRange(0, 9).Draw(p.t, "statement")
	if depth == 0 {
		kind += 6
	}
	inner := func(brk, cont int) []target { return append(slices.Clone(loops), target{brk, cont}) }
	switch kind {
	case 0, 1, 2: // if, if else, short circuit
		then, join := p.block(), p.block()
		if kind == 2 {
			or := p.block()
			p.edge(at, or)
			p.edge(at, then)
			at = or
		}
		p.edge(at, then)
		p.join(p.sequence(then, depth-1, loops), join)
		other := join
		if kind > 0 {
			other = p.block()
			p.join(p.sequence(other, depth-1, loops), join)
		}
		p.edge(at, other)
		return join
	case 3: // while
		head, body, after := p.block(), p.block(), p.block()
		p.edge(at, head)
		p.edge(head, body)
		p.edge(head, after)
		p.join(p.sequence(body, depth-1, inner(after, head)), head)
		return after
	case 4: // do while
		body, latch, after := p.block(), p.block(), p.block()
		p.edge(at, body)
		p.join(p.sequence(body, depth-1, inner(after, latch)), latch)
		p.edge(latch, body)
		p.edge(latch, after)
		return after
	case 5: // switch with fall-through
		join, prev := p.block(), ended
		for range rapid.IntRange(2, 3).Draw(p.t, "cases") {
			c := p.block()
			p.edge(at, c)
			p.join(prev, c)
			prev = p.sequence(c, depth-1, loops)
			if rapid.Bool().Draw(p.t, "break out") {
				p.join(prev, join)
				prev = ended
			}
		}
		p.join(prev, join)
		p.edge(at, join)
		return join
	case 6, 7: // conditional break or continue, of any loop around
		if len(loops) == 0 {
			break
		}
		to := loops[rapid.IntRange(0, len(loops)-1).Draw(p.t, "loop")]
		next := p.block()
		p.edge(at, next)
		p.edge(at, []int{to.brk, to.cont}[kind-6])
		return next
	case 8: // guarded return
		next := p.block()
		p.edge(at, next)
		p.edge(at, ended)
		return next
	case 9: // leave for good
		if len(loops) > 0 {
			to := loops[len(loops)-1]
			p.edge(at, rapid.SampledFrom([]int{to.brk, to.cont, ended}).Draw(p.t, "leave"))
			return ended
		}
	}
	next := p.block()
	p.edge(at, next)
	return next
}

func (p *program) sequence(at, depth int, loops []target) int {
	for range rapid.IntRange(0, 3).Draw(p.t, "statements") {
		if at == ended {
			return at
		}
		at = p.statement(at, depth, loops)
	}
	return at
}

// structured draws programs, some with barriers.
func structured(depth int) *rapid.Generator[*cfg.Flow] {
	return rapid.Custom(func(t *rapid.T) *cfg.Flow {
		p := &program{t: t}
		p.join(p.sequence(p.block(), depth, nil), ended)
		return p.flow()
	})
}

func (p *program) flow() *cfg.Flow {
	for i := range p.edges {
		if p.edges[i].To == ended {
			p.edges[i].To = p.n
		}
	}
	awaits := make([]bool, p.n)
	if rapid.Bool().Draw(p.t, "barriers") {
		for b := range awaits {
			awaits[b] = rapid.IntRange(0, 3).Draw(p.t, "awaits") == 0
		}
	}
	return flowOf(p.n, p.edges, awaits)
}

// reducible draws graphs of forward edges and of edges back to dominators.
func reducible(maximum int) *rapid.Generator[*cfg.Flow] {
	return rapid.Custom(func(t *rapid.T) *cfg.Flow {
		p := &program{t: t, n: rapid.IntRange(1, maximum).Draw(t, "blocks")}
		forward := graph.New(p.n)
		for b := range p.n {
			for range rapid.IntRange(1, 3).Draw(t, "out") {
				to := rapid.IntRange(b+1, min(p.n, b+4)).Draw(t, "to")
				p.edge(b, to)
				if to < p.n {
					forward.AddEdge(b, to)
				}
			}
		}
		dom := graph.Dominators(forward, 0)
		for range rapid.IntRange(0, 4).Draw(t, "back edges") {
			u := rapid.IntRange(0, p.n-1).Draw(t, "latch")
			v := rapid.IntRange(0, u).Draw(t, "header")
			if dom.Dominates(v, u) {
				p.edge(u, v)
			}
		}
		return p.flow()
	})
}

// wild draws any graphs, irreducible ones and endless loops included.
func wild(maximum int) *rapid.Generator[*cfg.Flow] {
	return rapid.Custom(func(t *rapid.T) *cfg.Flow {
		p := &program{t: t, n: rapid.IntRange(1, maximum).Draw(t, "blocks")}
		for b := range p.n {
			for range rapid.IntRange(1, 3).Draw(t, "out") {
				p.edge(b, rapid.IntRange(0, p.n).Draw(t, "to"))
			}
		}
		return p.flow()
	})
}

func flowOf(n int, edges []graph.Edge, awaits []bool) *cfg.Flow {
	f, err := cfg.NewFlow(n, edges, awaits)
	if err != nil {
		panic(err)
	}
	return f
}

// describe shows a flow graph and its form.
func describe(flow *cfg.Flow, f *bsb.Form) string {
	text := fmt.Sprintf("flow %v\n", flow.Graph().Edges())
	for b := range flow.Len() {
		if len(flow.Succ(b)) > 1 {
			text += fmt.Sprintf("  %d reconverges at %d\n", b, flow.Reconverge(b))
		}
	}
	if f != nil {
		for i, n := range f.Nodes {
			text += fmt.Sprintf("  node %d: %s of %d > %v, parent %d, BSB %d, reconverges at %d\n", i, n.Kind, n.Block, n.Succ, n.Parent, n.BSB, n.Reconv)
		}
		text += fmt.Sprintf("  loops %+v, diverging loops %+v\n", f.Loops, f.DivergingLoops)
	}
	return text
}

// edges reads edges such as "0>1 0>2".
func edges(text string) []graph.Edge {
	var list []graph.Edge
	for _, field := range strings.Fields(text) {
		var e graph.Edge
		if _, err := fmt.Sscanf(field, "%d>%d", &e.From, &e.To); err != nil {
			panic(err)
		}
		list = append(list, e)
	}
	return list
}
