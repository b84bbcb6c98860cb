package smt_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"warpbound/internal/smt"
	"warpbound/internal/test/smttest"
)

// TestExtend extends random assertions one by one, as Check answers them together.
func TestExtend(t *testing.T) {
	newSolver := func() *smt.Solver { return smttest.New(t, smt.Z3(), smt.Z3(), time.Hour) }
	step, whole, b := newSolver(), newSolver(), smt.NewBuilder()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		array := b.Var("array", smt.Array(8, 8))
		atom := func() *smt.Term {
			switch r.IntN(4) {
			case 0:
				return b.Var(string(rune('a'+r.IntN(3))), smt.Bits(8))
			case 1:
				return b.Select(array, b.Var(string(rune('a'+r.IntN(3))), smt.Bits(8)))
			}
			return b.Select(array, b.Number(8, uint64(r.IntN(4))))
		}
		var held []*smt.Term
		model := smt.NewModel()
		for range 12 {
			more := b.Ult(b.Add(atom(), b.Number(8, r.Uint64())), atom())
			if r.IntN(2) == 0 {
				more = b.Eq(atom(), b.Number(8, r.Uint64()))
			}
			answer, extended, err := step.Extend(context.Background(), held, model, more)
			if err != nil {
				t.Fatal(err)
			}
			all := append(held[:len(held):len(held)], more)
			if want, _, err := whole.Check(context.Background(), all); err != nil || answer != want {
				t.Fatalf("%v, want %v, %v for %v", answer, want, err, all)
			}
			if answer != smt.Sat {
				continue
			}
			if held, model = all, extended; !smt.NewEvaluator(model).Holds(held) {
				t.Fatalf("the model %+v does not satisfy %v", model, held)
			}
		}
	}
}
