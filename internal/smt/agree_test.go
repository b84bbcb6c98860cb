package smt_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warpbound/internal/smt"
	"warpbound/internal/test/smttest"
)

// TestSolversAgree asks solvers whether operations on numbers can give anything but what
// their evaluation gives.
func TestSolversAgree(t *testing.T) {
	for rounds, c := range map[int]smt.Command{4: smt.Z3(), 1: smt.CVC5()} {
		t.Run(c.Name, func(t *testing.T) {
			s := smttest.New(t, c, c, time.Hour)
			b := smt.NewPlainBuilder()
			g := &operations{b: b, r: rand.New(rand.NewPCG(3, 5))}
			for range rounds { // one of the two is slow
				g.bits()
				g.floats()
			}
			e := smt.NewEvaluator(smt.NewModel())
			for batch := range slices.Chunk(g.results, 16) {
				all := b.Truth(true)
				for _, x := range batch {
					want := b.Truth(e.Eval(x) == 1)
					if x.Sort() != smt.Bool {
						want = b.Number(x.Width(), e.Eval(x))
					}
					all = b.And(all, b.Eq(x, want))
				}
				answer, _, err := s.Check(context.Background(), []*smt.Term{b.Not(all)})
				if err != nil || answer != smt.Unsat {
					t.Fatalf("%v, %v for not %v", answer, err, all)
				}
			}
		})
	}
}

// operations applies every operation to random numbers.
type operations struct {
	b       *smt.Builder
	r       *rand.Rand
	results []*smt.Term
}

func (g *operations) number(width int) uint64 {
	x := g.r.Uint64()
	switch g.r.IntN(4) {
	case 0:
		x = uint64(g.r.IntN(width + 3))
	case 1:
		x = -uint64(g.r.IntN(5))
	case 2:
		x >>= g.r.IntN(64)
	}
	return x & (^uint64(0) >> (64 - width))
}

func (g *operations) add(terms ...*smt.Term) { g.results = append(g.results, terms...) }

func (g *operations) bits() {
	b := g.b
	for _, width := range []int{1, 7, 8, 31, 32, 64} {
		x, y := g.b.Number(width, g.number(width)), g.b.Number(width, g.number(width))
		c := b.Ult(x, y)
		g.add(c, b.Ule(x, y), b.Slt(x, y), b.Sle(x, y), b.Eq(x, y), b.And(c, b.Not(b.Eq(x, y))),
			b.BvNot(x), b.BvNeg(x), b.BvAnd(x, y), b.BvOr(x, y), b.BvXor(x, y), b.Add(x, y), b.Sub(x, y), b.Mul(x, y),
			b.UDiv(x, y), b.URem(x, y), b.SDiv(x, y), b.SRem(x, y), b.Shl(x, y), b.Lshr(x, y), b.Ashr(x, y),
			b.Ite(c, x, y), b.ZeroExt(x, 64), b.SignExt(x, 64), b.Extract(y, width/2, 1+width/4))
		if width <= 32 {
			g.add(b.MulHi(x, y), b.SMulHi(x, y), b.Concat(x, y))
		}
		a := b.Store(b.Fill(width, b.Number(8, 3)), x, b.Number(8, 200))
		g.add(b.Select(a, y), b.Select(a, x))
	}
}

func (g *operations) floats() {
	b := g.b
	for _, f := range []smt.Format{smt.Half, smt.BFloat, smt.Single, smt.Double} {
		w := f.Width()
		draw := func() *smt.Term {
			x := g.number(w)
			switch g.r.IntN(4) {
			case 0:
				x = f.One() + uint64(g.r.IntN(1<<f.Frac))<<g.r.IntN(3)&f.NaN()
			case 1:
				x = []uint64{0, f.Sign(), f.Inf(), f.Inf() | f.Sign(), f.NaN(), f.Inf() - 1, f.Sign() | 1}[g.r.IntN(7)]
			}
			return g.b.Number(w, x)
		}
		x, y, z := draw(), draw(), draw()
		g.add(b.FEq(f, x, y), b.FLt(f, x, y), b.FLe(f, x, y), b.FIsNaN(f, x))
		for range 2 {
			m := smt.Mode(g.r.IntN(5))
			g.add(b.FAdd(f, m, x, y), b.FSub(f, m, x, y), b.FMul(f, m, x, y), b.FDiv(f, m, x, y), b.FFma(f, m, x, y, z),
				b.FSqrt(f, m, x), b.FRound(f, m, x), b.FAdd(f, m, b.FMul(f, m, x, y), z),
				b.FToF(f, smt.Half, m, x), b.FToF(f, smt.Single, m, x), b.FToF(f, smt.Double, m, x))
			for _, n := range []int{32, 64} {
				i := g.b.Number(n, g.number(n))
				g.add(b.UToF(f, m, i), b.SToF(f, m, i), b.FToU(f, m, x, n), b.FToS(f, m, x, n))
			}
		}
	}
}

// TestLimitedSolversGiveUp asks for the factors of a number: too much work for the limits. The session goes on.
func TestLimitedSolversGiveUp(t *testing.T) {
	for _, c := range []smt.Command{smt.LimitedZ3(), smt.LimitedCVC5()} {
		t.Run(c.Name, func(t *testing.T) {
			s := smttest.New(t, c, c, time.Hour)
			b := smt.NewBuilder()
			x, y := b.Var("x", smt.Bits(64)), b.Var("y", smt.Bits(64))
			small := func(v *smt.Term) *smt.Term {
				return b.And(b.Ult(b.Number(64, 1), v), b.Ult(v, b.Number(64, 1<<32)))
			}
			hard := []*smt.Term{small(x), small(y), b.Eq(b.Mul(x, y), b.Number(64, 3037000493*2654435761))}
			for range 2 {
				if answer, _, err := s.Check(t.Context(), hard); answer != smt.Unknown || err != nil {
					t.Errorf("%v, %v", answer, err)
				}
				if answer, _, err := s.Check(t.Context(), []*smt.Term{b.Eq(b.Add(x, y), b.Number(64, 7))}); answer != smt.Sat || err != nil {
					t.Errorf("%v, %v after that", answer, err)
				}
			}
			if n := s.Stats().Starts; n != 1 {
				t.Errorf("%d solvers were started", n)
			}
		})
	}
}
