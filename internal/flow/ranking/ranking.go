package ranking

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// Solver says whether assertions hold together, with a model if they do.
type Solver interface {
	Check(context.Context, []*smt.Term) (smt.Answer, *smt.Model, error)
}

// Rank is the bound of a loop.
type Rank struct {
	Iterations int64  // how often a thread returns to the header for one entry of the loop, at most
	Function   string // what decreases, for readers
}

// maxIterations is the greatest bound that is looked for.
const maxIterations = 1 << 24

// Find bounds a loop of the forest of the flow graph whose values are known; nil if no ranking function is found. The error is that
// of the solver, or of ctx.
func Find(ctx context.Context, b *smt.Builder, v *value.Result, index int, s Solver) (*Rank, error) {
	l := newLoop(b, v, index)
	if l == nil {
		return nil, nil
	}
	f := &finder{loop: l, ctx: ctx, solver: s, index: index}
	before, known := l.start()
	f.step = l.around(before)
	if f.step.after == nil {
		return nil, nil
	}
	f.counters = f.deciding()
	f.base = append(known, f.step.assumed...)
	f.base = append(f.base, f.step.returns)
	f.invariants()
	for _, attempt := range []func() *Rank{f.scaled, f.linear, f.twice} {
		if r := attempt(); r != nil || f.err != nil {
			return r, f.err
		}
	}
	return nil, nil
}

// finder looks for the bound of one loop.
type finder struct {
	*loop
	ctx    context.Context
	solver Solver
	index  int
	step   *step
	// counters are the integer registers that an iteration changes and on which it depends whether there is another one.
	counters []isa.Reg
	base     []*smt.Term // what holds whenever control returns to the header
	kept     []candidate // that hold where an iteration begins
	err      error
}

// never reports whether something never holds where control returns to the header.
func (f *finder) never(more ...*smt.Term) bool {
	if f.err != nil {
		return false
	}
	answer, _, err := f.solver.Check(f.ctx, append(slices.Clone(f.base), more...))
	f.err = err
	return err == nil && answer == smt.Unsat
}

// deciding returns the registers of finder.counters, in their order.
func (f *finder) deciding() []isa.Reg {
	of := make(map[*smt.Term]isa.Reg)
	for r, t := range f.step.before {
		if t != nil {
			of[t] = r
		}
	}
	decide := make(map[isa.Reg]bool)
	seen := make(map[*smt.Term]bool)
	var visit func(*smt.Term)
	visit = func(t *smt.Term) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		if r, ok := of[t]; ok && !decide[r] {
			decide[r] = true
			visit(f.step.after[r])
		}
		for _, arg := range t.Args() {
			visit(arg)
		}
	}
	visit(f.step.returns)
	for _, t := range f.step.assumed {
		visit(t)
	}
	var all []isa.Reg
	for r := range f.g.Kernel.Regs {
		before, after := f.step.before[isa.Reg(r)], f.step.after[isa.Reg(r)]
		if decide[isa.Reg(r)] && after != nil && before != after && before.Sort() != smt.Bool {
			all = append(all, isa.Reg(r))
		}
	}
	return all
}

func (f *finder) name(r isa.Reg) string { return f.g.Kernel.Regs[r].Name }

// number returns a constant of the width of a term.
func (f *finder) number(like *smt.Term, x uint64) *smt.Term { return f.b.Number(like.Width(), x) }

// scaled finds registers that each iteration halves or doubles.
func (f *finder) scaled() *Rank {
	var best *Rank
	for _, r := range f.counters {
		x, next := f.step.before[r], f.step.after[r]
		entering := f.entering(r)
		low, high := entering.Unsigned()
		one := f.number(x, 1)
		positive := f.b.Not(f.b.Eq(x, f.number(x, 0)))
		if f.never(f.b.Not(f.b.And(positive, f.b.Ule(next, f.b.Lshr(x, one))))) {
			best = better(best, int64(bits.Len64(high)), f.name(r)+" is at most halved")
		}
		half := f.b.Ule(x, f.number(x, ^uint64(0)>>(smt.MaxWidth-x.Width())>>1))
		if f.never(f.b.Not(f.b.And(f.b.And(positive, half), f.b.Ule(f.b.Shl(x, one), next)))) {
			best = better(best, int64(x.Width()-max(bits.Len64(low), 1)), f.name(r)+" is at least doubled")
		}
	}
	return best
}

func better(best *Rank, n int64, function string) *Rank {
	if best == nil || n < best.Iterations {
		return &Rank{n, function}
	}
	return best
}

// entering returns what a register holds where control enters the loop.
func (f *finder) entering(r isa.Reg) strided.Interval {
	set, ok := f.v.Entering(f.index, r)
	if width := f.step.before[r].Width(); !ok || set.Bits() != width {
		return strided.Any(width)
	}
	return set
}

// measure is a sum of two registers, or of one, each of them plus or minus, as signed words of guardBits more
// bits, so that it does not wrap around.
type measure struct {
	regs  []isa.Reg
	minus []bool
	sign  bool // the registers are signed
}

const guardBits = 4

func (f *finder) measured(m *measure, w words) *smt.Term {
	var sum *smt.Term
	for i, r := range m.regs {
		t := f.b.ZeroExt(w[r], w[r].Width()+guardBits)
		if m.sign {
			t = f.b.SignExt(w[r], w[r].Width()+guardBits)
		}
		if m.minus[i] {
			t = f.b.BvNeg(t)
		}
		if sum == nil {
			sum = t
		} else {
			sum = f.b.Add(sum, t)
		}
	}
	return sum
}

// greatest returns the most that a measure is where control enters the loop.
func (f *finder) greatest(m *measure) int64 {
	sum := int64(0)
	for i, r := range m.regs {
		set := f.entering(r)
		var low, high int64
		if m.sign {
			low, high = set.Signed()
		} else {
			l, h := set.Unsigned()
			low, high = int64(l), int64(h)
		}
		if m.minus[i] {
			sum -= low
		} else {
			sum += high
		}
	}
	return sum
}

func (f *finder) describe(m *measure) string {
	text := ""
	for i, r := range m.regs {
		switch {
		case m.minus[i] && i == 0:
			text += "-"
		case m.minus[i]:
			text += " - "
		case i > 0:
			text += " + "
		}
		text += f.name(r)
	}
	return text + " decreases"
}

// maxPairs limits the pairs of registers of which sums and differences are tried.
const maxPairs = 40

// linear finds registers, and sums and differences of two, that decrease and have a least value.
func (f *finder) linear() *Rank {
	regs := slices.DeleteFunc(slices.Clone(f.counters), func(r isa.Reg) bool { return f.step.before[r].Width() > 32 })
	var all []measure
	for _, sign := range []bool{true, false} {
		for _, minus := range []bool{false, true} {
			for _, r := range regs {
				all = append(all, measure{[]isa.Reg{r}, []bool{minus}, sign})
			}
		}
	}
	for _, sign := range []bool{true, false} {
		pairs := 0
		for i, r := range regs {
			for _, q := range regs[i+1:] {
				if pairs++; pairs > maxPairs || f.step.before[r].Width() != f.step.before[q].Width() {
					continue
				}
				for _, minus := range [][]bool{{false, false}, {true, true}, {false, true}, {true, false}} {
					all = append(all, measure{[]isa.Reg{r, q}, minus, sign})
				}
			}
		}
	}
	for i := range all {
		if r := f.decreasing(&all[i]); r != nil || f.err != nil {
			return r
		}
	}
	return nil
}

// decreasing bounds the loop by a measure, if that decreases whenever control returns to the header and is not less than some number then.
func (f *finder) decreasing(m *measure) *Rank {
	before, after := f.measured(m, f.step.before), f.measured(m, f.step.after)
	number := func(x int64) *smt.Term { return f.number(before, uint64(x)) }
	if !f.never(f.b.Sle(before, after)) {
		return nil
	}
	// The first time that control returns the measure is less by 1 than the greatest, and so on: it returns no more often than
	// the greatest is above the least that it is then.
	top := f.greatest(m)
	above := func(n int64) bool { return f.never(f.b.Slt(after, number(top-n))) } // at least top - n
	n := int64(1)
	for n < maxIterations && !above(n) {
		n *= 2
	}
	if n >= maxIterations || f.err != nil {
		return nil
	}
	low := n / 2 // which is too few, or 0
	for n-low > 1 {
		if middle := low + (n-low)/2; above(middle) {
			n = middle
		} else {
			low = middle
		}
	}
	return &Rank{n, f.describe(m)}
}

// twice finds registers that two iterations halve at least.
func (f *finder) twice() *Rank {
	second := f.around(f.step.after)
	if second.after == nil || f.err != nil {
		return nil
	}
	base := f.base
	defer func() { f.base = base }()
	f.base = slices.Concat(base, second.assumed, f.known(f.step.after), []*smt.Term{second.returns})
	for _, c := range f.kept {
		f.base = append(f.base, c(f.step.after))
	}
	for _, r := range f.counters {
		x, last := f.step.before[r], second.after[r]
		if last == nil {
			continue
		}
		halved := f.b.And(f.b.Not(f.b.Eq(x, f.number(x, 0))), f.b.Ule(last, f.b.Lshr(x, f.number(x, 1))))
		if f.never(f.b.Not(halved)) {
			_, high := f.entering(r).Unsigned()
			return &Rank{2*int64(bits.Len64(high)) + 1, fmt.Sprintf("%s is at most halved by two iterations", f.name(r))}
		}
	}
	return nil
}
