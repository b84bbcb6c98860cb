package split

import "slices"

// flatten numbers the nodes of the regions and joins them by edges.
func (f *Form) flatten() {
	f.number(f.root, None)
	last := f.add(Node{Kind: End, Block: None, Parent: None})
	f.wire(f.root, last, nil)
	f.nodes = make([][]int, f.flow.Len())
	for i, n := range f.Nodes {
		if n.Block != None {
			f.nodes[n.Block] = append(f.nodes[n.Block], i)
		}
	}
	for i, n := range f.Nodes {
		if n.Block != None && len(f.nodes[n.Block]) > 1 {
			f.shared = append(f.shared, i)
		}
	}
}

// add appends a node that is no branch yet and returns its number.
func (f *Form) add(n Node) int {
	n.BSB, n.Reconv = None, None
	f.Nodes = append(f.Nodes, n)
	f.last = append(f.last, len(f.Nodes)-1)
	return len(f.Nodes) - 1
}

// number adds the nodes of a region on a side.
func (f *Form) number(r *region, parent int) {
	for i := range r.items {
		it := &r.items[i]
		switch it.kind {
		case Latch:
			f.numberLoop(it, parent)
		case Lanes:
			it.node = f.add(Node{Kind: Lanes, Block: None, Parent: parent})
			f.numberLoop(it, parent)
		case Branch, Leave:
			f.numberBranch(it, parent)
		default:
			it.node = f.add(Node{Kind: it.kind, Block: it.block, Parent: parent})
			it.foot = None
			for _, side := range it.inner {
				f.number(side, parent)
			}
			if len(it.inner) > 0 && len(it.next) > 1 {
				it.foot = f.add(Node{Kind: Join, Block: None, Parent: parent})
			}
		}
	}
}

func (f *Form) numberLoop(it *item, parent int) {
	l := len(f.Loops)
	f.Loops = append(f.Loops, Loop{Block: it.block})
	f.number(it.inner[0], parent)
	it.foot = f.add(Node{Kind: Latch, Block: None, Parent: parent})
	f.Loops[l].Header, f.Loops[l].Latch = it.inner[0].entry(), it.foot
	if it.kind == Lanes {
		f.Loops[l].Header, f.Loops[l].Block = it.node, None
	}
}

func (f *Form) numberBranch(it *item, parent int) {
	it.node = f.add(Node{Kind: it.kind, Block: it.block, Parent: parent})
	before := it.node
	for i, side := range it.inner {
		f.number(side, before)
		if len(it.next) > 1 || i+1 < len(it.inner) || i == 0 {
			before = f.add(Node{Kind: BSB, Block: None, Parent: before})
			it.bsbs = append(it.bsbs, before)
		}
	}
	f.Nodes[it.node].BSB = it.bsbs[0]
	f.last[it.node] = len(f.Nodes) - 1
}

// entry returns the node at which a region is entered.
func (r *region) entry() int { return r.items[0].entry() }

func (it *item) entry() int {
	if it.kind == Latch {
		return it.inner[0].entry()
	}
	return it.node
}

// wire adds the edges of a region whose end and exits lead to the given nodes.
func (f *Form) wire(r *region, after int, exits [][]int) {
	for i := range r.items {
		it := &r.items[i]
		next := make([][]int, len(it.next))
		for k, to := range it.next {
			switch {
			case to >= 0:
				next[k] = []int{r.items[to].entry()}
			case to == end:
				next[k] = []int{after}
			default:
				next[k] = exits[exitOf(to)]
			}
		}
		if it.kind == Latch {
			f.join(it.foot, it.entry())
			out := make([][]int, len(it.inner[0].exits))
			for k, i := range it.via {
				out[i] = append(out[i], next[k]...)
			}
			f.wire(it.inner[0], it.foot, out)
			continue
		}
		on := slices.Concat(next...)
		switch it.kind {
		case Lanes:
			f.join(it.node, it.inner[0].entry())
			f.join(it.foot, it.node)
			f.join(it.foot, on...)
			f.wire(it.inner[0], it.foot, nil)
		case Branch, Leave:
			f.wireBranch(it, on)
		default:
			f.wireChoice(it, on)
		}
	}
}

func (f *Form) wireChoice(it *item, next []int) {
	if len(it.inner) == 0 {
		f.join(it.node, next...)
		return
	}
	behind := next[0]
	if it.foot != None {
		behind = it.foot
		f.join(behind, next...)
	}
	for _, side := range it.inner {
		f.join(it.node, side.entry())
		f.wire(side, behind, nil)
	}
	f.join(it.node, behind)
}

func (f *Form) wireBranch(it *item, next []int) {
	f.Nodes[it.node].Reconv = next[0]
	before := it.node
	for i, side := range it.inner {
		f.join(before, side.entry())
		if i == len(it.bsbs) { // the last side, behind the last BSB
			f.wire(side, next[0], nil)
			break
		}
		bsb := it.bsbs[i]
		f.Nodes[bsb].Reconv = next[0]
		f.wire(side, bsb, nil)
		f.join(before, bsb)
		before = bsb
	}
	f.join(before, next...)
}

// join adds edges that are not there yet.
func (f *Form) join(from int, to ...int) {
	n := &f.Nodes[from]
	for _, t := range to {
		if !slices.Contains(n.Succ, t) {
			n.Succ = append(n.Succ, t)
		}
	}
}
