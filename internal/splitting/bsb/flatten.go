package bsb

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

// number adds the nodes of a region on a path.
func (f *Form) number(r *Region, parent int) {
	for i := range r.Items {
		it := &r.Items[i]
		switch it.Kind {
		case Latch:
			f.numberLoop(it, parent)
		case Lanes:
			it.Node = f.add(Node{Kind: Lanes, Block: None, Parent: parent})
			f.numberLoop(it, parent)
		case Branch, Leave:
			f.numberBranch(it, parent)
		default:
			it.Node = f.add(Node{Kind: it.Kind, Block: it.Block, Parent: parent})
			it.foot = None
			for _, successor := range it.Inner {
				f.number(successor, parent)
			}
			if len(it.Inner) > 0 && len(it.Next) > 1 {
				it.foot = f.add(Node{Kind: Join, Block: None, Parent: parent})
			}
		}
	}
}

func (f *Form) numberLoop(it *Item, parent int) {
	l := len(f.Loops)
	f.Loops = append(f.Loops, Loop{Block: it.Block})
	f.number(it.Inner[0], parent)
	it.foot = f.add(Node{Kind: Latch, Block: None, Parent: parent})
	f.Loops[l].Header, f.Loops[l].Latch = it.Inner[0].entry(), it.foot
	if it.Kind == Lanes {
		f.Loops[l].Header, f.Loops[l].Block = it.Node, None
	}
}

func (f *Form) numberBranch(it *Item, parent int) {
	it.Node = f.add(Node{Kind: it.Kind, Block: it.Block, Parent: parent})
	before := it.Node
	for i, successor := range it.Inner {
		f.number(successor, before)
		if len(it.Next) > 1 || i+1 < len(it.Inner) || i == 0 {
			before = f.add(Node{Kind: BSB, Block: None, Parent: before})
			it.BSBs = append(it.BSBs, before)
		}
	}
	f.Nodes[it.Node].BSB = it.BSBs[0]
	f.last[it.Node] = len(f.Nodes) - 1
}

// entry returns the node at which a region is entered.
func (r *Region) entry() int { return r.Items[0].entry() }

func (it *Item) entry() int {
	if it.Kind == Latch {
		return it.Inner[0].entry()
	}
	return it.Node
}

// wire adds the edges of a region whose end and exits lead to the given nodes.
func (f *Form) wire(r *Region, after int, exits [][]int) {
	for i := range r.Items {
		it := &r.Items[i]
		next := make([][]int, len(it.Next))
		for k, to := range it.Next {
			switch {
			case to >= 0:
				next[k] = []int{r.Items[to].entry()}
			case to == Behind:
				next[k] = []int{after}
			default:
				next[k] = exits[ExitOf(to)]
			}
		}
		if it.Kind == Latch {
			f.join(it.foot, it.entry())
			out := make([][]int, len(it.Inner[0].Exits))
			for k, i := range it.Via {
				out[i] = append(out[i], next[k]...)
			}
			f.wire(it.Inner[0], it.foot, out)
			continue
		}
		on := slices.Concat(next...)
		switch it.Kind {
		case Lanes:
			f.join(it.Node, it.Inner[0].entry())
			f.join(it.foot, it.Node)
			f.join(it.foot, on...)
			f.wire(it.Inner[0], it.foot, nil)
		case Branch, Leave:
			f.wireBranch(it, on)
		default:
			f.wireChoice(it, on)
		}
	}
}

func (f *Form) wireChoice(it *Item, next []int) {
	if len(it.Inner) == 0 {
		f.join(it.Node, next...)
		return
	}
	behind := next[0]
	if it.foot != None {
		behind = it.foot
		f.join(behind, next...)
	}
	for _, successor := range it.Inner {
		f.join(it.Node, successor.entry())
		f.wire(successor, behind, nil)
	}
	f.join(it.Node, behind)
}

func (f *Form) wireBranch(it *Item, next []int) {
	f.Nodes[it.Node].Reconv = next[0]
	before := it.Node
	for i, successor := range it.Inner {
		f.join(before, successor.entry())
		if i == len(it.BSBs) { // the last path, behind the last BSB
			f.wire(successor, next[0], nil)
			break
		}
		bsb := it.BSBs[i]
		f.Nodes[bsb].Reconv = next[0]
		f.wire(successor, bsb, nil)
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
