package value

import "warpbound/internal/isa"

// rule says what an operation on integers gives.
type rule struct {
	set func(in *isa.Instr, s []Strided) Strided
	// form returns the form of the result, if there is one for these arguments. Nil if
	// there never is.
	form func(in *isa.Instr, a []*Value) Form
}

// rules are the operations of which more is known than nothing. Their sources have the
// width of the instruction's type, amounts of shifts and sources of conversions their
// own.
var rules = map[isa.Op]rule{
	isa.Mov:     {first, firstForm},
	isa.Cvta:    {first, firstForm},
	isa.CvtaTo:  {first, firstForm},
	isa.Add:     {func(_ *isa.Instr, s []Strided) Strided { return s[0].Add(s[1]) }, func(_ *isa.Instr, a []*Value) Form { return a[0].form.add(a[1].form, 1) }},
	isa.Sub:     {func(_ *isa.Instr, s []Strided) Strided { return s[0].Sub(s[1]) }, func(_ *isa.Instr, a []*Value) Form { return a[0].form.add(a[1].form, ^uint64(0)) }},
	isa.Neg:     {func(_ *isa.Instr, s []Strided) Strided { return s[0].Neg() }, func(_ *isa.Instr, a []*Value) Form { return a[0].form.times(^uint64(0)) }},
	isa.Not:     {func(_ *isa.Instr, s []Strided) Strided { return s[0].Not() }, notForm},
	isa.Mul:     {func(_ *isa.Instr, s []Strided) Strided { return s[0].Mul(s[1]) }, timesForm},
	isa.MulWide: {func(in *isa.Instr, s []Strided) Strided { return wide(in, s[0]).Mul(wide(in, s[1])) }, nil},
	isa.MulHi:   {mulHi, nil},
	isa.Shl:     {func(_ *isa.Instr, s []Strided) Strided { return s[0].Shl(s[1]) }, shlForm},
	isa.Shr:     {func(in *isa.Instr, s []Strided) Strided { return s[0].Shr(s[1], in.Type.IsSigned()) }, nil},
	isa.Div:     {func(in *isa.Instr, s []Strided) Strided { return s[0].Div(s[1], in.Type.IsSigned()) }, nil},
	isa.Rem:     {func(in *isa.Instr, s []Strided) Strided { return s[0].Rem(s[1], in.Type.IsSigned()) }, remForm},
	isa.And:     {func(_ *isa.Instr, s []Strided) Strided { return s[0].And(s[1]) }, andForm},
	isa.Or:      {func(_ *isa.Instr, s []Strided) Strided { return s[0].Or(s[1]) }, orForm},
	isa.Xor:     {func(_ *isa.Instr, s []Strided) Strided { return s[0].Xor(s[1]) }, orForm},
	isa.Min:     {func(in *isa.Instr, s []Strided) Strided { return s[0].Min(s[1], in.Type.IsSigned()) }, chosenForm},
	isa.Max:     {func(in *isa.Instr, s []Strided) Strided { return s[0].Max(s[1], in.Type.IsSigned()) }, chosenForm},
	isa.Abs:     {func(_ *isa.Instr, s []Strided) Strided { return s[0].Max(s[0].Neg(), true) }, absForm},
	isa.Cvt:     {converted, convertedForm},
	isa.Popc:    {func(in *isa.Instr, _ []Strided) Strided { return Between(32, 0, uint64(in.Type.Bits())) }, nil},
	isa.Clz:     {func(in *isa.Instr, _ []Strided) Strided { return Between(32, 0, uint64(in.Type.Bits())) }, nil},
}

func first(_ *isa.Instr, s []Strided) Strided { return s[0] }

func firstForm(_ *isa.Instr, a []*Value) Form { return a[0].form }

// notForm is -1 - x.
func notForm(_ *isa.Instr, a []*Value) Form {
	return constForm(a[0].Strided.bits, ^uint64(0)).add(a[0].form, ^uint64(0))
}

func timesForm(_ *isa.Instr, a []*Value) Form {
	if c, ok := a[0].Strided.IsConst(); ok {
		return a[1].form.times(c)
	}
	if c, ok := a[1].Strided.IsConst(); ok {
		return a[0].form.times(c)
	}
	return Form{}
}

func shlForm(_ *isa.Instr, a []*Value) Form {
	if c, ok := a[1].Strided.IsConst(); ok && c < 64 {
		return a[0].form.times(1 << c)
	}
	return Form{}
}

// remForm is that of a dividend which is less than the divisor.
func remForm(in *isa.Instr, a []*Value) Form {
	_, hi := a[0].Strided.Unsigned()
	lo, maximum := a[1].Strided.Unsigned()
	if hi < lo && (!in.Type.IsSigned() || maximum <= mask(a[1].Strided.bits)/2) {
		return a[0].form
	}
	return Form{}
}

// andForm is that of a word without bits that the mask clears.
func andForm(_ *isa.Instr, a []*Value) Form {
	for i, v := range a {
		m, ok := a[1-i].Strided.IsConst()
		if !ok {
			continue
		}
		_, hi := v.Strided.Unsigned()
		if low := v.Strided.alignment() - 1; below(hi)&^low&^m == 0 {
			return v.form
		}
	}
	return Form{}
}

// orForm is the sum of words without common bits; for Xor the same.
func orForm(in *isa.Instr, a []*Value) Form {
	if a[0].Strided.disjoint(a[1].Strided) {
		return a[0].form.add(a[1].form, 1)
	}
	if c, ok := a[1].Strided.IsConst(); ok && in.Op == isa.Xor && c == mask(a[1].Strided.bits) {
		return notForm(in, a)
	}
	return Form{}
}

// chosenForm is that of the operand that Min or Max always chooses.
func chosenForm(in *isa.Instr, a []*Value) Form {
	lesser, greater := Form{}, Form{}
	if in.Type.IsSigned() {
		aLo, aHi := a[0].Strided.Signed()
		bLo, bHi := a[1].Strided.Signed()
		lesser, greater = ordered(aHi <= bLo, bHi <= aLo, a)
	} else {
		aLo, aHi := a[0].Strided.Unsigned()
		bLo, bHi := a[1].Strided.Unsigned()
		lesser, greater = ordered(aHi <= bLo, bHi <= aLo, a)
	}
	if in.Op == isa.Min {
		return lesser
	}
	return greater
}

func ordered(ascending, descending bool, a []*Value) (lesser, greater Form) {
	switch {
	case ascending:
		return a[0].form, a[1].form
	case descending:
		return a[1].form, a[0].form
	}
	return Form{}, Form{}
}

func absForm(_ *isa.Instr, a []*Value) Form {
	if a[0].Strided.positive() {
		return a[0].form
	}
	return Form{}
}

// wide extends a factor to twice its width.
func wide(in *isa.Instr, s Strided) Strided { return s.Extend(2*in.Type.Bits(), in.Type.IsSigned()) }

func mulHi(in *isa.Instr, s []Strided) Strided {
	w := in.Type.Bits()
	if w > 32 {
		return Any(w)
	}
	sign := in.Type.IsSigned()
	return wide(in, s[0]).Mul(wide(in, s[1])).Shr(Const(32, uint64(w)), sign).Cut(w)
}

// converted is the conversion of an integer to another type of integers.
func converted(in *isa.Instr, s []Strided) Strided {
	if to := in.Type.Bits(); to > in.SrcType.Bits() {
		return s[0].Extend(to, in.SrcType.IsSigned())
	}
	return s[0].Cut(in.Type.Bits())
}

func convertedForm(in *isa.Instr, a []*Value) Form {
	if in.Type.Bits() <= in.SrcType.Bits() {
		return a[0].form.cut(uint8(in.Type.Bits()))
	}
	return Form{}
}

// operation computes the result of an operation on integers, nil if nothing is known of
// it.
func (m *machine) operation(st state, pc int) *Value {
	in := &m.kernel.Instrs[pc]
	switch in.Op {
	case isa.Mad, isa.MadWide:
		return m.multiplyAdd(st, pc)
	case isa.Selp:
		return m.selected(st, pc)
	}
	if _, ok := rules[in.Op]; !ok || in.Relu || in.Abs || in.Wrap || len(in.Src) > 2 ||
		in.Op == isa.MulWide && in.Type.Bits() > 32 || in.Op == isa.Cvt && (len(in.Src) != 1 || !isInteger(in.SrcType)) {
		return nil
	}
	return m.settled(pc, in, m.arguments(st, in))
}

// arguments returns the sources of an instruction in the widths that it reads.
func (m *machine) arguments(st state, in *isa.Instr) []*Value {
	args := make([]*Value, len(in.Src))
	for i := range in.Src {
		width := in.Type.Bits()
		switch {
		case i == 1 && (in.Op == isa.Shl || in.Op == isa.Shr):
			width = 32
		case in.Op == isa.Cvt:
			width = in.SrcType.Bits()
		}
		args[i] = m.source(st, in, i, width)
	}
	return args
}

// apply computes an operation. Its result has no form if it is neither affine nor fixed.
func (m *machine) apply(in *isa.Instr, args []*Value) *Value {
	r := rules[in.Op]
	set := r.set(in, sets(args))
	switch {
	case in.Op == isa.MulWide:
		return m.value(set, m.wideForm(in, args))
	case in.Op == isa.Cvt && set.bits > args[0].Strided.bits:
		if v := m.extended(args[0], set.Bits(), in.SrcType.IsSigned()); v.form.known() {
			return v
		}
	}
	form := Form{}
	if r.form != nil {
		form = r.form(in, args)
	}
	if !form.known() {
		form = m.expression(in, args)
	}
	return m.value(set, form)
}

func sets(args []*Value) []Strided {
	s := make([]Strided, len(args))
	for i, a := range args {
		s[i] = a.Strided
	}
	return s
}

func forms(args []*Value) []Form {
	f := make([]Form, len(args))
	for i, a := range args {
		f[i] = a.form
	}
	return f
}

// wideForm is the product of factors that are extended to twice their width.
func (m *machine) wideForm(in *isa.Instr, args []*Value) Form {
	var factors [2]*Value
	for i, a := range args {
		factors[i] = m.extended(a, 2*in.Type.Bits(), in.Type.IsSigned())
	}
	if f := timesForm(in, factors[:]); f.known() {
		return f
	}
	return m.expression(in, args)
}

// expression returns the fixed symbol of an operation on fixed forms.
func (m *machine) expression(in *isa.Instr, args []*Value) Form {
	all := make([]Strided, len(args))
	for i, a := range args {
		if !m.syms.isFixed(a.form) {
			return Form{}
		}
		all[i] = m.syms.set(a.form)
	}
	set := rules[in.Op].set(in, all)
	if s, ok := m.syms.expression(in, forms(args), set); ok {
		return symbolForm(set.bits, s)
	}
	return Form{}
}

// settled computes an operation, whose result gets a symbol of its own if it has no form.
func (m *machine) settled(pc int, in *isa.Instr, args []*Value) *Value {
	v := m.apply(in, args)
	if v.form.known() || v.Strided.Bits() != m.width(m.kernel.Instrs[pc].Dst[0].Reg) {
		return v
	}
	return m.defined(pc, 0, v.Strided, in, false, forms(args)...)
}

// multiplyAdd computes Mad and MadWide.
func (m *machine) multiplyAdd(st state, pc int) *Value {
	in := &m.kernel.Instrs[pc]
	times := *in
	times.Op, times.Src = isa.Mul, in.Src[:2]
	width := in.Type.Bits()
	if in.Op == isa.MadWide {
		times.Op = isa.MulWide
		width *= 2
	}
	if in.Sat || width > 64 {
		return nil
	}
	args := m.arguments(st, &times)
	summand := m.source(st, in, 2, width)
	v := m.plus(m.apply(&times, args), summand, 1)
	if v.form.known() || width != m.width(in.Dst[0].Reg) {
		return v
	}
	return m.defined(pc, 0, v.Strided, nil, false, append(forms(args), summand.form)...)
}

// selected computes Selp.
func (m *machine) selected(st state, pc int) *Value {
	in := &m.kernel.Instrs[pc]
	width := in.Type.Bits()
	a, b := m.source(st, in, 0, width), m.source(st, in, 1, width)
	p := m.truth(st, in.Src[2])
	if c, ok := p.Strided.IsConst(); ok {
		return []*Value{b, a}[c]
	}
	holds, okA := m.facts(p.cond, true)
	fails, okB := m.facts(p.cond, false)
	if okA {
		a, okA = restrict(a, holds)
	}
	if okB {
		b, okB = restrict(b, fails)
	}
	switch {
	case !okA:
		return b
	case !okB:
		return a
	}
	set := a.Strided.Join(b.Strided)
	if a.form.known() && a.form.equal(b.form) {
		return m.value(set, a.form)
	}
	if width != m.width(in.Dst[0].Reg) {
		return nil
	}
	return m.defined(pc, 0, set, nil, false, forms([]*Value{a, b, p})...)
}
