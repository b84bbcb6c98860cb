package ranking

import (
	"slices"

	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// candidate says something of the registers where an iteration begins.
type candidate func(words) *smt.Term

// maxCandidates limits the invariants that are tried.
const maxCandidates = 64

// invariants keeps of the candidates, which hold where control enters the loop, those that each iteration keeps, and assumes
// them.
func (f *finder) invariants() {
	all := f.candidates()
	for len(all) > 0 && f.err == nil {
		holds, breaks := slices.Clone(f.base), f.b.Truth(false)
		for _, c := range all {
			holds = append(holds, c(f.step.before))
			breaks = f.b.Or(breaks, f.b.Not(c(f.step.after)))
		}
		answer, model, err := f.solver.Check(f.ctx, append(holds, breaks))
		switch {
		case err != nil:
			f.err = err
			return
		case answer == smt.Unsat:
			f.kept = all
			for _, c := range all {
				f.base = append(f.base, c(f.step.before), c(f.step.after))
			}
			return
		case answer == smt.Unknown:
			return
		}
		eval := smt.NewEvaluator(model)
		all = slices.DeleteFunc(all, func(c candidate) bool { return eval.Eval(c(f.step.after)) == 0 })
	}
}

// candidates returns the ranges of counters where control enters the loop, and the comparisons of registers in the
// loop that hold there.
func (f *finder) candidates() []candidate {
	var all []candidate
	for _, r := range f.counters {
		set := f.entering(r)
		if set.IsAny() {
			continue
		}
		low, high := set.Unsigned()
		min, max := set.Signed()
		all = append(all,
			func(w words) *smt.Term { return f.b.Ule(f.number(w[r], low), w[r]) },
			func(w words) *smt.Term { return f.b.Ule(w[r], f.number(w[r], high)) },
			func(w words) *smt.Term { return f.b.Sle(f.number(w[r], uint64(min)), w[r]) },
			func(w words) *smt.Term { return f.b.Sle(w[r], f.number(w[r], uint64(max))) })
		for _, few := range []uint64{1, 2} {
			if low > few {
				all = append(all, func(w words) *smt.Term { return f.b.Ule(f.number(w[r], few), w[r]) })
			}
		}
	}
	for _, block := range f.order {
		for pc := f.g.Blocks[block].Start; pc < f.g.Blocks[block].End; pc++ {
			if in := &f.g.Kernel.Instrs[pc]; in.Op == isa.Setp && !in.Type.IsFloat() && len(in.Src) == 2 {
				all = append(all, f.comparisons(in)...)
			}
		}
	}
	all = all[:min(len(all), maxCandidates)]
	usable := func(c candidate) bool { return c(f.step.before) != nil && c(f.step.after) != nil }
	return slices.DeleteFunc(all, func(c candidate) bool { return !usable(c) || !f.begins(c) })
}

// comparisons returns what two registers, or a register and a constant, that an instruction compares may have to do with each other.
func (f *finder) comparisons(in *isa.Instr) []candidate {
	operand := func(w words, o isa.Operand) *smt.Term {
		if o.Kind == isa.KindImm {
			return f.b.Number(in.Type.Bits(), o.Imm)
		}
		if o.Kind != isa.KindReg || o.Not || w[o.Reg] == nil || w[o.Reg].Sort() == smt.Bool || w[o.Reg].Width() != in.Type.Bits() {
			return nil
		}
		return w[o.Reg]
	}
	make := func(holds func(x, y *smt.Term) *smt.Term) candidate {
		return func(w words) *smt.Term {
			x, y := operand(w, in.Src[0]), operand(w, in.Src[1])
			if x == nil || y == nil {
				return nil
			}
			return holds(x, y)
		}
	}
	less, atMost := f.b.Ult, f.b.Ule
	if in.Type.IsSigned() {
		less, atMost = f.b.Slt, f.b.Sle
	}
	return []candidate{
		make(less), make(atMost), make(func(x, y *smt.Term) *smt.Term { return less(y, x) }), make(func(x, y *smt.Term) *smt.Term { return atMost(y, x) }),
		make(func(x, y *smt.Term) *smt.Term { return f.b.Not(f.b.Eq(x, y)) }),
	}
}

// begins reports whether a candidate holds where control enters the loop.
func (f *finder) begins(c candidate) bool {
	if f.err != nil {
		return false
	}
	var assumed []*smt.Term
	for r := range f.g.Kernel.Regs {
		if t := f.step.before[isa.Reg(r)]; t != nil {
			if set, ok := f.v.Entering(f.index, isa.Reg(r)); ok {
				assumed = append(assumed, f.in(t, set))
			}
		}
	}
	answer, _, err := f.solver.Check(f.ctx, append(assumed, f.b.Not(c(f.step.before))))
	f.err = err
	return err == nil && answer == smt.Unsat
}
