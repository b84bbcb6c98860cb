package agreement

import (
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// branch is a divergent branch with at least two ways that lead on.
type branch struct {
	block, reconverge int
	parted            bool // reconverge is not where all lanes reconverge
	region            blocks
	ways              []blocks // for each successor the blocks of the region that it leads to
}

// blocks are some blocks, ascending.
type blocks []int

func (s blocks) contains(block int) bool {
	_, found := slices.BinarySearch(s, block)
	return found
}

// describeBranch describes a divergent branch; nil if at most one way leads on.
func (a *Result) describeBranch(b int) *branch {
	g := a.solution.Graph
	x := &branch{block: b, reconverge: g.Reconverge(b), parted: g.Parted(b) || g.CheckSyncs() != nil}
	if g.Kernel.Reconvergence == isa.AtSyncs && x.reconverge != g.Exit() {
		x.reconverge-- // the sync, which lanes that left a loop in different iterations may execute together
	}
	without := x.reconverge
	if x.parted {
		without = -1
	}
	var on []int // successors that lead on
	for _, s := range g.Succ(b) {
		if s != g.Exit() && !onlyExits(g, s) {
			on = append(on, s)
		}
	}
	if len(on) < 2 {
		return nil
	}
	for _, s := range on {
		way := a.findReached(without, s)
		x.ways = append(x.ways, way)
		x.region = append(x.region, way...)
	}
	slices.Sort(x.region)
	x.region = slices.Compact(x.region)
	return x
}

// onlyExits reports whether lanes do nothing in a block but to end.
func onlyExits(g *cfg.Graph, b int) bool {
	block, last := &g.Blocks[b], g.Last(b)
	return block.End-block.Start == 1 && !last.Guard.Set && (last.Op == isa.Ret || last.Op == isa.Exit)
}

// addBranch notes a divergent branch.
func (a *Result) addBranch(x *branch) {
	a.branches[x.block] = x
	for _, b := range x.region {
		a.around[b] = append(a.around[b], x)
	}
	a.joining[x.reconverge] = append(a.joining[x.reconverge], x)
}

// joinsAt reports whether lanes come to a block on different ways from the branch.
func (x *branch) joinsAt(block int) bool {
	ways := 0
	for _, way := range x.ways {
		if way.contains(block) {
			ways++
		}
	}
	return ways > 1 || block == x.reconverge || x.parted && ways > 0
}

// findReachedBehind returns the blocks that can be reached from where lanes reconverge without
// passing a block.
func (a *Result) findReachedBehind(x *branch, without int) blocks {
	key := [2]int{x.block, without}
	found, known := a.again[key]
	if !known {
		found = a.findReached(without, x.reconverge)
		a.again[key] = found
	}
	return found
}

// findReached returns the blocks that can be reached from some without passing another.
func (a *Result) findReached(without int, from ...int) blocks {
	a.searches++
	var found blocks
	visit := func(b int) {
		if b != without && a.seen[b] != a.searches {
			a.seen[b] = a.searches
			found = append(found, b)
		}
	}
	for _, b := range from {
		visit(b)
	}
	for i := 0; i < len(found); i++ {
		for _, s := range a.flow.Succ(found[i]) {
			visit(s)
		}
	}
	slices.Sort(found)
	return found
}
