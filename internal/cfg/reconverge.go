package cfg

import (
	"slices"

	"warpbound/internal/graph"
)

// reconvergence returns for every block the point at which lanes that diverge there
// meet again, as Reconverge states it.
func (f *Flow) reconvergence() []int {
	exit := f.Exit()
	nearest := graph.PostDominators(f.g, exit)
	all := f.meetings(func(b int) bool { return b != exit })
	awaiting := f.meetings(f.ReachesBarrier)
	torn := f.nearTorn(nearest)
	points := make([]int, f.Len())
	for b := range points {
		switch r := nearest.IDom(b); {
		case !slices.ContainsFunc(f.Succ(b), f.ReachesBarrier):
			points[b] = all.IDom(b)
		case f.ReachesBarrier(r), r != exit && !torn[b]:
			points[b] = r
		default:
			points[b] = awaiting.IDom(b)
		}
	}
	f.parted = make([]bool, f.Len())
	for b, r := range points {
		f.parted[b] = r == exit || r != nearest.IDom(b)
	}
	return points
}

// nearTorn returns the blocks from which a block can be reached that follows a torn one. At
// a torn block lanes may part of which each comes to a barrier before they meet.
func (f *Flow) nearTorn(nearest *graph.DomTree) []bool {
	var torn []int
	for b := range f.Len() {
		ways := 0
		for _, s := range f.Succ(b) {
			if f.awaiting[s] {
				ways++
			}
		}
		if ways > 1 && !f.awaiting[nearest.IDom(b)] {
			torn = append(torn, b)
		}
	}
	var after []int
	for b, reached := range f.g.Reachable(torn...) {
		if reached && f.awaiting[b] {
			after = append(after, b)
		}
	}
	return f.g.Reverse().Reachable(after...)
}

// meetings returns the tree in which the parent of a block is where lanes meet that diverge
// there, in the part of the blocks for which in holds. Control that has left the part must
// not come back.
//
// The ends of the part, from which control leaves it, are ranked. A block belongs to the
// first of them that can be reached from it, and its parent is its immediate post-dominator
// with regard to that end: other ends, and edges to blocks from which that end cannot be
// reached, do not count.
func (f *Flow) meetings(in func(b int) bool) *graph.DomTree {
	exit := f.Exit()
	outside := func(b int) bool { return !in(b) }
	const none = -1
	end := slices.Repeat([]int{none}, f.g.Len()) // to which a block belongs
	g := graph.New(f.g.Len())
	for _, p := range f.ranked(func(b int) bool { return in(b) && slices.ContainsFunc(f.Succ(b), outside) }) {
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
			if in(b) && in(s) && end[b] == end[s] {
				g.AddEdge(b, s)
			}
		}
	}
	return graph.PostDominators(g, exit)
}

// ranked returns the blocks for which ends holds, those first at which most lanes are
// likely to end: with the most barriers on a path from the entry that goes back in no
// loop, then with the most blocks on such a path where paths join, then last.
func (f *Flow) ranked(ends func(b int) bool) []int {
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
	var order []int
	for b := range f.Len() {
		if ends(b) {
			order = append(order, b)
		}
	}
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
// meet again; Exit() if they do not meet. A barrier does not wait for lanes that have
// ended, so lanes that can reach no barrier any more must not hold up others that can.
//
//   - If no barrier can be reached behind b, it is the nearest block that all paths
//     visit from b to the last end of the kernel that b can reach: the first that
//     ranked returns. Paths to other ends do not count.
//   - If a barrier can be reached from the immediate post-dominator of b, it is that
//     block. So it is if the post-dominator is any other block and no block that can be
//     reached from b, and has a barrier ahead, can be reached from a torn one: one with
//     several successors with a barrier ahead, but none ahead of its immediate
//     post-dominator. At a barrier, lanes that wait where none is ahead count as ended.
//   - Otherwise it is found as in the first case among the blocks with a barrier ahead:
//     their edges to other blocks count as ends of the kernel, and lanes that take one
//     run to their end.
//
// In a kernel whose lanes meet AtSyncs it is the block behind the sync at which the sides
// of b meet.
//
// A block from which no end can be reached is treated as if the smallest block of each
// endless loop had an edge to the exit (see graph.Endless), and its point is the immediate
// post-dominator.
//
// If r = Reconverge(b) is a block, then from every block x on a path from b that has not
// visited r yet, either r cannot be reached, or it is among Reconverge(x), Reconverge of
// that, and so on. docs/methods.md has the proof.
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
