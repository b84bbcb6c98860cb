package arithmetic

import (
	"math/big"

	"warpbound/internal/isa"
)

func isInteger(t isa.Type) bool { return t.Class() == isa.Signed || t.Class() == isa.Unsigned }

// readInteger reads n bits in two's complement, or as a number without a sign.
func readInteger(x uint64, n int, signed bool) *big.Int {
	v := new(big.Int).SetUint64(x & lowBits(n))
	if signed && v.Bit(n-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return v
}

func integerOf(x uint64, t isa.Type) *big.Int { return readInteger(x, t.Bits(), t.IsSigned()) }

// wrap returns the n lowest bits in two's complement.
func wrap(v *big.Int, n int) uint64 {
	return new(big.Int).And(v, new(big.Int).SetUint64(lowBits(n))).Uint64()
}

// limits returns the least and the greatest integer of n bits.
func limits(n int, signed bool) (minimum, maximum *big.Int) {
	one := big.NewInt(1)
	if signed {
		end := new(big.Int).Lsh(one, uint(n-1))
		return new(big.Int).Neg(end), new(big.Int).Sub(end, one)
	}
	return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(n)), one)
}

// clampTo returns the nearest integer of n bits.
func clampTo(v *big.Int, n int, signed bool) *big.Int {
	minimum, maximum := limits(n, signed)
	switch {
	case v.Cmp(minimum) < 0:
		return minimum
	case v.Cmp(maximum) > 0:
		return maximum
	}
	return v
}

func sum(a, b *big.Int) *big.Int        { return new(big.Int).Add(a, b) }
func difference(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
func product(a, b *big.Int) *big.Int    { return new(big.Int).Mul(a, b) }
func shiftRight(v *big.Int, n int) *big.Int {
	return new(big.Int).Rsh(v, uint(n))
}

// lesser returns the minimum, or the maximum.
func lesser(a, b *big.Int, minimum bool) *big.Int {
	return choose(a.Cmp(b) < 0 == minimum, a, b)
}

// rowOfInteger returns the rows of PTX ISA, "Integer Arithmetic Instructions", but for those with a
// carry.
func rowOfInteger(in *isa.Instr) *Row {
	t, n := in.Type, in.Type.Bits()
	if in.Op == isa.Dp4a || in.Op == isa.Dp2a || in.Op == isa.Dp2aHi {
		return rowOfDot(in)
	}
	extreme := in.Op == isa.Min || in.Op == isa.Max
	saturates := in.Op == isa.Add || in.Op == isa.Sub || in.Op == isa.MadHi || in.Op == isa.Mad24Hi
	switch {
	case n == 8 || in.SrcType != isa.Invalid || !has(in, isa.ModSat|isa.ModRelu):
		return nil
	case in.Sat && (t != isa.S32 || !saturates || in.Relu), in.Relu && (t != isa.S32 || !extreme):
		return nil
	}
	f, sources, result := integerFunction(in), in.Op.Info().Src[0], t
	if f == nil {
		return nil
	}
	types := times(sources, t)
	if in.Op == isa.MulWide || in.Op == isa.MadWide {
		wide, ok := map[isa.Type]isa.Type{isa.U16: isa.U32, isa.U32: isa.U64, isa.S16: isa.S32, isa.S32: isa.S64}[t]
		if !ok {
			return nil
		}
		result = wide
		if in.Op == isa.MadWide {
			types[2] = wide
		}
	}
	row := rowOf(result, types, func(s []uint64) uint64 {
		v := make([]*big.Int, 3)
		for i, t := range types {
			v[i] = integerOf(s[i], t)
		}
		d := f(v[0], v[1], v[2])
		switch {
		case in.Sat:
			d = clampTo(d, n, true)
		case in.Relu && d.Sign() < 0:
			return 0
		}
		return wrap(d, result.Bits())
	})
	if in.Op == isa.Div || in.Op == isa.Rem {
		exactly := row.Evaluate
		row.Evaluate = func(s []uint64) []Result {
			if s[1]&lowBits(n) == 0 { // "division by zero yields an unspecified, machine-specific value"
				return []Result{{Bits: lowBits(n), Open: true}}
			}
			return exactly(s)
		}
	}
	return row
}

// integerFunction returns what an operation computes before the result is clamped or cut.
func integerFunction(in *isa.Instr) func(a, b, c *big.Int) *big.Int {
	n, signed := in.Type.Bits(), in.Type.IsSigned()
	switch in.Op {
	case isa.Add:
		return func(a, b, _ *big.Int) *big.Int { return sum(a, b) }
	case isa.Sub:
		return func(a, b, _ *big.Int) *big.Int { return difference(a, b) }
	case isa.Mul, isa.MulWide:
		return func(a, b, _ *big.Int) *big.Int { return product(a, b) }
	case isa.MulHi:
		return func(a, b, _ *big.Int) *big.Int { return shiftRight(product(a, b), n) }
	case isa.Mad, isa.MadWide:
		return func(a, b, c *big.Int) *big.Int { return sum(product(a, b), c) }
	case isa.MadHi:
		return func(a, b, c *big.Int) *big.Int { return sum(shiftRight(product(a, b), n), c) }
	case isa.Sad:
		return func(a, b, c *big.Int) *big.Int {
			if a.Cmp(b) < 0 {
				a, b = b, a
			}
			return sum(c, difference(a, b))
		}
	case isa.Div:
		return func(a, b, _ *big.Int) *big.Int { return new(big.Int).Quo(a, b) }
	case isa.Rem:
		return func(a, b, _ *big.Int) *big.Int { return new(big.Int).Rem(a, b) }
	case isa.Min, isa.Max:
		return func(a, b, _ *big.Int) *big.Int { return lesser(a, b, in.Op == isa.Min) }
	case isa.Abs:
		if signed {
			return func(a, _, _ *big.Int) *big.Int { return new(big.Int).Abs(a) }
		}
	case isa.Neg:
		if signed {
			return func(a, _, _ *big.Int) *big.Int { return new(big.Int).Neg(a) }
		}
	case isa.Mul24, isa.Mul24Hi, isa.Mad24, isa.Mad24Hi:
		if n != 32 {
			return nil
		}
		return func(a, b, c *big.Int) *big.Int {
			low := func(v *big.Int) *big.Int { return readInteger(wrap(v, 24), 24, signed) }
			p := product(low(a), low(b)) // of 48 bits
			if in.Op == isa.Mul24Hi || in.Op == isa.Mad24Hi {
				p = shiftRight(p, 16)
			}
			if in.Op == isa.Mad24 || in.Op == isa.Mad24Hi {
				p = sum(p, c)
			}
			return p
		}
	}
	return nil
}

// rowOfPair returns the rows of integers of 16 bits in pairs.
func rowOfPair(in *isa.Instr) *Row {
	signed := in.Type == isa.S16x2
	part := isa.Instr{Op: in.Op, Type: choose(signed, isa.S16, isa.U16)}
	extreme := in.Op == isa.Min || in.Op == isa.Max
	switch in.Op {
	case isa.Add, isa.Sub, isa.Min, isa.Max, isa.Abs, isa.Neg:
	default:
		return nil
	}
	f := integerFunction(&part)
	if f == nil || in.SrcType != isa.Invalid || !has(in, isa.ModRelu) || in.Relu && (!extreme || !signed) {
		return nil
	}
	types := times(in.Op.Info().Src[0], in.Type)
	return rowOf(in.Type, types, func(s []uint64) (d uint64) {
		for at := 0; at < 32; at += 16 {
			v := make([]*big.Int, 3)
			for i := range types {
				v[i] = readInteger(s[i]>>at, 16, signed)
			}
			r := f(v[0], v[1], v[2])
			if in.Relu && r.Sign() < 0 {
				r = new(big.Int)
			}
			d |= wrap(r, 16) << at
		}
		return d
	})
}

// rowOfDot returns the rows of dp4a and dp2a.
func rowOfDot(in *isa.Instr) *Row {
	mixed := func(t isa.Type) bool { return t == isa.U32 || t == isa.S32 }
	if !mixed(in.Type) || !mixed(in.SrcType) || !has(in, 0) {
		return nil
	}
	return rowOf(isa.B32, []isa.Type{in.Type, in.SrcType, isa.B32}, func(s []uint64) uint64 {
		d := new(big.Int).SetUint64(s[2])
		parts, bits, first := 4, 8, 0
		if in.Op != isa.Dp4a { // halves of a and two bytes of b
			parts, bits = 2, 16
			first = choose(in.Op == isa.Dp2aHi, 2, 0)
		}
		for i := range parts {
			a := readInteger(s[0]>>(bits*i), bits, in.Type == isa.S32)
			b := readInteger(s[1]>>(8*(first+i)), 8, in.SrcType == isa.S32)
			d = sum(d, product(a, b))
		}
		return wrap(d, 32)
	})
}

// rowOfCarry returns the rows of PTX ISA, "Extended-Precision Integer Arithmetic Instructions": the
// first result is that of the type, the second the carry flag. A subtraction adds the complement,
// and its flag says that nothing is borrowed (isa.SubCarry); the manual's is the contrary.
func rowOfCarry(in *isa.Instr, sources int) *Row {
	t, n := in.Type, in.Type.Bits()
	numbers := in.Op.Info().Src[0]
	switch {
	case !isInteger(t), n < 32, in.SrcType != isa.Invalid, !has(in, 0), sources != numbers && sources != numbers+1:
		return nil
	}
	types := times(numbers, t)
	if sources > numbers {
		types = append(types, isa.Pred)
	}
	unsigned := func(x uint64) *big.Int { return readInteger(x, n, false) }
	return &Row{Sources: types, Results: []isa.Type{t, isa.Pred}, Evaluate: func(s []uint64) []Result {
		carry := choose(in.Op == isa.SubCarry, uint64(1), 0)
		if sources > numbers {
			carry = s[numbers] & 1
		}
		var a, b *big.Int
		switch in.Op {
		case isa.AddCarry:
			a, b = unsigned(s[0]), unsigned(s[1])
		case isa.SubCarry: // a - b - borrow = a + (2^n-1-b) + carry - 2^n
			a, b = unsigned(s[0]), unsigned(^s[1])
		default:
			p := product(integerOf(s[0], t), integerOf(s[1], t))
			if in.Op == isa.MadHiCarry {
				p = shiftRight(p, n)
			}
			a, b = unsigned(wrap(p, n)), unsigned(s[2])
		}
		d := sum(sum(a, b), new(big.Int).SetUint64(carry))
		return []Result{{Bits: wrap(d, n)}, {Bits: uint64(d.Bit(n))}}
	}}
}
