package emu

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// fuel is the register that ends a program of branches.
const fuel = counter + 39

// gotos draws a kernel of blocks that branch to each other at will: loops with several
// entries and exits, branches into and out of them, switches, ends anywhere, and barriers
// that only matter to where lanes reconverge. Each thread executes so many blocks at most.
func gotos(t *rapid.T) *isa.Kernel {
	g := &generator{t: t}
	g.prologue()
	g.emit(isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: ops(reg(fuel)), Src: ops(imm(uint64(g.int(1, 40, "fuel"))))})
	starts := make([]int, g.int(1, 10, "blocks")+1) // the last is the end
	var branches []int                              // whose targets are numbers of blocks
	branch := func(in isa.Instr) {
		in.Target = g.int(0, len(starts)-1, "target")
		branches = append(branches, g.emit(in))
	}
	guard := func() isa.Guard {
		g.compare()
		return isa.Guard{Set: true, Not: rapid.Bool().Draw(t, "not"), Reg: pred}
	}
	for b := range len(starts) - 1 {
		starts[b] = len(g.instrs)
		for range g.int(0, 2, "operations") {
			g.emit(g.arithmetic())
		}
		g.emit(isa.Instr{Op: isa.Sub, Type: isa.U32, Dst: ops(reg(fuel)), Src: ops(reg(fuel), imm(1))})
		g.emit(isa.Instr{Op: isa.Setp, Type: isa.U32, Cmp: isa.Eq, Dst: ops(reg(pred)), Src: ops(reg(fuel), imm(0))})
		switch empty := (isa.Guard{Set: true, Reg: pred}); g.int(0, 2, "way out") {
		case 0:
			g.emit(isa.Instr{Op: isa.Exit, Guard: empty})
		default:
			branches = append(branches, g.emit(isa.Instr{Op: isa.Bra, Guard: empty, Target: len(starts) - 1}))
		}
		if g.int(0, 4, "barrier") == 0 { // at which no thread ever arrives
			g.emit(isa.Instr{Op: isa.Setp, Type: isa.U32, Cmp: isa.Eq, Dst: ops(reg(pred)), Src: ops(reg(fuel), imm(1000))})
			g.emit(isa.Instr{Op: isa.Bar, Barrier: isa.BarrierSync, Src: ops(imm(0)), Guard: isa.Guard{Set: true, Reg: pred}})
		}
		for range g.int(0, 2, "branches") {
			branch(isa.Instr{Op: isa.Bra, Guard: guard()})
		}
		switch g.int(0, 7, "end of block") {
		case 0:
			branch(isa.Instr{Op: isa.Bra})
		case 1:
			g.emit(isa.Instr{Op: isa.And, Type: isa.B32, Dst: ops(reg(index)), Src: ops(reg(g.word()), imm(3))})
			in := isa.Instr{Op: isa.BrxIdx, Src: ops(reg(index))}
			for range 4 {
				in.Targets = append(in.Targets, g.int(0, len(starts)-1, "case"))
			}
			branches = append(branches, g.emit(in))
		case 2:
			g.emit(isa.Instr{Op: isa.Ret, Guard: guard()})
		case 3:
			g.locate()
			g.emit(isa.Instr{Op: isa.St, Type: isa.U32, Space: isa.Global, Src: ops(at(address, 0), reg(g.word()))})
			g.emit(isa.Instr{Op: isa.Exit})
		}
	}
	starts[len(starts)-1] = len(g.instrs)
	for _, i := range branches {
		in := &g.instrs[i]
		in.Target = starts[in.Target]
		for j, target := range in.Targets {
			in.Targets[j] = starts[target]
		}
	}
	return g.kernel()
}

// TestGotos runs such kernels in warps of several widths, and thread by thread: memory
// must be the same, and every transition of a warp an edge of the flow graph or one that
// divergence adds.
func TestGotos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := gotos(t)
		g := build(k)
		code, err := Decode(k, g)
		if err != nil {
			t.Fatal(err)
		}
		threads := rapid.IntRange(1, 40).Draw(t, "threads")
		launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, abi.GlobalBase)}
		want := make([]uint32, threads*ownWords)
		var executed int64
		for i := range threads {
			th := &thread{
				regs: map[isa.Reg]uint64{}, memory: want[i*ownWords:][:ownWords], launch: launch,
				base: abi.GlobalBase + uint64(4*ownWords*i), id: i,
			}
			th.run(k)
			executed += th.count
		}
		for _, width := range []int{32, 3, 64} {
			got, count, _, _, err := runWarps(code, launch, width, 4*len(want), width == 32)
			if err != nil {
				t.Fatalf("width %d: %v\n%s", width, err, listing(k))
			}
			if !slices.Equal(got, want) || count != executed {
				t.Fatalf("width %d: memory or the number of instructions differs\ngot  %d %v\nwant %d %v\n%s", width, count, got, executed, want, listing(k))
			}
			checkTransitions(t, code, g, launch, width, 4*len(want))
		}
	})
}
