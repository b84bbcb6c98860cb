package cfg

import (
	"slices"

	"warpbound/internal/graph"
)

// reconvergence returns for every block the point at which lanes that diverge there
// reconverge, as Reconverge states it.
func (f *Flow) reconvergence() []int {
	exit := f.Exit()
	nearest := graph.PostDominators(f.g, exit)
	ending, awaiting := f.beforeExits(), f.beforeBarriers()
	divergentBarrier := f.nearDivergentBarrier(nearest)
	points := make([]int, f.Len())
	for b := range points {
		switch r := nearest.IDom(b); {
		case !slices.ContainsFunc(f.Succ(b), f.ReachesBarrier):
			points[b] = ending.IDom(b)
		case r != exit && !divergentBarrier[b]:
			points[b] = r
		default:
			points[b] = awaiting[b]
		}
	}
	f.parted = make([]bool, f.Len())
	for b, r := range points {
		f.parted[b] = r == exit || r != nearest.IDom(b)
	}
	return points
}

// nearDivergentBarrier returns the blocks from which a block can be reached that follows one
// with a divergent barrier. At such a block lanes may diverge of which each comes to a barrier
// before they reconverge.
func (f *Flow) nearDivergentBarrier(nearest *graph.DomTree) []bool {
	var divergentBarrier []int
	for b := range f.Len() {
		ways := 0
		for _, s := range f.Succ(b) {
			if f.awaiting[s] {
				ways++
			}
		}
		if ways > 1 && !f.awaiting[nearest.IDom(b)] {
			divergentBarrier = append(divergentBarrier, b)
		}
	}
	var after []int
	for b, reached := range f.g.Reachable(divergentBarrier...) {
		if reached && f.awaiting[b] {
			after = append(after, b)
		}
	}
	return f.g.Reverse().Reachable(after...)
}

// beforeBarriers returns for every block the nearest one that all paths from it to a last
// barrier visit, which may be the block itself if they lead around a loop; Exit() if there
// is none. Paths that come to no barrier do not count.
func (f *Flow) beforeBarriers() []int {
	last := f.lastBarriers()
	exit := f.Exit()
	g := graph.New(exit + 1 + f.Len())
	leaving := func(b int) int { // the node at which paths from b begin
		if last[b] {
			return exit + 1 + b // since those to b end at b
		}
		return b
	}
	for b := range f.Len() {
		if last[b] {
			g.AddEdge(b, exit)
		}
		for _, s := range f.Succ(b) {
			if f.awaiting[s] {
				g.AddEdge(leaving(b), s)
			}
		}
	}
	tree := graph.PostDominators(g, exit)
	points := make([]int, f.Len())
	for b := range points {
		points[b] = tree.IDom(leaving(b))
	}
	return points
}

// lastBarriers tells which blocks hold a barrier to which a path leads back from every
// barrier that can be reached from it.
func (f *Flow) lastBarriers() []bool {
	components := graph.SCC(f.g)
	of := make([]int, f.g.Len())
	for i, c := range components {
		for _, b := range c {
			of[b] = i
		}
	}
	left := make([]bool, len(components)) // for another with a barrier ahead
	for b := range f.Len() {
		for _, s := range f.Succ(b) {
			left[of[b]] = left[of[b]] || of[s] != of[b] && f.awaiting[s]
		}
	}
	last := make([]bool, f.Len())
	for b := range last {
		last[b] = f.awaits[b] && !left[of[b]]
	}
	return last
}

// beforeExits returns the tree in which the parent of a block is where lanes reconverge that
// diverge there and come to no barrier.
//
// The ends of the kernel are ranked. A block belongs to the first of them that can be reached
// from it, and its parent is its immediate post-dominator with regard to that end: other ends,
// and edges to blocks from which that end cannot be reached, do not count.
func (f *Flow) beforeExits() *graph.DomTree {
	exit := f.Exit()
	const none = -1
	end := slices.Repeat([]int{none}, f.g.Len()) // to which a block belongs
	g := graph.New(f.g.Len())
	for _, p := range f.ranked() {
		if end[p] != none {
			continue
		}
		g.AddEdge(p, exit)
		end[p] = p
		for work := []int{p}; len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			for _, a := range f.g.Pred(b) {
				if end[a] == none {
					end[a] = p
					work = append(work, a)
				}
			}
		}
	}
	for b := range f.Len() {
		for _, s := range f.g.Succ(b) {
			if s != exit && end[b] == end[s] {
				g.AddEdge(b, s)
			}
		}
	}
	return graph.PostDominators(g, exit)
}

// ranked returns the blocks at which lanes may end, those first at which most of them are
// likely to: with the most barriers on a path from the entry that goes back in no
// loop, then with the most blocks on such a path where paths join, then last.
func (f *Flow) ranked() []int {
	forward := withoutBackEdges(f)
	barriers, joins := make([]int, f.g.Len()), make([]int, f.g.Len())
	for _, b := range graph.ReversePostOrder(forward, f.Entry()) {
		pred := forward.Pred(b)
		for _, a := range pred {
			barriers[b] = max(barriers[b], barriers[a])
			joins[b] = max(joins[b], joins[a])
		}
		if b != f.Exit() && f.awaits[b] {
			barriers[b]++
		}
		if len(pred) > 1 {
			joins[b]++
		}
	}
	order := slices.Clone(f.g.Pred(f.Exit()))
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case barriers[a] != barriers[b]:
			return barriers[b] - barriers[a]
		case joins[a] != joins[b]:
			return joins[b] - joins[a]
		}
		return b - a
	})
	return order
}

// Reconverge returns the point at which lanes that diverge at b, and do not end before,
// reconverge; Exit() if they do not reconverge. A barrier does not wait for lanes that have
// ended, so lanes that can reach no barrier any more must not hold up others that can.
//
//   - If no barrier can be reached behind b, it is the nearest block that all paths
//     visit from b to the last end of the kernel that b can reach: the first that
//     ranked returns. Paths to other ends do not count.
//   - Otherwise it is the immediate post-dominator, if that is a block and b is not near a
//     block with a divergent barrier: if no block that can be reached from b, and has a barrier
//     ahead, can be reached from one with several successors with a barrier ahead, but none
//     ahead of its immediate post-dominator. At a barrier, lanes that wait where none is ahead
//     count as ended.
//   - Otherwise it is the nearest block that all paths visit from b to a last barrier, one
//     that can be reached from every barrier that can be reached from it; Exit() if there is
//     none. Paths that come to no barrier do not count: lanes that take one run to their end.
//
// In a kernel whose lanes reconverge AtSyncs it is the block behind the sync at which b
// reconverges.
//
// A block from which no end can be reached is treated as if the smallest block of each
// endless loop had an edge to the exit (see graph.Endless), and its point is the immediate
// post-dominator.
//
// If r = Reconverge(b) is a block, then from every block x on a path from b that has not
// visited r yet, either r cannot be reached, or it is among Reconverge(x), Reconverge of
// that, and so on. docs/methods/divergent-edges.md has the proof.
func (f *Flow) Reconverge(b int) int { return f.points[b] }

// ReachesBarrier reports whether there is a path from b to a block that awaits, such as b
// itself.
func (f *Flow) ReachesBarrier(b int) bool { return f.awaiting[b] }

// Parted reports whether lanes that leave b may end before they reach Reconverge(b).
// It may err to the safe side.
func (f *Flow) Parted(b int) bool { return f.parted[b] }

// Awaits reports whether b holds a barrier at which all threads of a CTA wait that have
// not ended.
func (f *Flow) Awaits(b int) bool { return f.awaits[b] }
