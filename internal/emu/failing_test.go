package emu

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// addChecks inserts branches to code that always traps, or that traps once it has
// left a loop, which one thread takes or none.
func addChecks(t *rapid.T, k *isa.Kernel) {
	check := isa.Reg(len(k.Regs))
	k.Regs = append(k.Regs, isa.RegDecl{Type: isa.Pred})
	guard := isa.Guard{Set: true, Reg: check}
	compare := func(cmp isa.Cmp, r isa.Reg, with uint64) isa.Instr {
		return isa.Instr{Op: isa.Setp, Type: isa.U32, Cmp: cmp, Dst: ops(reg(check)), Src: ops(reg(r), imm(with))}
	}
	const prologue = 5
	places := rapid.SliceOfNDistinct(rapid.IntRange(prologue, len(k.Instrs)-1), 1, 5, rapid.ID).Draw(t, "checks")
	slices.Sort(places)
	moved := func(i int) int { // a branch to a place leads to its check
		before, _ := slices.BinarySearch(places, i)
		return i + 2*before
	}
	end := len(k.Instrs) + 2*len(places)
	var instrs []isa.Instr
	for i, in := range k.Instrs {
		if slices.Contains(places, i) {
			thread := rapid.SampledFrom([]uint64{3, 40, 1000, 1000}).Draw(t, "thread")
			way := rapid.SampledFrom([]int{0, 1, 3, 6}).Draw(t, "way")
			instrs = append(instrs, compare(isa.Eq, tid, thread), isa.Instr{Op: isa.Bra, Guard: guard, Target: end + way})
		}
		in.Target, in.Targets = moved(in.Target), slices.Clone(in.Targets)
		for j, target := range in.Targets {
			in.Targets[j] = moved(target)
		}
		instrs = append(instrs, in)
	}
	add := isa.Instr{Op: isa.Add, Type: isa.U32, Dst: ops(reg(data)), Src: ops(reg(data), imm(1<<28))}
	k.Instrs = append(instrs,
		isa.Instr{Op: isa.Trap},
		add,
		isa.Instr{Op: isa.Bra, Target: end},
		compare(isa.Lt, data, 1<<30),
		isa.Instr{Op: isa.Bra, Guard: guard, Target: end + 1},
		isa.Instr{Op: isa.Bra, Target: end},
		add,
		compare(isa.Lt, data, 1<<30),
		isa.Instr{Op: isa.Bra, Guard: guard, Target: end + 6},
		isa.Instr{Op: isa.Trap},
	)
}

// TestFailingThreads runs random programs with checks. The run fails if one of its
// threads does; otherwise memory is what the threads leave, and every transition
// of a warp is an edge of the flow graph or one that divergence adds, although the
// flow graph leaves out the edges to blocks that always fail.
func TestFailingThreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, _ := program(t)
		addChecks(t, k)
		g := build(k)
		code, err := Decode(k, g)
		if err != nil {
			t.Fatal(err)
		}
		launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{rapid.IntRange(1, 60).Draw(t, "threads"), 1, 1}}
		launch.Params = binary.LittleEndian.AppendUint64(nil, abi.GlobalBase)
		want := make([]uint32, launch.Block[0]*ownWords)
		failed := false
		for i := range launch.Block[0] {
			th := &thread{
				regs: map[isa.Reg]uint64{}, memory: want[i*ownWords:][:ownWords], launch: launch,
				base: abi.GlobalBase + uint64(4*ownWords*i), id: i,
			}
			th.run(k)
			failed = failed || th.failed
		}
		for _, width := range []int{32, 2, 7} {
			got, _, _, _, err := runWarps(code, launch, width, 4*len(want), width == 32)
			if (err != nil) != failed {
				t.Fatalf("width %d: error %v, but threads fail: %t\n%s", width, err, failed, listing(k))
			}
			if failed {
				continue
			}
			if !slices.Equal(got, want) {
				t.Fatalf("width %d: memory differs\ngot  %v\nwant %v\n%s", width, got, want, listing(k))
			}
			checkTransitions(t, code, g, launch, width, 4*len(want))
		}
	})
}

// checkTransitions runs a launch whose parameter is a buffer of so many bytes.
func checkTransitions(t *rapid.T, code *Code, g *cfg.Graph, launch Launch, width, bytes int) {
	divergent, err := cfg.DivergentEdges(g.Flow, nil)
	if err != nil {
		t.Fatal(err)
	}
	extended := g.WithEdges(divergent).Graph()
	mem := new(Memory)
	if _, err := mem.Alloc("buffer", bytes); err != nil {
		t.Fatal(err)
	}
	grid, err := NewGrid(code, launch, mem, width)
	if err != nil {
		t.Fatal(err)
	}
	var cta CTA
	grid.StartCTA(&cta, 0)
	for i := range cta.Warps {
		w := &cta.Warps[i]
		for last := g.Entry(); !w.Done(); {
			b := g.BlockOf(w.PC())
			if enters := w.PC() == g.Blocks[b].Start; enters && w.PC() > 0 && !extended.HasEdge(last, b) {
				t.Fatalf("width %d: a warp goes from block %s to %s\n%s", width, g.Name(last), g.Name(b), listing(code.kernel))
			}
			last = b
			if err := w.Step(new(Env), new(Effect)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
