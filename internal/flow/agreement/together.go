package agreement

import (
	"context"
	"maps"

	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// StaysTogether reports whether lanes that enter a loop together are never at different
// iterations of it.
func (a *Result) StaysTogether(l *graph.Loop) bool {
	if !a.solution.IsRegular(l) {
		return false
	}
	var returns func(from, without int) bool // made for the first branch
	for _, b := range l.Body {
		x := a.branches[b]
		if x == nil {
			continue
		}
		if returns == nil {
			returns = a.makeReturns(l)
		}
		inside, ways := 0, 0
		for _, s := range a.flow.Succ(x.block) {
			if !l.Contains(s) {
				continue
			}
			inside++
			if s != x.reconverge && returns(s, x.reconverge) {
				ways++
			}
		}
		if ways > 1 || ways > 0 && l.Contains(x.reconverge) || x.parted && inside > 1 {
			return false
		}
	}
	return true
}

// makeReturns returns a function that reports whether control can come from a block of a loop to
// its header inside of the loop without passing another block: whether that one does not
// post-dominate the first where the way to the header is the only one out of the body.
func (a *Result) makeReturns(l *graph.Loop) func(from, without int) bool {
	number := make(map[int]int, len(l.Body))
	for i, b := range l.Body {
		number[b] = i
	}
	end := len(l.Body)
	backward := graph.New(end + 1)
	for i, b := range l.Body {
		for _, s := range a.flow.Succ(b) {
			if s == l.Header {
				backward.AddEdge(end, i)
			} else if j, inside := number[s]; inside {
				backward.AddEdge(j, i)
			}
		}
	}
	post := graph.Dominators(backward, end)
	return func(from, without int) bool {
		if from == l.Header {
			return true
		}
		if without == l.Header || !post.Contains(number[from]) {
			return false
		}
		passed, inside := number[without]
		return !inside || !post.Dominates(passed, number[from])
	}
}

// FindPartial returns the blocks that lanes may execute while others of their warp are
// elsewhere or have ended. The error is that of ctx.
func (a *Result) FindPartial(ctx context.Context) ([]bool, error) {
	g := a.solution.Graph
	partial := make([]bool, a.flow.Len())
	var ends []int // branches behind which lanes may end
	for b := range g.Blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !a.diverges(b) {
			continue
		}
		region := a.findReached(g.Reconverge(b), a.flow.Succ(b)...)
		if region.contains(g.Exit()) || g.Parted(b) || g.CheckSyncs() != nil {
			ends = append(ends, b)
			continue
		}
		for _, i := range region {
			partial[i] = true
		}
	}
	for _, i := range a.findReached(-1, ends...) {
		partial[i] = true
	}
	return partial, nil
}

// FindDivergedOps returns the operations of a warp to which lanes may come apart from others, so
// that others which take part may be at other instructions of the kind.
func (a *Result) FindDivergedOps() map[isa.Op]bool {
	divergedOps := make(map[isa.Op]bool)
	for b := range a.solution.Graph.Blocks {
		block := &a.solution.Graph.Blocks[b]
		for pc := block.Start; pc < block.End; pc++ {
			switch in := &a.solution.Graph.Kernel.Instrs[pc]; in.Op {
			case isa.Shfl, isa.Vote, isa.Redux:
				divergedOps[in.Op] = divergedOps[in.Op] || in.Guard.Set || a.inRegion(b)
			}
		}
	}
	maps.DeleteFunc(divergedOps, func(_ isa.Op, yes bool) bool { return !yes })
	return divergedOps
}

// inRegion reports whether lanes may execute a block before they reconverge behind a branch.
func (a *Result) inRegion(block int) bool { return len(a.around[block]) > 0 }
