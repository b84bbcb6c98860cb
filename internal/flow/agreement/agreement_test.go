package agreement

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// solved returns the solution for values if nothing is known of memory, and lanes execute all
// operations apart from others that take part.
func solved(t *testing.T, g *cfg.Graph, launch launchfacts.Launch) *fixpoint.Solution {
	s := fixpoint.NewSolver(g, launch, nil, map[isa.Op]bool{isa.Shfl: true, isa.Vote: true, isa.Redux: true})
	if err := s.Solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s.Finish()
}

// checkAgreement runs a launch and compares what lanes agree on with what they do: which registers
// hold one word in all lanes at the beginning of a block, and at the ends of which blocks lanes do
// not diverge.
func checkAgreement(t *testing.T, l *flowtest.Launch, vague bool, ctas int) {
	t.Helper()
	s := solved(t, l.Graph, l.Known(vague))
	r := flowtest.Must(Find(t.Context(), s, nil))
	l.Run(t, ctas, func(c *emu.CTA, k int) func(*emu.Effect) {
		w := &c.Warps[k]
		pc, active := w.PC(), w.Active()
		b := l.Graph.BlockOf(pc)
		if pc == l.Graph.Blocks[b].Start {
			checkRegisters(t, l, s, r, w, b, active)
		}
		return func(eff *emu.Effect) {
			if eff.Diverged && !r.diverges(b) {
				t.Fatalf("lanes diverge at the end of %s", l.Graph.Name(b))
			}
		}
	})
}

// checkRegisters compares the registers on which lanes agree at the beginning of a block.
func checkRegisters(
	t *testing.T, l *flowtest.Launch, s *fixpoint.Solution, r *Result, w *emu.Warp, b int, active uint64,
) {
	t.Helper()
	first := bits.TrailingZeros64(active)
	for reg, v := range s.In[b].All() {
		if r.FormVaries(v.Form, b) {
			continue
		}
		for m := active; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m); w.Register(reg, lane) != w.Register(reg, first) {
				t.Fatalf("%s differs in lanes %d and %d at the beginning of %s, form %s", l.Kernel.Regs[reg].Name,
					first, lane, l.Graph.Name(b), s.Machine.Syms.Format(v.Form))
			}
		}
	}
}

// What lanes of random kernels are said to agree on they do agree on.
func TestAgreementOfRandomKernels(t *testing.T) {
	for _, seed := range effort.Draw(t, 1000) {
		checkAgreement(t, flowtest.RandomMixed(t, seed), seed%3 == 2, 3)
	}
}

// The same for kernels of which the analysis does not know an instruction.
func TestAgreementBesideUnmodelledInstructions(t *testing.T) {
	for _, seed := range effort.Draw(t, 200) {
		l := flowtest.RandomMixed(t, seed)
		places := flowtest.Replaceable(l.Kernel)
		l = l.Replaced(t, places[rand.New(rand.NewPCG(seed, 1)).IntN(len(places))], seed%2 == 0)
		checkAgreement(t, l, seed%3 == 2, 2)
	}
}

// The same for the suite, with all that is known of its launches and with little.
func TestAgreementOfTheSuite(t *testing.T) {
	for _, kernel := range flowtest.Kernels() {
		t.Run(kernel, func(t *testing.T) {
			for _, vague := range []bool{false, true} {
				checkAgreement(t, flowtest.Suite(t, kernel), vague, 1)
			}
		})
	}
}
