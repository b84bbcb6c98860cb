package racefree

import (
	"context"
	"slices"

	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// intervals finds which accesses can be executed from the entry, or from a barrier, up to the next barrier. If barriers
// order nothing, all are in one interval. The error is that of ctx.
func (a *analysis) intervals(ctx context.Context) error {
	a.within = make([][]int, len(a.accesses))
	if a.aligned = a.align(); !a.aligned {
		for i := range a.within {
			a.within[i] = []int{0}
		}
		return nil
	}
	at := make(map[int]int, len(a.accesses)) // by instruction
	for i := range a.accesses {
		at[a.accesses[i].Instr] = i
	}
	number := 0
	follow := func(from place) {
		a.walk([]place{from}, func(pc int) {
			if i, ok := at[pc]; ok {
				a.within[i] = append(a.within[i], number)
			}
		})
		number++
	}
	follow(a.beginning(a.graph.Entry()))
	for b, block := range a.graph.Blocks {
		for pc := block.Start; pc < block.End; pc++ {
			if a.waits(pc) {
				if err := ctx.Err(); err != nil {
					return err
				}
				follow(place{b, pc + 1})
			}
		}
	}
	return nil
}

// place is an instruction of a block.
type place struct{ block, pc int }

// beginning is the first instruction of a block.
func (a *analysis) beginning(block int) place { return place{block, a.graph.Blocks[block].Start} }

// waits reports whether an instruction is a barrier.
func (a *analysis) waits(pc int) bool { return a.graph.Kernel.Instrs[pc].Op == isa.Bar }

// walk visits the instructions that can be executed from some on without passing a barrier, each once.
func (a *analysis) walk(from []place, visit func(pc int)) {
	seen := make([]bool, len(a.graph.Kernel.Instrs))
	for work := from; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		end := a.graph.Blocks[at.block].End
		for at.pc < end && !a.waits(at.pc) && !seen[at.pc] {
			seen[at.pc] = true
			visit(at.pc)
			at.pc++
		}
		if at.pc < end {
			continue
		}
		for _, s := range a.graph.Succ(at.block) {
			if s != a.graph.Exit() {
				work = append(work, a.beginning(s))
			}
		}
	}
}

// concurrent reports whether threads of a CTA can execute two accesses without a barrier between.
func (a *analysis) concurrent(i, j int) bool {
	first, second := a.within[i], a.within[j]
	for len(first) > 0 && len(second) > 0 {
		switch {
		case first[0] < second[0]:
			first = first[1:]
		case first[0] > second[0]:
			second = second[1:]
		default:
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
	var leaving []int // branches of which some successors lead to no barrier
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
		if len(on) < len(flow.Succ(b)) {
			leaving = append(leaving, b)
		}
		if len(on) > 1 && (!post.Contains(b) || a.decides(b, on, post.IDom(b), barriers)) {
			return false
		}
	}
	return !a.unordered(leaving, awaits)
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

// unordered reports whether threads that do not go on to a barrier behind one of some branches, while others may, access
// memory since their last barrier: what they did is not ordered before what others do behind the next.
func (a *analysis) unordered(branches []int, awaits []bool) bool {
	if len(branches) == 0 {
		return false
	}
	accesses := make(map[int]bool, len(a.accesses)) // by instruction
	before := make([]place, len(a.accesses))
	for i := range a.accesses {
		accesses[a.accesses[i].Instr] = true
		before[i] = place{a.accesses[i].Block, a.accesses[i].Instr}
	}
	var behind []place
	last := make(map[int]bool) // instructions of the branches
	for _, b := range branches {
		last[a.graph.Blocks[b].End-1] = true
		for _, s := range a.graph.Succ(b) {
			if s != a.graph.Exit() && !awaits[s] {
				behind = append(behind, a.beginning(s))
			}
		}
	}
	found := false
	a.walk(before, func(pc int) { found = found || last[pc] })
	a.walk(behind, func(pc int) { found = found || accesses[pc] })
	return found
}
