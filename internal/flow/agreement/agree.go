package agreement

import (
	"context"
	"slices"

	"warpbound/internal/constraint"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// Result tells what the lanes of a warp agree on that execute an instruction
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
type Result struct {
	solution *fixpoint.Solution
	flow     *graph.Graph
	varies   []bool          // by symbol
	branches map[int]*branch // divergent ones, by block
	around   [][]*branch     // by block: those in whose region it is
	joining  [][]*branch     // by block: those whose lanes reconverge there
	again    map[[2]int]blocks
	seen     []int // by block: the last search that came there
	searches int
}

// Find finds the agreement, beginning with everything agreed on. trace may be nil. The error is that of
// ctx.
func Find(ctx context.Context, r *fixpoint.Solution, trace constraint.Trace) (*Result, error) {
	flow := r.Graph.Flow.Graph()
	a := &Result{
		solution: r, flow: flow, varies: make([]bool, len(r.Machine.Syms.Symbols)),
		branches: make(map[int]*branch), around: make([][]*branch, flow.Len()), joining: make([][]*branch, flow.Len()),
		again: make(map[[2]int]blocks), seen: make([]int, flow.Len()),
	}
	if err := a.makeSystem(trace).SolveWithin(ctx); err != nil {
		return nil, err
	}
	return a, nil
}

// FormVaries reports whether the lanes that execute a block together may disagree on a
// form there.
func (a *Result) FormVaries(f affine.Form, block int) bool {
	return !f.IsKnown() || f.Mentions(func(s affine.Symbol) bool { return a.symbolDiffers(s) || a.isOutdated(s, block) })
}

// symbolDiffers reports whether lanes may disagree on a symbol. It may be one that nothing but an
// address mentions, which comes after those of the agreement.
func (a *Result) symbolDiffers(s affine.Symbol) bool {
	if int(s) < len(a.varies) {
		return a.varies[s]
	}
	return a.symbolVaries(s)
}

// isOutdated reports whether lanes in a block may have values of a symbol that were
// assigned at different times.
func (a *Result) isOutdated(s affine.Symbol, block int) bool {
	at := a.findAssigned(s)
	if at < 0 {
		return false
	}
	for _, x := range a.around[at] {
		if x.parted || !x.region.contains(block) || a.findReachedBehind(x, at).contains(block) {
			return true
		}
	}
	return false
}

// findAssigned returns the block where a symbol is assigned, -1 if it is fixed.
func (a *Result) findAssigned(s affine.Symbol) int {
	y := &a.solution.Machine.Syms.Symbols[s]
	if y.Origin == affine.Defined {
		return a.solution.Graph.BlockOf(y.PC % len(a.solution.Graph.Kernel.Instrs))
	}
	return y.Block
}

func (a *Result) symbolVaries(s affine.Symbol) bool {
	y := &a.solution.Machine.Syms.Symbols[s]
	switch y.Origin {
	case affine.Fixed:
		return y.Varies
	case affine.Merged:
		return a.mergeVaries(y.Block, y.Reg)
	}
	if y.Varies {
		return true
	}
	for _, f := range y.Args {
		if a.FormVaries(f, a.findAssigned(s)) {
			return true
		}
	}
	return false
}

// mergeVaries reports whether lanes may disagree on a register at the beginning of a block.
func (a *Result) mergeVaries(block int, reg isa.Reg) bool {
	in := a.solution.FindIncoming(block, reg)
	if block == a.solution.Graph.Entry() {
		return true // of what it holds at first nothing is known
	}
	for _, f := range in {
		if a.FormVaries(f.Form, f.From) {
			return true
		}
	}
	return a.mixesForms(block, in)
}

// diverges reports whether lanes may go different ways at the end of a block.
func (a *Result) diverges(b int) bool {
	return slices.ContainsFunc(a.findSelectors(b), func(f affine.Form) bool { return a.FormVaries(f, b) })
}

// findSelectors returns the forms on which it depends which way lanes go at the end of a block: none
// if they all go one way, unknown ones included.
func (a *Result) findSelectors(b int) []affine.Form {
	taken := 0
	var st *transfer.State
	for _, s := range a.solution.Along[b] {
		if s != nil {
			st = s
			taken++
		}
	}
	if taken < 2 {
		return nil
	}
	var forms []affine.Form
	last := a.solution.Graph.Last(b)
	if last.Guard.Set {
		forms = append(forms, a.solution.Machine.ReadRegister(st, last.Guard.Reg).Form)
	}
	switch {
	case last.Op != isa.BrxIdx:
	case last.Src[0].Kind == isa.KindReg:
		forms = append(forms, a.solution.Machine.ReadRegister(st, last.Src[0].Reg).Form)
	default:
		forms = append(forms, affine.Form{})
	}
	return forms
}

// mixesForms reports whether lanes come to a block together with different ones of some forms.
func (a *Result) mixesForms(block int, in []fixpoint.Incoming) bool {
	mixed := func(x *branch) bool { return x.joinsAt(block) && a.mixesFormsBehind(x, block, in) }
	return slices.ContainsFunc(a.around[block], mixed) || slices.ContainsFunc(a.joining[block], mixed)
}

// mixesFormsBehind is mixesForms for lanes that diverged at a branch.
func (a *Result) mixesFormsBehind(x *branch, block int, in []fixpoint.Incoming) bool {
	first := affine.Form{}
	for _, f := range in {
		if f.From != x.block && !x.region.contains(f.From) {
			continue
		}
		if first.IsKnown() && !first.Equal(f.Form) || a.isFormOutdated(f.Form, block) {
			return true
		}
		first = f.Form
	}
	return false
}

// isFormOutdated reports whether lanes in a block may have values of a form's symbols that
// were assigned at different times.
func (a *Result) isFormOutdated(f affine.Form, block int) bool {
	return f.Mentions(func(s affine.Symbol) bool { return a.isOutdated(s, block) })
}
