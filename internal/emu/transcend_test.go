package emu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
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
					checkApproximation(t, &in, x, y, c.want(float64(f32(x))))
				}
			}
		}
	}
}

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
	got := float64(f32(y))
	unit := math.Abs(float64(math.Nextafter32(float32(want), 0)) - float64(float32(want)))
	if !(math.Abs(got-want) <= 0.51*unit) || f32(y) == 0 != (float32(want) == 0) {
		t.Errorf("%s of %x (%g) gives %x (%g), want %g", in, x, f32(x), y, got, want)
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
	r := rand.New(rand.NewPCG(10, 1))
	for range 3000 {
		x := uint32(r.IntN(0x7f80_0000-0x3f49_0fdb)) + 0x3f49_0fdb + 1 // above pi/4
		n := new(big.Rat).Quo(specOf(isa.F32).exact(uint64(x)), quarter)
		q := roundToInt(n, isa.RoundIntRN)
		n.Sub(n, new(big.Rat).SetInt(q))
		want, _ := n.Mul(n, quarter).Float64()
		gotQ, got := reduce(x)
		if uint64(gotQ&3) != wrapped(q, 2) || math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Fatalf("%x: %d quarters and %g, want %d and %g", x, gotQ&3, got, wrapped(q, 2), want)
		}
	}
}
