package value

import (
	"fmt"
	"math"
	"slices"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/agreement"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// Bound limits the executions of a loop. It is proven, if it is known.
type Bound struct {
	Header int // block
	Known  bool
	// Iterations is how often a thread returns to the header for one entry of the loop, at
	// most.
	Iterations int64
	// Together reports whether lanes of a warp that enter the loop together go through it
	// together, so that Iterations holds for a warp too. Otherwise those that diverged may
	// return to the header independently of each other, each at most so often.
	Together bool
	// Formula is the number as an expression over launch constants; empty if it has none
	// that is better than the number.
	Formula string
	// Reason says why: the counter, or what stands against a bound.
	Reason string

	// Range is empty unless Iterations, although proven, rests on the range of a type of 16 bits or more and on
	// nothing that the launch or the kernel states, and is too many to be of use. Then it says which type, and of
	// what as far as that is known: for example "u32 n" or "s32, loaded at k.cu:11:3".
	Range string

	by *travel // the counter that gives it, if its steps are of one sign; nil of results

	steady bool // the counter changes by the same in every iteration
}

// Warp returns how often a warp of so many lanes returns to the header for one entry of
// the loop, at most.
func (b *Bound) Warp(lanes int) (int64, bool) {
	if !b.Known || b.Together {
		return b.Iterations, b.Known
	}
	return b.Iterations * int64(lanes), b.Iterations < math.MaxInt64/int64(lanes)
}

// loopFinder finds the bounds of the loops of a kernel, from a solution for its values.
type loopFinder struct {
	s      *fixpoint.Solution
	agreed *agreement.Result
	found  []Bound // nil until they are asked for
}

func newLoopFinder(s *fixpoint.Solution, agreed *agreement.Result) *loopFinder {
	return &loopFinder{s: s, agreed: agreed}
}

// bounds returns the bounds of the loops, in the order of the forest, without what they rest on.
func (f *loopFinder) bounds() []Bound {
	all := slices.Clone(f.find())
	for i := range all {
		all[i].by = nil
	}
	return all
}

// boundsWithRanges returns the bounds of the loops, in the order of the forest. doubted returns the solution of
// the same kernel under a launch that is doubted, if it is needed, which is seldom.
func (f *loopFinder) boundsWithRanges(doubted func() *fixpoint.Solution) []Bound {
	all := slices.Clone(f.find())
	var other *fixpoint.Solution
	for i, l := range countings(f.s) {
		b := &all[i]
		if b.by != nil && b.Iterations >= useful {
			if other == nil {
				other = doubted()
			}
			if l.onlyTyped(other) {
				b.Range = l.typed(b)
			}
		}
		b.by = nil
	}
	return all
}

func (f *loopFinder) find() []Bound {
	if f.found == nil {
		for _, l := range countings(f.s) {
			b := l.byExits()
			b.Header, b.Together = l.loop.Header, f.agreed.StaysTogether(l.loop)
			f.found = append(f.found, b)
		}
	}
	return f.found
}

// countings returns what finds the bounds of the loops, in the order of the forest.
func countings(s *fixpoint.Solution) []*counting {
	paths := newPaths(s)
	var all []*counting
	for i := range s.Graph.Loops().Loops {
		all = append(all, &counting{r: s, loop: &s.Graph.Loops().Loops[i], paths: paths})
	}
	return all
}

// counting finds the bound of one loop.
type counting struct {
	r    *fixpoint.Solution
	loop *graph.Loop
	why  string // the last obstacle

	paths *paths
	under []transfer.Fact // what holds besides where control enters the loop
}

func (l *counting) machine() *transfer.Machine { return l.r.Machine }

// byExits returns the least bound that any exit gives.
func (l *counting) byExits() Bound {
	var best Bound
	if l.r.In[l.loop.Header] == nil {
		best.Known, best.Reason = true, "unreachable"
		return best
	}
	if len(l.loop.Entries) > 1 {
		best.Reason = "the loop has several entries (irreducible)"
		return best
	}
	if !l.goesOn() {
		best.Known, best.Reason = true, "no back edge is reachable"
		return best
	}
	if found := l.counted(); found.Known {
		best = found
	}
	why := l.why
	if !best.Known || best.Iterations > few && !best.steady || best.Iterations > enough {
		if found := l.unrolled(); found.Known && (!best.Known || found.Iterations < best.Iterations) {
			best = found
		}
	}
	if !best.Known {
		best.Reason = why
	}
	return best
}

// counted returns the least bound that the counter of an exit gives.
func (l *counting) counted() Bound {
	var best Bound
	l.why = "no exit branch is on every path through the loop"
	for _, b := range l.loop.Body {
		for _, c := range l.exits(b) {
			found := l.count(c, b)
			if found.Known && (!best.Known || found.Iterations < best.Iterations) {
				best = found
			}
		}
	}
	return best
}

// goesOn reports whether control returns to the header at all.
func (l *counting) goesOn() bool {
	for _, back := range l.loop.Back {
		for i, e := range l.r.Graph.Blocks[back.From].Edges {
			if e.To == l.loop.Header && l.r.Along[back.From][i] != nil {
				return true
			}
		}
	}
	return false
}

// exits returns the comparisons that all hold when control stays in the loop at the end
// of a block, if every iteration passes it and it can leave the loop.
func (l *counting) exits(b int) []*transfer.Condition {
	for _, back := range l.loop.Back {
		if !l.r.Dom.Dominates(b, back.From) {
			return nil
		}
	}
	last := l.r.Graph.Last(b)
	if !last.Guard.Set {
		return nil
	}
	stays, leaves := cfg.EdgeKind(0), 0
	for i, e := range l.r.Graph.Blocks[b].Edges {
		if l.leaves(b, i) {
			leaves++
		} else {
			stays = e.Kind
		}
	}
	if leaves != 1 || len(l.r.Graph.Blocks[b].Edges) != 2 {
		return nil
	}
	var st *transfer.State
	for _, s := range l.r.Along[b] {
		if s != nil {
			st = s
		}
	}
	if st == nil {
		return nil
	}
	p := l.machine().ReadRegister(st, last.Guard.Reg)
	l.why = fmt.Sprintf("the condition of the branch at %s is not an integer comparison", where(last))
	holds := (stays != cfg.FallThrough) != last.Guard.Not
	c := p.Cond
	if c == nil {
		c = l.staying(b, holds)
	}
	return c.Comparisons(holds)
}

func where(in *isa.Instr) diag.Pos {
	if in.Loc.Known() {
		return in.Loc
	}
	return in.Pos
}

// count returns the bound that one comparison gives, whichever operand the counter is.
func (l *counting) count(c *transfer.Condition, b int) Bound {
	at := where(l.r.Graph.Last(b))
	l.why = fmt.Sprintf("neither operand of the comparison at %s is loop-invariant", at)
	for _, turn := range []bool{false, true} {
		if turn {
			c = c.SwapOperands()
		}
		if !l.invariant(c.B.Form) {
			if found := l.countEach(c); found.Known {
				return found
			}
			continue
		}
		l.why = fmt.Sprintf("%s, which the branch at %s compares with %s, is not an induction variable with known step and limit", l.name(c.A.Form), at, l.name(c.B.Form))
		if found := l.by(c); found.Known {
			return found
		}
	}
	return Bound{}
}

// by returns the bound that a comparison of a counter with what the loop leaves alone gives.
func (l *counting) by(c *transfer.Condition) Bound {
	for _, method := range []func(*transfer.Condition) Bound{l.linear, l.geometric, l.clearing} {
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

// countEach returns the bound of a comparison with what is found anew in each iteration, but is always one of several constants
// of the thread, on as many paths: the least of two numbers, for example. What conditions say of the path that is taken last
// holds from the first iteration on, so the bound is the greatest that there is on one path.
func (l *counting) countEach(c *transfer.Condition) Bound {
	m := l.machine()
	for _, t := range c.B.Form.Terms {
		if !l.inside(t.Symbol) {
			continue
		}
		all, known := l.paths.fixed(t.Symbol)
		if !known {
			return Bound{}
		}
		var best Bound
		for _, path := range all {
			one := *l
			one.under = slices.Concat(l.under, path.facts)
			rest := c.B.Form.AddMultiple(affine.Form{Bits: c.B.Form.Bits, Terms: []affine.Term{t}}, ^uint64(0))
			form := rest.AddMultiple(m.ResizeValue(path.value, rest.Bits).Form, t.Coefficient)
			if !one.invariant(form) {
				return Bound{}
			}
			words, ok := l.paths.left(form, c.B.Set, one.under, maxJoins)
			if !ok {
				continue
			}
			on := *c
			on.B = m.MakeValue(words, form)
			found := one.by(&on)
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

func (l *counting) name(f affine.Form) string { return l.machine().Syms.Format(f) }

// invariant reports whether a form keeps its value while control stays in the loop.
func (l *counting) invariant(f affine.Form) bool { return f.IsKnown() && !f.Mentions(l.inside) }

// inside reports whether a symbol is assigned in the loop.
func (l *counting) inside(s affine.Symbol) bool {
	y := &l.machine().Syms.Symbols[s]
	switch y.Origin {
	case affine.Fixed:
		return false
	case affine.Merged:
		return l.loop.Contains(y.Block)
	}
	return l.loop.Contains(l.r.Graph.BlockOf(y.PC % len(l.r.Graph.Kernel.Instrs)))
}

// counter returns the register whose value at the header a symbol is.
func (l *counting) counter(s affine.Symbol) (isa.Reg, bool) {
	y := &l.machine().Syms.Symbols[s]
	return y.Reg, y.Origin == affine.Merged && y.Block == l.loop.Header
}
