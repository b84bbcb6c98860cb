package value

import (
	"maps"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// agreement tells what the lanes of a warp agree on that execute an instruction
// together: symbols that have one value in all of them, and branches at which they go
// one way.
//
// Lanes that diverge at the branch of block b wait at its reconvergence point r until
// the last of them comes there. Until then they execute blocks of the region of b, which
// are those that can be reached from b without passing r. So lanes may disagree
//
//   - on a register at the beginning of a block to which lanes come on different ways
//     out of such a branch, if the ways give it different forms;
//   - on a symbol that was assigned at D in the region, because some may have assigned it
//     again while others waited: outside of the region, and where r leads without
//     passing D.
//
// Lanes that go nowhere but to an end do not reconverge. Behind branches whose reconvergence
// point is no post-dominator nothing is agreed on that was assigned behind them.
type agreement struct {
	r        *fixpoint.Solution
	flow     *graph.Graph
	varies   []bool          // by symbol
	branches map[int]*branch // divergent ones, by block
	around   [][]*branch     // by block: those in whose region it is
	joining  [][]*branch     // by block: those whose lanes reconverge there
	again    map[[2]int]blocks
	seen     []int // by block: the last search that came there
	searches int
}

// blocks are some blocks, ascending.
type blocks []int

func (s blocks) contains(block int) bool {
	_, found := slices.BinarySearch(s, block)
	return found
}

// branch is a divergent branch with at least two ways that lead on.
type branch struct {
	block, reconverge int
	parted            bool // reconverge is not where all lanes reconverge
	region            blocks
	ways              []blocks // for each successor the blocks of the region that it leads to
}

// agree finds the agreement, beginning with everything agreed on.
func agree(r *fixpoint.Solution) *agreement {
	flow := r.Graph.Flow.Graph()
	a := &agreement{
		r: r, flow: flow, varies: make([]bool, len(r.Machine.Syms.Symbols)),
		branches: make(map[int]*branch), around: make([][]*branch, flow.Len()), joining: make([][]*branch, flow.Len()),
		again: make(map[[2]int]blocks), seen: make([]int, flow.Len()),
	}
	for changed := true; changed; {
		changed = false
		for s := range a.varies {
			if !a.varies[s] && a.symbolVaries(affine.Symbol(s)) {
				a.varies[s], changed = true, true
			}
		}
		for b := range r.Graph.Blocks {
			if a.branches[b] == nil && a.diverges(b) {
				if x := a.branch(b); x != nil {
					a.addBranch(x)
					changed = true
				}
			}
		}
	}
	return a
}

// addBranch notes a divergent branch.
func (a *agreement) addBranch(x *branch) {
	a.branches[x.block] = x
	for _, b := range x.region {
		a.around[b] = append(a.around[b], x)
	}
	a.joining[x.reconverge] = append(a.joining[x.reconverge], x)
}

// formVaries reports whether the lanes that execute a block together may disagree on a
// form there.
func (a *agreement) formVaries(f affine.Form, block int) bool {
	return !f.IsKnown() || f.Mentions(func(s affine.Symbol) bool { return a.differs(s) || a.outdated(s, block) })
}

// differs reports whether lanes may disagree on a symbol. It may be one that nothing but an
// address mentions, which comes after those of the agreement.
func (a *agreement) differs(s affine.Symbol) bool {
	if int(s) < len(a.varies) {
		return a.varies[s]
	}
	return a.symbolVaries(s)
}

// outdated reports whether lanes in a block may have values of a symbol that were
// assigned at different times.
func (a *agreement) outdated(s affine.Symbol, block int) bool {
	at := a.assigned(s)
	if at < 0 {
		return false
	}
	for _, x := range a.around[at] {
		if x.parted || !x.region.contains(block) || a.reaches(x, at).contains(block) {
			return true
		}
	}
	return false
}

// assigned returns the block where a symbol is assigned, -1 if it is fixed.
func (a *agreement) assigned(s affine.Symbol) int {
	y := &a.r.Machine.Syms.Symbols[s]
	if y.Origin == affine.Defined {
		return a.r.Graph.BlockOf(y.PC % len(a.r.Graph.Kernel.Instrs))
	}
	return y.Block
}

// reaches returns the blocks that can be reached from where lanes reconverge without passing a
// block.
func (a *agreement) reaches(x *branch, without int) blocks {
	key := [2]int{x.block, without}
	found, known := a.again[key]
	if !known {
		found = a.reach(without, x.reconverge)
		a.again[key] = found
	}
	return found
}

// reach returns the blocks that can be reached from some without passing another.
func (a *agreement) reach(without int, from ...int) blocks {
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

func (a *agreement) symbolVaries(s affine.Symbol) bool {
	y := &a.r.Machine.Syms.Symbols[s]
	switch y.Origin {
	case affine.Fixed:
		return y.Varies
	case affine.Merged:
		return a.merges(y.Block, y.Reg)
	}
	if y.Varies {
		return true
	}
	for _, f := range y.Args {
		if a.formVaries(f, a.assigned(s)) {
			return true
		}
	}
	return false
}

// merges reports whether lanes may disagree on a register at the beginning of a block.
func (a *agreement) merges(block int, reg isa.Reg) bool {
	in := a.r.FindIncoming(block, reg)
	if block == a.r.Graph.Entry() {
		return true // of what it holds at first nothing is known
	}
	for _, f := range in {
		if a.formVaries(f.Form, f.From) {
			return true
		}
	}
	return a.mixes(block, in)
}

// joins reports whether lanes come to a block on different ways from the branch.
func (x *branch) joins(block int) bool {
	ways := 0
	for _, way := range x.ways {
		if way.contains(block) {
			ways++
		}
	}
	return ways > 1 || block == x.reconverge || x.parted && ways > 0
}

// diverges reports whether lanes may go different ways at the end of a block.
func (a *agreement) diverges(b int) bool {
	taken := 0
	var st *transfer.State
	for _, s := range a.r.Along[b] {
		if s != nil {
			st = s
			taken++
		}
	}
	if taken < 2 {
		return false
	}
	last := a.r.Graph.Last(b)
	if last.Guard.Set && a.formVaries(a.r.Machine.ReadRegister(st, last.Guard.Reg).Form, b) {
		return true
	}
	return last.Op == isa.BrxIdx && (last.Src[0].Kind != isa.KindReg || a.formVaries(a.r.Machine.ReadRegister(st, last.Src[0].Reg).Form, b))
}

// branch describes a divergent branch; nil if at most one way leads on.
func (a *agreement) branch(b int) *branch {
	g := a.r.Graph
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
		way := a.reach(without, s)
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

// findDivergedOps returns the operations of a warp to which lanes may come apart from others, so
// that others which take part may be at other instructions of the kind.
func (a *agreement) findDivergedOps() map[isa.Op]bool {
	divergedOps := make(map[isa.Op]bool)
	for b := range a.r.Graph.Blocks {
		block := &a.r.Graph.Blocks[b]
		for pc := block.Start; pc < block.End; pc++ {
			switch in := &a.r.Graph.Kernel.Instrs[pc]; in.Op {
			case isa.Shfl, isa.Vote, isa.Redux:
				divergedOps[in.Op] = divergedOps[in.Op] || in.Guard.Set || a.inRegion(b)
			}
		}
	}
	maps.DeleteFunc(divergedOps, func(_ isa.Op, yes bool) bool { return !yes })
	return divergedOps
}

// inRegion reports whether lanes may execute a block before they reconverge behind a branch.
func (a *agreement) inRegion(block int) bool { return len(a.around[block]) > 0 }
