package agreement

import (
	"fmt"

	"warpbound/internal/constraint"
	"warpbound/internal/flow/affine"
)

// makeSystem returns what lanes may disagree on as a system of constraints: a symbol varies, and
// behind those of the symbols, the branch of a block diverges. The variables are the symbols, and
// behind them what is around and joining each block.
func (a *Result) makeSystem(trace constraint.Trace) *constraint.System {
	symbols, constraints := len(a.varies), len(a.varies)+len(a.solution.Graph.Blocks)
	return &constraint.System{
		Variables: symbols + a.flow.Len(), Order: constraint.Ascending(constraints), Height: constraints,
		Uses: a.visitUsed, Trace: trace, Describe: a.describeConstraint,
		Defines: func(c int, visit func(int)) {
			if c < symbols {
				visit(c)
				return
			}
			x := a.branches[c-symbols]
			for _, b := range x.region {
				visit(symbols + b)
			}
			visit(symbols + x.reconverge)
		},
		Update: func(c int) bool {
			if c < symbols {
				return a.updateSymbol(affine.Symbol(c))
			}
			return a.updateBranch(c - symbols)
		},
	}
}

// visitUsed calls visit for the variables that a constraint uses.
func (a *Result) visitUsed(c int, visit func(variable int)) {
	symbols := len(a.varies)
	use := func(f affine.Form) {
		for _, t := range f.Terms {
			visit(int(t.Symbol))
			if at := a.findAssigned(t.Symbol); at >= 0 {
				visit(symbols + at)
			}
		}
	}
	if c >= symbols {
		for _, f := range a.findSelectors(c - symbols) {
			use(f)
		}
		return
	}
	y := &a.solution.Machine.Syms.Symbols[c]
	switch y.Origin {
	case affine.Merged:
		visit(symbols + y.Block)
		for _, f := range a.solution.FindIncoming(y.Block, y.Reg) {
			use(f.Form)
		}
	case affine.Defined:
		for _, f := range y.Args {
			use(f)
		}
	}
}

// updateSymbol reports whether it is new that a symbol varies.
func (a *Result) updateSymbol(s affine.Symbol) bool {
	if a.varies[s] || !a.symbolVaries(s) {
		return false
	}
	a.varies[s] = true
	return true
}

// updateBranch reports whether it is new that the branch of a block diverges.
func (a *Result) updateBranch(b int) bool {
	if a.branches[b] != nil || !a.diverges(b) {
		return false
	}
	x := a.describeBranch(b)
	if x == nil {
		return false
	}
	a.addBranch(x)
	return true
}

// describeConstraint returns what a constraint is about, and whether lanes agree on it.
func (a *Result) describeConstraint(c int) (name, fact string) {
	varies := false
	if symbols := len(a.varies); c >= symbols {
		b, g := c-symbols, a.solution.Graph
		name, varies = fmt.Sprintf("%v: branch of %s", g.Last(b).Pos, g.Name(b)), a.branches[b] != nil
	} else {
		name, varies = a.solution.DescribeSymbol(affine.Symbol(c)), a.varies[c]
	}
	if varies {
		return name, "varies"
	}
	return name, "agreed"
}
