package alu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
	"warpbound/internal/vec"
)

// TestTranscendental compares the approximations with what the standard library
// computes in double precision: they must be as good as a result in single
// precision can be, far inside the bounds that PTX sets.
func TestTranscendental(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for _, c := range []struct {
		op   isa.Op
		want func(x float64) float64
	}{
		{isa.Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }},
		{isa.Sin, math.Sin},
		{isa.Cos, math.Cos},
		{isa.Lg2, math.Log2},
		{isa.Ex2, math.Exp2},
		{isa.Tanh, math.Tanh},
	} {
		for _, ftz := range []bool{false, true} {
			in := isa.Instr{Op: c.op, Type: isa.F32, Approx: true, FTZ: ftz}
			b, err := (&instance{in: in, dst: isa.B32, sources: []isa.Type{isa.B32}}).prepare()
			if c.op == isa.Tanh && ftz {
				if err == nil {
					t.Errorf("%s is accepted; PTX has no such instruction", &in)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for range 300 {
				rows := values(r, []isa.Type{isa.F32}, lanes)
				got, err := b.run(rows, 1<<lanes-1)
				if err != nil {
					t.Fatal(err)
				}
				for lane, y := range got {
					x := rows[lane][0]
					if ftz {
						x = specOf(isa.F32).flushed(x)
					}
					checkApproximation(t, &in, x, y, c.want(float64(f32(uint32(x)))))
				}
			}
		}
	}
}

// TestTranscendentalForms checks on which types and with which modifiers there
// are approximations.
func TestTranscendentalForms(t *testing.T) {
	half := []isa.Type{isa.F16, isa.F16x2}
	brain := []isa.Type{isa.BF16, isa.BF16x2}
	plain := map[isa.Op][]isa.Type{
		isa.Rsqrt: {isa.F32, isa.F64}, isa.Sin: {isa.F32}, isa.Cos: {isa.F32}, isa.Lg2: {isa.F32},
		isa.Ex2: slices.Concat([]isa.Type{isa.F32}, half, brain), isa.Tanh: slices.Concat([]isa.Type{isa.F32}, half, brain),
	}
	flushing := map[isa.Op][]isa.Type{
		isa.Rsqrt: plain[isa.Rsqrt], isa.Sin: {isa.F32}, isa.Cos: {isa.F32}, isa.Lg2: {isa.F32}, isa.Ex2: append(brain, isa.F32),
	}
	for op := range plain {
		for _, typ := range allTypes() {
			for _, in := range variants(isa.Instr{Op: op, Type: typ}) {
				defined := plain[op]
				if in.FTZ {
					defined = flushing[op]
				}
				in.Approx = true
				want := slices.Contains(defined, typ) && in.HasOnly(isa.ModApprox|isa.ModFTZ)
				_, err := (&instance{in: in, dst: words(typ)[0], sources: words(typ)}).prepare()
				if (err == nil) != want {
					t.Errorf("%s: got error %v, want it accepted: %t", &in, err, want)
				}
			}
		}
	}
}

// TestTranscendentalHalves checks the approximations in the narrow formats, whose
// every value is tried.
func TestTranscendentalHalves(t *testing.T) {
	for _, op := range []isa.Op{isa.Ex2, isa.Tanh} {
		for _, typ := range []isa.Type{isa.F16, isa.BF16} {
			f := specOf(typ)
			b, err := (&instance{in: isa.Instr{Op: op, Type: typ, Approx: true}, dst: isa.B16, sources: []isa.Type{isa.B16}}).prepare()
			if err != nil {
				t.Fatal(err)
			}
			for base := 0; base < 1<<16; base += lanes {
				rows := make([][4]uint64, lanes)
				for lane := range rows {
					rows[lane][0] = uint64(base + lane)
				}
				got, err := b.run(rows, 1<<lanes-1)
				if err != nil {
					t.Fatal(err)
				}
				for lane, y := range got {
					if x := rows[lane][0]; y != nearestHalf(f, op, x) {
						t.Fatalf("%s.%s of %x gives %x, want %x", op, typ, x, y, nearestHalf(f, op, x))
					}
				}
			}
		}
	}
}

// nearestHalf rounds what the standard library computes to a narrow format.
func nearestHalf(f spec, op isa.Op, x uint64) uint64 {
	var v float64
	switch {
	case f.nan(x):
		return f.canonical()
	case f.inf(x) && op == isa.Ex2 && f.negative(x):
		return 0
	case f.inf(x) && op == isa.Ex2:
		return f.infinity()
	case f.inf(x):
		return f.signed(uint64(f.bias())<<f.frac, f.negative(x))
	case f.zero(x) && op == isa.Tanh:
		return x
	}
	v, _ = f.exact(x).Float64()
	if op == isa.Ex2 {
		v = math.Exp2(v)
	} else {
		v = math.Tanh(v)
	}
	switch {
	case math.IsInf(v, 1):
		return f.infinity()
	case v == 0:
		return f.signed(0, f.negative(x) && op == isa.Tanh)
	}
	return f.round(new(big.Rat).SetFloat64(v), isa.RoundRN)
}

// TestReciprocalRoot checks the double-precision approximation.
func TestReciprocalRoot(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	f := specOf(isa.F64)
	eachDouble(t, r, &isa.Instr{Op: isa.Rsqrt, Type: isa.F64, Approx: true}, func(x, y uint64) {
		want := f64(f.over(uint64(f.bias())<<f.frac, f.root(x, isa.RoundRN), isa.RoundRN))
		if g := f64(y); g != want && !(math.IsNaN(want) && y == f.canonical()) {
			t.Fatalf("rsqrt of %x gives %g, want %g", x, g, want)
		}
	})
}

// eachDouble calls check with sources of an instruction on doubles and its results.
func eachDouble(t *testing.T, r *rand.Rand, in *isa.Instr, check func(x, y uint64)) {
	t.Helper()
	b, err := (&instance{in: *in, dst: isa.B64, sources: []isa.Type{isa.B64}}).prepare()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		rows := values(r, []isa.Type{isa.F64}, lanes)
		for lane := range 4 { // what counts is above the lower word, or all in it
			rows[lane][0] &^= LowBits(20 * lane)
			rows[lane+4][0] = upperSpecials[r.IntN(len(upperSpecials))]<<32 | r.Uint64()&LowBits(32)
		}
		got, err := b.run(rows, 1<<lanes-1)
		if err != nil {
			t.Fatal(err)
		}
		for lane, y := range got {
			check(rows[lane][0], y)
		}
	}
}

// upperSpecials are upper words of zeros, the least and greatest subnormal numbers, the least
// normal ones, 2^1022 and its neighbours, the greatest numbers, infinities and NaN.
var upperSpecials = []uint64{
	0, 1 << 31, 1, 0x80000001, 0x000fffff, 0x800fffff, 0x00100000, 0x80100000, 0x7fd00000, 0x7fd00001, 0xffcfffff,
	0x7fefffff, 0xffefffff, 0x7ff00000, 0xfff00000, 0x7ff80000, 0xfff00001,
}

// TestUpperWords checks the approximations of doubles that the manual defines by upper words (PTX
// ISA, "rcp.approx.ftz.f64" and "rsqrt.approx.ftz.f64"): the lower words of sources do not count,
// those of results are zero, and so is what would be subnormal.
func TestUpperWords(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	f := upperSpec
	one := uint64(f.bias()) << f.frac
	for op, exact := range map[isa.Op]func(x *big.Rat) *big.Float{
		isa.Rcp: func(x *big.Rat) *big.Float { return bigFloat(new(big.Rat).Inv(x)) },
		isa.Rsqrt: func(x *big.Rat) *big.Float {
			root := bigFloat(x)
			return root.Quo(bigFloat(big.NewRat(1, 1)), root.Sqrt(root))
		},
	} {
		eachDouble(t, r, &isa.Instr{Op: op, Type: isa.F64, Approx: true, FTZ: true}, func(x, y uint64) {
			if y&LowBits(32) != 0 {
				t.Errorf("%s of %016x gives %016x, with a lower word", op, x, y)
			}
			a, d := f.flushed(x>>32), y>>32
			var want uint64
			switch {
			case f.nan(a), op == isa.Rsqrt && f.negative(a) && !f.zero(a):
				want = f.canonical()
			case f.inf(a), f.zero(a):
				want = f.over(one, a, isa.RoundRN)
			default:
				v := exact(f.exact(a))
				if magnitude := new(big.Float).Abs(v); magnitude.Cmp(bigFloat(pow2(1-f.bias()))) < 0 {
					want = f.signed(0, f.negative(a)) // subnormal
					break
				}
				if f.nan(d) || f.inf(d) {
					t.Errorf("%s of %016x gives %016x", op, x, y)
					return
				}
				rat, _ := v.Rat(nil)
				off := new(big.Rat).Sub(f.exact(d), rat)
				off.Quo(off.Abs(off), unitOf(f, rat.Abs(rat)))
				if off.Cmp(big.NewRat(51, 100)) > 0 {
					u, _ := off.Float64()
					t.Errorf("%s of %016x gives %016x, which is off by %g units of the upper word", op, x, y, u)
				}
				return
			}
			if d != want {
				t.Errorf("%s of %016x gives %016x, want the upper word %08x", op, x, y, want)
			}
		})
	}
}

// bigFloat returns a rational to 300 bits.
func bigFloat(v *big.Rat) *big.Float { return new(big.Float).SetPrec(300).SetRat(v) }

// checkApproximation allows an error of little more than half a unit in the last
// place.
func checkApproximation(t *testing.T, in *isa.Instr, x, y uint64, want float64) {
	t.Helper()
	f := specOf(isa.F32)
	if math.IsNaN(want) {
		if y != f.canonical() {
			t.Errorf("%s of %x gives %x, want the canonical NaN", in, x, y)
		}
		return
	}
	nearest := math.Float32bits(float32(want))
	if in.FTZ {
		nearest = uint32(f.flushed(uint64(nearest)))
	}
	if uint64(nearest) == y {
		return
	}
	got := float64(f32(uint32(y)))
	unit := math.Abs(float64(math.Nextafter32(float32(want), 0)) - float64(float32(want)))
	if !(math.Abs(got-want) <= 0.51*unit) || f32(uint32(y)) == 0 != (float32(want) == 0) {
		t.Errorf("%s of %x (%g) gives %x (%g), want %g", in, x, f32(uint32(x)), y, got, want)
	}
}

// TestReduceExactly compares the reduction of large arguments with exact
// arithmetic.
func TestReduceExactly(t *testing.T) {
	const places = 600
	// pi = 16 arctan(1/5) - 4 arctan(1/239), in units of 2^-places
	arctan := func(n int64) *big.Int {
		term := new(big.Int).Lsh(big.NewInt(1), places)
		term.Quo(term, big.NewInt(n))
		sum := new(big.Int)
		for k := int64(1); term.Sign() != 0; k += 2 {
			part := new(big.Int).Quo(term, big.NewInt(k))
			if k%4 == 3 {
				part.Neg(part)
			}
			sum.Add(sum, part)
			term.Quo(term, big.NewInt(n*n))
		}
		return sum
	}
	pi := arctan(5)
	pi.Mul(pi, big.NewInt(16))
	pi.Sub(pi, new(big.Int).Mul(arctan(239), big.NewInt(4)))
	quarter := new(big.Rat).SetFrac(pi, new(big.Int).Lsh(big.NewInt(1), places+1))
	for _, seed := range effort.Draw(t, 30_000) {
		r := rand.New(rand.NewPCG(seed, 10))
		x := uint32(r.IntN(0x7f80_0000-0x3f49_0fdb)) + 0x3f49_0fdb + 1 // above pi/4
		n := new(big.Rat).Quo(specOf(isa.F32).exact(uint64(x)), quarter)
		q := roundToInt(n, isa.RoundIntRN)
		n.Sub(n, new(big.Rat).SetInt(q))
		want, _ := n.Mul(n, quarter).Float64()
		gotQ, got := vec.Reduce(x)
		if uint64(gotQ&3) != wrapped(q, 2) || math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Fatalf("%x: %d quarters and %g, want %d and %g", x, gotQ&3, got, wrapped(q, 2), want)
		}
		if minusQ, minus := vec.Reduce(x | 1<<31); minusQ != -gotQ || minus != -got {
			t.Fatalf("-%x: %d quarters and %g, want %d and %g", x, minusQ, minus, -gotQ, -got)
		}
	}
}
