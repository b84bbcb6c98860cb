package loopbound_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
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
	graph   *cfg.Graph
	launch  launchfacts.Launch
	bounds  []loopbound.Bound
	follows [][]loopbound.Bound       // of following them iteration by iteration
	byWarp  map[int][]loopbound.Bound // for single warps, as these are asked for
}

func newLoopsOf(t *testing.T, g *cfg.Graph, launch launchfacts.Launch) *loopsOf {
	t.Helper()
	bounds := flowtest.Must(value.Analyze(t.Context(), g, launch)).Loops()
	return &loopsOf{g, launch, bounds, loopbound.Follow(solved(t, g, launch), bounds), make(map[int][]loopbound.Bound)}
}

// solved returns the solution for values if nothing is known of memory, and lanes execute all
// operations apart from others that take part.
func solved(t *testing.T, g *cfg.Graph, launch launchfacts.Launch) *fixpoint.Solution {
	t.Helper()
	s := fixpoint.NewSolver(g, launch, nil, map[isa.Op]bool{isa.Shfl: true, isa.Vote: true, isa.Redux: true})
	if err := s.Solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.NarrowTo(t.Context(), flowtest.Must(loopbound.FindLimits(t.Context(), s.Solution))); err != nil {
		t.Fatal(err)
	}
	return s.Finish()
}

// ofWarp returns the bounds that hold for one warp; nil if the launch is not known.
func (r *loopsOf) ofWarp(t *testing.T, warp int) []loopbound.Bound {
	if r.launch.Known() && r.byWarp[warp] == nil {
		one := r.launch
		one.OneWarp, one.Warp = true, warp
		r.byWarp[warp] = flowtest.Must(value.Analyze(t.Context(), r.graph, one)).Loops()
	}
	return r.byWarp[warp]
}

// checkLoops runs a launch and compares the loops of every thread and every warp with
// their bounds. It returns how many loops have bounds.
func checkLoops(t *testing.T, l *flowtest.Launch, r *loopsOf, ctas int) int {
	t.Helper()
	bounds := r.bounds
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
			return nil
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
				for _, bound := range append(r.follows, bounds, r.ofWarp(t, k)) {
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
		return nil
	})
	return known
}

// Loops of random kernels return no oftener than their bounds say.
func TestLoopsOfRandomKernels(t *testing.T) {
	all, found := 0, 0
	for _, seed := range effort.Draw(t, 1000) {
		l := flowtest.RandomMixed(t, seed)
		all += len(l.Graph.Loops().Loops)
		found += checkLoops(t, l, newLoopsOf(t, l.Graph, l.Known(seed%3 == 2)), 3)
	}
	t.Logf("%d of %d loops have bounds", found, all)
}

// Bounds of a kernel of which the analysis does not know an instruction hold of its runs.
func TestLoopsAroundUnmodelledInstructions(t *testing.T) {
	for _, seed := range effort.Draw(t, 200) {
		l := flowtest.RandomMixed(t, seed)
		places := flowtest.Replaceable(l.Kernel)
		l = l.Replaced(t, places[rand.New(rand.NewPCG(seed, 1)).IntN(len(places))], seed%2 == 0)
		checkLoops(t, l, newLoopsOf(t, l.Graph, l.Known(seed%3 == 2)), 2)
	}
}

// The same for the suite, with all that is known of its launches and with little.
func TestLoopsOfTheSuite(t *testing.T) {
	for _, kernel := range effort.Some(t, flowtest.Kernels(), 15) {
		t.Run(kernel, func(t *testing.T) {
			l := flowtest.Suite(t, kernel)
			for _, vague := range []bool{false, true} {
				loops := newLoopsOf(t, l.Graph, l.Known(vague))
				checkLoops(t, flowtest.Suite(t, kernel), loops, 1)
				for _, b := range loops.bounds {
					t.Logf("%s: %v %d %s %s together %v",
						l.Graph.Name(b.Header), b.Known, b.Iterations, b.Formula, b.Reason, b.Together)
				}
			}
		})
	}
}
