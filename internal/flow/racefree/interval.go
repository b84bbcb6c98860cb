package racefree

import (
	"slices"

	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// intervals finds which accesses can be executed from the entry, or from a barrier, up to the next barrier. If barriers
// order nothing, all are in one interval.
func (a *analysis) intervals() {
	if a.aligned = a.align(); !a.aligned {
		a.within = [][]bool{slices.Repeat([]bool{true}, len(a.accesses))}
		return
	}
	a.within = append(a.within, a.follow(a.graph.Entry(), a.graph.Blocks[a.graph.Entry()].Start))
	for b, block := range a.graph.Blocks {
		for pc := block.Start; pc < block.End; pc++ {
			if a.waits(pc) {
				a.within = append(a.within, a.follow(b, pc+1))
			}
		}
	}
}

// waits reports whether an instruction is a barrier.
func (a *analysis) waits(pc int) bool { return a.graph.Kernel.Instrs[pc].Op == isa.Bar }

// follow returns the accesses that can be executed from an instruction of a block without passing a barrier.
func (a *analysis) follow(block, pc int) []bool {
	within := make([]bool, len(a.accesses))
	a.walk(block, pc, func(pc int) {
		for i := range a.accesses {
			if a.accesses[i].Instr == pc {
				within[i] = true
			}
		}
	})
	return within
}

// walk visits the instructions that can be executed from one of a block without passing a barrier.
func (a *analysis) walk(block, pc int, visit func(pc int)) {
	seen := make([]bool, len(a.graph.Blocks))
	type place struct{ block, pc int }
	for work := []place{{block, pc}}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		end := a.graph.Blocks[at.block].End
		for at.pc < end && !a.waits(at.pc) {
			visit(at.pc)
			at.pc++
		}
		if at.pc < end {
			continue
		}
		for _, s := range a.graph.Succ(at.block) {
			if s != a.graph.Exit() && !seen[s] {
				seen[s] = true
				work = append(work, place{s, a.graph.Blocks[s].Start})
			}
		}
	}
}

// concurrent reports whether threads of a CTA can execute two accesses without a barrier between.
func (a *analysis) concurrent(i, j int) bool {
	for _, in := range a.within {
		if in[i] && in[j] {
			return true
		}
	}
	return false
}

// align reports whether all threads of a CTA come to the same barriers in the same order, but for threads that end
// and access nothing behind the last of their barriers. Then two accesses that are not in one interval are ordered.
func (a *analysis) align() bool {
	var barriers []int // blocks
	for b, block := range a.graph.Blocks {
		for pc := block.Start; block.Reachable && pc < block.End; pc++ {
			if !a.waits(pc) {
				continue
			}
			if !full(&a.graph.Kernel.Instrs[pc]) {
				return false
			}
			barriers = append(barriers, b)
		}
	}
	if len(barriers) == 0 {
		return true
	}
	if a.opts.Uniform == nil {
		return false
	}
	flow := a.graph.Flow.Graph()
	awaits := flow.Reverse().Reachable(barriers...)
	// Where only the blocks count from which a barrier can be reached, and all others are the end.
	end := a.graph.Exit()
	backward := graph.New(flow.Len())
	for b := range a.graph.Blocks {
		for _, s := range flow.Succ(b) {
			if !awaits[b] {
				continue
			}
			if !awaits[s] {
				s = end
			}
			backward.AddEdge(s, b)
		}
	}
	post := graph.Dominators(backward, end)
	for b := range a.graph.Blocks {
		if !awaits[b] || len(flow.Succ(b)) < 2 || a.opts.Uniform(b) {
			continue
		}
		var on []int // successors from which there are barriers
		for _, s := range flow.Succ(b) {
			if awaits[s] {
				on = append(on, s)
			}
		}
		if len(on) < len(flow.Succ(b)) && a.unordered(b, awaits) {
			return false
		}
		if len(on) > 1 && (!post.Contains(b) || a.decides(b, on, post.IDom(b), barriers)) {
			return false
		}
	}
	return true
}

// full reports whether a barrier is one for all threads of a CTA, whatever they compute.
func full(in *isa.Instr) bool {
	switch in.Barrier {
	case isa.BarrierSync, isa.BarrierRedPopc, isa.BarrierRedAnd, isa.BarrierRedOr:
	default:
		return false
	}
	counts := 1 // operands without a number of threads
	if in.Barrier != isa.BarrierSync {
		counts = 2
	}
	return !in.Guard.Set && len(in.Src) == counts && in.Src[0].Kind == isa.KindImm
}

// decides reports whether a branch decides on a barrier: whether one can be reached from its successors before the block
// where they come together.
func (a *analysis) decides(branch int, successors []int, together int, barriers []int) bool {
	seen := make([]bool, a.graph.Flow.Graph().Len())
	seen[together] = true
	work := slices.Clone(successors)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		work = append(work, a.graph.Flow.Graph().Succ(b)...)
	}
	seen[together] = false
	for _, b := range barriers {
		if seen[b] {
			return true
		}
	}
	return false
}

// unordered reports whether threads that do not go on to a barrier behind a branch, while others may, access memory
// since their last barrier: what they did is not ordered before what others do behind the next.
func (a *analysis) unordered(branch int, awaits []bool) bool {
	last := a.graph.Blocks[branch].End - 1
	var found bool
	for i := range a.accesses {
		x := &a.accesses[i]
		a.walk(x.Block, x.Instr, func(pc int) { found = found || pc == last })
		for _, s := range a.graph.Succ(branch) {
			if s != a.graph.Exit() && !awaits[s] {
				a.walk(s, a.graph.Blocks[s].Start, func(pc int) { found = found || pc == x.Instr })
			}
		}
	}
	return found
}
