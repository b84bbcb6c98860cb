package bsb

import "slices"

// Splittable reports whether a wavefront can be split at the branch of a block, so that
// each of its work-items executes one path of two and all of them come to one merge: in all
// of its nodes the block is a branch of two ways that reconverges before it is
// executed again, and no block on the paths is executed elsewhere too.
func (f *Form) Splittable(block int) bool {
	if block < 0 || block >= f.flow.Len() || len(f.nodes[block]) == 0 || len(f.flow.Succ(block)) != 2 {
		return false
	}
	for _, u := range f.nodes[block] {
		if f.Nodes[u].Kind != Branch {
			return false
		}
		first, _ := slices.BinarySearch(f.shared, u+1)
		for _, v := range f.shared[first:] {
			if v > f.last[u] {
				break
			}
			if !f.inside(f.Nodes[v].Block, block) {
				return false
			}
		}
	}
	return true
}

// inside reports whether all nodes of a block are on paths of a branch.
func (f *Form) inside(block, branch int) bool {
	heads := f.nodes[branch]
	for _, v := range f.nodes[block] {
		i, _ := slices.BinarySearch(heads, v)
		if i == 0 || v > f.last[heads[i-1]] {
			return false
		}
	}
	return true
}

// Select returns the marked branches (blocks) at which a wavefront with the given number of
// split contexts splits: SELECT (Algorithm 1), in topological order. Those that are
// not Splittable are passed over. A branch with several nodes is selected if there are
// contexts for all of them.
//
// No more than that many split contexts are ever in use. For let a and b be nodes of selected
// branches with the same parent p. What is on the path p is executed by one split
// wavefront at a time, one part after the other, a before b or b before a or only one
// of them; and what a splits off has merged before anything behind a's paths is
// executed, the next iteration of a loop included. So at any time at most one of
// the nodes with parent p is split, and there is a context for each p that Select has counted.
func (f *Form) Select(marked []int, contexts int) []int {
	order := slices.DeleteFunc(slices.Clone(marked), func(b int) bool { return !f.Splittable(b) })
	slices.SortFunc(order, func(a, b int) int { return f.nodes[a][0] - f.nodes[b][0] })
	order = slices.Compact(order)
	used := make(map[int]bool) // parents of selected nodes
	var selected []int
	for _, b := range order {
		added := make(map[int]bool)
		for _, u := range f.nodes[b] {
			if p := f.Nodes[u].Parent; !used[p] {
				added[p] = true
			}
		}
		if len(used)+len(added) > contexts {
			continue
		}
		selected = append(selected, b)
		for p := range added {
			used[p] = true
		}
	}
	return selected
}

// Contexts returns how many split contexts of a wavefront are in use at the same time, at
// most, if it splits at the given branches (blocks).
func (f *Form) Contexts(splits []int) int {
	isSplit := make([]bool, f.flow.Len())
	for _, b := range splits {
		isSplit[b] = true
	}
	return f.root.contexts(isSplit)
}

func (r *Region) contexts(isSplit []bool) int {
	maximum := 0
	for i := range r.Items {
		it := &r.Items[i]
		together := 0
		for _, inner := range it.Inner {
			c := inner.contexts(isSplit)
			maximum = max(maximum, c)
			together += c
		}
		if it.Kind == Branch && isSplit[it.Block] {
			maximum = max(maximum, together+1)
		}
	}
	return maximum
}
