package symexec

import (
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// kinds is a set of kinds of types on which an operation has a meaning.
type kinds uint8

const (
	onPreds  kinds = 1 << iota
	onBits         // of 16, 32 and 64 bits
	onInts         // signed and unsigned, of 16, 32 and 64 bits
	onFloats       // f16, bf16, f32 and f64
)

func kindOf(t isa.Type) kinds {
	_, float := formatOf(t)
	switch {
	case t == isa.Pred:
		return onPreds
	case float:
		return onFloats
	case t.Bits() != 16 && t.Bits() != 32 && t.Bits() != 64:
		return 0
	case t.Class() == isa.Bits:
		return onBits
	case t.Class() == isa.Unsigned || t.Class() == isa.Signed:
		return onInts
	}
	return 0
}

// formatOf returns the format of a floating-point type that is no pair.
func formatOf(t isa.Type) (smt.Format, bool) {
	switch t {
	case isa.F16:
		return smt.Half, true
	case isa.BF16:
		return smt.BFloat, true
	case isa.F32:
		return smt.Single, true
	case isa.F64:
		return smt.Double, true
	}
	return smt.Format{}, false
}

// modeOf returns the rounding mode that an instruction names, to nearest if it names none.
func modeOf(r isa.Round) smt.Mode {
	switch r {
	case isa.RoundRZ, isa.RoundIntRZ:
		return smt.TowardZero
	case isa.RoundRM, isa.RoundIntRM:
		return smt.TowardNegative
	case isa.RoundRP, isa.RoundIntRP:
		return smt.TowardPositive
	case isa.RoundRNA:
		return smt.NearestAway
	}
	return smt.NearestEven
}

// meaning says what an operation makes of its sources, on types of some kinds with some
// modifiers. The results are those of Instr.Dst in order, as wide as the operation makes them;
// nil if there is no meaning for the instruction after all.
type meaning struct {
	on   kinds
	mods isa.Modifiers
	make func(l *lifter) []*smt.Term
}

// meanings are what is known of operations, the first that fits an instruction.
var meanings = map[isa.Op][]meaning{
	isa.Add:      {{onInts, 0, binary((*smt.Builder).Add)}, {onInts, isa.ModSat, clamped((*smt.Builder).Add)}, {onFloats, arithmetic, float2((*smt.Builder).FAdd)}},
	isa.Sub:      {{onInts, 0, binary((*smt.Builder).Sub)}, {onInts, isa.ModSat, clamped((*smt.Builder).Sub)}, {onFloats, arithmetic, float2((*smt.Builder).FSub)}},
	isa.Mul:      {{onInts, 0, binary((*smt.Builder).Mul)}, {onFloats, arithmetic, float2((*smt.Builder).FMul)}},
	isa.MulHi:    {{onInts, 0, func(l *lifter) []*smt.Term { return one(l.mulHi()) }}},
	isa.MulWide:  {{onInts, 0, func(l *lifter) []*smt.Term { return one(l.mulWide()) }}},
	isa.Mad:      {{onInts, 0, func(l *lifter) []*smt.Term { return one(l.b.Add(l.b.Mul(l.a(), l.at(1)), l.at(2))) }}},
	isa.MadHi:    {{onInts, 0, func(l *lifter) []*smt.Term { return one(l.b.Add(l.mulHi(), l.at(2))) }}},
	isa.MadWide:  {{onInts, 0, madWide}},
	isa.Mul24:    {{onInts, 0, func(l *lifter) []*smt.Term { return one(l.mul24(0)) }}},
	isa.Mul24Hi:  {{onInts, 0, func(l *lifter) []*smt.Term { return one(l.mul24(16)) }}},
	isa.Mad24:    {{onInts, 0, func(l *lifter) []*smt.Term { return one(l.b.Add(l.mul24(0), l.at(2))) }}},
	isa.Mad24Hi:  {{onInts, 0, func(l *lifter) []*smt.Term { return one(l.b.Add(l.mul24(16), l.at(2))) }}},
	isa.Div:      {{onInts, 0, division}, {onFloats, isa.ModRound | isa.ModFTZ, float2((*smt.Builder).FDiv)}},
	isa.Rem:      {{onInts, 0, division}},
	isa.Abs:      {{onInts, 0, integerAbs}, {onFloats, isa.ModFTZ, floatAbs}},
	isa.Neg:      {{onInts, 0, func(l *lifter) []*smt.Term { return one(l.b.BvNeg(l.a())) }}, {onFloats, isa.ModFTZ, floatNeg}},
	isa.Min:      {{onInts, 0, integerExtreme}, {onFloats, isa.ModNaN | isa.ModFTZ, floatExtreme}},
	isa.Max:      {{onInts, 0, integerExtreme}, {onFloats, isa.ModNaN | isa.ModFTZ, floatExtreme}},
	isa.Sad:      {{onInts, 0, sumOfDifference}},
	isa.Fma:      {{onFloats, arithmetic | isa.ModRelu, fma}},
	isa.Rcp:      {{onFloats, isa.ModRound | isa.ModFTZ, reciprocal}},
	isa.Sqrt:     {{onFloats, isa.ModRound | isa.ModFTZ, squareRoot}},
	isa.Copysign: {{onFloats, 0, copysign}},

	isa.AddCarry:   {{onInts, 0, carrying}},
	isa.SubCarry:   {{onInts, 0, carrying}},
	isa.MadCarry:   {{onInts, 0, carrying}},
	isa.MadHiCarry: {{onInts, 0, carrying}},
	isa.Dp4a:       {{onInts, 0, dot}},
	isa.Dp2a:       {{onInts, 0, dot}},
	isa.Dp2aHi:     {{onInts, 0, dot}},

	isa.And:   {{onPreds, 0, logic((*smt.Builder).And)}, {onBits, 0, binary((*smt.Builder).BvAnd)}},
	isa.Or:    {{onPreds, 0, logic((*smt.Builder).Or)}, {onBits, 0, binary((*smt.Builder).BvOr)}},
	isa.Xor:   {{onPreds, 0, logic((*smt.Builder).Xor)}, {onBits, 0, binary((*smt.Builder).BvXor)}},
	isa.Not:   {{onPreds, 0, func(l *lifter) []*smt.Term { return one(l.b.Not(l.truth(0))) }}, {onBits, 0, func(l *lifter) []*smt.Term { return one(l.b.BvNot(l.a())) }}},
	isa.Cnot:  {{onBits, 0, func(l *lifter) []*smt.Term { return one(l.number(l.b.Eq(l.a(), l.num(0)), l.width)) }}},
	isa.Shl:   {{onBits, 0, func(l *lifter) []*smt.Term { return one(l.shift((*smt.Builder).Shl)) }}},
	isa.Shr:   {{onBits | onInts, 0, shiftRight}},
	isa.ShfL:  {{onBits, isa.ModWrap, funnel}},
	isa.ShfR:  {{onBits, isa.ModWrap, funnel}},
	isa.Lop3:  {{onBits, 0, lop3}},
	isa.Prmt:  {{onBits, isa.ModPermute, permute}},
	isa.Popc:  {{onBits, 0, popcount}},
	isa.Clz:   {{onBits, 0, func(l *lifter) []*smt.Term { return one(l.highest(l.a(), l.width, true, uint64(l.width))) }}},
	isa.Bfind: {{onInts, isa.ModShiftAmt, find}},
	isa.Brev:  {{onBits, 0, reverse}},
	isa.Bfe:   {{onInts, 0, extractField}},
	isa.Bfi:   {{onBits, 0, insertField}},
	isa.Szext: {{onInts, isa.ModWrap, extendLow}},
	isa.Bmsk:  {{onBits, isa.ModWrap, bitMask}},

	isa.Setp:  {{onBits | onInts, 0, setp}, {onFloats, isa.ModFTZ, setp}},
	isa.Set:   {{onBits | onInts | onFloats, isa.ModFTZ, set}},
	isa.Selp:  {{onBits | onInts | onFloats, 0, func(l *lifter) []*smt.Term { return one(l.b.Ite(l.truth(2), l.a(), l.at(1))) }}},
	isa.Slct:  {{onBits | onInts | onFloats, isa.ModFTZ, selectBySign}},
	isa.Testp: {{onFloats, 0, classify}},

	isa.Mov:    {{onPreds, 0, func(l *lifter) []*smt.Term { return one(l.truth(0)) }}, {onBits | onInts | onFloats, 0, func(l *lifter) []*smt.Term { return one(l.a()) }}},
	isa.Pack:   {{onBits, 0, pack}},
	isa.Unpack: {{onBits, 0, unpack}},
	isa.Cvta:   {{onInts, 0, binary((*smt.Builder).Add)}},
	isa.CvtaTo: {{onInts, 0, binary((*smt.Builder).Sub)}},
	isa.Cvt:    {{^kinds(0), isa.ModRound | isa.ModFTZ | isa.ModSat, convert}},
}

// arithmetic are the modifiers of floating-point arithmetic.
const arithmetic = isa.ModRound | isa.ModFTZ | isa.ModSat

// lifter makes the terms of one instruction.
type lifter struct {
	b     *smt.Builder
	in    *isa.Instr
	src   []*smt.Term
	width int // of the instruction's type in bits
	reg   int // bits of the first result's register
}

// lift returns the results of an instruction in the order of Instr.Dst, from its sources in
// the order of Instr.Src: bit-vectors of any width, of which the operation takes what it
// needs, or truth values for predicates. widths are those of the results' registers in bits,
// 1 for predicates. It is false for instructions without a meaning as terms.
func lift(b *smt.Builder, in *isa.Instr, src []*smt.Term, widths []int) ([]*smt.Term, bool) {
	for _, m := range meanings[in.Op] {
		if kindOf(in.Type)&m.on == 0 && m.on != ^kinds(0) || !in.HasOnly(m.mods) {
			continue
		}
		l := &lifter{b: b, in: in, src: src, width: in.Type.Bits(), reg: widths[0]}
		results := m.make(l)
		if results == nil {
			return nil, false
		}
		for i, r := range results {
			if r.Sort() != smt.Bool {
				results[i] = l.fit(r, widths[i])
			}
		}
		return results, true
	}
	return nil, false
}

func one(t *smt.Term) []*smt.Term {
	if t == nil {
		return nil
	}
	return []*smt.Term{t}
}

func (l *lifter) fit(t *smt.Term, width int) *smt.Term { return fit(l.b, t, width) }

// a returns the first source in the instruction's width.
func (l *lifter) a() *smt.Term { return l.at(0) }

// at returns source i in the instruction's width.
func (l *lifter) at(i int) *smt.Term { return l.fit(l.src[i], l.width) }

// truth returns source i, a predicate.
func (l *lifter) truth(i int) *smt.Term {
	if t := l.src[i]; t.Sort() != smt.Bool {
		return l.b.Not(l.b.Eq(t, l.b.Number(t.Width(), 0)))
	}
	return l.src[i]
}

// num returns a number in the instruction's width.
func (l *lifter) num(x uint64) *smt.Term { return l.b.Number(l.width, x) }

// number returns 1 or 0.
func (l *lifter) number(holds *smt.Term, width int) *smt.Term {
	return l.b.Ite(holds, l.b.Number(width, 1), l.b.Number(width, 0))
}

// extend extends a number by zeros or its sign, by the instruction's type.
func (l *lifter) extend(t *smt.Term, width int) *smt.Term {
	if l.in.Type.IsSigned() {
		return l.b.SignExt(t, width)
	}
	return l.b.ZeroExt(t, width)
}

// less compares by the instruction's type.
func (l *lifter) less(x, y *smt.Term) *smt.Term {
	if l.in.Type.IsSigned() {
		return l.b.Slt(x, y)
	}
	return l.b.Ult(x, y)
}
