package alu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
	"warpbound/internal/vec"
)

// TestTranscendentalHalves checks the approximations in the narrow formats, whose
// every value is tried.
func TestTranscendentalHalves(t *testing.T) {
	for _, op := range []isa.Op{isa.Ex2, isa.Tanh} {
		for _, typ := range []isa.Type{isa.F16, isa.BF16} {
			f := specOf(typ)
			b, err := (&instance{in: isa.Instr{Op: op, Type: typ, Approx: true}, results: []isa.Type{isa.B16}, sources: []isa.Type{isa.B16}}).prepare()
			if err != nil {
				t.Fatal(err)
			}
			for base := 0; base < 1<<16; base += lanes {
				rows := make([][]uint64, lanes)
				for lane := range rows {
					rows[lane] = []uint64{uint64(base + lane)}
				}
				got, err := b.run(rows, 1<<lanes-1)
				if err != nil {
					t.Fatal(err)
				}
				for lane, y := range got[0] {
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

// TestReciprocalRoot checks that the double-precision approximation is the rounded reciprocal of the
// rounded root.
func TestReciprocalRoot(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	f := specOf(isa.F64)
	in := isa.Instr{Op: isa.Rsqrt, Type: isa.F64, Approx: true}
	b, err := (&instance{in: in, results: []isa.Type{isa.B64}, sources: []isa.Type{isa.B64}}).prepare()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		rows := values(r, []isa.Type{isa.F64}, lanes)
		got, err := b.run(rows, 1<<lanes-1)
		if err != nil {
			t.Fatal(err)
		}
		for lane, y := range got[0] {
			x := rows[lane][0]
			want := f64(f.over(uint64(f.bias())<<f.frac, f.root(x, isa.RoundRN), isa.RoundRN))
			if g := f64(y); g != want && !(math.IsNaN(want) && y == f.canonical()) {
				t.Fatalf("rsqrt of %x gives %g, want %g", x, g, want)
			}
		}
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
