package value

import (
	"math/bits"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// warpLoops counts the executions of the loops of one warp.
type warpLoops struct {
	last    [emu.MaxWidth]int     // block that a lane executed last, or -1
	lanes   [][emu.MaxWidth]int64 // by loop: how often a lane has returned since it entered
	entries []int64
	returns []int64
}

// loopsOf is what an analysis says of the loops of a kernel.
type loopsOf struct {
	*Result
	bounds  []Bound
	follows [][]Bound       // of following them iteration by iteration
	byWarp  map[int][]Bound // for single warps, as these are asked for
}

func newLoopsOf(r *Result, bounds []Bound) *loopsOf {
	return &loopsOf{r, bounds, followed(r, bounds), make(map[int][]Bound)}
}

// ofWarp returns the bounds that hold for one warp; nil if the launch is not known.
func (r *loopsOf) ofWarp(warp int) []Bound {
	if r.Launch.Known() && r.byWarp[warp] == nil {
		one := r.Launch
		one.OneWarp, one.Warp = true, warp
		r.byWarp[warp] = Analyze(r.Graph, one).Loops()
	}
	return r.byWarp[warp]
}

// checkLoops runs a launch and compares the loops of every thread and every warp with
// their bounds, and what lanes agree on with what they do. It returns how many loops have
// bounds.
func checkLoops(t *testing.T, l *flowtest.Launch, r *loopsOf, ctas int) int {
	t.Helper()
	agreed, bounds := r.agreed, r.bounds
	known := 0
	for _, b := range bounds {
		if b.Known {
			known++
		}
	}
	forest := l.Graph.Loops()
	var warps map[int]*warpLoops
	last := (*emu.CTA)(nil)
	number := -1
	l.Run(t, ctas, func(c *emu.CTA, k int) func(*emu.Effect) {
		w := &c.Warps[k]
		if c != last || number != c.Index {
			last, number, warps = c, c.Index, make(map[int]*warpLoops)
		}
		state := warps[k]
		if state == nil {
			state = &warpLoops{lanes: make([][emu.MaxWidth]int64, len(forest.Loops)), entries: make([]int64, len(forest.Loops)), returns: make([]int64, len(forest.Loops))}
			for i := range state.last {
				state.last[i] = -1
			}
			warps[k] = state
		}
		pc, active := w.PC(), w.Active()
		b := l.Graph.BlockOf(pc)
		if pc != l.Graph.Blocks[b].Start {
			return func(eff *emu.Effect) {
				if eff.Diverged && !agreed.Diverges(b) {
					t.Fatalf("lanes diverge at the end of %s", l.Graph.Name(b))
				}
			}
		}
		for reg, v := range r.solution.In[b].All() {
			if agreed.FormVaries(v.Form, b) {
				continue
			}
			first := bits.TrailingZeros64(active)
			for m := active; m != 0; m &= m - 1 {
				if lane := bits.TrailingZeros64(m); w.Register(reg, lane) != w.Register(reg, first) {
					t.Fatalf("%s differs in lanes %d and %d at the beginning of %s, form %s", l.Kernel.Regs[reg].Name, first, lane, l.Graph.Name(b), r.solution.Machine.Syms.Format(v.Form))
				}
			}
		}
		for i := range forest.Loops {
			loop := &forest.Loops[i]
			if loop.Header != b {
				continue
			}
			returned := false
			for m := active; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m)
				if state.last[lane] < 0 || !loop.Contains(state.last[lane]) {
					state.lanes[i][lane] = 0
					continue
				}
				state.lanes[i][lane]++
				returned = true
				for _, bound := range append(r.follows, bounds, r.ofWarp(k)) {
					if bound != nil && bound[i].Known && state.lanes[i][lane] > bound[i].Iterations {
						t.Fatalf("lane %d of warp %d returns to %s %d times; the bound is %d: %s", lane, k, l.Graph.Name(b), state.lanes[i][lane], bound[i].Iterations, bound[i].Reason)
					}
				}
			}
			if returned {
				state.returns[i]++
			} else {
				state.entries[i]++
			}
			if bound := bounds[i]; bound.Known && bound.Together && state.returns[i] > state.entries[i]*bound.Iterations {
				t.Fatalf("warp %d enters the loop at %s %d times and returns %d times; the bound is %d: %s", k, l.Graph.Name(b), state.entries[i], state.returns[i], bound.Iterations, bound.Reason)
			}
		}
		for m := active; m != 0; m &= m - 1 {
			state.last[bits.TrailingZeros64(m)] = b
		}
		return func(eff *emu.Effect) {
			if eff.Diverged && !agreed.Diverges(b) {
				t.Fatalf("lanes diverge at the end of %s", l.Graph.Name(b))
			}
		}
	})
	return known
}

func TestLoopsOfRandomKernels(t *testing.T) {
	all, found := 0, 0
	for _, seed := range effort.Draw(t, 1000) {
		l := flowtest.RandomMixed(t, seed)
		all += len(l.Graph.Loops().Loops)
		r := Analyze(l.Graph, l.Known(seed%3 == 2))
		found += checkLoops(t, l, newLoopsOf(r, r.Loops()), 3)
	}
	t.Logf("%d of %d loops have bounds", found, all)
}

func TestLoopsOfTheSuite(t *testing.T) {
	for _, kernel := range flowtest.Kernels() {
		t.Run(kernel, func(t *testing.T) {
			for _, s := range analyzedSuite(t, kernel) {
				loops := newLoopsOf(s.Result, s.Loops())
				checkLoops(t, flowtest.Suite(t, kernel), loops, s.ctas)
				for _, b := range loops.bounds {
					t.Logf("%s: %v %d %s %s together %v", s.Graph.Name(b.Header), b.Known, b.Iterations, b.Formula, b.Reason, b.Together)
				}
			}
		})
	}
}
