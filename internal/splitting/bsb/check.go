package bsb

import (
	"fmt"
	"slices"

	"warpbound/internal/graph"
)

// Check verifies the rules of the form that the package comment states, and that the form
// has every path of the flow graph: from a node of a block control comes to a node of each of
// the block's successors by nodes that take no time.
func (f *Form) Check() error {
	c := &checker{
		Form: f, g: graph.New(len(f.Nodes)), back: make(map[graph.Edge]bool),
		parents: make([]int, len(f.Nodes)), followed: make([]bool, len(f.Nodes)),
	}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Kind == BSB && n.Parent != None {
			c.followed[n.Parent] = true
		}
		for _, to := range f.Nodes[i].Succ {
			c.g.AddEdge(i, to)
		}
	}
	c.dom = graph.Dominators(c.g, 0)
	for _, l := range f.Loops {
		c.back[edge(l.Latch, l.Header)] = true
	}
	for _, rule := range []func(node int) error{c.order, c.kind, c.parent, c.closed, c.flows} {
		for i := range f.Nodes {
			if !c.dom.Contains(i) {
				continue // no execution comes here
			}
			if err := rule(i); err != nil {
				return fmt.Errorf("node %d (%s): %w", i, f.NodeName(i), err)
			}
		}
	}
	return c.loops()
}

type checker struct {
	*Form
	g        *graph.Graph
	dom      *graph.DomTree
	back     map[graph.Edge]bool // of latches
	parents  []int               // by node, as they should be
	followed []bool              // by branch or BSB, whether a BSB is behind its path
}

func (c *checker) order(i int) error {
	n := &c.Nodes[i]
	if (i == len(c.Nodes)-1) != (n.Kind == End) {
		return fmt.Errorf("kind %s at number %d of %d", n.Kind, i, len(c.Nodes))
	}
	for _, to := range n.Succ {
		if to <= i && !c.back[edge(i, to)] {
			return fmt.Errorf("the edge to %d leads back", to)
		}
	}
	return nil
}

// kind checks the successors of branches and BSBs.
func (c *checker) kind(i int) error {
	n := &c.Nodes[i]
	takesTime := n.Kind == Plain || n.Kind == Branch || n.Kind == Choice || n.Kind == Leave
	if takesTime != (n.Block != None) {
		return fmt.Errorf("a %s of block %d", n.Kind, n.Block)
	}
	switch n.Kind {
	case Lanes:
		if len(n.Succ) > 1 {
			return fmt.Errorf("leads to %v", n.Succ)
		}
	case Branch, Leave:
		if n.BSB <= i+1 || !slices.Equal(n.Succ, []int{i + 1, n.BSB}) && c.dom.Contains(n.BSB) || c.Nodes[n.BSB].Kind != BSB {
			return fmt.Errorf("leads to %v, its BSB is %d", n.Succ, n.BSB)
		}
		if n.Reconv <= n.BSB {
			return fmt.Errorf("it reconverges at %d", n.Reconv)
		}
	case BSB:
		head := n.Parent
		if head == None || c.Nodes[head].Reconv != n.Reconv {
			return fmt.Errorf("is behind no path")
		}
		for k, to := range n.Succ {
			if c.Nodes[to].Parent == i && c.Nodes[to].Kind != BSB && (to != i+1 || k > 0) {
				return fmt.Errorf("leads to %v", n.Succ)
			}
		}
	}
	return nil
}

// parent compares with Definition 4.1. What is around a node is its immediate dominator, or
// around that.
func (c *checker) parent(i int) error {
	v := c.dom.IDom(i)
	for v != None && (c.Nodes[v].Reconv == None || i >= c.Nodes[v].Reconv) {
		v = c.parents[v]
	}
	c.parents[i] = v
	if got := c.Nodes[i].Parent; got != v {
		return fmt.Errorf("its parent is %d, by Definition 4.1 %d", got, v)
	}
	return nil
}

// closed checks that edges do not cross the ends of paths.
func (c *checker) closed(i int) error {
	successor := c.Nodes[i].Parent
	for v := i; c.Nodes[v].Kind == BSB; { // it is where its branch is
		v = c.Nodes[v].Parent
		successor = c.Nodes[v].Parent
	}
	for _, to := range c.Nodes[i].Succ {
		switch p := c.Nodes[to].Parent; {
		case p == successor, p == i:
		case successor != None && to == c.Nodes[successor].Reconv && !c.followed[successor]:
		default:
			return fmt.Errorf("on the path %d, leads to %d on the path %d", successor, to, p)
		}
	}
	return nil
}

// flows checks the successors in the flow graph.
func (c *checker) flows(i int) error {
	if c.Nodes[i].Block == None {
		return nil
	}
	seen := map[int]bool{i: true}
	found := make(map[int]bool)
	for work := []int{i}; len(work) > 0; {
		n := &c.Nodes[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, to := range n.Succ {
			if b := c.Nodes[to].Block; b != None {
				found[b] = true
			} else if !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	for _, s := range c.flow.Succ(c.Nodes[i].Block) {
		if s != c.flow.Exit() && !found[s] {
			return fmt.Errorf("does not lead to block %s", c.name(s))
		}
	}
	return nil
}

// loops checks headers and latches.
func (c *checker) loops() error {
	if w := graph.Loops(c.g, 0).Irreducible(); w != nil {
		return fmt.Errorf("the loop at node %d is also entered by %s", w.Loop.Header, w.Edge)
	}
	for i, l := range c.Loops {
		if c.dom.Contains(l.Latch) && !c.dom.Dominates(l.Header, l.Latch) {
			return fmt.Errorf("the header %d of a loop does not dominate its latch %d", l.Header, l.Latch)
		}
		if (l.Block == None) != (c.Nodes[l.Header].Kind == Lanes) {
			return fmt.Errorf("the loop at node %d has block %d for its header", l.Header, l.Block)
		}
		for _, m := range c.Loops[:i] {
			if m.Latch == l.Latch || m.Header == l.Header {
				return fmt.Errorf("the loop at node %d is there twice", l.Header)
			}
		}
	}
	return nil
}

// edge returns the edge from one node to another.
func edge(from, to int) graph.Edge { return graph.Edge{From: from, To: to} }
