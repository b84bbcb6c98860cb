package hybrid_test

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

// makeProgram makes a program from edges; n, the number of blocks, is the exit.
func makeProgram(t testing.TB, n int, edges, divergent []graph.Edge) *hybrid.Program {
	t.Helper()
	flow, err := cfg.NewFlow(n, edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	return describe(flow, divergent)
}

// describe makes a program of a flow graph.
func describe(flow *cfg.Flow, divergent []graph.Edge) *hybrid.Program {
	p := &hybrid.Program{Extended: flow.WithEdges(divergent)}
	for b := range flow.Len() {
		p.Blocks = append(p.Blocks, trace.IpointInfo{Name: fmt.Sprintf("b%d", b)})
	}
	return p
}

// drawProgram draws a program of any control flow, also irreducible, in which the exit
// can be reached from every block. Its branches diverge as a stack makes them, or never.
func drawProgram(t *rapid.T, tb testing.TB, diverges bool) *hybrid.Program {
	n := rapid.IntRange(1, 8).Draw(t, "blocks")
	var edges []graph.Edge
	for b := range n {
		for range rapid.IntRange(1, 3).Draw(t, "successors") {
			to := rapid.IntRange(0, n).Draw(t, "to")
			edges = append(edges, graph.Edge{From: b, To: to})
		}
	}
	g := graph.New(n + 1)
	for _, e := range edges {
		g.AddEdge(e.From, e.To)
	}
	for _, b := range graph.Endless(g, n) {
		edges = append(edges, graph.Edge{From: b, To: n})
	}
	flow, err := cfg.NewFlow(n, edges, drawBarriers(t, n))
	if err != nil {
		tb.Fatal(err)
	}
	p := describe(flow, nil)
	if diverges {
		divergent, err := cfg.DivergentEdges(p.Flow, nil)
		if err != nil {
			tb.Fatal(err)
		}
		p.Extended = p.Flow.WithEdges(divergent)
	}
	return p
}

// drawBarriers makes some blocks await.
func drawBarriers(t *rapid.T, n int) []bool {
	awaits := make([]bool, n)
	for b := range awaits {
		awaits[b] = rapid.IntRange(0, 3).Draw(t, "awaits") == 0
	}
	return awaits
}

func drawPlacement(t *rapid.T, p *hybrid.Program) method.Placement {
	switch rapid.IntRange(0, 4).Draw(t, "placement") {
	case 0:
		return method.LoopHeaders()
	case 1:
		return method.EveryNth(rapid.IntRange(2, 4).Draw(t, "n"))
	case 2:
		var names []string
		for _, b := range p.Blocks {
			if rapid.Bool().Draw(t, b.Name) {
				names = append(names, b.Name)
			}
		}
		return method.Named(names...)
	}
	return method.EveryBlock()
}

// entry is an element of a reconvergence stack as cfg.DivergentEdges describes it; an
// rpc of the exit stands for none.
type entry struct {
	pc, rpc int
	lanes   uint32
}

// walker executes a warp with random decisions and remembers what its threads do in
// loops.
type walker struct {
	t        *rapid.T
	flow     *cfg.Flow
	diverges bool
	distance []int // to the exit
	steps    int

	back    map[[2]int]int // by lane and loop: back edges since the loop was entered
	maximum []int64        // by loop: the largest of these
}

func newWalker(t *rapid.T, f *cfg.Flow, diverges bool) *walker {
	w := &walker{t: t, flow: f, diverges: diverges, maximum: make([]int64, len(f.Loops().Loops))}
	w.distance = make([]int, f.Len()+1)
	for b := range f.Len() {
		w.distance[b] = f.Len() + 1
	}
	for range f.Len() {
		for b := range f.Len() {
			for _, s := range f.Succ(b) {
				w.distance[b] = min(w.distance[b], w.distance[s]+1)
			}
		}
	}
	return w
}

// walk returns the blocks that a warp executes, in order.
func (w *walker) walk(lanes int) []int {
	w.steps, w.back = 0, map[[2]int]int{}
	stack := []entry{{w.flow.Entry(), w.flow.Exit(), 1<<lanes - 1}}
	var path []int
	for len(stack) > 0 {
		path = append(path, stack[len(stack)-1].pc)
		stack = w.step(stack)
	}
	return path
}

func (w *walker) step(stack []entry) []entry {
	top := &stack[len(stack)-1]
	b := top.pc
	w.steps++
	same := w.choose(b)
	together := !w.diverges || rapid.Bool().Draw(w.t, "together")
	going := map[int]uint32{}
	for lanes := top.lanes; lanes != 0; lanes &= lanes - 1 {
		lane, to := bits.TrailingZeros32(lanes), same
		if !together {
			to = w.choose(b)
		}
		going[to] |= 1 << lane
		w.account(lane, b, to)
	}
	for i := range stack {
		stack[i].lanes &^= going[w.flow.Exit()]
	}
	delete(going, w.flow.Exit())
	targets := make([]int, 0, len(going))
	for to := range going {
		targets = append(targets, to)
	}
	slices.Sort(targets)
	targets = rapid.Permutation(targets).Draw(w.t, "order")
	switch r := w.flow.Reconverge(b); {
	case len(targets) == 1:
		if top.pc = targets[0]; top.pc == top.rpc {
			stack = stack[:len(stack)-1]
		}
	case len(targets) > 1:
		if top.pc = r; r == top.rpc {
			stack = stack[:len(stack)-1]
		}
		for _, to := range targets {
			if to != r {
				stack = append(stack, entry{to, r, going[to]})
			}
		}
	}
	return slices.DeleteFunc(stack, func(e entry) bool { return e.lanes == 0 })
}

// choose draws a successor, after many steps always one that is nearer to the exit.
func (w *walker) choose(b int) int {
	succ := w.flow.Succ(b)
	if w.steps > 60 {
		return slices.MinFunc(succ, func(x, y int) int { return cmp.Compare(w.distance[x], w.distance[y]) })
	}
	return rapid.SampledFrom(succ).Draw(w.t, "successor")
}

func (w *walker) account(lane, from, to int) {
	for i := range w.flow.Loops().Loops {
		l := &w.flow.Loops().Loops[i]
		switch {
		case !l.Contains(to):
		case !l.Contains(from):
			w.back[[2]int{lane, i}] = 0
		case to == l.Header:
			w.back[[2]int{lane, i}]++
			w.maximum[i] = max(w.maximum[i], int64(w.back[[2]int{lane, i}]))
		}
	}
}

// drawRun draws a run in which warps walk through the program on a few multiprocessors,
// several warps at a time on each.
func drawRun(t *rapid.T, w *walker, g *hybrid.IPG, number int) trace.Run {
	run := trace.Run{Number: number}
	lanes := rapid.IntRange(1, 4).Draw(t, "lanes")
	now := make([]int64, rapid.IntRange(1, 3).Draw(t, "sms"))
	type warp struct {
		id   trace.Record
		path []trace.Ipoint
	}
	waiting := rapid.IntRange(1, 6).Draw(t, "warps")
	active := make([][]warp, len(now))
	started := make([]int, len(now))
	for next := 0; ; {
		sm := rapid.IntRange(0, len(now)-1).Draw(t, "sm")
		slot := rapid.IntRange(0, 2).Draw(t, "slot")
		now[sm] += rapid.Int64Range(0, 9).Draw(t, "delay")
		if slot >= len(active[sm]) {
			if next == waiting {
				if !slices.ContainsFunc(active, func(ws []warp) bool { return len(ws) > 0 }) {
					return run
				}
				continue
			}
			id := trace.Record{SM: int32(sm), CTA: int32(started[sm]/2*len(now) + sm), Warp: int32(started[sm] % 2)}
			started[sm]++
			next++
			path := []trace.Ipoint{trace.Start}
			for _, b := range w.walk(lanes) {
				if i := g.OfBlock[b]; i != trace.None {
					path = append(path, i)
				}
			}
			active[sm] = append(active[sm], warp{id, append(path, trace.Exit)})
			slot = len(active[sm]) - 1
		}
		on := &active[sm][slot]
		rec := on.id
		rec.Cycle, rec.Ipoint = now[sm], on.path[0]
		run.Records = append(run.Records, rec)
		if on.path = on.path[1:]; len(on.path) == 0 {
			run.End = max(run.End, rec.Cycle)
			active[sm] = slices.Delete(active[sm], slot, slot+1)
		}
	}
}

// sortRecords orders records by cycle and keeps the order of those of one cycle.
func sortRecords(records []trace.Record) {
	slices.SortStableFunc(records, func(a, b trace.Record) int { return cmp.Compare(a.Cycle, b.Cycle) })
}
