package alu

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
)

// has reports whether an instruction has no modifiers but those named.
func has(in *isa.Instr, allowed ...string) bool {
	rest := *in
	for _, name := range allowed {
		switch name {
		case "ftz":
			rest.FTZ = false
		case "sat":
			rest.Sat = false
		case "approx":
			rest.Approx = false
		case "full":
			rest.Full = false
		case "nan":
			rest.NaN = false
		case "wrap":
			rest.Wrap = false
		case "shiftamt":
			rest.ShiftAmt = false
		case "relu":
			rest.Relu = false
		case "abs":
			rest.Abs = false
		case "xorsign":
			rest.XorSign = false
		case "finite":
			rest.Finite = false
		case "permute":
			rest.Permute = isa.PermuteBytes
		case "round":
			rest.Round = isa.RoundDefault
		}
	}
	return rest.Round == isa.RoundDefault && rest.Permute == isa.PermuteBytes &&
		!rest.FTZ && !rest.Sat && !rest.Approx && !rest.Full &&
		!rest.NaN && !rest.Wrap && !rest.ShiftAmt && !rest.Relu && !rest.Abs && !rest.XorSign && !rest.Finite
}

// variants lists the modifiers that the oracle tries on arithmetic: none and
// each alone, with the rounding modes combined.
func variants(in isa.Instr) []isa.Instr {
	var list []isa.Instr
	for _, round := range []isa.Round{isa.RoundDefault, isa.RoundRN, isa.RoundRZ, isa.RoundRM, isa.RoundRP, isa.RoundIntRN} {
		for _, ftz := range []bool{false, true} {
			for _, sat := range []bool{false, true} {
				for _, approx := range []bool{false, true} {
					v := in
					v.Round, v.FTZ, v.Sat, v.Approx = round, ftz, sat, approx
					list = append(list, v)
				}
			}
		}
	}
	for p := isa.PermuteF4E; p <= isa.PermuteRC16; p++ {
		v := in
		v.Permute = p
		list = append(list, v)
	}
	for _, set := range []func(*isa.Instr){
		func(v *isa.Instr) { v.NaN = true },
		func(v *isa.Instr) { v.NaN, v.FTZ = true, true },
		func(v *isa.Instr) { v.Wrap = true },
		func(v *isa.Instr) { v.ShiftAmt = true },
		func(v *isa.Instr) { v.Relu = true },
		func(v *isa.Instr) { v.Relu, v.Sat = true, true },
		func(v *isa.Instr) { v.Relu, v.FTZ = true, true },
		func(v *isa.Instr) { v.Relu, v.Round = true, isa.RoundRN },
		func(v *isa.Instr) { v.Relu, v.Round, v.FTZ = true, isa.RoundRN, true },
		func(v *isa.Instr) { v.Abs = true },
		func(v *isa.Instr) { v.XorSign = true },
		func(v *isa.Instr) { v.Abs, v.XorSign = true, true },
		func(v *isa.Instr) { v.Abs, v.XorSign, v.NaN = true, true, true },
		func(v *isa.Instr) { v.Abs, v.XorSign, v.FTZ = true, true, true },
		func(v *isa.Instr) { v.Finite = true },
		func(v *isa.Instr) { v.Full = true },
		func(v *isa.Instr) { v.Full, v.FTZ = true, true },
		func(v *isa.Instr) { v.Full, v.Approx = true, true },
		func(v *isa.Instr) { v.Full, v.Round = true, isa.RoundRN },
	} {
		v := in
		set(&v)
		list = append(list, v)
	}
	return list
}

// operandTypes gives the types of the result and of the sources of an
// arithmetic operation.
func operandTypes(in *isa.Instr) (isa.Type, []isa.Type) {
	t := in.Type
	double := map[isa.Type]isa.Type{isa.U16: isa.U32, isa.S16: isa.S32, isa.U32: isa.U64, isa.S32: isa.S64}
	wide, ok := double[t]
	if !ok {
		wide = t
	}
	switch in.Op {
	case isa.MulWide:
		return wide, []isa.Type{t, t}
	case isa.MadWide:
		return wide, []isa.Type{t, t, wide}
	case isa.Shl, isa.Shr:
		return t, []isa.Type{t, isa.U32}
	case isa.Szext:
		return t, []isa.Type{t, isa.U32}
	case isa.Bfe:
		return t, []isa.Type{t, isa.U32, isa.U32}
	case isa.Bfi:
		return t, []isa.Type{t, t, isa.U32, isa.U32}
	case isa.Popc, isa.Clz, isa.Bfind:
		return isa.U32, []isa.Type{t}
	case isa.Lop3:
		return t, []isa.Type{t, t, t, isa.U32}
	}
	n := in.Op.Info().Src[1]
	if in.Op == isa.Min || in.Op == isa.Max {
		n = 2 // TestOracleThree has those of three
	}
	sources := make([]isa.Type, n)
	for i := range sources {
		sources[i] = t
	}
	return t, sources
}

var arithmeticOps = []isa.Op{
	isa.Add, isa.Sub, isa.Mul, isa.MulHi, isa.MulWide, isa.Mad, isa.MadHi, isa.MadWide, isa.Mul24, isa.Mad24, isa.Mul24Hi, isa.Mad24Hi,
	isa.Fma, isa.Div, isa.Rem, isa.Abs, isa.Neg, isa.Min, isa.Max, isa.Sad, isa.Rcp, isa.Sqrt, isa.Copysign,
	isa.And, isa.Or, isa.Xor, isa.Not, isa.Cnot, isa.Shl, isa.Shr, isa.ShfL, isa.ShfR, isa.Lop3, isa.Prmt,
	isa.Popc, isa.Clz, isa.Bfind, isa.Brev, isa.Bfe, isa.Bfi,
	isa.Szext, isa.Bmsk, isa.Fns,
}

func TestOracleArithmetic(t *testing.T) {
	for _, seed := range effort.Draw(t, 100) {
		oracleArithmetic(t, rand.New(rand.NewPCG(seed, 1)))
	}
}

// oracleArithmetic compares all instructions on a few values each.
func oracleArithmetic(t *testing.T, r *rand.Rand) {
	for _, op := range arithmeticOps {
		for _, typ := range allTypes() {
			if typ == isa.Pred {
				continue // TestOraclePredicates
			}
			for _, in := range variants(isa.Instr{Op: op, Type: typ}) {
				var want func([4]uint64) uint64
				for _, def := range []define{defineInteger, definePair, defineBits, defineBitmask, defineFloat} {
					if want == nil {
						want = def(&in)
					}
				}
				dst, sources := operandTypes(&in)
				c := instance{in: in, dst: words(dst)[0], sources: words(sources...)}
				if want == nil {
					c.check(t, nil, nil)
					continue
				}
				rows := values(r, sources, 64)
				if op == isa.Lop3 {
					for range 4 {
						c.imms = map[int]uint64{3: uint64(r.IntN(256))}
						c.check(t, want, rows[:32])
					}
					continue
				}
				if typ.IsFloat() && len(sources) == 3 {
					cancel(r, typ, rows[32:])
				}
				c.check(t, want, rows)
			}
		}
	}
}
