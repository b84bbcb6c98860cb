package charge

import (
	"cmp"
	"maps"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/saturating"
)

// edge leads from a block to another one, or from nowhere to where a warp begins.
type edge struct{ from, to int }

// nowhere is no block.
const nowhere = -1

// Route is how often a warp goes from one block to another.
type Route struct {
	first, last int // block
	cost        saturating.Int
	edges       map[edge]saturating.Int
}

func newRoute(last int) Route { return Route{first: nowhere, last: last} }

// addEdge adds that a warp goes along an edge, so many times.
func (r *Route) addEdge(e edge, times saturating.Int) {
	if r.edges == nil {
		r.edges = make(map[edge]saturating.Int)
	}
	r.edges[e] = r.edges[e].Add(times)
}

// Tracer finds the route of a warp from what an abstract execution tells in its order (absexec.Visitor): of alternatives it takes the one that
// costs most.
type Tracer struct {
	graph *cfg.Graph
	Route
	forks []traceFork
	loops []traceLoop
}

// traceFork is a place from which there are alternatives.
type traceFork struct {
	before, dearest Route
	begun           bool
}

// traceLoop is a loop of which one iteration stands for several.
type traceLoop struct {
	before Route
	times  saturating.Int
}

// NewTracer returns a tracer of a warp that has executed nothing.
func NewTracer(g *cfg.Graph) *Tracer { return &Tracer{graph: g, Route: newRoute(nowhere)} }

// Step adds an instruction that costs so much.
func (t *Tracer) Step(pc int, cost saturating.Int) {
	t.cost = t.cost.Add(cost)
	block := t.graph.BlockOf(pc)
	if pc != t.graph.Blocks[block].Start {
		return
	}
	t.enterBlock(block)
	t.last = block
}

// enterBlock adds that the warp goes on at a block. The way into an iteration that stands for several is added behind it.
func (t *Tracer) enterBlock(block int) {
	if t.first == nowhere {
		t.first = block
	}
	if len(t.loops) == 0 || t.last != nowhere {
		t.addEdge(edge{t.last, block}, 1)
	}
}

// Fork begins alternatives.
func (t *Tracer) Fork() {
	t.forks = append(t.forks, traceFork{before: t.Route})
	t.Route = newRoute(t.last)
}

// Alternative begins the next of them.
func (t *Tracer) Alternative() {
	f := &t.forks[len(t.forks)-1]
	if !f.begun || t.cost > f.dearest.cost {
		f.dearest, f.begun = t.Route, true
	}
	t.Route = newRoute(f.before.last)
}

// Join ends them.
func (t *Tracer) Join() {
	t.Alternative()
	f := t.forks[len(t.forks)-1]
	t.forks = t.forks[:len(t.forks)-1]
	t.Route = f.before
	t.followRoute(&f.dearest, 1)
}

// Repeat begins an iteration that stands for several.
func (t *Tracer) Repeat(times saturating.Int) {
	t.loops = append(t.loops, traceLoop{t.Route, times})
	t.Route = newRoute(nowhere)
}

// Repeated ends it.
func (t *Tracer) Repeated() {
	l := t.loops[len(t.loops)-1]
	t.loops = t.loops[:len(t.loops)-1]
	body := t.Route
	t.Route = l.before
	if body.first == nowhere || l.times == 0 {
		return
	}
	t.enterBlock(body.first)
	if more := l.times.Sub(1); more > 0 {
		t.addEdge(edge{body.last, body.first}, more)
	}
	t.followRoute(&body, l.times)
}

// followRoute adds a route behind this one, so many times.
func (t *Tracer) followRoute(r *Route, times saturating.Int) {
	t.cost = t.cost.AddMul(r.cost, times)
	for e, n := range r.edges {
		t.addEdge(e, n.Mul(times))
	}
	if t.first == nowhere {
		t.first = r.first
	}
	if r.last != nowhere {
		t.last = r.last
	}
}

// pathEdges lists the edges of a route, in the order of the blocks.
func (r *Route) pathEdges(g *cfg.Graph) []estimate.PathEdge {
	all := []estimate.PathEdge{}
	for _, e := range slices.SortedFunc(maps.Keys(r.edges), func(e, f edge) int {
		return cmp.Or(cmp.Compare(e.from, f.from), cmp.Compare(e.to, f.to))
	}) {
		from := ""
		if e.from != nowhere {
			from = g.Name(e.from)
		}
		all = append(all, estimate.PathEdge{From: from, To: g.Name(e.to), Count: r.edges[e].Int64()})
	}
	return all
}
