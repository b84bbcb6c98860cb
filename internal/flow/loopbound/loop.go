package loopbound

import (
	"context"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// makeAnalyses returns what finds the bounds of the loops, in the order of the forest.
func makeAnalyses(ctx context.Context, s *fixpoint.Solution) []*loopAnalysis {
	paths, unrolled := newPaths(s), new(int64)
	var all []*loopAnalysis
	for i := range s.Graph.Loops().Loops {
		all = append(all, &loopAnalysis{
			ctx: ctx, solution: s, loop: &s.Graph.Loops().Loops[i], paths: paths,
			work: budget.NewWork(s.Launch.Effort), unrolled: unrolled,
		})
	}
	return all
}

// loopAnalysis finds the bound of one loop.
type loopAnalysis struct {
	ctx      context.Context
	solution *fixpoint.Solution
	loop     *graph.Loop
	why      string       // the last obstacle
	cutShort bool         // a limit of work has ended following the loop iteration by iteration
	work     *budget.Work // that may be done for this loop alone
	unrolled *int64       // work done to follow loops of the kernel iteration by iteration

	paths *paths
	under []transfer.Fact // what holds besides where control enters the loop
}

func (l *loopAnalysis) machine() *transfer.Machine { return l.solution.Machine }

// boundByExits returns the least bound that any exit gives. The error is that of the context.
func (l *loopAnalysis) boundByExits() (Bound, error) {
	var best Bound
	if l.solution.In[l.loop.Header] == nil {
		best.Known, best.Reason = true, "unreachable"
		return best, nil
	}
	if len(l.loop.Entries) > 1 {
		best.Reason = "the loop has several entries (irreducible)"
		return best, nil
	}
	if !l.returnsToHeader() {
		best.Known, best.Reason = true, "no back edge is reachable"
		return best, nil
	}
	best, err := l.boundByCounters()
	if err != nil {
		return Bound{}, err
	}
	why := l.why
	if !best.Known || best.Iterations > few && !best.steady || best.Iterations > enough {
		found, err := l.boundByUnrolling()
		if err != nil {
			return Bound{}, err
		}
		if found.Known && (!best.Known || found.Iterations < best.Iterations) {
			best = found
		}
	}
	if !best.Known {
		best.Reason = why
	}
	if !best.steady {
		best.Reason += l.describeLimits()
	}
	return best, nil
}

// describeLimits says at which limits of work the loop may have missed a bound, or a lesser one.
func (l *loopAnalysis) describeLimits() string {
	text := ""
	if l.cutShort {
		text = "; it was followed iteration by iteration up to a limit, which --effort lifts"
	}
	for _, limit := range l.work.Reached() {
		text += fmt.Sprintf("; it was looked at up to a limit of %s, which --effort lifts", limit)
	}
	return text
}

// boundByCounters returns the least bound that the counter of an exit gives. The error is that of the
// context.
func (l *loopAnalysis) boundByCounters() (Bound, error) {
	var best Bound
	l.why = "no exit branch is on every path through the loop"
	for _, b := range l.loop.Body {
		if err := l.ctx.Err(); err != nil {
			return Bound{}, err
		}
		for _, c := range l.findExitComparisons(b) {
			found := l.boundByComparison(c, b)
			if found.Known && (!best.Known || found.Iterations < best.Iterations) {
				best = found
			}
		}
	}
	return best, nil
}

// returnsToHeader reports whether control returns to the header at all.
func (l *loopAnalysis) returnsToHeader() bool {
	for _, back := range l.loop.Back {
		for i, e := range l.solution.Graph.Blocks[back.From].Edges {
			if e.To == l.loop.Header && l.solution.Along[back.From][i] != nil {
				return true
			}
		}
	}
	return false
}

// findExitComparisons returns the comparisons that all hold when control stays in the loop at the
// end of a block, if every iteration passes it and it can leave the loop.
func (l *loopAnalysis) findExitComparisons(b int) []*transfer.Condition {
	for _, back := range l.loop.Back {
		if !l.solution.Dom.Dominates(b, back.From) {
			return nil
		}
	}
	last := l.solution.Graph.Last(b)
	if !last.Guard.Set {
		return nil
	}
	stays, leaves := cfg.EdgeKind(0), 0
	for i, e := range l.solution.Graph.Blocks[b].Edges {
		if l.leavesLoop(b, i) {
			leaves++
		} else {
			stays = e.Kind
		}
	}
	if leaves != 1 || len(l.solution.Graph.Blocks[b].Edges) != 2 {
		return nil
	}
	var st *transfer.State
	for _, s := range l.solution.Along[b] {
		if s != nil {
			st = s
		}
	}
	if st == nil {
		return nil
	}
	p := l.machine().ReadRegister(st, last.Guard.Reg)
	l.why = fmt.Sprintf("the condition of the branch at %s is not an integer comparison", positionOf(last))
	holds := (stays != cfg.FallThrough) != last.Guard.Not
	c := p.Cond
	if c == nil {
		c = l.findStayingCondition(b, holds)
	}
	return c.Comparisons(holds)
}

func positionOf(in *isa.Instr) diag.Pos {
	if in.Loc.Known() {
		return in.Loc
	}
	return in.Pos
}

// boundByComparison returns the bound that one comparison gives, whichever operand the counter is.
func (l *loopAnalysis) boundByComparison(c *transfer.Condition, b int) Bound {
	at := positionOf(l.solution.Graph.Last(b))
	l.why = fmt.Sprintf("neither operand of the comparison at %s is loop-invariant", at)
	for _, turn := range []bool{false, true} {
		if turn {
			c = c.SwapOperands()
		}
		if !l.isInvariant(c.B.Form) {
			if found := l.boundByEachPath(c); found.Known {
				return found
			}
			continue
		}
		l.why = fmt.Sprintf("%s, which the branch at %s compares with %s, "+
			"is not an induction variable with known step and limit", l.format(c.A.Form), at, l.format(c.B.Form))
		if found := l.boundByCounter(c); found.Known {
			return found
		}
	}
	return Bound{}
}

// boundByCounter returns the bound that a comparison of a counter with what the loop leaves alone
// gives.
func (l *loopAnalysis) boundByCounter(c *transfer.Condition) Bound {
	for _, method := range []func(*transfer.Condition) Bound{l.boundLinear, l.boundGeometric, l.boundClearing} {
		found := method(c)
		if found.Known {
			return found
		}
		if found.Reason != "" {
			l.why = found.Reason
		}
	}
	return Bound{}
}

// boundByEachPath returns the bound of a comparison with what is found anew in each iteration, but
// is always one of several constants of the thread, on as many paths: the least of two numbers, for
// example. What conditions say of the path that is taken last holds from the first iteration on, so
// the bound is the greatest that there is on one path.
func (l *loopAnalysis) boundByEachPath(c *transfer.Condition) Bound {
	m := l.machine()
	for _, t := range c.B.Form.Terms {
		if !l.isAssignedInside(t.Symbol) {
			continue
		}
		all, known := l.paths.findFixedPaths(t.Symbol)
		if !known {
			return Bound{}
		}
		var best Bound
		for _, path := range all {
			one := *l
			one.under = slices.Concat(l.under, path.facts)
			rest := c.B.Form.AddMultiple(affine.Form{Bits: c.B.Form.Bits, Terms: []affine.Term{t}}, ^uint64(0))
			form := rest.AddMultiple(m.ResizeValue(path.value, rest.Bits).Form, t.Coefficient)
			if !one.isInvariant(form) {
				return Bound{}
			}
			words, ok := l.paths.wordsLeft(form, c.B.Set, one.under, 1)
			if !ok {
				continue
			}
			on := *c
			on.B = m.MakeValue(words, form)
			found := one.boundByCounter(&on)
			if !found.Known {
				l.why = one.why
				return Bound{}
			}
			if !best.Known || found.Iterations > best.Iterations {
				best = found
			}
		}
		best.Formula = ""
		return best
	}
	return Bound{}
}

func (l *loopAnalysis) format(f affine.Form) string { return l.machine().Syms.Format(f) }

// isInvariant reports whether a form keeps its value while control stays in the loop.
func (l *loopAnalysis) isInvariant(f affine.Form) bool {
	return f.IsKnown() && !f.Mentions(l.isAssignedInside)
}

// isAssignedInside reports whether a symbol is assigned in the loop.
func (l *loopAnalysis) isAssignedInside(s affine.Symbol) bool {
	y := &l.machine().Syms.Symbols[s]
	switch y.Origin {
	case affine.Fixed:
		return false
	case affine.Merged:
		return l.loop.Contains(y.Block)
	}
	return l.loop.Contains(l.solution.Graph.BlockOf(y.PC % len(l.solution.Graph.Kernel.Instrs)))
}

// counterRegister returns the register whose value at the header a symbol is.
func (l *loopAnalysis) counterRegister(s affine.Symbol) (isa.Reg, bool) {
	y := &l.machine().Syms.Symbols[s]
	return y.Reg, y.Origin == affine.Merged && y.Block == l.loop.Header
}
