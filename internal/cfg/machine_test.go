package cfg_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
)

// machine is a reconvergence stack over a flow graph, written from the words of
// DivergentEdges and with reconvergence points of its own.
type machine struct {
	succ       [][]int
	reconverge []int
	exit       int
}

// entry is an element of a stack. An rpc equal to the exit stands for none.
type entry struct {
	pc, rpc int
	lanes   uint32
}

func newMachine(f *cfg.Flow) *machine {
	m := &machine{exit: f.Exit(), reconverge: slowReconverge(f)}
	for b := range f.Len() {
		m.succ = append(m.succ, slices.Clone(f.Succ(b)))
	}
	return m
}

// start is the stack of a warp of some lanes at the kernel's entry.
func (m *machine) start(lanes int) []entry {
	return []entry{{pc: 0, rpc: m.exit, lanes: 1<<lanes - 1}}
}

// running returns the block that executes next; the exit when all lanes ended.
func (m *machine) running(stack []entry) int {
	if len(stack) == 0 {
		return m.exit
	}
	return stack[len(stack)-1].pc
}

// step executes the block on top. Lane i goes to the successor choice[i]; the
// targets of a split are pushed in the order in which they stand in order.
func (m *machine) step(stack []entry, choice []int, order []int) []entry {
	stack = slices.Clone(stack)
	top := &stack[len(stack)-1]
	b := top.pc
	going := map[int]uint32{}
	for lanes := top.lanes; lanes != 0; lanes &= lanes - 1 {
		i := bits.TrailingZeros32(lanes)
		going[choice[i]] |= 1 << i
	}
	if ended := going[m.exit]; ended != 0 {
		delete(going, m.exit)
		for i := range stack {
			stack[i].lanes &^= ended
		}
	}
	switch r := m.reconverge[b]; {
	case len(going) == 1:
		for t := range going {
			top.pc = t
		}
		if top.pc == top.rpc {
			stack = stack[:len(stack)-1]
		}
	case len(going) > 1:
		top.pc = r
		if r == top.rpc {
			stack = stack[:len(stack)-1]
		}
		for _, t := range order {
			if going[t] != 0 && t != r {
				stack = append(stack, entry{pc: t, rpc: r, lanes: going[t]})
			}
		}
	}
	return slices.DeleteFunc(stack, func(e entry) bool { return e.lanes == 0 })
}

// explore visits every state that a warp of some lanes can be in, and returns
// the transitions between different blocks' executions that are no edge of the
// flow graph.
func (m *machine) explore(f *cfg.Flow, lanes int, uniform func(int) bool) []graph.Edge {
	var edges []graph.Edge
	seen := map[string]bool{}
	work := [][]entry{m.start(lanes)}
	for len(work) > 0 {
		stack := work[len(work)-1]
		work = work[:len(work)-1]
		b := m.running(stack)
		for _, choice := range m.choices(stack, lanes, uniform) {
			for _, order := range permutations(distinct(choice, stack[len(stack)-1].lanes)) {
				next := m.step(stack, choice, order)
				edges = append(edges, graph.Edge{From: b, To: m.running(next)})
				if key := fmt.Sprint(next); len(next) > 0 && !seen[key] {
					seen[key] = true
					work = append(work, next)
				}
			}
		}
	}
	slices.SortFunc(edges, graph.Edge.Compare)
	edges = slices.Compact(edges)
	return slices.DeleteFunc(edges, func(e graph.Edge) bool { return f.Graph().HasEdge(e.From, e.To) })
}

// choices returns all ways in which the running lanes may choose successors.
func (m *machine) choices(stack []entry, lanes int, uniform func(int) bool) [][]int {
	top := stack[len(stack)-1]
	succ := m.succ[top.pc]
	if uniform != nil && uniform(top.pc) {
		var all [][]int
		for _, s := range succ {
			all = append(all, slices.Repeat([]int{s}, lanes))
		}
		return all
	}
	all := [][]int{make([]int, lanes)}
	for i := range lanes {
		if top.lanes>>i&1 == 0 {
			continue
		}
		var longer [][]int
		for _, c := range all {
			for _, s := range succ {
				d := slices.Clone(c)
				d[i] = s
				longer = append(longer, d)
			}
		}
		all = longer
	}
	if len(succ) == 0 { // a dead end: the warp never leaves it
		return nil
	}
	return all
}

// distinct returns the different choices of the given lanes, ascending.
func distinct(choice []int, lanes uint32) []int {
	var of []int
	for i, c := range choice {
		if lanes>>i&1 == 1 {
			of = append(of, c)
		}
	}
	slices.Sort(of)
	return slices.Compact(of)
}

func permutations(of []int) [][]int {
	if len(of) == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for i, first := range of {
		rest := slices.Delete(slices.Clone(of), i, i+1)
		for _, p := range permutations(rest) {
			all = append(all, append([]int{first}, p...))
		}
	}
	return all
}

// makeFlow makes a flow graph of lines such as "0: 1 2 x", where x is the exit. A block
// that awaits is marked as "3!: 4 x".
func makeFlow(n int, lines string) *cfg.Flow {
	var edges []graph.Edge
	awaits := make([]bool, n)
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		from, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		e := graph.Edge{}
		fmt.Sscan(strings.TrimRight(from, "!"), &e.From)
		awaits[e.From] = strings.HasSuffix(from, "!")
		for word := range strings.FieldsSeq(rest) {
			e.To = n
			if word != "x" {
				fmt.Sscan(word, &e.To)
			}
			edges = append(edges, e)
		}
	}
	return mustFlow(n, edges, awaits)
}

// makeEdges reads edges such as "0>1 1>2".
func makeEdges(text string) []graph.Edge {
	var edges []graph.Edge
	for word := range strings.FieldsSeq(text) {
		var e graph.Edge
		if _, err := fmt.Sscanf(word, "%d>%d", &e.From, &e.To); err != nil {
			panic(err)
		}
		edges = append(edges, e)
	}
	return edges
}
