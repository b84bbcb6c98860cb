package flow_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/flow"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/flowtest"
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

// TestLoop is a loop that sums up what it loads: most is live behind the load.
func TestLoop(t *testing.T) {
	const pred, addr, sum, value, end = 0, 1, 2, 3, 4
	k := &isa.Kernel{Name: "k", Regs: regs(isa.Pred, isa.U64, isa.F32, isa.F32, isa.U64)}
	load := isa.Instr{Op: isa.Ld, Type: isa.F32, Dst: []isa.Operand{reg(value)}, Src: []isa.Operand{{Kind: isa.KindAddr, Reg: addr}}}
	store := isa.Instr{Op: isa.St, Type: isa.F32, Src: []isa.Operand{{Kind: isa.KindAddr, Reg: end}, reg(sum)}}
	k.Instrs = []isa.Instr{
		mov(addr), mov(end), mov(sum),
		load, mov(sum, sum, value), mov(addr, addr), mov(pred, addr, end), guarded(pred, bra(3)),
		store, {Op: isa.Exit},
	}
	if got := flow.Registers(build(t, k)); got != 2+1+1+2 {
		t.Errorf("%d registers, want 6", got)
	}
}

func TestRegistersByWidth(t *testing.T) {
	for typ, want := range map[isa.Type]int{
		isa.Pred: 0, isa.B8: 1, isa.F16: 1, isa.B32: 1, isa.F16x2: 1, isa.F64: 2, isa.B128: 4,
	} {
		k := &isa.Kernel{Name: "k", Regs: regs(typ, typ)}
		k.Instrs = []isa.Instr{mov(0), mov(1), mov(0, 0, 1), {Op: isa.Exit}}
		if got := flow.Registers(build(t, k)); got != 2*want {
			t.Errorf("two values of %s take %d registers, want %d", typ, got, 2*want)
		}
	}
}

// TestUnreadResults checks that a result takes up a register where it is made,
// also under a guard, and nowhere else.
func TestUnreadResults(t *testing.T) {
	k := &isa.Kernel{Name: "k", Regs: regs(isa.Pred, isa.U32, isa.U32)}
	k.Instrs = []isa.Instr{mov(0), guarded(0, mov(1)), bra(3), guarded(0, mov(2)), {Op: isa.Exit}}
	if got := flow.Registers(build(t, k)); got != 1 {
		t.Errorf("%d registers, want 1", got)
	}
}

// TestAgainstInstructions compares the number of registers of random kernels with
// what a fixed point over single instructions finds.
func TestAgainstInstructions(t *testing.T) {
	for seed := range uint64(60) {
		c := kernelgen.New(rand.New(rand.NewPCG(seed, 0)), kernelgen.Options{
			Statements: 12, Depth: 3, Trips: 3, Threads: 32, CTAs: 1, Irreducible: seed%2 == 0,
		})
		k := flowtest.Kernel(t, kernelgen.ModuleFile, c.Module)
		// Some paths end with an error, and some results are never read.
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range k.Instrs {
			switch in := &k.Instrs[i]; {
			case in.Op == isa.Bra && !in.Guard.Set && r.IntN(4) == 0:
				*in = isa.Instr{Op: isa.Trap}
			case in.Op == isa.St && r.IntN(4) == 0:
				*in = isa.Instr{Op: isa.Nop}
			}
		}
		g := build(t, k)
		if got, want := flow.Registers(g), maximum(g); got != want {
			t.Errorf("seed %d: %d registers, want %d", seed, got, want)
		}
	}
}

// maximum is the largest number of registers of 32 bits that are alive before an
// instruction, or after it together with its results.
func maximum(g *cfg.Graph) int {
	k := g.Kernel
	alive := make([]map[isa.Reg]bool, len(k.Instrs)) // before each instruction
	for i := range alive {
		alive[i] = map[isa.Reg]bool{}
	}
	after := func(i int) map[isa.Reg]bool {
		b := g.BlockOf(i)
		if i+1 < g.Blocks[b].End {
			return maps.Clone(alive[i+1])
		}
		out := map[isa.Reg]bool{}
		for _, e := range g.Blocks[b].Edges {
			if e.To != g.Exit() {
				maps.Copy(out, alive[g.Blocks[e.To].Start])
			}
		}
		return out
	}
	for changed := true; changed; {
		changed = false
		for i := range k.Instrs {
			now, in := after(i), &k.Instrs[i]
			if !in.Guard.Set {
				in.Writes(func(r isa.Reg) { delete(now, r) })
			}
			in.Reads(func(r isa.Reg) { now[r] = true })
			changed = changed || len(now) > len(alive[i])
			alive[i] = now
		}
	}
	largest := 0
	count := func(live map[isa.Reg]bool) {
		n := 0
		for r := range live {
			if typ := k.Regs[r].Type; typ != isa.Pred {
				n += max(1, typ.Bits()/32)
			}
		}
		largest = max(largest, n)
	}
	for i := range k.Instrs {
		if g.Blocks[g.BlockOf(i)].Reachable {
			count(alive[i])
			live := after(i)
			k.Instrs[i].Writes(func(r isa.Reg) { live[r] = true })
			count(live)
		}
	}
	return largest
}
