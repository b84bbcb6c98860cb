package inspect_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/flow"
	"warpbound/internal/flow/access"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/flowtest"
)

// TestUnmodelledInstructions replaces instructions of random kernels and of those of the suite
// by ones that are not modelled. No analysis may then know more than before, and none less of
// what does not depend on their results.
//
// What package value does not know of an instruction that it knows, it may find out of one that
// it does not: its widening is not monotone. So only what it knew is compared. The tests of both
// analyses compare what they find with executions of the instructions that were there.
func TestUnmodelledInstructions(t *testing.T) {
	names := flowtest.Kernels()
	independent := 0
	rapid.Check(t, func(rt *rapid.T) {
		var l *flowtest.Launch
		if rapid.IntRange(0, 3).Draw(rt, "suite") == 0 {
			l = flowtest.Suite(t, rapid.SampledFrom(names).Draw(rt, "name"))
		} else {
			l = flowtest.Random(t, rapid.Uint64().Draw(rt, "seed"), kernelgen.Options{
				Statements: rapid.IntRange(1, 40).Draw(rt, "statements"), Depth: 3, Trips: 4, Threads: 80, CTAs: 3,
				Irreducible: rapid.Bool().Draw(rt, "irreducible"), Bounded: rapid.Bool().Draw(rt, "bounded"),
			})
		}
		var launch launchfacts.Launch
		if rapid.Bool().Draw(rt, "known") {
			launch = launchfacts.Launch{Grid: l.Grid.GridDim(), Block: l.Grid.Launch().Block, Width: l.Grid.Width()}
		}
		at := rapid.SampledFrom(flowtest.Replaceable(l.Kernel)).Draw(rt, "instruction")
		replaced := l.Replaced(t, at, rapid.Bool().Draw(rt, "access"))
		before, after := knownOf(t, l.Graph, launch), knownOf(t, replaced.Graph, launch)
		what := fmt.Sprintf("instruction %d of kernel %s, %s", at, l.Kernel.Name, l.Kernel.Format(&l.Kernel.Instrs[at]))
		after.noMoreThan(rt, before, what)
		if v, ok := after.results[at]; ok && v != divergence.Divergent {
			rt.Errorf("%s: its results count as %s", what, v)
		}
		if d := dependents(replaced.Kernel, at); !d.control {
			independent++
			after.asMuchAs(rt, before, d, what)
		}
	})
	if independent == 0 {
		t.Error("the control flow of all kernels depends on the instructions")
	}
}

// known is what the analyses that inspect uses find out about a kernel.
type known struct {
	loops     []loopbound.Bound
	accesses  map[int]access.Pattern
	points    []int                      // of reconvergence
	branches  map[int]divergence.Verdict // by block
	results   map[int]divergence.Verdict // of instructions
	unwritten map[isa.Reg]bool
	registers int
}

func knownOf(t testing.TB, g *cfg.Graph, launch launchfacts.Launch) *known {
	t.Helper()
	r := flowtest.Must(value.Analyze(t.Context(), g, launch))
	k := &known{
		loops: r.Loops(), accesses: make(map[int]access.Pattern), branches: make(map[int]divergence.Verdict),
		results: make(map[int]divergence.Verdict), unwritten: make(map[isa.Reg]bool), registers: flow.Registers(g),
	}
	for _, a := range flowtest.Must(r.Accesses(t.Context(), access.DefaultMemory)) {
		k.accesses[a.Instr] = a
	}
	for u := range flow.UnwrittenReads(g) {
		k.unwritten[u.Reg] = true
	}
	for b := range g.Blocks {
		k.points = append(k.points, g.Reconverge(b))
	}
	f, err := gated.New(t.Context(), g, 0)
	if err != nil {
		return k // an irreducible kernel
	}
	d, err := divergence.Analyze(t.Context(), f, divergence.Launch{Grid: launch.Grid, Block: launch.Block, Width: launch.Width})
	if err != nil {
		t.Fatal(err)
	}
	for b := range g.Blocks {
		k.branches[b] = d.Branch(b)
	}
	for i := range g.Kernel.Instrs {
		for _, v := range f.Writes(i) {
			if v != gated.None {
				k.results[i] = max(k.results[i], d.Value(v))
			}
		}
	}
	return k
}

// noMoreThan checks that nothing is known that was not known before.
func (k *known) noMoreThan(t *rapid.T, before *known, what string) {
	for i := range k.loops {
		now, then := &k.loops[i], &before.loops[i]
		if now.Known && then.Known && now.Iterations < then.Iterations || now.Together && !then.Together {
			t.Errorf("%s: the loop's bound was %+v and is %+v", what, *then, *now)
		}
	}
	for i, then := range before.accesses {
		now, ok := k.accesses[i]
		if !ok {
			continue // it is the instruction itself
		}
		if then.Reason == "" && (now.Min > then.Min || now.Max < then.Max) || now.HasStride && then.HasStride && now.Stride != then.Stride {
			t.Errorf("%s: an access was %+v and is %+v", what, then, now)
		}
	}
	if missing := len(before.accesses) - len(k.accesses); missing > 1 {
		t.Errorf("%s: %d accesses are gone", what, missing)
	}
	for b, then := range before.branches {
		if k.branches[b] < then {
			t.Errorf("%s: the branch of block %d was %s and is %s", what, b, then, k.branches[b])
		}
	}
	for i, then := range before.results {
		if k.results[i] < then {
			t.Errorf("%s: the result of instruction %d was %s and is %s", what, i, then, k.results[i])
		}
	}
	for r := range k.unwritten {
		if !before.unwritten[r] {
			t.Errorf("%s: register %d counts as read before it is written", what, r)
		}
	}
	if !slices.Equal(k.points, before.points) || k.registers != before.registers {
		t.Errorf("%s: lanes reconverge elsewhere, or registers were %d and are %d", what, before.registers, k.registers)
	}
}

// asMuchAs checks that everything is known that does not depend on an instruction.
func (k *known) asMuchAs(t *rapid.T, before *known, d *dependence, what string) {
	if !reflect.DeepEqual(k.loops, before.loops) {
		t.Errorf("%s: the loops' bounds were %+v and are %+v", what, before.loops, k.loops)
	}
	if !reflect.DeepEqual(k.branches, before.branches) {
		t.Errorf("%s: branches were %v and are %v", what, before.branches, k.branches)
	}
	for i, then := range before.accesses {
		if now := k.accesses[i]; !d.instrs[i] && now != then {
			t.Errorf("%s: an access was %+v and is %+v", what, then, now)
		}
	}
	for i, then := range before.results {
		if !d.instrs[i] && k.results[i] != then {
			t.Errorf("%s: the result of instruction %d was %s and is %s", what, i, then, k.results[i])
		}
	}
}

// dependence is what depends on the results of an instruction, or on memory that it may change.
type dependence struct {
	instrs  map[int]bool
	control bool // a branch or an end under a guard
}

// dependents finds, without regard to the flow of control, what depends on an instruction:
// itself, whatever reads what such instructions write, and loads if one may change memory.
func dependents(k *isa.Kernel, at int) *dependence {
	d := &dependence{instrs: make(map[int]bool)}
	regs := make(map[isa.Reg]bool)
	memory := false
	for changed := true; changed; {
		changed = false
		for i := range k.Instrs {
			in := &k.Instrs[i]
			effect := in.Op.Info().Effect
			depends := i == at || memory && effect&isa.ReadsMem != 0
			in.Reads(func(r isa.Reg) { depends = depends || regs[r] })
			if !depends {
				continue
			}
			changed = changed || !d.instrs[i]
			d.instrs[i] = true
			d.control = d.control || effect&(isa.Branches|isa.Exits) != 0
			memory = memory || effect&isa.WritesMem != 0
			in.Writes(func(r isa.Reg) { regs[r] = true })
		}
	}
	return d
}
