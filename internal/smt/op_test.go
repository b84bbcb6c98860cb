package smt

import (
	"math"
	"math/rand/v2"
	"testing"

	"warpbound/internal/test/effort"
)

func TestOpsAreComplete(t *testing.T) {
	names := make(map[string]bool)
	for o := NoOp + 1; o < numOps; o++ {
		names[ops[o].name] = true
		if ops[o].name == "" {
			t.Errorf("operation %d has no row", o)
		}
		switch o {
		case Const, Var, Fill, Ite, Select, Store:
		default:
			if ops[o].eval == nil {
				t.Errorf("%v cannot be evaluated", o)
			}
		}
	}
	if len(names) < int(numOps)-3 { // SToF has the name of FToF
		t.Error("operations share names")
	}
}

// floatValue draws bits of which each part is often extreme.
func floatValue(r *rand.Rand, f Format) uint64 {
	frac := r.Uint64() & (1<<f.Frac - 1)
	if r.IntN(2) == 0 {
		frac = 1 << r.IntN(f.Frac) >> r.IntN(2)
	}
	exp := r.Uint64() & (1<<f.Exp - 1)
	switch r.IntN(6) {
	case 0:
		exp = 0
	case 1:
		exp = 1<<f.Exp - 1
	case 2, 3:
		exp = uint64(f.bias() + r.IntN(2*f.Frac) - f.Frac)
	}
	if r.IntN(8) == 0 {
		frac = 0
	}
	return r.Uint64()&f.Sign() | (exp&(1<<f.Exp-1))<<f.Frac | frac
}

// TestFloatsAreThoseOfHardware compares what operations give with Go's arithmetic.
func TestFloatsAreThoseOfHardware(t *testing.T) {
	for _, seed := range effort.Draw(t, 200_000) {
		r := rand.New(rand.NewPCG(seed, 2))
		a, b, c := floatValue(r, Double), floatValue(r, Double), floatValue(r, Double)
		x, y, z := math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)
		for what, p := range map[string][2]uint64{
			"add":      {Double.add(a, b, NearestEven), math.Float64bits(x + y)},
			"sub":      {Double.sub(a, b, NearestEven), math.Float64bits(x - y)},
			"mul":      {Double.mul(a, b, NearestEven), math.Float64bits(x * y)},
			"div":      {Double.div(a, b, NearestEven), math.Float64bits(x / y)},
			"fma":      {Double.fma(a, b, c, NearestEven), math.Float64bits(math.FMA(x, y, z))},
			"sqrt":     {Double.sqrt(a, NearestEven), math.Float64bits(math.Sqrt(x))},
			"trunc":    {Double.integral(a, TowardZero), math.Float64bits(math.Trunc(x))},
			"floor":    {Double.integral(a, TowardNegative), math.Float64bits(math.Floor(x))},
			"ceil":     {Double.integral(a, TowardPositive), math.Float64bits(math.Ceil(x))},
			"even":     {Double.integral(a, NearestEven), math.Float64bits(math.RoundToEven(x))},
			"away":     {Double.integral(a, NearestAway), math.Float64bits(math.Round(x))},
			"unsigned": {Double.fromInteger(false, a, NearestEven), math.Float64bits(float64(a))},
		} {
			if p[0] != p[1] && !(Double.isNaN(p[1]) && p[0] == Double.NaN()) {
				t.Fatalf("%s of %x, %x, %x: %x, want %x", what, a, b, c, p[0], p[1])
			}
		}
		single, want := Single.convert(Double, a, NearestEven), uint64(math.Float32bits(float32(x)))
		if single != want && !(x != x && single == Single.NaN()) {
			t.Fatalf("%x as single precision: %x, want %x", a, single, want)
		}
		order := map[bool]order{true: less}[x < y] | map[bool]order{true: equal}[x == y] | map[bool]order{true: greater}[x > y]
		if Double.compare(a, b) != order {
			t.Fatalf("%x and %x compare as %d", a, b, Double.compare(a, b))
		}
	}
}
