package access

import (
	"context"
	"fmt"
	"iter"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// Address is the address that a thread accesses, as a sum modulo 2 to the power of Bits.
type Address struct {
	Instr, Block int
	Bits         int
	Width        int    // bytes that a thread accesses
	Reason       string // why there is no sum; empty if there is one
	Constant     int64
	Terms        []Term

	// The indices of the threads that come to the access, as far as conditions tell. Where the launch
	// is not known they are those of all devices.
	Thread, CTA [3]affine.Range

	// Conditions reports whether AllowedTo is exact: a thread for which it holds does execute the
	// access, if the conditions that are the same for all threads of the grid lead there.
	Conditions bool

	conditions *conditions     // of the block; nil if control fails behind the access
	guard      []transfer.Fact // what the guard says besides
	solution   *fixpoint.Solution
}

// eachFact calls for each fact that holds where the access is executed.
func (a *Address) eachFact() iter.Seq[transfer.Fact] {
	return func(yield func(transfer.Fact) bool) {
		for f := range a.conditions.eachFact() {
			if !yield(f) {
				return
			}
		}
		for _, f := range a.guard {
			if !yield(f) {
				return
			}
		}
	}
}

// Shape is a string that accesses of one analysis have in common if their addresses differ by a
// constant alone, and if threads with the same indices come there as far as is known.
func (a *Address) Shape() string {
	shape := fmt.Appendf(nil, "%d %d %q %v %v", a.Bits, a.Width, a.Reason, a.Thread, a.CTA)
	for i := range a.Terms {
		shape = fmt.Appendf(shape, " %+v", a.Terms[i])
	}
	return string(shape)
}

// Key is a string that accesses of one shape have in common if the same is known of them but for
// where they are.
func (a *Address) Key() string {
	number := 0
	if a.conditions != nil {
		number = a.conditions.number
	}
	return fmt.Sprintf("%d %v %d%s", a.Constant, a.Conditions, number, formatFacts(a.guard))
}

// FindAddresses returns what the threads of a launch access: by loads, stores and atomic operations
// on global, shared and generic addresses, in the order of the instructions. Those that are never
// executed are left out.
//
// Counters of loops that change by a constant are replaced by what they begin with, plus that
// constant times a number of iterations. The error is that of ctx.
func FindAddresses(ctx context.Context, r *fixpoint.Solution, bounds []loopbound.Bound) ([]Address, error) {
	d := newDescriber(r, bounds)
	var all []Address
	for b, block := range r.Graph.Blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.In[b] == nil {
			continue
		}
		st := r.In[b].Clone()
		for pc := block.Start; pc < block.End; pc++ {
			in := &r.Graph.Kernel.Instrs[pc]
			if accessKind(in) != "" {
				if a, ok := d.describeAddress(st, b, pc); ok {
					all = append(all, a)
				}
			}
			r.Machine.Execute(st, pc)
		}
	}
	return all, nil
}

// describer describes the addresses of one solution.
type describer struct {
	solution *fixpoint.Solution
	control  *controlDependence
	counters *counterExpansion
}

func newDescriber(r *fixpoint.Solution, bounds []loopbound.Bound) *describer {
	return &describer{r, newControlDependence(r), &counterExpansion{solution: r, bounds: bounds}}
}

// describeAddress describes the address of one access; false if it is never executed.
func (d *describer) describeAddress(st *transfer.State, block, pc int) (Address, bool) {
	r := d.solution
	in := &r.Graph.Kernel.Instrs[pc]
	a := Address{Instr: pc, Block: block, Bits: r.Graph.Kernel.AddressBits, Width: laneBytes(in), solution: r}
	a.Thread, a.CTA = allIndices(r)
	if r.Dom.Contains(block) { // else control fails behind the access, which paths through the kernel leave out
		a.conditions, a.Conditions = d.control.conditionsAt(block), d.control.isExplained(block)
		a.Thread, a.CTA = a.conditions.thread, a.conditions.cta
	}
	if in.Space == isa.Shared {
		a.Bits = min(a.Bits, sharedBits)
	}
	if in.Guard.Set {
		facts, exact, ok := deriveFixedFacts(r, r.Machine.ReadRegister(st, in.Guard.Reg), !in.Guard.Not)
		if !ok {
			return a, false
		}
		a.guard = facts
		a.Conditions = a.Conditions && exact
	}
	for _, f := range a.guard {
		narrowIndices(r, &a.Thread, &a.CTA, f)
	}
	form := addressForm(r, st, in, a.Bits)
	if !form.IsKnown() {
		a.Reason = "its address is not affine"
		return a, true
	}
	form, counts := d.counters.expandCounters(form)
	if !form.IsKnown() {
		a.Reason = "its address has too many terms"
		return a, true
	}
	a.Constant = strided.SignExtend(form.Constant, form.Bits)
	for _, t := range form.Terms {
		a.Terms = append(a.Terms, describeTerm(r, t, form.Bits))
	}
	a.Terms = append(a.Terms, counts...)
	return a, true
}

// OfThread returns the value of a term of role ThreadIndex or OfThread in a thread of a CTA, by the
// thread's number. It is false if the block is not known or does not determine it.
func (a *Address) OfThread(t Term, thread int) (uint64, bool) {
	if !a.solution.Launch.Known() {
		return 0, false
	}
	return wordsInThread(a.solution.Machine.Syms, t.symbol, &a.solution.Launch, thread).IsConst()
}

// AllowedTo reports whether the conditions under which the access is executed hold for a thread of
// a CTA, by its number; false if that is not known. The launch must be known.
func (a *Address) AllowedTo(thread int, cta [3]int) bool {
	syms, l := a.solution.Machine.Syms, &a.solution.Launch
	for f := range a.eachFact() {
		sum := strided.Const(f.Form.Bits, f.Form.Constant)
		for _, e := range f.Form.Terms {
			s := wordsInThread(syms, e.Symbol, l, thread)
			if role, axis := roleOf(a.solution, e.Symbol); role == CTAIndex {
				s = strided.Const(32, uint64(cta[axis]))
			}
			if s.Bits() >= f.Form.Bits {
				s = s.Cut(f.Form.Bits)
			} else {
				s = s.Extend(f.Form.Bits, false)
			}
			sum = sum.Add(s.Times(e.Coefficient))
		}
		if x, ok := sum.IsConst(); !ok || !f.Set.Contains(x) {
			return false
		}
	}
	return true
}

// sharedBits are the bits of addresses of shared memory that count: two that overlap do so modulo 2
// to the power of that, too.
const sharedBits = 32

// addressForm returns the form of an address in so many bits.
func addressForm(r *fixpoint.Solution, st *transfer.State, in *isa.Instr, bits int) affine.Form {
	m := r.Machine
	if bits == r.Graph.Kernel.AddressBits {
		return m.ComputeAddress(st, in).Form
	}
	o := in.Src[0]
	form := affine.Constant(bits, o.Imm)
	if o.Kind == isa.KindVarAddr {
		form = form.AddMultiple(m.ComputeVariableAddress(isa.Operand{Kind: isa.KindVar, Var: o.Var}, bits).Form, 1)
	} else if o.Kind != isa.KindAddr {
		return affine.Form{}
	}
	if o.Reg != isa.NoReg {
		form = form.AddMultiple(m.ResizeValue(m.ReadRegister(st, o.Reg), bits).Form, 1)
	}
	return form
}

func accessKind(in *isa.Instr) string {
	if in.Space != isa.Generic && in.Space != isa.Global && in.Space != isa.Shared {
		return ""
	}
	switch in.Op {
	case isa.Ld, isa.LdMatrix:
		return "load"
	case isa.St, isa.StMatrix:
		return "store"
	case isa.Atom, isa.Red:
		return "atomic"
	}
	return ""
}

// laneBytes returns how many bytes a lane accesses.
func laneBytes(in *isa.Instr) int {
	elements := len(in.Src) - 1
	switch {
	case in.MatrixRows() > 0:
		return isa.MatrixRow
	case in.Op == isa.Ld:
		elements = len(in.Dst)
	case in.Atom == isa.AtomCas:
		elements /= 2
	}
	return elements * in.Type.Bytes()
}
