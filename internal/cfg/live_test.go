package cfg_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

func build(t interface{ Fatal(...any) }, k *isa.Kernel) *cfg.Graph {
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func reg(r int) isa.Operand { return isa.RegOperand(isa.Reg(r)) }

// mov makes register d of the registers in src.
func mov(d int, src ...int) isa.Instr {
	in := isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: []isa.Operand{reg(d)}}
	for _, r := range src {
		in.Src = append(in.Src, reg(r))
	}
	return in
}

func guarded(p int, in isa.Instr) isa.Instr {
	in.Guard = isa.Guard{Set: true, Reg: isa.Reg(p)}
	return in
}

func bra(to int) isa.Instr { return isa.Instr{Op: isa.Bra, Target: to} }

func regs(types ...isa.Type) []isa.RegDecl {
	var decls []isa.RegDecl
	for _, typ := range types {
		decls = append(decls, isa.RegDecl{Type: typ})
	}
	return decls
}

// TestLiveAroundLoop is a loop that sums up what it loads: the address and the sum are live
// around it, the loaded value is not.
func TestLiveAroundLoop(t *testing.T) {
	const pred, addr, sum, value, end = 0, 1, 2, 3, 4
	k := &isa.Kernel{Name: "k", Regs: regs(isa.Pred, isa.U64, isa.F32, isa.F32, isa.U64)}
	load := isa.Instr{Op: isa.Ld, Type: isa.F32, Dst: []isa.Operand{reg(value)}, Src: []isa.Operand{{Kind: isa.KindAddr, Reg: addr}}}
	store := isa.Instr{Op: isa.St, Type: isa.F32, Src: []isa.Operand{{Kind: isa.KindAddr, Reg: end}, reg(sum)}}
	k.Instrs = []isa.Instr{
		mov(addr), mov(end), mov(sum),
		load, mov(sum, sum, value), mov(addr, addr), mov(pred, addr, end), guarded(pred, bra(3)),
		store, {Op: isa.Exit},
	}
	g := build(t, k)
	live := cfg.Liveness(g)
	want := [][]isa.Reg{nil, {addr, sum, end}, {sum, end}}
	for b := range g.Blocks {
		got := live.In(b)
		slices.Sort(got)
		if !slices.Equal(got, want[b]) {
			t.Errorf("block %d: %v are live, want %v", b, got, want[b])
		}
	}
}

// TestLiveInBackwardLayout is a long chain of blocks, each of which jumps to the one
// before it, so that a walk in the order of the text would take as many rounds.
func TestLiveInBackwardLayout(t *testing.T) {
	const n = 100000
	k := &isa.Kernel{Name: "k", Regs: regs(isa.U32, isa.U32)}
	k.Instrs = []isa.Instr{mov(0), bra(n + 1), mov(1, 0), {Op: isa.Exit}}
	for i := len(k.Instrs); i <= n+1; i++ {
		k.Instrs = append(k.Instrs, bra(i-1))
	}
	k.Instrs[4].Target = 2
	g := build(t, k)
	live := cfg.Liveness(g)
	for b := 1; b < g.Len(); b++ {
		if got := live.In(b); !slices.Equal(got, []isa.Reg{0}) {
			t.Fatalf("block %d: %v are live", b, got)
		}
	}
}

// randomKernel has branches anywhere, guards, and registers of several widths.
func randomKernel(t *rapid.T) *isa.Kernel {
	k := &isa.Kernel{Name: "k", Regs: regs(isa.Pred, isa.Pred, isa.U32, isa.U64, isa.U16, isa.F32, isa.B128)}
	anyReg := rapid.IntRange(0, len(k.Regs)-1)
	n := rapid.IntRange(1, 14).Draw(t, "instructions")
	for range n {
		var in isa.Instr
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			in = bra(rapid.IntRange(0, n).Draw(t, "target"))
		case 1:
			in = isa.Instr{Op: rapid.SampledFrom([]isa.Op{isa.Exit, isa.Trap}).Draw(t, "end")}
		case 2:
			in = isa.Instr{Op: isa.St, Type: isa.U32, Src: []isa.Operand{
				{Kind: isa.KindAddr, Reg: isa.Reg(anyReg.Draw(t, "address"))}, reg(anyReg.Draw(t, "value")),
			}}
		default:
			in = mov(anyReg.Draw(t, "result"), rapid.SliceOfN(anyReg, 0, 2).Draw(t, "sources")...)
		}
		if rapid.Bool().Draw(t, "guarded") {
			in = guarded(rapid.IntRange(0, 1).Draw(t, "predicate"), in)
		}
		k.Instrs = append(k.Instrs, in)
	}
	k.Instrs = append(k.Instrs, isa.Instr{Op: isa.Exit})
	return k
}

// needed walks forward from an instruction along all paths and reports whether
// one reads the register before it is surely overwritten.
func needed(k *isa.Kernel, at int, r isa.Reg, seen map[int]bool) bool {
	if seen[at] {
		return false
	}
	seen[at] = true
	in := &k.Instrs[at]
	isReg := func(o isa.Operand) bool { return o.Reg == r }
	if in.Guard.Set && in.Guard.Reg == r || slices.ContainsFunc(in.Src, isReg) {
		return true
	}
	if !in.Guard.Set && slices.ContainsFunc(in.Dst, isReg) {
		return false
	}
	if in.Op == isa.Bra && needed(k, in.Target, r, seen) {
		return true
	}
	through := in.Guard.Set || in.Op != isa.Bra && in.Op != isa.Exit && in.Op != isa.Trap
	return through && needed(k, at+1, r, seen)
}

// TestLiveAgainstPaths compares the sets with what the paths from each block need.
func TestLiveAgainstPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := randomKernel(t)
		g := build(t, k)
		live := cfg.Liveness(g)
		alive := make([][]bool, len(k.Instrs)+1)
		for i := range alive {
			alive[i] = make([]bool, len(k.Regs))
			for r := range alive[i] {
				alive[i][r] = i < len(k.Instrs) && needed(k, i, isa.Reg(r), map[int]bool{})
			}
		}
		for b, block := range g.Blocks {
			if !block.Reachable {
				continue
			}
			out := make([]bool, len(k.Regs))
			for _, e := range block.Edges {
				for r := range out {
					out[r] = out[r] || e.To != g.Exit() && alive[g.Blocks[e.To].Start][r]
				}
			}
			for r := range k.Regs {
				if got, want := slices.Contains(live.In(b), isa.Reg(r)), alive[block.Start][r]; got != want {
					t.Fatalf("register %d at the start of block %d: live %v, want %v", r, b, got, want)
				}
				if got, want := slices.Contains(live.Out(b), isa.Reg(r)), out[r]; got != want {
					t.Fatalf("register %d at the end of block %d: live %v, want %v", r, b, got, want)
				}
			}
		}
	})
}
