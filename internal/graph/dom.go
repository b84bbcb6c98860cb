package graph

// DomTree is a dominator tree, or of a reversed graph a post-dominator tree.
type DomTree struct {
	root     int
	idom     []int
	children [][]int
	pre      []int // number of a node in a pre-order walk of the tree, -1 outside
	last     []int // greatest pre in the node's subtree
}

// IDom returns the immediate dominator of v, or -1 for the root and for nodes
// that cannot be reached from it.
func (t *DomTree) IDom(v int) int { return t.idom[v] }

// Children returns the nodes whose immediate dominator is v, ascending. The
// caller must not change the slice.
func (t *DomTree) Children(v int) []int { return t.children[v] }

// Contains reports whether v can be reached from the root.
func (t *DomTree) Contains(v int) bool { return t.pre[v] >= 0 }

// Dominates reports in constant time whether every path from the root to b
// visits a. A node dominates itself. It is false if either node cannot be
// reached from the root.
func (t *DomTree) Dominates(a, b int) bool {
	return t.pre[a] >= 0 && t.pre[a] <= t.pre[b] && t.pre[b] <= t.last[a]
}

// Dominators returns the dominator tree of the nodes reachable from root. The
// algorithm is the simple one of Lengauer and Tarjan (TOPLAS 1(1), 1979), which
// takes O(m log n) steps.
func Dominators(g *Graph, root int) *DomTree {
	n := g.Len()
	lt := newLengauerTarjan(g, root)
	idom := lt.immediate()
	t := &DomTree{root: root, idom: idom, children: make([][]int, n)}
	for v, d := range idom {
		if d >= 0 {
			t.children[d] = append(t.children[d], v)
		}
	}
	t.number()
	return t
}

// number fills pre and last by an iterative walk of the tree.
func (t *DomTree) number() {
	n := len(t.idom)
	t.pre = make([]int, n)
	t.last = make([]int, n)
	for v := range n {
		t.pre[v] = -1
	}
	order := make([]int, 0, n)
	stack := []int{t.root}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		t.pre[v] = len(order)
		t.last[v] = len(order)
		order = append(order, v)
		stack = append(stack, t.children[v]...)
	}
	for i := len(order) - 1; i > 0; i-- {
		v := order[i]
		parent := t.idom[v]
		t.last[parent] = max(t.last[parent], t.last[v])
	}
}

// lengauerTarjan works on depth-first numbers: nodes are named by their place
// in a depth-first pre-order, so that an ancestor has a smaller name.
type lengauerTarjan struct {
	g        *Graph
	vertex   []int // node of a depth-first number
	number   []int // depth-first number of a node, -1 if unreachable
	parent   []int // in the depth-first tree
	semi     []int // semidominator
	ancestor []int // in the forest of nodes already processed, -1 for a root
	label    []int // node of least semi on the compressed path to ancestor
	path     []int // working memory of eval
}

func newLengauerTarjan(g *Graph, root int) *lengauerTarjan {
	lt := &lengauerTarjan{g: g, number: make([]int, g.Len())}
	for v := range lt.number {
		lt.number[v] = -1
	}
	type frame struct{ num, next int }
	var stack []frame
	enter := func(v, parent int) {
		num := len(lt.vertex)
		lt.number[v] = num
		lt.vertex = append(lt.vertex, v)
		lt.parent = append(lt.parent, parent)
		lt.semi = append(lt.semi, num)
		lt.label = append(lt.label, num)
		lt.ancestor = append(lt.ancestor, -1)
		stack = append(stack, frame{num: num})
	}
	enter(root, -1)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succ := g.Succ(lt.vertex[top.num])
		if top.next == len(succ) {
			stack = stack[:len(stack)-1]
			continue
		}
		w := succ[top.next]
		top.next++
		if lt.number[w] < 0 {
			enter(w, top.num)
		}
	}
	return lt
}

// immediate returns the immediate dominator of every node.
func (lt *lengauerTarjan) immediate() []int {
	n := len(lt.vertex)
	dom := make([]int, n)
	bucket := make([][]int, n)
	for w := n - 1; w > 0; w-- {
		for _, p := range lt.g.Pred(lt.vertex[w]) {
			if v := lt.number[p]; v >= 0 {
				lt.semi[w] = min(lt.semi[w], lt.semi[lt.eval(v)])
			}
		}
		bucket[lt.semi[w]] = append(bucket[lt.semi[w]], w)
		parent := lt.parent[w]
		lt.ancestor[w] = parent
		for _, v := range bucket[parent] {
			dom[v] = parent
			if u := lt.eval(v); lt.semi[u] < lt.semi[v] {
				dom[v] = u
			}
		}
		bucket[parent] = nil
	}
	idom := make([]int, lt.g.Len())
	for v := range idom {
		idom[v] = -1
	}
	for w := 1; w < n; w++ {
		if dom[w] != lt.semi[w] {
			dom[w] = dom[dom[w]]
		}
		idom[lt.vertex[w]] = lt.vertex[dom[w]]
	}
	return idom
}

// eval returns the node of least semidominator on the forest path that ends in
// v, without the path's root, and compresses that path.
func (lt *lengauerTarjan) eval(v int) int {
	if lt.ancestor[v] < 0 {
		return v
	}
	path := lt.path[:0]
	for u := v; lt.ancestor[lt.ancestor[u]] >= 0; u = lt.ancestor[u] {
		path = append(path, u)
	}
	for i := len(path) - 1; i >= 0; i-- {
		u := path[i]
		a := lt.ancestor[u]
		if lt.semi[lt.label[a]] < lt.semi[lt.label[u]] {
			lt.label[u] = lt.label[a]
		}
		lt.ancestor[u] = lt.ancestor[a]
	}
	lt.path = path
	return lt.label[v]
}
