package value

import (
	"fmt"
	"iter"
	"math"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// Role tells how the values of a term differ between the threads of a launch.
type Role uint8

// The roles.
const (
	Common      Role = iota // one value in all threads: a parameter, an extent, the address of a variable
	ThreadIndex             // a component of the thread's index in its CTA
	CTAIndex                // a component of the CTA's index in the grid
	OfThread                // determined by the thread's index in its CTA
	Free                    // any value of its range, at every execution
)

// Term is a coefficient times an unsigned number.
type Term struct {
	Coef     int64
	Role     Role
	Axis     int // of an index
	Name     string
	Min, Max uint64
	Base     bool // a parameter as wide as an address, or the address of a variable: what a pointer may come from
	Param    int  // of a parameter: its offset in the parameter block plus one; 0 of others

	symbol affine.Symbol
}

// Address is the address that a thread accesses, as a sum modulo 2 to the power of Bits.
type Address struct {
	Instr, Block int
	Bits         int
	Width        int    // bytes that a thread accesses
	Reason       string // why there is no sum; empty if there is one
	Constant     int64
	Terms        []Term

	// The indices of the threads that come to the access, as far as conditions tell. Where the launch is not known
	// they are those of all devices.
	Thread, CTA [3]affine.Range

	// Conditions reports whether AllowedTo is exact: a thread for which it holds does execute the
	// access, if the conditions that are the same for all threads of the grid lead there.
	Conditions bool

	conditions *conditions     // of the block; nil if control fails behind the access
	guard      []transfer.Fact // what the guard says besides
	result     *fixpoint.Solution
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
	return fmt.Sprintf("%d %v %d%s", a.Constant, a.Conditions, number, factsKey(a.guard))
}

// findAddresses returns what the threads of a launch access: by loads, stores and atomic operations on global, shared and
// generic addresses, in the order of the instructions. Those that are never executed are left out.
//
// Counters of loops that change by a constant are replaced by what they begin with, plus
// that constant times a number of iterations.
func findAddresses(r *fixpoint.Solution, bounds []loopbound.Bound) []Address {
	control := newControlDependence(r)
	x := &expansion{r: r, bounds: bounds}
	var all []Address
	for b, block := range r.Graph.Blocks {
		if r.In[b] == nil {
			continue
		}
		st := r.In[b].Clone()
		for pc := block.Start; pc < block.End; pc++ {
			in := &r.Graph.Kernel.Instrs[pc]
			if accessKind(in) != "" {
				if a, ok := describeAddress(r, st, x, control, b, pc); ok {
					all = append(all, a)
				}
			}
			r.Machine.Execute(st, pc)
		}
	}
	return all
}

// describeAddress describes the address of one access; false if it is never executed.
func describeAddress(r *fixpoint.Solution, st *transfer.State, x *expansion, control *controlDependence, block, pc int) (Address, bool) {
	in := &r.Graph.Kernel.Instrs[pc]
	a := Address{Instr: pc, Block: block, Bits: r.Graph.Kernel.AddressBits, Width: laneBytes(in), result: r}
	a.Thread, a.CTA = allIndices(r)
	if r.Dom.Contains(block) { // else control fails behind the access, which paths through the kernel leave out
		a.conditions, a.Conditions = control.conditionsAt(block), control.explained(block)
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
	form, counts := x.expand(form)
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

// sharedBits are the bits of addresses of shared memory that count: two that overlap do so modulo 2 to the power of that, too.
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

// describeTerm describes a term of a form.
func describeTerm(r *fixpoint.Solution, t affine.Term, width int) Term {
	y := &r.Machine.Syms.Symbols[t.Symbol]
	lo, hi := y.Set.Unsigned()
	out := Term{
		Coef: strided.SignExtend(t.Coefficient, width), Name: y.Name, Min: lo, Max: hi, Param: y.Word, symbol: t.Symbol,
	}
	out.Role, out.Axis = roleOf(r, t.Symbol)
	out.Base = out.Role == Common && y.Operation == nil && y.Element == nil && y.Special == 0 &&
		y.Set.Bits() == r.Graph.Kernel.AddressBits
	return out
}

// roleOf tells how a symbol differs between threads.
func roleOf(r *fixpoint.Solution, s affine.Symbol) (Role, int) {
	y := &r.Machine.Syms.Symbols[s]
	switch {
	case y.Origin != affine.Fixed:
		return Free, 0
	case y.Special >= isa.TidX && y.Special <= isa.TidZ:
		return ThreadIndex, int(y.Special - isa.TidX)
	case y.Special >= isa.CtaidX && y.Special <= isa.CtaidZ:
		return CTAIndex, int(y.Special - isa.CtaidX)
	case y.Special == isa.LaneID:
		return OfThread, 0
	case y.Special >= isa.NtidX && y.Special <= isa.NtidZ, y.Special >= isa.NctaidX && y.Special <= isa.NctaidZ,
		y.Special == isa.WarpSize:
		return Common, 0
	case y.Special != 0:
		return Free, 0
	}
	role := Common
	for _, f := range y.Args {
		for _, t := range f.Terms {
			switch part, _ := roleOf(r, t.Symbol); part {
			case Common:
			case ThreadIndex, OfThread:
				if role == Common {
					role = OfThread
				}
			default:
				role = Free
			}
		}
	}
	return role, 0
}

// OfThread returns the value of a term of role ThreadIndex or OfThread in a thread of a CTA, by the thread's number. It is
// false if the block is not known or does not determine it.
func (a *Address) OfThread(t Term, thread int) (uint64, bool) {
	if !a.result.Launch.Known() {
		return 0, false
	}
	return wordsInThread(a.result.Machine.Syms, t.symbol, &a.result.Launch, thread).IsConst()
}

// AllowedTo reports whether the conditions under which the access is executed hold for a thread of a CTA, by its
// number; false if that is not known. The launch must be known.
func (a *Address) AllowedTo(thread int, cta [3]int) bool {
	syms, l := a.result.Machine.Syms, &a.result.Launch
	for f := range a.eachFact() {
		sum := strided.Const(f.Form.Bits, f.Form.Constant)
		for _, e := range f.Form.Terms {
			s := wordsInThread(syms, e.Symbol, l, thread)
			if role, axis := roleOf(a.result, e.Symbol); role == CTAIndex {
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

// findOnlyEdge returns the edge by which control comes to a block, if there is only one.
func findOnlyEdge(r *fixpoint.Solution, block int) (from, way int, ok bool) {
	for _, e := range r.Into[block] {
		if r.Along[e.Block][e.Index] != nil {
			if ok {
				return 0, 0, false
			}
			from, way, ok = e.Block, e.Index, true
		}
	}
	return from, way, ok
}

// goesOneWay reports whether all threads of the grid go the same way at the end of a block.
func goesOneWay(r *fixpoint.Solution, b int) bool {
	last := r.Graph.Last(b)
	for _, st := range r.Along[b] {
		if st == nil || !last.Guard.Set {
			continue
		}
		return isCommon(r, r.Machine.ReadRegister(st, last.Guard.Reg).Cond)
	}
	return false
}

func isCommon(r *fixpoint.Solution, c *transfer.Condition) bool {
	if c == nil {
		return false
	}
	common := func(f affine.Form) bool {
		return f.IsKnown() && !f.Mentions(func(s affine.Symbol) bool { role, _ := roleOf(r, s); return role != Common })
	}
	if c.Op == isa.Setp {
		return common(c.A.Form) && common(c.B.Form)
	}
	return (c.Left == nil || isCommon(r, c.Left)) && (c.Right == nil || isCommon(r, c.Right)) && (c.Op == isa.Not || c.Left != nil && c.Right != nil)
}

// deriveFixedFacts returns what the truth of a predicate says of constants of the thread, and whether that is all that it says;
// false at last if it is impossible.
func deriveFixedFacts(r *fixpoint.Solution, predicate *transfer.Value, holds bool) (known []transfer.Fact, exact, ok bool) {
	if c, isConst := predicate.Set.IsConst(); isConst {
		return nil, true, (c != 0) == holds
	}
	facts, ok := r.Machine.DeriveFacts(predicate.Cond, holds)
	for _, f := range facts {
		if r.Machine.Syms.IsFixed(f.Form) && len(f.Form.Terms) > 0 {
			known = append(known, f)
		}
	}
	return known, isCommon(r, predicate.Cond) || isExact(r, predicate.Cond, holds), ok
}

// isExact reports whether facts says all of a condition: that constants of the thread are in some sets.
func isExact(r *fixpoint.Solution, c *transfer.Condition, holds bool) bool {
	switch {
	case c == nil:
		return false
	case c.Op == isa.Not:
		return isExact(r, c.Left, !holds)
	case c.Op == isa.And && holds, c.Op == isa.Or && !holds:
		return isExact(r, c.Left, holds) && isExact(r, c.Right, holds)
	case c.Op != isa.Setp || c.Real != isa.Invalid:
		return false
	}
	_, constA := c.A.Set.IsConst()
	_, constB := c.B.Set.IsConst()
	different := (c.Cmp == isa.Ne) == holds && (c.Cmp == isa.Eq || c.Cmp == isa.Ne)
	return (constA || constB) && !different && r.Machine.Syms.IsFixed(c.A.Form) && r.Machine.Syms.IsFixed(c.B.Form)
}

// allIndices returns the indices of all threads, and of their CTAs.
func allIndices(r *fixpoint.Solution) (thread, cta [3]affine.Range) {
	for axis := range 3 {
		set, _, _ := r.Launch.SpecialRegister(isa.TidX+isa.Special(axis), r.Graph.Kernel.Bounds)
		thread[axis] = rangeOf(set)
		set, _, _ = r.Launch.SpecialRegister(isa.CtaidX+isa.Special(axis), r.Graph.Kernel.Bounds)
		cta[axis] = rangeOf(set)
	}
	return thread, cta
}

func rangeOf(s strided.Interval) affine.Range {
	lo, hi := s.Unsigned()
	return affine.Range{Min: int64(lo), Max: int64(hi)}
}

// narrowIndices uses a fact for the indices of threads that occur in it, as far as it counts in numbers that do not wrap around.
func narrowIndices(r *fixpoint.Solution, thread, cta *[3]affine.Range, f transfer.Fact) {
	syms := r.Machine.Syms
	var lo, hi int64 // of the form
	switch {
	case syms.Fits(f.Form, false):
		l, h := f.Set.Unsigned()
		if h > math.MaxInt64 {
			return
		}
		lo, hi = int64(l), int64(h)
	case syms.Fits(f.Form, true):
		lo, hi = f.Set.Signed()
	default:
		return
	}
	for _, t := range f.Form.Terms {
		k := strided.SignExtend(t.Coefficient, f.Form.Bits)
		rest := f.Form.AddMultiple(affine.Form{Bits: f.Form.Bits, Terms: []affine.Term{t}}, ^uint64(0))
		restLo, restHi, ok := syms.ExactRange(rest)
		if !ok || k < -1<<31 || k > 1<<31 || min(lo, restLo) < -1<<61 || max(hi, restHi) > 1<<61 {
			continue
		}
		var to *affine.Range
		switch role, axis := roleOf(r, t.Symbol); role {
		case ThreadIndex:
			to = &thread[axis]
		case CTAIndex:
			to = &cta[axis]
		default:
			continue
		}
		*to = to.Where(k, lo-restHi, hi-restLo)
	}
}

// expansion replaces counters of loops.
type expansion struct {
	r      *fixpoint.Solution
	bounds []loopbound.Bound
}

// maxExpansions limits the counters that are replaced in one form.
const maxExpansions = 8

// expand replaces the counters of a form by what they begin with; how often their loops have come back, times their
// steps, are terms of their own. The form is none if it has too many terms.
func (x *expansion) expand(f affine.Form) (affine.Form, []Term) {
	var counts []Term
	for range maxExpansions {
		next, count, found := x.replace(f)
		if !found {
			break
		}
		f, counts = next, append(counts, count)
	}
	return f, counts
}

// replace replaces one counter, if there is one.
func (x *expansion) replace(f affine.Form) (affine.Form, Term, bool) {
	for _, t := range f.Terms {
		start, step, times, ok := x.counter(t.Symbol, f.Bits)
		if !ok {
			continue
		}
		k, ok := strided.SignedProduct(strided.SignExtend(t.Coefficient, f.Bits), step, 64)
		if !ok {
			continue
		}
		out := f.Replace(t, start)
		if !out.IsKnown() {
			continue
		}
		name := "iterations of " + x.r.Machine.Syms.NameOf(t.Symbol)
		return out, Term{Coef: k, Role: Free, Name: name, Max: times}, true
	}
	return f, Term{}, false
}

// counter returns the form, in so many bits, with which a counter begins, its change in an iteration, and how many
// iterations there can be.
func (x *expansion) counter(s affine.Symbol, width int) (start affine.Form, step int64, times uint64, ok bool) {
	m := x.r.Machine
	y := &m.Syms.Symbols[s]
	loops := x.r.Graph.Loops()
	if y.Origin != affine.Merged || y.Set.Bits() > width || y.Block == x.r.Graph.Entry() {
		return affine.Form{}, 0, 0, false
	}
	at := loops.Innermost(y.Block)
	if at < 0 || loops.Loops[at].Header != y.Block || !x.r.IsRegular(&loops.Loops[at]) {
		return affine.Form{}, 0, 0, false
	}
	l := &loops.Loops[at]
	start = x.r.FindEntering(l, y.Reg).Form
	if !start.IsKnown() || start.Bits != y.Set.Bits() || start.Mentions(func(z affine.Symbol) bool { return z == s }) {
		return affine.Form{}, 0, 0, false
	}
	steps := x.r.FindReturning(l, y.Reg)
	for i, next := range steps {
		change := next.AddMultiple(affine.OfSymbol(y.Set.Bits(), s), ^uint64(0))
		if !change.IsKnown() || len(change.Terms) > 0 || i > 0 && !next.Equal(steps[0]) {
			return affine.Form{}, 0, 0, false
		}
		step = strided.SignExtend(change.Constant, change.Bits)
	}
	if step == 0 {
		return affine.Form{}, 0, 0, false
	}
	lo, hi := y.Set.Unsigned()
	size := uint64(step)
	if step < 0 {
		size = -size
	}
	// What comes to the header does not wrap around: it stays in a range that is short enough.
	straight := hi-lo <= strided.Mask(y.Set.Bits())-size
	if straight {
		times = (hi - lo) / size
	}
	if b := &x.bounds[at]; b.Known && (!straight || uint64(b.Iterations) < times) {
		times = uint64(b.Iterations)
	} else if !straight {
		return affine.Form{}, 0, 0, false
	}
	if y.Set.Bits() < width {
		if !straight || !m.Syms.Fits(start, false) {
			return affine.Form{}, 0, 0, false
		}
		start = start.Lift(width)
	}
	return start, step, times, true
}

// Same reports whether two terms of one analysis are multiples of the same number, if they are not of role Free.
func (t *Term) Same(u *Term) bool { return t.Role == u.Role && t.symbol == u.symbol }
