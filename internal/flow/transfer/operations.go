package transfer

import (
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// rule says what an operation on integers gives.
type rule struct {
	set func(in *isa.Instr, s []strided.Interval) strided.Interval
	// form returns the form of the result, if there is one for these arguments. Nil if
	// there never is.
	form func(in *isa.Instr, a []*Value) affine.Form
	// more returns a result behind the first. Nil if nothing is known of those.
	more func(in *isa.Instr, s []strided.Interval, i int) strided.Interval
}

// rules are the operations that a lane performs by itself of which more is known than
// nothing. Their sources have the widths that sourceBits says.
var rules = map[isa.Op]rule{
	isa.Mov:    {set: firstSource, form: firstForm},
	isa.Cvta:   {set: sum, form: sumForm},
	isa.CvtaTo: {set: minus, form: minusForm},
	isa.Add:    {set: sum, form: sumForm},
	isa.Sub:    {set: minus, form: minusForm},
	isa.Neg: {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].Neg()
	}, form: func(_ *isa.Instr, a []*Value) affine.Form {
		return a[0].Form.Times(^uint64(0))
	}},
	isa.Mul: {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].Mul(s[1])
	}, form: timesForm},
	isa.MulWide: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return extendFactor(in, s[0]).Mul(extendFactor(in, s[1]))
	}},
	isa.MulHi: {set: highProduct},
	isa.MadHi: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		if in.Sat {
			return highProduct(in, s).Extend(64, true).Add(s[2].Extend(64, true)).SaturateTo32()
		}
		return highProduct(in, s).Add(s[2])
	}},
	isa.Mul24: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return product24(in, s).Cut(32)
	}, form: form24},
	isa.Mul24Hi: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval { return high24(in, s).Cut(32) }},
	isa.Mad24: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return product24(in, s).Cut(32).Add(s[2])
	}, form: func(in *isa.Instr, a []*Value) affine.Form {
		return form24(in, a).AddMultiple(a[2].Form, 1)
	}},
	isa.Mad24Hi: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		if in.Sat {
			return high24(in, s).Add(s[2].Extend(64, true)).SaturateTo32()
		}
		return high24(in, s).Cut(32).Add(s[2])
	}},
	isa.AddCarry:   {set: carrySum, form: carryForm, more: carryOut},
	isa.SubCarry:   {set: carrySum, form: carryForm, more: carryOut},
	isa.MadCarry:   {set: carrySum, more: carryOut},
	isa.MadHiCarry: {set: carrySum, more: carryOut},
	isa.Dp4a: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return dotProduct(in, s, 4, 0)
	}},
	isa.Dp2a: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return dotProduct(in, s, 2, 0)
	}},
	isa.Dp2aHi: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return dotProduct(in, s, 2, 16)
	}},
	isa.Div: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].Div(s[1], in.Type.IsSigned())
	}},
	isa.Rem: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].Rem(s[1], in.Type.IsSigned())
	}, form: remForm},
	isa.Min: {set: minimum, form: chosenForm},
	isa.Max: {set: maximum, form: chosenForm},
	isa.Abs: {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].Max(s[0].Neg(), true)
	}, form: absForm},
	isa.Sad: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].Distance(s[1], in.Type.IsSigned()).Add(s[2])
	}},

	isa.And:  {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval { return s[0].And(s[1]) }, form: andForm},
	isa.Or:   {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval { return s[0].Or(s[1]) }, form: orForm},
	isa.Xor:  {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval { return s[0].Xor(s[1]) }, form: orForm},
	isa.Not:  {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval { return s[0].Not() }, form: notForm},
	isa.Cnot: {set: compareWithZero},
	isa.Shl:  {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval { return s[0].Shl(s[1]) }, form: shlForm},
	isa.Shr: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].Shr(s[1], in.Type.IsSigned())
	}},
	isa.ShfL: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return strided.Concat(s[0], s[1]).Shr(strided.Const(32, 32).Sub(strided.ShiftAmounts(s[2], in.Wrap)), false).Cut(32)
	}},
	isa.ShfR: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return strided.Concat(s[0], s[1]).Shr(strided.ShiftAmounts(s[2], in.Wrap), false).Cut(32)
	}},
	isa.Lop3: {set: logic},
	isa.Prmt: {set: permutation},
	isa.Popc: {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval { return s[0].CountOnes() }},
	isa.Clz:  {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval { return s[0].LeadingZeros() }},
	isa.Bfind: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].HighestBit(in.Type.IsSigned(), in.ShiftAmt)
	}},
	isa.Brev: {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval { return s[0].ReverseBits() }},
	isa.Bfe: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].BitFields(s[1], s[2], in.Type.IsSigned())
	}, form: fieldForm},
	isa.Bfi: {set: func(_ *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].InsertBits(s[1], s[2], s[3])
	}},
	isa.Szext: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return s[0].LowBits(strided.ShiftAmounts(s[1], in.Wrap), in.Type.IsSigned())
	}},
	isa.Bmsk: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return strided.OnesAt(strided.ShiftAmounts(s[0], in.Wrap), strided.ShiftAmounts(s[1], in.Wrap))
	}},
	isa.Fns: {set: func(*isa.Instr, []strided.Interval) strided.Interval {
		return strided.Between(32, strided.Mask(32), 31)
	}},

	isa.VAdd:     {set: video},
	isa.VSub:     {set: video},
	isa.VAbsDiff: {set: video},
	isa.VMin:     {set: video},
	isa.VMax:     {set: video},
	isa.VShr:     {set: video},
	isa.VSet:     {set: video},

	isa.Slct: {set: slct},
	isa.Cvt:  {set: converted, form: convertedForm},
	isa.Pack: {set: packed},
	isa.Unpack: {set: func(in *isa.Instr, s []strided.Interval) strided.Interval {
		return unpacked(in, s, 0)
	}, more: unpacked},
}

// ComputeWords returns the words of the first result of an instruction whose operation has a rule,
// from those of its sources.
func ComputeWords(in *isa.Instr, sources []strided.Interval) strided.Interval {
	return rules[in.Op].set(in, sources)
}

// sourceBits returns the width in which an instruction reads source i, which is a number.
func sourceBits(in *isa.Instr, i int) int {
	switch {
	case (in.Op == isa.Shl || in.Op == isa.Shr) && i == 1,
		in.Op == isa.Bfe && i > 0, in.Op == isa.Bfi && i > 1, in.Op == isa.Slct && i == 2:
		return 32
	case in.Op == isa.Cvt:
		return in.SrcType.Bits()
	case in.Op == isa.Pack:
		return in.Type.Bits() / len(in.Src)
	}
	return in.Type.Bits()
}

func sum(in *isa.Instr, s []strided.Interval) strided.Interval {
	if in.Sat {
		return s[0].Extend(64, true).Add(s[1].Extend(64, true)).SaturateTo32()
	}
	return s[0].Add(s[1])
}

func sumForm(_ *isa.Instr, a []*Value) affine.Form { return a[0].Form.AddMultiple(a[1].Form, 1) }

func minusForm(_ *isa.Instr, a []*Value) affine.Form {
	return a[0].Form.AddMultiple(a[1].Form, ^uint64(0))
}

func minus(in *isa.Instr, s []strided.Interval) strided.Interval {
	if in.Sat {
		return s[0].Extend(64, true).Sub(s[1].Extend(64, true)).SaturateTo32()
	}
	return s[0].Sub(s[1])
}

func highProduct(in *isa.Instr, s []strided.Interval) strided.Interval {
	return s[0].MulHigh(s[1], in.Type.IsSigned())
}

func minimum(in *isa.Instr, s []strided.Interval) strided.Interval {
	return clampNegative(in, s[0].Min(s[1], in.Type.IsSigned()))
}

func maximum(in *isa.Instr, s []strided.Interval) strided.Interval {
	return clampNegative(in, s[0].Max(s[1], in.Type.IsSigned()))
}

// clampNegative makes zeros of negative results if an instruction says so.
func clampNegative(in *isa.Instr, s strided.Interval) strided.Interval {
	if in.Relu {
		return s.Max(strided.Const(s.Bits(), 0), true)
	}
	return s
}

func compareWithZero(in *isa.Instr, s []strided.Interval) strided.Interval {
	x, isConst := s[0].IsConst()
	switch {
	case isConst && x == 0:
		return strided.Const(in.Type.Bits(), 1)
	case !s[0].Contains(0):
		return strided.Const(in.Type.Bits(), 0)
	}
	return strided.Between(in.Type.Bits(), 0, 1)
}

// logic looks up a truth table, which is a number.
func logic(in *isa.Instr, s []strided.Interval) strided.Interval {
	table, ok := s[3].IsConst()
	if !ok {
		return strided.Any(32)
	}
	return strided.TruthTable(table).Apply(s[0], s[1], s[2])
}

// permutation picks bytes of two words by a selector.
func permutation(in *isa.Instr, s []strided.Interval) strided.Interval {
	from := strided.Concat(s[0], s[1])
	pick := func(selector, _ uint64) strided.Interval { return strided.PermuteBytes(from, selector) }
	c := s[2].And(strided.Const(32, 0xffff))
	if table, ok := in.Permute.Selectors(); ok {
		c = s[2].And(strided.Const(32, 3))
		pick = func(mode, _ uint64) strided.Interval { return strided.PermuteBytes(from, uint64(table[mode])) }
	}
	if r, ok := strided.JoinOverPairs(c, strided.Const(32, 0), pick); ok {
		return r
	}
	return strided.Any(32)
}

// slct chooses by the sign of the third source.
func slct(in *isa.Instr, s []strided.Interval) strided.Interval {
	if in.SrcType == isa.S32 {
		switch lo, hi := s[2].Signed(); {
		case lo >= 0:
			return s[0]
		case hi < 0:
			return s[1]
		}
	}
	return s[0].Join(s[1])
}

// packed joins words to one.
func packed(in *isa.Instr, s []strided.Interval) strided.Interval {
	w := in.Type.Bits()
	all := strided.Const(w, 0)
	for i, part := range s {
		all = all.Add(part.Extend(w, false).Shl(strided.Const(32, uint64(i*w/len(s)))))
	}
	return all
}

// unpacked is one part of a word.
func unpacked(in *isa.Instr, s []strided.Interval, i int) strided.Interval {
	n := in.Type.Bits() / len(in.Dst)
	return s[0].BitField(uint64(i*n), uint64(n), false).Cut(n)
}

func firstSource(_ *isa.Instr, s []strided.Interval) strided.Interval { return s[0] }

func firstForm(_ *isa.Instr, a []*Value) affine.Form { return a[0].Form }

// notForm is -1 - x.
func notForm(_ *isa.Instr, a []*Value) affine.Form {
	return affine.Constant(a[0].Set.Bits(), ^uint64(0)).AddMultiple(a[0].Form, ^uint64(0))
}

func timesForm(_ *isa.Instr, a []*Value) affine.Form {
	if c, ok := a[0].Set.IsConst(); ok {
		return a[1].Form.Times(c)
	}
	if c, ok := a[1].Set.IsConst(); ok {
		return a[0].Form.Times(c)
	}
	return affine.Form{}
}

// form24 is the product of numbers that have 24 bits.
func form24(in *isa.Instr, a []*Value) affine.Form {
	for _, v := range a[:2] {
		if !v.Set.FitsIn(24, in.Type.IsSigned()) {
			return affine.Form{}
		}
	}
	return timesForm(in, a)
}

// carryForm is a sum or a difference whose carry is known.
func carryForm(in *isa.Instr, a []*Value) affine.Form {
	_, _, c := carryOperands(in, setsOf(a))
	x, ok := c.IsConst()
	switch {
	case !ok:
		return affine.Form{}
	case in.Op == isa.SubCarry: // a + ^b + x is a - b - 1 + x
		return a[0].Form.AddMultiple(a[1].Form, ^uint64(0)).AddMultiple(affine.Constant(c.Bits(), x-1), 1)
	}
	return a[0].Form.AddMultiple(a[1].Form, 1).AddMultiple(affine.Constant(c.Bits(), x), 1)
}

// fieldForm is that of a word which the field holds completely.
func fieldForm(in *isa.Instr, a []*Value) affine.Form {
	at, okAt := a[1].Set.IsConst()
	n, okN := a[2].Set.IsConst()
	n &= 0xff
	w := uint64(in.Type.Bits())
	if !okAt || !okN || at&0xff != 0 || n == 0 {
		return affine.Form{}
	}
	if n >= w || a[0].Set.FitsIn(int(n), in.Type.IsSigned()) {
		return a[0].Form
	}
	return affine.Form{}
}

func shlForm(_ *isa.Instr, a []*Value) affine.Form {
	if c, ok := a[1].Set.IsConst(); ok && c < 64 {
		return a[0].Form.Times(1 << c)
	}
	return affine.Form{}
}

// remForm is that of a dividend which is less than the divisor.
func remForm(in *isa.Instr, a []*Value) affine.Form {
	_, hi := a[0].Set.Unsigned()
	lo, maximum := a[1].Set.Unsigned()
	if hi < lo && (!in.Type.IsSigned() || maximum <= strided.Mask(a[1].Set.Bits())/2) {
		return a[0].Form
	}
	return affine.Form{}
}

// andForm is that of a word without bits that the mask clears.
func andForm(_ *isa.Instr, a []*Value) affine.Form {
	for i, v := range a {
		m, ok := a[1-i].Set.IsConst()
		if !ok {
			continue
		}
		_, hi := v.Set.Unsigned()
		if low := v.Set.Alignment() - 1; strided.FillBits(hi)&^low&^m == 0 {
			return v.Form
		}
	}
	return affine.Form{}
}

// orForm is the sum of words without common bits; for Xor the same.
func orForm(in *isa.Instr, a []*Value) affine.Form {
	if a[0].Set.HasDisjointBits(a[1].Set) {
		return a[0].Form.AddMultiple(a[1].Form, 1)
	}
	if c, ok := a[1].Set.IsConst(); ok && in.Op == isa.Xor && c == strided.Mask(a[1].Set.Bits()) {
		return notForm(in, a)
	}
	return affine.Form{}
}

// chosenForm is that of the operand that Min or Max always chooses.
func chosenForm(in *isa.Instr, a []*Value) affine.Form {
	lesser, greater := affine.Form{}, affine.Form{}
	if in.Type.IsSigned() {
		aLo, aHi := a[0].Set.Signed()
		bLo, bHi := a[1].Set.Signed()
		lesser, greater = orderForms(aHi <= bLo, bHi <= aLo, a)
	} else {
		aLo, aHi := a[0].Set.Unsigned()
		bLo, bHi := a[1].Set.Unsigned()
		lesser, greater = orderForms(aHi <= bLo, bHi <= aLo, a)
	}
	if in.Op == isa.Min {
		return lesser
	}
	return greater
}

func orderForms(ascending, descending bool, a []*Value) (lesser, greater affine.Form) {
	switch {
	case ascending:
		return a[0].Form, a[1].Form
	case descending:
		return a[1].Form, a[0].Form
	}
	return affine.Form{}, affine.Form{}
}

func absForm(_ *isa.Instr, a []*Value) affine.Form {
	if a[0].Set.IsNonNegative() {
		return a[0].Form
	}
	return affine.Form{}
}

// extendFactor extends a factor to twice its width.
func extendFactor(in *isa.Instr, s strided.Interval) strided.Interval {
	return s.Extend(2*in.Type.Bits(), in.Type.IsSigned())
}

// extends reports whether a conversion extends or cuts an integer.
func extends(in *isa.Instr) bool { return !in.Sat && isInteger(in.SrcType) }

// converted is the conversion to an integer.
func converted(in *isa.Instr, s []strided.Interval) strided.Interval {
	if in.SrcType.IsFloat() {
		return roundToInteger(in, s[0])
	}
	if in.Sat {
		return saturateTo(s[0], in.SrcType, in.Type)
	}
	if to := in.Type.Bits(); to > in.SrcType.Bits() {
		return s[0].Extend(to, in.SrcType.IsSigned())
	}
	return s[0].Cut(in.Type.Bits())
}

func convertedForm(in *isa.Instr, a []*Value) affine.Form {
	if extends(in) && in.Type.Bits() <= in.SrcType.Bits() {
		return a[0].Form.Cut(in.Type.Bits())
	}
	return affine.Form{}
}

// computeOperation computes result i of an operation on integers, nil if nothing is known of it.
func (m *Machine) computeOperation(st *State, pc, i int) *Value {
	in := &m.kernel.Instrs[pc]
	switch in.Op {
	case isa.Mad, isa.MadWide:
		return m.computeMultiplyAdd(st, pc)
	case isa.Selp:
		return m.computeSelection(st, pc)
	case isa.Set:
		return m.computeSet(st, pc)
	}
	if in.Op.Info().Effect != 0 {
		return m.computeCollective(st, pc, i)
	}
	r, ok := rules[in.Op]
	if !ok || !isModelled(in) || i > 0 && r.more == nil {
		return nil
	}
	args := m.readArguments(st, in)
	if i > 0 {
		return m.nameResult(pc, i, nil, m.MakeValue(r.more(in, setsOf(args), i), affine.Form{}), args)
	}
	return m.nameResult(pc, 0, in, m.applyRule(in, args), args)
}

// isModelled reports whether the rule of an operation covers an instruction: its types, and
// everything else that it says.
func isModelled(in *isa.Instr) bool {
	if in.Op == isa.MulWide && in.Type.Bits() > 32 ||
		in.Op == isa.Cvt && (len(in.Src) != 1 || !isInteger(in.SrcType) && !in.SrcType.IsFloat()) {
		return false
	}
	allowed := isa.ModPermute | isa.ModWrap | isa.ModShiftAmt
	switch in.Op {
	case isa.Add, isa.Sub:
		if in.Type == isa.S32 {
			allowed |= isa.ModSat
		}
	case isa.Cvt:
		allowed |= isa.ModSat | isa.ModIntegral | isa.ModFTZ
	case isa.MadHi, isa.Mad24Hi, isa.VAdd, isa.VSub, isa.VAbsDiff, isa.VMin, isa.VMax, isa.VShr:
		allowed |= isa.ModSat
	case isa.Min, isa.Max:
		allowed |= isa.ModRelu
	}
	return in.HasOnly(allowed)
}

// readArguments returns the sources of an instruction in the widths that it reads.
func (m *Machine) readArguments(st *State, in *isa.Instr) []*Value {
	args := make([]*Value, len(in.Src))
	for i := range in.Src {
		if readsTruth(in, i) {
			args[i] = m.readTruth(st, in.Src[i])
		} else {
			args[i] = m.readSource(st, in, i, sourceBits(in, i))
		}
	}
	return args
}

// readsTruth reports whether source i of an operation with a rule is a truth value.
func readsTruth(in *isa.Instr, i int) bool {
	switch in.Op {
	case isa.AddCarry, isa.SubCarry, isa.MadCarry, isa.MadHiCarry:
		return i == in.Op.Info().Src[0]
	case isa.Lop3:
		return i == 4
	case isa.Vote:
		return i == 0
	}
	return false
}

// applyRule computes an operation. Its result has no form if it is neither affine nor fixed.
func (m *Machine) applyRule(in *isa.Instr, args []*Value) *Value {
	r := rules[in.Op]
	set := r.set(in, setsOf(args))
	switch {
	case in.Op == isa.MulWide:
		return m.MakeValue(set, m.makeWideProduct(in, args))
	case in.Op == isa.Cvt && extends(in) && set.Bits() > args[0].Set.Bits():
		if v := m.extendValue(args[0], set.Bits(), in.SrcType.IsSigned()); v.Form.IsKnown() {
			return v
		}
	}
	form := affine.Form{}
	if r.form != nil {
		form = r.form(in, args)
	}
	if !form.IsKnown() {
		form = m.makeExpression(in, args)
	}
	return m.MakeValue(set, form)
}

func setsOf(args []*Value) []strided.Interval {
	s := make([]strided.Interval, len(args))
	for i, a := range args {
		s[i] = a.Set
	}
	return s
}

func formsOf(args []*Value) []affine.Form {
	f := make([]affine.Form, len(args))
	for i, a := range args {
		f[i] = a.Form
	}
	return f
}

// makeWideProduct is the product of factors that are extended to twice their width.
func (m *Machine) makeWideProduct(in *isa.Instr, args []*Value) affine.Form {
	var factors [2]*Value
	for i, a := range args {
		factors[i] = m.extendValue(a, 2*in.Type.Bits(), in.Type.IsSigned())
	}
	if f := timesForm(in, factors[:]); f.IsKnown() {
		return f
	}
	return m.makeExpression(in, args)
}

// makeExpression returns the fixed symbol of an operation on fixed forms.
func (m *Machine) makeExpression(in *isa.Instr, args []*Value) affine.Form {
	all := make([]strided.Interval, len(args))
	for i, a := range args {
		if !m.Syms.IsFixed(a.Form) {
			return affine.Form{}
		}
		all[i] = m.Syms.Words(a.Form)
	}
	set := m.launch.Doubt(ComputeWords(in, all))
	if s, ok := m.Syms.AddExpression(in, formsOf(args), set); ok {
		return affine.OfSymbol(set.Bits(), s)
	}
	return affine.Form{}
}

// nameResult returns a result, with a symbol of its own if it has no form. in is the operation
// that gives it, nil if none is known.
func (m *Machine) nameResult(pc, i int, in *isa.Instr, v *Value, args []*Value) *Value {
	if v.Form.IsKnown() || v.Set.Bits() != m.registerWidth(m.kernel.Instrs[pc].Dst[i].Reg) {
		return v
	}
	result := m.defineResult(pc, i, v.Set, in, false, formsOf(args)...)
	if y, own := result.Form.AsSymbol(); own && in != nil && m.Narrow && !m.settled { // else nothing asks for them
		m.Syms.Symbols[y].Sets = setsOf(args)
	}
	return result
}

// computeMultiplyAdd computes Mad and MadWide.
func (m *Machine) computeMultiplyAdd(st *State, pc int) *Value {
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
	args := m.readArguments(st, &times)
	summand := m.readSource(st, in, 2, width)
	v := m.addMultiple(m.applyRule(&times, args), summand, 1)
	if v.Form.IsKnown() || width != m.registerWidth(in.Dst[0].Reg) {
		return v
	}
	return m.defineResult(pc, 0, v.Set, nil, false, append(formsOf(args), summand.Form)...)
}

// computeSelection computes Selp.
func (m *Machine) computeSelection(st *State, pc int) *Value {
	in := &m.kernel.Instrs[pc]
	width := in.Type.Bits()
	a, b := m.readSource(st, in, 0, width), m.readSource(st, in, 1, width)
	p := m.readTruth(st, in.Src[2])
	if c, ok := p.Set.IsConst(); ok {
		return []*Value{b, a}[c]
	}
	holds, okA := m.DeriveFacts(p.Cond, true)
	fails, okB := m.DeriveFacts(p.Cond, false)
	if okA {
		a, okA = m.RestrictToFacts(a, holds)
	}
	if okB {
		b, okB = m.RestrictToFacts(b, fails)
	}
	switch {
	case !okA:
		return b
	case !okB:
		return a
	}
	set := a.Set.Join(b.Set)
	if a.Form.IsKnown() && a.Form.Equal(b.Form) {
		return m.MakeValue(set, a.Form)
	}
	if width != m.registerWidth(in.Dst[0].Reg) {
		return nil
	}
	return m.defineResult(pc, 0, set, nil, false, formsOf([]*Value{a, b, p})...)
}
