package isa

import (
	"errors"
	"strings"
	"testing"

	"warpbound/diag"
)

// validKernel has an instruction of each kind that the tests of Verify break.
func validKernel() *Kernel {
	at := func(r Reg) Operand { return Operand{Kind: KindAddr, Reg: r} }
	k := &Kernel{
		Name: "k", AddressBits: 64, Pos: diag.Pos{File: "k.ptx", Line: 1, Col: 1},
		Params: []Var{
			{Name: "a", Space: Param, Type: U64, Bytes: 8, Align: 8},
			{Name: "n", Space: Param, Type: U32, Bytes: 4, Align: 4, Offset: 8},
		},
		Vars: []Var{{Name: "tab", Space: Global, Type: U64, Bytes: 16, Align: 8, Init: make([]byte, 8), Relocs: []Reloc{{Size: 8, Var: "tab"}}}},
		Regs: []RegDecl{{"%p", Pred}, {"%r", U32}, {"%d", U64}, {"%q", Pred}},
		Instrs: []Instr{
			0: {Op: Ld, Type: U64, Space: Param, Dst: reg(2), Src: []Operand{{Kind: KindVarAddr, Reg: NoReg, Var: ParamVar}}},
			1: {Op: Setp, Type: U32, Cmp: Lt, Dst: reg(0), Src: []Operand{RegOperand(1), ImmOperand(3)}},
			2: {Op: Bra, Guard: Guard{Set: true, Reg: 0}, Target: 5},
			3: {Op: St, Type: U32, Space: Global, Src: []Operand{at(2), RegOperand(1)}},
			4: {Op: Atom, Type: U32, Space: Global, Atom: AtomAdd, Dst: reg(1), Src: []Operand{at(2), ImmOperand(1)}},
			5: {Op: VAdd, Type: U32, SrcType: U32, Dst: reg(1), Src: []Operand{RegOperand(1), RegOperand(1)},
				Video: &Video{TypeB: U32, Parts: 1, A: Selection{Bits: 32}, B: Selection{Bits: 8}, Width: 32}},
			6:  {Op: Bar, Barrier: BarrierRedOr, Dst: reg(3), Src: []Operand{ImmOperand(0), RegOperand(0)}},
			7:  {Op: RunSystem, System: SysFree, Src: reg(2)},
			8:  {Op: Call, Callee: "f", Dst: reg(1), Reason: "call to f, which the module does not define"},
			9:  {Op: Split},
			10: {Op: Bra, Guard: Guard{Set: true, Not: true, Reg: 3}, Target: 12},
			11: {Op: BrxIdx, Src: reg(1), Targets: []int{2, 12}},
			12: {Op: Unknown, Text: "frob"},
			13: {Op: OpaqueAccess, Text: "frob", Space: Global, Dst: []Operand{RegOperand(0), RegOperand(2), {Kind: KindSink}},
				Src: []Operand{RegOperand(3), at(2), ImmOperand(7), {Kind: KindVar}, {Kind: KindSpecial, Special: TidX}}},
			14: {Op: Exit},
		},
		Labels: []Label{{Name: "L", Index: 5}, {Name: "M", Index: 12}},
	}
	for i := range k.Instrs {
		k.Instrs[i].Pos = diag.Pos{File: "k.ptx", Line: int32(i + 2), Col: 1}
	}
	return k
}

func TestVerify(t *testing.T) {
	if err := Verify(validKernel()); err != nil {
		t.Fatal(err)
	}
	const none = -1 // no instruction is wrong
	for _, c := range []struct {
		name  string
		index int
		want  string
		spoil func(k *Kernel)
	}{
		{"address size", none, "addresses of 16 bits", func(k *Kernel) { k.AddressBits = 16 }},
		{"discipline", none, "reconvergence discipline 2 is unknown", func(k *Kernel) { k.Reconvergence = AtSyncs + 1 }},
		{"size", none, "variable tab: -1 bytes", func(k *Kernel) { k.Vars[0].Bytes = -1 }},
		{"alignment", none, "variable tab: alignment 12", func(k *Kernel) { k.Vars[0].Align = 12 }},
		{"space of a variable", none, "variable tab: space 5", func(k *Kernel) { k.Vars[0].Space = Param }},
		{"initial bytes", none, "variable tab: 8 initial bytes of 7", func(k *Kernel) { k.Vars[0].Bytes = 7 }},
		{"relocation", none, "address of tab of 8 bytes, shifted by 0, at 1 of 8", func(k *Kernel) { k.Vars[0].Relocs[0].Offset = 1 }},
		{"shift of a relocation", none, "shifted by 64", func(k *Kernel) { k.Vars[0].Relocs[0].Shift = 64 }},
		{"type of a register", none, "register 1, %r, has type invalid", func(k *Kernel) { k.Regs[1].Type = Invalid }},
		{"wide register", none, "register 2, %d, has type b128", func(k *Kernel) { k.Regs[2].Type = B128 }},
		{"label", none, "label M at 15 of 15 instructions", func(k *Kernel) { k.Labels[1].Index = 15 }},
		{"parameters", none, "parameter n of 4 bytes in space 5 at 4, where parameters before it take 8", func(k *Kernel) { k.Params[1].Offset = 4 }},
		{"space of a parameter", none, "parameter n of 4 bytes in space 3", func(k *Kernel) { k.Params[1].Space = Local }},
		{"no instructions", none, "control runs past the last instruction", func(k *Kernel) { k.Instrs, k.Labels = nil, nil }},
		{"end", none, "control runs past the last instruction", func(k *Kernel) { k.Instrs[14].Guard = Guard{Set: true} }},

		{"operation", 1, "operation 65535 is unknown", func(k *Kernel) { k.Instrs[1].Op = ^Op(0) }},
		{"type", 1, "the type is unknown", func(k *Kernel) { k.Instrs[1].Type = numTypes }},
		{"source type", 1, "the type is unknown", func(k *Kernel) { k.Instrs[1].SrcType = numTypes }},
		{"rounding", 1, "rounding mode 11 is unknown", func(k *Kernel) { k.Instrs[1].Round = RoundIntRP + 1 }},
		{"space", 3, "st has no such space", func(k *Kernel) { k.Instrs[3].Space = Param + 1 }},
		{"no space", 1, "setp has no such space", func(k *Kernel) { k.Instrs[1].Space = Global }},
		{"comparison", 1, "setp has no such comparison", func(k *Kernel) { k.Instrs[1].Cmp = CmpNone }},
		{"classification", 1, "setp has no such comparison", func(k *Kernel) { k.Instrs[1].Cmp = Normal }},
		{"combination", 1, "setp has no such combination", func(k *Kernel) { k.Instrs[1].Combine = CombineXor + 1 }},
		{"atomic operation", 4, "atom has no such atomic operation", func(k *Kernel) { k.Instrs[4].Atom = AtomNone }},
		{"lane mode", 4, "atom has no such lane mode", func(k *Kernel) { k.Instrs[4].Lane = VoteAll }},
		{"barrier", 6, "bar has no such form of a barrier", func(k *Kernel) { k.Instrs[6].Barrier = BarrierNone }},
		{"unaligned", 1, "setp has no such form without .aligned", func(k *Kernel) { k.Instrs[1].Unaligned = true }},
		{"unaligned cluster", 6, "bar has no such form without .aligned", func(k *Kernel) {
			k.Instrs[6].Barrier, k.Instrs[6].Unaligned = BarrierClusterWait, true
		}},
		{"system function", 7, "system has no such system function", func(k *Kernel) { k.Instrs[7].System = NoSystem }},
		{"permutation", 4, "atom has no such permutation", func(k *Kernel) { k.Instrs[4].Permute = PermuteF4E }},
		{"no video", 5, "video operations, and no others", func(k *Kernel) { k.Instrs[5].Video = nil }},
		{"video", 1, "video operations, and no others", func(k *Kernel) { k.Instrs[1].Video = k.Instrs[5].Video }},
		{"video type", 5, "the type of the second source is unknown", func(k *Kernel) { k.Instrs[5].Video.TypeB = Invalid }},
		{"video parts", 5, "3 parts", func(k *Kernel) { k.Instrs[5].Video.Parts = 3 }},
		{"video result", 5, "parts 10000 of a result with parts of 8 bits", func(k *Kernel) { k.Instrs[5].Video.Width, k.Instrs[5].Video.Into = 8, 16 }},
		{"video source", 5, "part 8 of 8 bits of a source", func(k *Kernel) { k.Instrs[5].Video.B.At[0] = 8 }},
		{"target of another", 3, "the operation has no such target", func(k *Kernel) { k.Instrs[3].Target = 1 }},
		{"targets of another", 2, "the operation has no such target", func(k *Kernel) { k.Instrs[2].Targets = []int{1} }},
		{"callee", 3, "the operation has no callee", func(k *Kernel) { k.Instrs[3].Callee = "f" }},
		{"mark", 3, "wavefronts split at branches with guards only", func(k *Kernel) { k.Instrs[3].Split = true }},
		{"kind", 3, "an operand is of kind 0", func(k *Kernel) { k.Instrs[3].Src[1].Kind = KindNone }},
		{"special register", 3, "special register 0", func(k *Kernel) { k.Instrs[3].Src[1] = Operand{Kind: KindSpecial} }},

		{"register of a guard", 2, "the guard is register 4 of 4", func(k *Kernel) { k.Instrs[2].Guard.Reg = 4 }},
		{"register", 3, "register -1 of 4", func(k *Kernel) { k.Instrs[3].Src[1].Reg = NoReg }},
		{"register of an address", 3, "register 4 of 4", func(k *Kernel) { k.Instrs[3].Src[0].Reg = 4 }},
		{"variable", 0, "variable 1 of 1", func(k *Kernel) { k.Instrs[0].Src[0].Var = 1 }},
		{"parameter", 3, "operand 2 of 2 parameters", func(k *Kernel) { k.Instrs[3].Src[1] = ParamOperand(2) }},
		{"wide parameter", 3, "operand 1 of 2 parameters", func(k *Kernel) { k.Params[1].Bytes, k.Instrs[3].Src[1] = 16, ParamOperand(1) }},
		{"function", 3, "the address of a function is no number", func(k *Kernel) { k.Instrs[3].Src[1] = Operand{Kind: KindFunc} }},
		{"target", 2, "branch to 15 of 15 instructions", func(k *Kernel) { k.Instrs[2].Target = 15 }},
		{"targets", 11, "branch to -1 of 15 instructions", func(k *Kernel) { k.Instrs[11].Targets[1] = -1 }},

		{"results", 1, "0 results do not fit the operation", func(k *Kernel) { k.Instrs[1].Dst = nil }},
		{"sources", 1, "1 sources do not fit the operation", func(k *Kernel) { k.Instrs[1].Src = reg(1) }},
		{"operands of a barrier", 6, "1 results and 1 sources do not fit the mode", func(k *Kernel) { k.Instrs[6].Src = reg(0) }},
		{"operands of an atomic", 4, "1 results and 2 sources do not fit the mode", func(k *Kernel) { k.Instrs[4].Atom = AtomCas }},
		{"arguments", 7, "0 results and 2 sources do not fit the mode", func(k *Kernel) { k.Instrs[7].Src = append(reg(2), reg(2)...) }},
		{"guard", 2, "guard %r is no predicate", func(k *Kernel) { k.Instrs[2].Guard.Reg = 1 }},
		{"text", 12, "an instruction of operation unknown without its text", func(k *Kernel) { k.Instrs[12].Text = "" }},
		{"opaque text", 13, "an instruction of operation opaque.access without its text", func(k *Kernel) { k.Instrs[13].Text = "" }},
		{"opaque space", 13, "opaque has no such space", func(k *Kernel) { k.Instrs[13].Op = Opaque }},
		{"opaque result", 13, "result 2: 0x0 is no register", func(k *Kernel) { k.Instrs[13].Dst[1] = ImmOperand(0) }},
		{"opaque complement", 13, "result 1: !%0 is no register", func(k *Kernel) { k.Instrs[13].Dst[0].Not = true }},
		{"opaque source", 13, "source 3: _ is no value", func(k *Kernel) { k.Instrs[13].Src[2].Kind = KindSink }},
		{"call", 8, "a call is left without a reason", func(k *Kernel) { k.Instrs[8].Reason = "" }},
		{"call by address", 8, "a call by address has no address", func(k *Kernel) { k.Instrs[8].Callee = "" }},
		{"stop", 7, "the run stops without a reason", func(k *Kernel) { k.Instrs[7].System, k.Instrs[7].Src = SysStop, nil }},
		{"sync", 3, "lanes of this kernel do not reconverge at syncs", func(k *Kernel) { k.Instrs[3] = Instr{Op: Reconverge, Pos: k.Instrs[3].Pos} }},
		{"indexed branch", 11, "behind an indexed branch", func(k *Kernel) { k.Reconvergence = AtSyncs }},
		{"split", 9, "no branch with a guard follows the split", func(k *Kernel) { k.Instrs[10].Guard.Set = false }},

		{"kind of a result", 1, "result 1: 0x0 is no register", func(k *Kernel) { k.Instrs[1].Dst[0] = ImmOperand(0) }},
		{"complement", 1, "a result is no complement", func(k *Kernel) { k.Instrs[1].Dst[0].Not = true }},
		{"truth value of a number", 1, "result 1: register %r is u32", func(k *Kernel) { k.Instrs[1].Dst[0].Reg = 1 }},
		{"number of a truth value", 4, "result 1: register %p is pred", func(k *Kernel) { k.Instrs[4].Dst[0].Reg = 0 }},
		{"width", 0, "result 1: register %r has 32 bits for 64", func(k *Kernel) { k.Instrs[0].Dst[0].Reg = 1 }},
		{"no address", 3, "source 1: %2 is no address", func(k *Kernel) { k.Instrs[3].Src[0] = RegOperand(2) }},
		{"address of a truth value", 3, "an address starts from predicate %p", func(k *Kernel) { k.Instrs[3].Src[0].Reg = 0 }},
		{"address", 1, "source 2: [%2] is no value", func(k *Kernel) { k.Instrs[1].Src[1] = Operand{Kind: KindAddr, Reg: 2} }},
		{"dropped source", 3, "source 2: _ is no value", func(k *Kernel) { k.Instrs[3].Src[1].Kind = KindSink }},
		{"truth value", 1, "source 1: register %q is pred", func(k *Kernel) { k.Instrs[1].Src[0].Reg = 3 }},
		{"complement of a number", 1, "source 1: register %r is u32", func(k *Kernel) { k.Instrs[1].Src[0].Not = true }},
		{"number", 6, "source 2: register %r is u32", func(k *Kernel) { k.Instrs[6].Src[1].Reg = 1 }},
		{"special truth value", 1, "special register %is_explicit_cluster has 1 bits", func(k *Kernel) {
			k.Instrs[1].Src[1] = Operand{Kind: KindSpecial, Special: IsExplicitCluster}
		}},
		{"variable for a truth value", 6, "source 2: var0 is no truth value", func(k *Kernel) { k.Instrs[6].Src[1] = Operand{Kind: KindVar} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := validKernel()
			c.spoil(k)
			err := Verify(k)
			var broken *InvariantError
			if !errors.As(err, &broken) || !strings.Contains(broken.Err.Error(), c.want) || broken.Index != c.index || broken.Name != "k" {
				t.Fatalf("got %v, want %q at %d", err, c.want, c.index)
			}
			line := int32(c.index + 2)
			if at := (*diag.Error)(nil); !errors.As(err, &at) || at.Pos.Line != line {
				t.Errorf("got %v, want it at line %d", err, line)
			}
		})
	}
}

// TestVerifySyncs checks what kernels may have whose lanes reconverge at syncs.
func TestVerifySyncs(t *testing.T) {
	k := &Kernel{
		Name: "k", AddressBits: 64, Reconvergence: AtSyncs, Regs: []RegDecl{{"n", S32}},
		Instrs: []Instr{{Op: Bra, Guard: Guard{Set: true}, Target: 1}, {Op: Reconverge}, {Op: Exit}},
	}
	if err := Verify(k); err != nil {
		t.Error(err)
	}
	k.Instrs[2].Guard.Set = true
	if err := Verify(k); err == nil || !strings.Contains(err.Error(), "guard n is no predicate") {
		t.Error(err)
	}
}

// TestInvariantError checks how an error reads.
func TestInvariantError(t *testing.T) {
	k := validKernel()
	k.Instrs[0].Dst[0].Reg = 1
	const want = "k.ptx:2:1: invalid program: k: instruction 0, ld.param.u64 %r, [a]: result 1: register %r has 32 bits for 64"
	if err := Verify(k); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	k.Instrs[0].Dst[0].Reg = 9
	if err := Verify(k); err == nil || !strings.Contains(err.Error(), "ld.param.u64 %9, [param]: register 9 of 4") {
		t.Errorf("got %v", err)
	}
}

func TestVerifyProgram(t *testing.T) {
	if err := VerifyProgram(callProgram()); err != nil {
		t.Fatal(err)
	}
	function := func(i int32) []Operand { return []Operand{{Kind: KindFunc, Reg: NoReg, Var: i}} }
	for _, c := range []struct {
		name   string
		mutate func(p *Program)
		want   string // empty if the program is valid
	}{
		{"target behind the end", func(p *Program) { p.Funcs[0].Instrs[4].Target = 6 }, ""},
		{"target further behind", func(p *Program) { p.Funcs[0].Instrs[4].Target = 7 }, "inc: instruction 4, bra ->7: branch to 7 of 6"},
		{"label behind the end", func(p *Program) { p.Funcs[0].Labels[0].Index = 6 }, ""},
		{"label further behind", func(p *Program) { p.Funcs[0].Labels[0].Index = 7 }, "label end at 7 of 6 instructions"},
		{"no end", func(p *Program) { p.Funcs[0].Instrs[5] = Instr{Op: Nop} }, ""},
		{"address size", func(p *Program) { p.AddressBits = 0 }, "m.ptx: addresses of 0 bits"},
		{"variable of the program", func(p *Program) { p.Vars[1].Bytes = -4 }, "variable other: -4 bytes"},
		{"variable of a function", func(p *Program) { p.Funcs[0].Vars[1].Align = 3 }, "inc: variable tile: alignment 3"},
		{"variable of an operand", func(p *Program) { p.Funcs[0].Instrs[3].Src[0].Var = 5 }, "variable 5 of 5"},
		{"parameter", func(p *Program) { p.Funcs[0].ParamRegs[0] = 3 }, "a parameter or a result is in register 3 of 3"},
		{"result", func(p *Program) { p.Funcs[0].ResultRegs[0] = NoReg }, "a parameter or a result is in register -1 of 3"},
		{"parameters of a kernel", func(p *Program) { p.Funcs[1].Params = []Var{{Name: "n", Space: Param, Offset: -4}} }, "main: parameter n"},
		{"address of a function", func(p *Program) { p.Funcs[1].Instrs[0].Src = function(1) }, ""},
		{"address of no function", func(p *Program) { p.Funcs[1].Instrs[0].Src = function(2) }, "function 2 of 2"},
		{"call of nothing", func(p *Program) { p.Funcs[1].Instrs[0].Callee, p.Funcs[1].Instrs[0].Src = "", nil }, "a call by address has no address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := callProgram()
			c.mutate(p)
			switch err := VerifyProgram(p); {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
