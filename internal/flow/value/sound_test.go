package value

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// states returns what is known before each instruction, and behind it; nil where control
// never comes.
func (r *Result) states() (before, behind []*transfer.State) {
	before, behind = make([]*transfer.State, len(r.Graph.Kernel.Instrs)), make([]*transfer.State, len(r.Graph.Kernel.Instrs))
	for b, block := range r.Graph.Blocks {
		if r.solution.In[b] == nil {
			continue
		}
		st := r.solution.In[b]
		for pc := block.Start; pc < block.End; pc++ {
			before[pc] = st
			st = st.Clone()
			r.solution.Machine.Execute(st, pc)
			behind[pc] = st
		}
	}
	return before, behind
}

// checkValues runs a launch and compares every register with what is known of it: at the
// beginning of a block those that are live, and every result.
func checkValues(t *testing.T, l *flowtest.Launch, r *Result, ctas int) {
	t.Helper()
	before, behind := r.states()
	live := cfg.Liveness(l.Graph)
	holds := func(what string, pc int, st *transfer.State, w *emu.Warp, reg isa.Reg, mask uint64) {
		if st == nil {
			t.Fatalf("%s %s is reached, which was thought impossible", what, l.Kernel.Format(&l.Kernel.Instrs[pc]))
		}
		if st.Get(reg) == nil {
			return
		}
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			if x := w.Register(reg, lane); !st.Get(reg).Set.Contains(x) {
				t.Fatalf("%s instruction %d, %s, %s is %d (%#x) in lane %d, not in %s (%+v), form %s", what, pc, l.Kernel.Format(&l.Kernel.Instrs[pc]),
					l.Kernel.Regs[reg].Name, x, x, lane, st.Get(reg).Set, st.Get(reg).Set, r.solution.Machine.Syms.Format(st.Get(reg).Form))
			}
		}
	}
	l.Run(t, ctas, func(c *emu.CTA, warp int) func(*emu.Effect) {
		w := &c.Warps[warp]
		pc, active := w.PC(), w.Active()
		if pc > 0 && l.Graph.BlockOf(pc-1) == l.Graph.BlockOf(pc) { // lanes may have waited for others there
			if in := &l.Kernel.Instrs[pc-1]; in.Op.Info().Effect&(isa.Barriers|isa.Crosslane) != 0 {
				in.Writes(func(reg isa.Reg) { holds("after", pc-1, behind[pc-1], w, reg, active) })
			}
		}
		if b := l.Graph.BlockOf(pc); l.Graph.Blocks[b].Start == pc {
			for _, reg := range live.In(b) {
				holds("before", pc, before[pc], w, reg, active)
			}
		}
		return func(eff *emu.Effect) {
			if eff.Mask == 0 || eff.Separate || l.Kernel.Instrs[pc].Op == isa.Bar { // its result is there when all have come
				return
			}
			l.Kernel.Instrs[pc].Writes(func(reg isa.Reg) { holds("behind", pc, behind[pc], w, reg, eff.Mask) })
		}
	})
}

// Whatever a random kernel computes is in the sets of its registers.
func TestValuesOfRandomKernels(t *testing.T) {
	for _, seed := range effort.Draw(t, 1000) {
		l := flowtest.RandomMixed(t, seed)
		checkValues(t, l, flowtest.Must(Analyze(t.Context(), l.Graph, l.Known(seed%3 == 2))), 3)
	}
}

// What is found out about a kernel of which the analysis does not know an instruction holds of
// its runs.
func TestUnmodelledInstruction(t *testing.T) {
	for _, seed := range effort.Draw(t, 200) {
		l := flowtest.RandomMixed(t, seed)
		places := flowtest.Replaceable(l.Kernel)
		l = l.Replaced(t, places[rand.New(rand.NewPCG(seed, 1)).IntN(len(places))], seed%2 == 0)
		checkValues(t, l, flowtest.Must(Analyze(t.Context(), l.Graph, l.Known(seed%3 == 2))), 2)
	}
}

// The same for the suite, with all that is known of its launches and with little.
func TestValuesOfTheSuite(t *testing.T) {
	for _, kernel := range effort.Some(t, flowtest.Kernels(), 15) {
		t.Run(kernel, func(t *testing.T) {
			for _, c := range []struct {
				vague bool
				ctas  int
			}{{false, 2}, {true, 1}} {
				l := flowtest.Suite(t, kernel)
				checkValues(t, l, flowtest.Must(Analyze(t.Context(), l.Graph, l.Known(c.vague))), c.ctas)
			}
		})
	}
}
