package hybrid

import (
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
)

// hops tells what divergence can make of a step from one block to another. Lanes that
// diverged at a branch b are awaited at its reconvergence point r. A step from p, where
// lanes have reached r or ended, is a hop if lanes that wait at another successor of b
// resume, and a merge if no lanes wait any more and all that are left go on from r.
//
// Either may put lanes back into a loop that have iterations left which others of the
// warp have used up; such a step must count as an entry of the loop.
type hops struct {
	flow    *cfg.Flow
	awaited [][]int          // by block r, the branches b awaited there
	regions map[region][]int // ascending
}

// region names the blocks that lanes may execute between a branch and its reconvergence
// point if they leave the branch to any successor but one; noBlock excepts none.
type region struct{ branch, except int }

func newHops(f *cfg.Flow) *hops {
	h := &hops{flow: f, awaited: make([][]int, f.Len()+1), regions: map[region][]int{}}
	for b := range f.Len() {
		if f.Reachable(b) && len(f.Succ(b)) > 1 {
			r := f.Reconverge(b)
			h.awaited[r] = append(h.awaited[r], b)
		}
	}
	return h
}

// resumed returns the branches of which lanes may resume at s by a hop from p.
func (h *hops) resumed(p, s int) []int {
	var found []int
	for _, b := range h.flow.Pred(s) {
		r := h.flow.Reconverge(b)
		if !h.flow.Reachable(b) || r == s {
			continue
		}
		if slices.Contains(h.flow.Succ(p), r) || h.exitsDiverged(b, s, p) {
			found = append(found, b)
		}
	}
	return found
}

// exitsDiverged reports whether lanes that leave the branch b to any successor but one may
// end at p before they reach the reconvergence point of b.
func (h *hops) exitsDiverged(b, except, p int) bool {
	return h.flow.Parted(b) && slices.Contains(h.flow.Succ(p), h.flow.Exit()) && h.between(b, except, p)
}

// left reports whether lanes that wait at q for others may go on from there because the
// others end at p.
func (h *hops) left(p, q int) bool {
	return slices.ContainsFunc(h.awaited[q], func(b int) bool { return h.exitsDiverged(b, noBlock, p) })
}

// special reports whether the edge p > q of the flow graph may also be made as a hop, or
// as a merge that is not harmless to some loop. It does not know which branches are
// uniform, so it may err to the safe side.
func (h *hops) special(p, q int) bool {
	if q == h.flow.Exit() {
		return false
	}
	for _, b := range h.resumed(p, q) {
		if h.between(b, q, p) {
			return true
		}
	}
	loops := h.flow.Loops()
	for l := loops.Innermost(q); l >= 0; l = loops.Loops[l].Parent {
		if loop := &loops.Loops[l]; loop.Contains(p) && !h.harmlessMerge(p, q, loop) {
			return true
		}
	}
	return false
}

// harmless reports whether a hop or merge from p to q, both in the loop, cannot give it
// lanes with further iterations: all lanes of the branch concerned reconverge before any of
// them takes a back edge of the loop.
func (h *hops) harmless(p, q int, loop *graph.Loop) bool {
	resumed := h.resumed(p, q)
	if len(resumed) == 0 && !slices.Contains(h.flow.Succ(p), q) && !h.left(p, q) {
		return false // an edge that this model of divergence does not explain
	}
	for _, b := range resumed {
		if !loop.Contains(b) || h.between(b, noBlock, loop.Header) {
			return false
		}
	}
	return h.harmlessMerge(p, q, loop)
}

func (h *hops) harmlessMerge(p, q int, loop *graph.Loop) bool {
	for _, b := range h.awaited[q] {
		if h.between(b, noBlock, p) && (!loop.Contains(b) || h.between(b, noBlock, loop.Header)) {
			return false
		}
	}
	return true
}

// between reports whether x is in the region of b.
func (h *hops) between(b, except, x int) bool {
	key := region{b, except}
	in, ok := h.regions[key]
	if !ok {
		in = h.explore(key)
		h.regions[key] = in
	}
	_, found := slices.BinarySearch(in, x)
	return found
}

func (h *hops) explore(key region) []int {
	stop := h.flow.Reconverge(key.branch)
	seen := map[int]bool{stop: true}
	var found []int
	visit := func(x int) {
		if !seen[x] {
			seen[x] = true
			found = append(found, x)
		}
	}
	for _, s := range h.flow.Succ(key.branch) {
		if s != key.except {
			visit(s)
		}
	}
	for next := 0; next < len(found); next++ {
		for _, y := range h.flow.Graph().Succ(found[next]) {
			visit(y)
		}
	}
	slices.Sort(found)
	return found
}
