package emu

import (
	"context"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

func reg(r isa.Reg) isa.Operand          { return isa.RegOperand(r) }
func imm(x uint64) isa.Operand           { return isa.ImmOperand(x) }
func ops(o ...isa.Operand) []isa.Operand { return o }

func special(s isa.Special) isa.Operand { return isa.Operand{Kind: isa.KindSpecial, Special: s} }

// at is the memory operand at a register plus an offset.
func at(r isa.Reg, offset int64) isa.Operand {
	return isa.Operand{Kind: isa.KindAddr, Reg: r, Imm: uint64(offset)}
}

// regs declares registers of the types named.
func regs(types ...isa.Type) []isa.RegDecl {
	decls := make([]isa.RegDecl, len(types))
	for i, t := range types {
		decls[i] = isa.RegDecl{Name: "%" + t.String(), Type: t}
	}
	return decls
}

// build makes the flow graph of a kernel of the tests' own making.
func build(k *isa.Kernel) *cfg.Graph {
	g, err := cfg.Build(k)
	if err != nil {
		panic(err)
	}
	return g
}

func decode(tb testing.TB, k *isa.Kernel) *Code {
	tb.Helper()
	if err := isa.Verify(k); err != nil {
		tb.Fatal(err)
	}
	c, err := Decode(k, build(k))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// loopKernel repeats body n times, with a counter in register 0 and its
// predicate in register 1.
func loopKernel(n int, decls []isa.RegDecl, init, body []isa.Instr) *isa.Kernel {
	k := &isa.Kernel{Name: "loop", AddressBits: 64, Regs: append(regs(isa.U32, isa.Pred), decls...)}
	k.Instrs = append(k.Instrs, isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: ops(reg(0)), Src: ops(imm(0))})
	k.Instrs = append(k.Instrs, init...)
	head := len(k.Instrs)
	k.Instrs = append(k.Instrs, body...)
	k.Instrs = append(k.Instrs,
		isa.Instr{Op: isa.Add, Type: isa.U32, Dst: ops(reg(0)), Src: ops(reg(0), imm(1))},
		isa.Instr{Op: isa.Setp, Type: isa.U32, Cmp: isa.Lt, Dst: ops(reg(1)), Src: ops(reg(0), imm(uint64(n)))},
		isa.Instr{Op: isa.Bra, Guard: isa.Guard{Set: true, Reg: 1}, Target: head},
		isa.Instr{Op: isa.Exit})
	return k
}

// benchmark runs a loop until b.N warp instructions have been executed.
func benchmark(b *testing.B, shared int, decls []isa.RegDecl, init, body []isa.Instr) {
	c := decode(b, loopKernel(1<<31-1, decls, init, body))
	g, err := NewGrid(c, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, DynamicShared: shared}, new(Memory), 32)
	if err != nil {
		b.Fatal(err)
	}
	var cta CTA
	g.StartCTA(&cta, 0)
	w := &cta.Warps[0]
	var eff Effect
	env := new(Env)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if err := w.Step(env, &eff); err != nil {
			b.Fatal(err)
		}
	}
}

func repeat(n int, in isa.Instr) []isa.Instr {
	list := make([]isa.Instr, n)
	for i := range list {
		list[i] = in
	}
	return list
}

func BenchmarkStep(b *testing.B) {
	three := regs(isa.U32, isa.U32, isa.U32)
	abc := ops(reg(2), reg(3), reg(4))
	for _, c := range []struct {
		name string
		in   isa.Instr
	}{
		{"add.u32", isa.Instr{Op: isa.Add, Type: isa.U32, Dst: abc[:1], Src: abc[1:3]}},
		{"add.u64", isa.Instr{Op: isa.Add, Type: isa.U64, Dst: ops(reg(5)), Src: ops(reg(5), imm(1))}},
		{"mad.u32", isa.Instr{Op: isa.Mad, Type: isa.U32, Dst: abc[:1], Src: abc}},
		{"mul.wide.s32", isa.Instr{Op: isa.MulWide, Type: isa.S32, Dst: ops(reg(5)), Src: ops(reg(3), imm(4))}},
		{"shl.b32", isa.Instr{Op: isa.Shl, Type: isa.B32, Dst: abc[:1], Src: ops(reg(3), imm(4))}},
		{"cvt.u64.u32", isa.Instr{Op: isa.Cvt, Type: isa.U64, SrcType: isa.U32, Dst: ops(reg(5)), Src: ops(reg(3))}},
		{"mov.u32", isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: abc[:1], Src: abc[1:2]}},
		{"setp.lt.u32", isa.Instr{Op: isa.Setp, Type: isa.U32, Cmp: isa.Lt, Dst: ops(reg(6)), Src: abc[1:3]}},
		{"selp.u32", isa.Instr{Op: isa.Selp, Type: isa.U32, Dst: abc[:1], Src: ops(reg(3), reg(4), reg(6))}},
		{"add.f32", isa.Instr{Op: isa.Add, Type: isa.F32, Dst: abc[:1], Src: abc[1:3]}},
		{"fma.f32", isa.Instr{Op: isa.Fma, Type: isa.F32, Dst: abc[:1], Src: ops(reg(3), reg(4), reg(3))}},
		{"fma.f64", isa.Instr{Op: isa.Fma, Type: isa.F64, Dst: ops(reg(5)), Src: ops(reg(5), reg(5), reg(5))}},
		{"ld.shared.f32", isa.Instr{Op: isa.Ld, Type: isa.F32, Space: isa.Shared, Dst: abc[:1], Src: ops(at(7, 8))}},
		{"st.shared.f32", isa.Instr{Op: isa.St, Type: isa.F32, Space: isa.Shared, Src: ops(at(7, 8), reg(3))}},
		{"atom.shared.add", isa.Instr{Op: isa.Atom, Type: isa.U32, Atom: isa.AtomAdd, Space: isa.Shared, Dst: abc[:1], Src: ops(at(7, 8), reg(3))}},
	} {
		b.Run(c.name, func(b *testing.B) {
			decls := append(three[:3:3], regs(isa.U64, isa.Pred, isa.U64)...)
			init := []isa.Instr{
				{Op: isa.Mov, Type: isa.F32, Dst: ops(reg(3)), Src: ops(imm(0x3f8ccccd))},
				{Op: isa.Mov, Type: isa.F32, Dst: ops(reg(4)), Src: ops(imm(0x3f9ccccd))},
				{Op: isa.Mov, Type: isa.U64, Dst: ops(reg(7)), Src: ops(imm(abi.SharedBase))},
			}
			benchmark(b, 256, decls, init, repeat(1000, c.in))
		})
	}
}

func TestRunLoop(t *testing.T) {
	c := decode(t, loopKernel(1000, nil, nil, nil))
	g, err := NewGrid(c, Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{33, 1, 1}}, new(Memory), 32)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Run(context.Background(), g)
	if err != nil || n.WarpInstrs != 4*(1+3000+1) {
		t.Errorf("%+v %v", n, err)
	}
}

// TestStepAllocatesNothing runs CTAs of a kernel with divergence, barriers,
// atomics and shared memory in one slot.
func TestStepAllocatesNothing(t *testing.T) {
	s := scenario{vars: ".shared .align 4 .b8 s[256];", body: `
mov.u64 %rd2, s; mad.wide.u32 %rd3, %r0, 4, %rd2; mov.u32 %r3, 0;
head: st.shared.u32 [%rd3], %r3; bar.sync 0;
and.b32 %r1, %r0, 3; setp.gt.u32 %p0, %r1, %r3; @%p0 bra odd;
atom.shared.add.u32 %r2, [%rd2], 1; bra join;
odd: ld.shared.v2.u32 {%r4, %r5}, [%rd2+8];
join: bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra head;
ret;`}
	code := decode(t, s.kernel(t))
	g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Params: make([]byte, 8)}, new(Memory), 32)
	if err != nil {
		t.Fatal(err)
	}
	var (
		cta CTA
		eff Effect
		env Env
	)
	run := func() {
		g.StartCTA(&cta, 0)
		for i := 0; !cta.Done(); i++ {
			if w := &cta.Warps[i%2]; !w.Done() && !w.AtBarrier() {
				if err := w.Step(&env, &eff); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	run()
	if n := testing.AllocsPerRun(20, run); n != 0 {
		t.Errorf("%v allocations for each CTA", n)
	}
}
