package interleavings

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRandom: programs have a feature only if they may have it.
func TestRandom(t *testing.T) {
	some := func(of func(p *Program, i int, in *Instr) bool) func(p *Program) bool {
		return func(p *Program) bool {
			for i := range p.Instrs {
				if of(p, i, &p.Instrs[i]) {
					return true
				}
			}
			return false
		}
	}
	op := func(of ...Op) func(*Program) bool {
		return some(func(_ *Program, _ int, in *Instr) bool { return slices.Contains(of, in.Op) })
	}
	outcome := func(of func(o *Outcome) bool) func(*Program) bool {
		return func(p *Program) bool {
			o, err := Explore(p, 5000)
			return err == nil && of(&o)
		}
	}
	synchronises := some(func(_ *Program, _ int, in *Instr) bool { return classOf(in.Op) == ofWarp })
	deadlock := outcome(func(o *Outcome) bool { return o.Deadlock && !o.Spin })
	for _, c := range []struct {
		name          string
		feature, with Features
		has           func(*Program) bool
	}{
		{"early exits", EarlyExits, 0, some(func(p *Program, i int, in *Instr) bool {
			return in.Op == Exit && i < len(p.Instrs)-1
		})},
		{"data branches", DataBranches, 0, some(func(_ *Program, _ int, in *Instr) bool {
			return in.Op == And && in.D == flagReg
		})},
		{"loops", Loops, 0, some(func(_ *Program, i int, in *Instr) bool {
			return in.Op == Branch && in.Target < i
		})},
		{"syncs", WarpSyncs, 0, synchronises},
		{"guarded syncs", GuardedSyncs, 0, some(func(_ *Program, _ int, in *Instr) bool {
			return classOf(in.Op) == ofWarp && in.Guard.Set
		})},
		{"diverged syncs", DivergedSyncs, 0, some(func(p *Program, _ int, in *Instr) bool {
			return classOf(in.Op) == ofWarp && in.Members.Value < 1<<p.Lanes-1
		})},
		{"scattered syncs", ScatteredSyncs, 0, synchronises},
		{"computed masks", ComputedMasks, 0, some(func(_ *Program, _ int, in *Instr) bool {
			return classOf(in.Op) == ofWarp && in.Members.Kind == Register
		})},
		{"wrong masks", WrongMasks, DivergedSyncs | ScatteredSyncs, deadlock},
		{"elections", Elections, WarpSyncs, op(Elect)},
		{"aligned barriers", AlignedBarriers, 0, some(func(_ *Program, _ int, in *Instr) bool {
			return in.Op == BarrierSync && in.Aligned && in.Count == 0
		})},
		{"counted barriers", CountedBarriers, 0, some(func(_ *Program, _ int, in *Instr) bool {
			return in.Op == BarrierSync && in.Count > 0
		})},
		{"reductions", BarrierReductions, AlignedBarriers, op(BarrierPopc, BarrierAnd, BarrierOr)},
		{"diverged barriers", DivergedBarriers, 0, some(func(_ *Program, _ int, in *Instr) bool {
			return in.Op == BarrierSync && !in.Aligned
		})},
		{"diverged arrivals", DivergedArrivals, 0, op(BarrierArrive)},
		{"crossed barriers", CrossedBarriers, DivergedBarriers, deadlock},
		{"missing arrivals", MissingArrivals, CountedBarriers, deadlock},
		{"phases", MbarrierPhases, 0, op(TestState, TryState)},
		{"diverged mbarriers", DivergedMbarriers, 0, op(TestParity, TryParity)},
		{"missing phases", MissingPhases, MbarrierPhases, outcome(func(o *Outcome) bool { return o.Spin })},
		{"missing handovers", MissingHandovers, DivergedMbarriers, outcome(func(o *Outcome) bool { return o.Spin })},
		{"shared words", SharedWords, 0, outcome(func(o *Outcome) bool { return len(o.Results) > 1 })},
		{"shared flags", SharedFlags, 0, op(Load)},
		{"shared queues", SharedQueues, 0, op(Load)},
	} {
		count := func(features Features) (n int) {
			for seed := range uint64(60) {
				if c.has(Random(rand.New(rand.NewPCG(seed, 7)), features)) {
					n++
				}
			}
			return n
		}
		if n := count(c.with); n > 0 {
			t.Errorf("%s: %d programs without the feature", c.name, n)
		}
		if n := count(c.with | c.feature); n < 4 {
			t.Errorf("%s: %d of 60 programs with the feature", c.name, n)
		}
	}
}

// TestReduce: what is left of a program is what it takes for two threads to race.
func TestReduce(t *testing.T) {
	races := func(p *Program) bool {
		o, err := Explore(p, 5000)
		return err == nil && len(o.Results) > 1
	}
	reduced := 0
	for seed := range uint64(60) {
		p := Random(rand.New(rand.NewPCG(seed, 7)), SharedWords|WarpSyncs)
		if !races(p) {
			continue
		}
		reduced++
		before := len(p.Instrs)
		less := Reduce(p, races)
		if !races(less) || less.Warps*less.Lanes != 2 || len(less.Instrs) > 5 || len(p.Instrs) != before {
			t.Errorf("seed %d: %d warps of %d lanes\n%s", seed, less.Warps, less.Lanes, less.PTX())
		}
	}
	if reduced < 3 {
		t.Errorf("%d programs race", reduced)
	}
}
