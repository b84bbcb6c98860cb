package cfg

import (
	"slices"

	"warpbound/internal/graph"
)

// Role is what reconvergence must know of a block beyond the edges.
type Role uint8

// The roles of blocks.
const (
	Plain  Role = iota
	Awaits      // holds a barrier at which all threads of a CTA wait that have not ended
	Leaves      // does nothing but end its lanes, or branch to a block that does
)

// reconvergence returns for every block the point at which lanes that diverge there
// meet again, as Reconverge states it.
func (f *Flow) reconvergence() []int {
	exit := f.Exit()
	nearest := graph.PostDominators(f.g, exit)
	after := f.meetings(func(int) bool { return false })
	before := f.meetings(func(b int) bool { return f.roles[b] == Leaves })
	points := make([]int, f.Len())
	for b := range points {
		switch r := nearest.IDom(b); {
		case !slices.ContainsFunc(f.Succ(b), f.ReachesBarrier):
			points[b] = after.IDom(b)
		case r != exit && f.roles[r] != Leaves:
			points[b] = r
		default:
			if points[b] = before.IDom(b); points[b] != exit && !f.ReachesBarrier(points[b]) {
				points[b] = exit
			}
		}
	}
	f.parted = make([]bool, f.Len())
	for b, r := range points {
		f.parted[b] = r == exit || r != nearest.IDom(b)
	}
	return points
}

// meetings returns the tree in which the parent of a block is where lanes meet that
// leave it and have not ended before.
//
// The ends of the flow graph are ranked. A block belongs to the first of them that can be
// reached from it, and its parent is its immediate post-dominator with regard to that
// end: other ends, and edges to blocks from which that end cannot be reached, do not
// count. Blocks for which leaves holds are left out as if their predecessors were ends.
func (f *Flow) meetings(leaves func(b int) bool) *graph.DomTree {
	exit := f.Exit()
	ends := func(b int) bool {
		return b != exit && !leaves(b) &&
			slices.ContainsFunc(f.g.Succ(b), func(s int) bool { return s == exit || leaves(s) })
	}
	const none = -1
	end := slices.Repeat([]int{none}, f.Len()) // to which a block belongs
	g := graph.New(f.g.Len())
	for _, p := range f.ranked(ends) {
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
			if s != exit && end[b] == end[s] && !leaves(b) && !leaves(s) {
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
		if b != f.Exit() && f.roles[b] == Awaits {
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
// ended, so lanes that are about to end must not wait themselves where others may yet
// arrive at a barrier.
//
//   - If no barrier can be reached behind b, it is the nearest block that all paths
//     visit from b to the last end of the kernel that b can reach: the first that
//     ranked returns. Paths to other ends do not count.
//   - If a barrier can be reached, and the immediate post-dominator of b is a block that
//     does more than end lanes, it is that block.
//   - Otherwise it is found as in the first case, except that a block that does nothing
//     but end lanes counts as the end of its predecessors; and it is Exit() if no barrier
//     can be reached from what is found.
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

// ReachesBarrier reports whether there is a path from b to a block whose role is Awaits,
// such as b itself.
func (f *Flow) ReachesBarrier(b int) bool { return f.awaiting[b] }

// Parted reports whether lanes that leave b may end before they reach Reconverge(b).
// It may err to the safe side.
func (f *Flow) Parted(b int) bool { return f.parted[b] }

// Role returns the role of a block.
func (f *Flow) Role(b int) Role { return f.roles[b] }
