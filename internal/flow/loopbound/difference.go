package loopbound

import (
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// difference is a sum over counters of a loop, for example of how far two ends of a search are
// from each other, which is followed from iteration to iteration like the counters themselves.
type difference struct {
	form affine.Form      // over what registers hold at the header
	now  affine.Form      // over what is known of these in this iteration; none if that has no form
	set  strided.Interval // of its words at the header in this iteration
}

// findDifferences returns the differences of the operands of comparisons that can end the loop.
func (u *unrolling) findDifferences() []*difference {
	var all []*difference
	for _, b := range u.loop.Body {
		for _, c := range u.findExitComparisons(b) {
			if c.Cmp == isa.Gt || c.Cmp == isa.Ge {
				c = c.SwapOperands()
			}
			a, okA := u.replaceByHeader(c.A.Form)
			e, okB := u.replaceByHeader(c.B.Form)
			if form := e.AddMultiple(a, ^uint64(0)); okA && okB && form.IsKnown() && !u.isInvariant(form) {
				all = append(all, &difference{form: form})
			}
		}
	}
	return all
}

// replaceByHeader returns a form in which each symbol of the loop is replaced by what its register
// holds at the header.
func (u *unrolling) replaceByHeader(f affine.Form) (affine.Form, bool) {
	out := affine.Constant(f.Bits, f.Constant)
	for _, t := range f.Terms {
		one := affine.Form{Bits: f.Bits, Terms: []affine.Term{t}}
		if u.isAssignedInside(t.Symbol) {
			s := &u.m.Syms.Symbols[t.Symbol]
			y, ok := u.m.Syms.Places[affine.Place{Origin: affine.Merged, At: u.loop.Header, Reg: s.Reg}]
			if !ok || s.Set.Bits() != f.Bits {
				return affine.Form{}, false
			}
			one.Terms[0].Symbol = y
		}
		out = out.AddMultiple(one, 1)
	}
	return out, f.IsKnown() && out.IsKnown()
}

// startDifferences finds the differences and their words where control enters the loop.
func (u *unrolling) startDifferences() {
	for _, d := range u.findDifferences() {
		_, set, ok := u.findStart(d.form)
		if _, hi := set.Signed(); hi <= 0 { // count down to zero
			d.form, set = d.form.Times(^uint64(0)), set.Neg()
		}
		if d.set = set; ok {
			u.differences = append(u.differences, d)
		}
	}
}

// evaluateForm returns what a form over registers at the header is in a state.
func (u *unrolling) evaluateForm(f affine.Form, st *transfer.State) *transfer.Value {
	set, form := strided.Const(f.Bits, f.Constant), affine.Constant(f.Bits, f.Constant)
	for _, t := range f.Terms {
		s := u.m.Syms.Symbols[t.Symbol].Set
		v := &transfer.Value{Set: s, Form: affine.OfSymbol(s.Bits(), t.Symbol)}
		if reg, ok := u.counterRegister(t.Symbol); ok {
			v = u.m.ReadRegister(st, reg)
		}
		v = u.m.ResizeValue(v, f.Bits)
		set, form = set.Add(v.Set.Times(t.Coefficient)), form.AddMultiple(v.Form, t.Coefficient)
	}
	return &transfer.Value{Set: set, Form: form}
}

// assumeDifferences makes what is known of the differences hold of registers.
func (u *unrolling) assumeDifferences(w *way) {
	u.m.Assumed = u.m.Assumed[:0]
	for i, d := range u.differences {
		if d.now.IsKnown() {
			u.m.Assumed = append(u.m.Assumed, transfer.Fact{Form: d.now, Set: w.gaps[i]})
		}
	}
}

// restrictDifferences restricts the differences on a way by a comparison that holds; false if one
// of them has no word left.
func (u *unrolling) restrictDifferences(w *way, c *transfer.Condition) bool {
	gap := c.B.Form.AddMultiple(c.A.Form, ^uint64(0))
	lo, hi, okA := strided.Range(c.A.Set, c.Sign)
	from, to, okB := strided.Range(c.B.Set, c.Sign)
	half := int64(strided.Mask(c.A.Set.Bits()) / 2)
	if !gap.IsKnown() || !okA || !okB || hi-from > half || to-lo > half ||
		gap.Bits == 64 && (min(lo, from) < -half/2 || max(hi, to) > half/2) {
		return true // the words may compare otherwise than their difference with zero
	}
	_, set, ok := transfer.RestrictCompared(strided.Const(gap.Bits, 0), strided.Any(gap.Bits), c.Cmp, true)
	if !ok {
		return false
	}
	w.facts = append(w.facts,
		transfer.Fact{Form: gap, Set: set}, transfer.Fact{Form: gap.Times(^uint64(0)), Set: set.Neg()})
	for i, d := range u.differences {
		for _, f := range w.facts[len(w.facts)-2:] {
			if !f.Form.Equal(d.now) {
				continue
			}
			if w.gaps[i], ok = w.gaps[i].Meet(f.Set); !ok {
				return false
			}
		}
	}
	return true
}

// endWay finds the words of the differences behind a way that comes back to the header; false if
// there are none.
func (u *unrolling) endWay(w *way) bool {
	u.assumeDifferences(w)
	next := make([]strided.Interval, len(u.differences))
	for i, d := range u.differences {
		v := u.evaluateForm(d.form, w.st)
		set, ok := v.Set, true
		if v.Form.IsKnown() && d.now.IsKnown() {
			set, ok = set.Meet(u.findGap(i, v.Form, w.gaps[i]))
		}
		for _, f := range w.facts {
			if ok && f.Form.Equal(v.Form) {
				set, ok = set.Meet(f.Set)
			}
		}
		if !ok {
			return false
		}
		next[i] = set
		if y, single := d.form.AsSymbol(); single {
			reg, _ := u.counterRegister(y)
			v := w.st.Get(reg)
			w.st.Set(reg, &transfer.Value{Set: v.Set.Narrow(set), Form: v.Form})
		}
	}
	for i, set := range next {
		if u.next[i].Bits() > 0 {
			set = set.Join(u.next[i])
		}
		u.next[i] = set
	}
	return true
}

// findGap returns the words of a form, as far as it is made of a difference with words e, of a
// quotient of that by a constant and of other symbols.
func (u *unrolling) findGap(i int, f affine.Form, e strided.Interval) strided.Interval {
	d := u.differences[i]
	width := f.Bits
	rest, quotients, divisor := affine.Constant(f.Bits, f.Constant), uint64(0), uint64(0)
	for _, t := range f.Terms {
		lower, by, ok := u.findQuotient(t.Symbol, d.now, e)
		if !ok || divisor != 0 && by != divisor {
			lower = affine.OfSymbol(f.Bits, t.Symbol)
		} else {
			quotients, divisor = quotients+t.Coefficient, by
		}
		rest = rest.AddMultiple(lower, t.Coefficient)
	}
	times := uint64(0)
	if len(d.now.Terms) > 0 {
		first := d.now.Terms[0]
		for _, t := range rest.Terms {
			if t.Symbol == first.Symbol && (first.Coefficient == 1 || first.Coefficient == strided.Mask(f.Bits)) {
				times = t.Coefficient * first.Coefficient & strided.Mask(f.Bits)
			}
		}
	}
	rest = rest.AddMultiple(d.now, -times)
	if !rest.IsKnown() {
		return strided.Any(width)
	}
	sum := e.Times(times)
	switch {
	case divisor == 0:
	case times == 1 && quotients&strided.Mask(f.Bits) == strided.Mask(f.Bits): // e - e/c never falls
		lo, hi := e.Unsigned()
		sum = strided.Between(width, lo-lo/divisor, hi-hi/divisor)
	default:
		sum = sum.Add(e.Div(strided.Const(width, divisor), false).Times(quotients))
	}
	return sum.Add(u.wordsOf(rest))
}

// wordsOf returns the words of a form in this iteration.
func (u *unrolling) wordsOf(f affine.Form) strided.Interval {
	sum := strided.Const(f.Bits, f.Constant)
	for _, t := range f.Terms {
		sum = sum.Add(u.m.ResizeValue(&transfer.Value{Set: u.symbolWords(t.Symbol)}, f.Bits).Set.Times(t.Coefficient))
	}
	return sum
}

// symbolWords returns the words that a symbol can be in this iteration.
func (u *unrolling) symbolWords(s affine.Symbol) strided.Interval {
	set := u.m.Syms.Symbols[s].Set
	if local, ok := u.m.LastDefined[s]; ok {
		return local.Set
	}
	if reg, ok := u.counterRegister(s); ok && u.header.Get(reg) != nil {
		v := u.header.Get(reg)
		if y, own := v.Form.AsSymbol(); own && y == s {
			return v.Set
		}
	}
	return set
}

// findQuotient reports whether a symbol is a difference with words e divided by a constant, rounded
// down, or that and a form besides: the sum of two ends, halved, is the lower end and half of the
// difference.
func (u *unrolling) findQuotient(
	s affine.Symbol, d affine.Form, e strided.Interval,
) (besides affine.Form, by uint64, ok bool) {
	y := &u.m.Syms.Symbols[s]
	in, args := y.Operation, y.Args
	if local, ok := u.m.LastDefined[s]; ok {
		in, args = local.Instr, local.Args
	} else if y.Origin != affine.Fixed {
		return affine.Form{}, 0, false
	}
	if !e.IsNonNegative() || in == nil || len(args) != 2 || !args[0].IsKnown() || args[0].Bits != d.Bits ||
		!args[1].IsKnown() || len(args[1].Terms) > 0 {
		return affine.Form{}, 0, false
	}
	switch c := args[1].Constant; {
	case in.Op == isa.Shr && c > 0 && c < uint64(d.Bits)-1:
		by = 1 << c
	case in.Op == isa.Div && c > 1 && c <= strided.Mask(d.Bits)/2:
		by = c
	default:
		return affine.Form{}, 0, false
	}
	if args[0].Equal(d) {
		return affine.Constant(d.Bits, 0), by, true
	}
	// The sum of the ends is twice the lower one and the difference. It does not wrap around,
	// nor does twice the lower one.
	twice := args[0].AddMultiple(d, ^uint64(0))
	lower, even := twice.Divide(2)
	quarter := strided.Mask(d.Bits) / 4
	_, sum := u.wordsOf(args[0]).Unsigned()
	_, minimum := u.wordsOf(lower).Unsigned()
	if _, between := e.Unsigned(); minimum <= quarter/2 {
		sum = min(sum, 2*minimum+between) // what is known of the difference may say more than what is known of the upper end
	}
	if by != 2 || !twice.IsKnown() || !even || sum > 2*quarter || minimum > quarter/2 {
		return affine.Form{}, 0, false
	}
	return lower, by, true
}
