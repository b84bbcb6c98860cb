package emu

import (
	"slices"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

func TestDecodeErrors(t *testing.T) {
	at := diag.Pos{File: "m.ptx", Line: 3, Col: 5}
	decls := []isa.RegDecl{{Name: "%r0", Type: isa.U32}, {Name: "%p0", Type: isa.Pred}, {Name: "%q0", Type: isa.B128}, {Name: "%rd0", Type: isa.U64}}
	for _, c := range []struct {
		name string
		in   isa.Instr
		want string
	}{
		{"not modelled", isa.Instr{Op: isa.Opaque, Text: "frob.u32 %r0"}, "cannot execute frob.u32 %r0: the instruction is not known"},
		{"call", isa.Instr{Op: isa.Call, Callee: "f", Reason: "call to f, which the module does not define"}, "call to f, which the module does not define"},
		{"type", isa.Instr{Op: isa.Add, Type: isa.B32, Dst: ops(reg(0)), Src: ops(reg(0), reg(0))}, "add is not defined on b32"},
		{"conversion", isa.Instr{Op: isa.Cvt, Type: isa.U32, SrcType: isa.F32, Dst: ops(reg(0)), Src: ops(reg(0))}, "cvt is not defined from f32 to u32"},
		{"narrow register", isa.Instr{Op: isa.Mov, Type: isa.U64, Dst: ops(reg(0)), Src: ops(imm(1))}, "a result of 64 bits does not fit into register %r0 of 32"},
		{"predicate as number", isa.Instr{Op: isa.Add, Type: isa.U32, Dst: ops(reg(0)), Src: ops(reg(0), reg(1))}, "register %p0 is a predicate"},
		{"number as predicate", isa.Instr{Op: isa.Setp, Type: isa.U32, Cmp: isa.Eq, Dst: ops(reg(0)), Src: ops(reg(0), imm(0))}, "register %r0 is no predicate"},
		{"wide register", isa.Instr{Op: isa.Add, Type: isa.U32, Dst: ops(reg(2)), Src: ops(reg(0), reg(0))}, "register %q0 has 128 bits"},
		{"register", isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: ops(reg(9)), Src: ops(imm(0))}, "there is no register 9"},
		{"variable", isa.Instr{Op: isa.Mov, Type: isa.U64, Dst: ops(reg(3)), Src: ops(isa.Operand{Kind: isa.KindVar, Var: 4})}, "there is no variable 4"},
		{"sources", isa.Instr{Op: isa.Add, Type: isa.U32, Dst: ops(reg(0)), Src: ops(reg(0))}, "1 sources"},
		{"results", isa.Instr{Op: isa.Add, Type: isa.U32, Src: ops(reg(0), reg(0))}, "0 results"},
		{"address", isa.Instr{Op: isa.Ld, Type: isa.U32, Dst: ops(reg(0)), Src: ops(reg(3))}, "%3 is no address"},
		{"address as number", isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: ops(reg(0)), Src: ops(at3())}, "source 1 cannot be [%3]"},
		{"two addresses as numbers", isa.Instr{Op: isa.Add, Type: isa.U32, Dst: ops(reg(0)), Src: ops(at3(), at3())}, "source 1 cannot be [%3]"},
		{"special predicate as number", isa.Instr{Op: isa.Add, Type: isa.U32, Dst: ops(reg(0)), Src: ops(reg(0), isa.Operand{Kind: isa.KindSpecial, Special: isa.IsExplicitCluster})}, "source 2 cannot be the predicate %is_explicit_cluster"},
		{"immediate result", isa.Instr{Op: isa.Mov, Type: isa.U32, Dst: ops(imm(1)), Src: ops(reg(0))}, "result 1 cannot be 0x1"},
		{"parameter without a size", isa.Instr{Op: isa.Ld, Type: isa.Pred, Space: isa.Param, Dst: ops(reg(1)), Src: ops(isa.Operand{Kind: isa.KindVarAddr, Var: isa.ParamVar, Reg: isa.NoReg})}, "ld is not defined on pred"},
		{"three elements", isa.Instr{Op: isa.Ld, Type: isa.U32, Dst: ops(reg(0), reg(0), reg(0)), Src: ops(at3())}, "ld is not defined on u32"},
		{"store to constants", isa.Instr{Op: isa.St, Type: isa.U32, Space: isa.Const, Src: ops(at3(), reg(0))}, "const space cannot be written"},
		{"atomic", isa.Instr{Op: isa.Atom, Atom: isa.AtomAdd, Type: isa.S64, Dst: ops(reg(3)), Src: ops(at3(), reg(3))}, "atom is not defined on s64"},
		{"atomic on local memory", isa.Instr{Op: isa.Red, Atom: isa.AtomAdd, Type: isa.U32, Space: isa.Local, Src: ops(at3(), reg(0))}, "red is not defined on u32"},
		{"modifier", isa.Instr{Op: isa.Selp, Type: isa.U32, Sat: true, Dst: ops(reg(0)), Src: ops(reg(0), reg(0), reg(1))}, "selp is not defined on u32 with these modifiers"},
		{"arrival without a count", isa.Instr{Op: isa.Bar, Barrier: isa.BarrierArrive, Src: ops(imm(0))}, "bar is not defined"},
		{"reduction without a predicate", isa.Instr{Op: isa.Bar, Barrier: isa.BarrierRedAnd, Dst: ops(reg(1)), Src: ops(imm(0))}, "bar is not defined"},
		{"shuffle", isa.Instr{Op: isa.Shfl, Lane: isa.VoteAll, Type: isa.B32, Dst: ops(reg(0)), Src: ops(reg(0), imm(1), imm(31))}, "shfl is not defined"},
		{"vote", isa.Instr{Op: isa.Vote, Lane: isa.ShflIdx, Type: isa.Pred, Dst: ops(reg(1)), Src: ops(reg(1))}, "vote is not defined"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in
			in.Pos = at
			k := &isa.Kernel{Name: "k", AddressBits: 64, Regs: decls, Instrs: []isa.Instr{in, {Op: isa.Exit}}}
			code, err := Decode(k, build(k))
			if err == nil || code != nil {
				t.Fatalf("got %v, %v", code, err)
			}
			if got := err.Error(); !strings.HasPrefix(got, "m.ptx:3:5: cannot execute ") || !strings.Contains(got, c.want) {
				t.Errorf("error %q lacks %q", got, c.want)
			}
		})
	}
}

func at3() isa.Operand { return at(3, 0) }

func TestDecodeReportsAll(t *testing.T) {
	bad := isa.Instr{Op: isa.Opaque, Text: "one", Pos: diag.Pos{File: "m", Line: 1}}
	worse := isa.Instr{Op: isa.OpaqueAccess, Text: "two", Pos: diag.Pos{File: "m", Line: 2}}
	k := &isa.Kernel{Instrs: []isa.Instr{bad, worse, {Op: isa.Exit}}}
	_, err := Decode(k, build(k))
	if err == nil || !strings.Contains(err.Error(), "one") || !strings.Contains(err.Error(), "two") {
		t.Errorf("got %v", err)
	}
}

func TestLayout(t *testing.T) {
	shared := func(name string, bytes, align int) isa.Var {
		return isa.Var{Name: name, Space: isa.Shared, Bytes: bytes, Align: align}
	}
	k := &isa.Kernel{
		Name: "k", AddressBits: 64, Instrs: []isa.Instr{{Op: isa.Exit}},
		Params: []isa.Var{{Space: isa.Param, Bytes: 4}, {Space: isa.Param, Offset: 8, Bytes: 8}},
		Vars: []isa.Var{
			shared("a", 3, 1), shared("b", 8, 8), {Name: "d", Space: isa.Shared, Align: 64, Extern: true},
			{Name: "l", Space: isa.Local, Bytes: 20, Align: 4},
		},
	}
	c := decode(t, k)
	if c.ParamBytes() != 16 || c.SharedBytes() != 16 || c.DynamicSharedOffset() != 64 || c.LocalBytes() != 32 || c.Len() != 1 {
		t.Errorf("%d bytes of parameters, %d of shared memory, dynamic from 0x%x, %d of local memory, %d instructions",
			c.ParamBytes(), c.SharedBytes(), c.DynamicSharedOffset(), c.LocalBytes(), c.Len())
	}
	launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Params: make([]byte, 16), DynamicShared: 36}
	g, err := NewGrid(c, launch, new(Memory), 32)
	if err != nil || g.SharedBytes() != 100 {
		t.Errorf("%d bytes of shared memory in all, error %v; want 100", g.SharedBytes(), err)
	}
	bytes := decode(t, &isa.Kernel{Name: "k", AddressBits: 64, Instrs: []isa.Instr{{Op: isa.Exit}}, Vars: []isa.Var{shared("one", 1, 1), shared("next", 1, 0), shared("then", 1, 1)}})
	if want := []uint64{abi.SharedBase, abi.SharedBase + 1, abi.SharedBase + 2}; !slices.Equal(bytes.offsets, want) {
		t.Errorf("bytes lie at %#x, want %#x", bytes.offsets, want)
	}
	for _, v := range []isa.Var{shared("large", 1<<25, 1), shared("negative", -1, 1), shared("far", 4, 1<<40)} {
		k.Vars[1] = v
		if _, err := Decode(k, build(k)); err == nil || !strings.Contains(err.Error(), "variable "+v.Name) || !strings.Contains(err.Error(), "does not fit into the 16777213 bytes that are left of shared memory") {
			t.Errorf("%+v: %v", v, err)
		}
	}
	k.Vars[0].Bytes = 1 << 25
	if _, err := Decode(k, build(k)); err == nil || !strings.Contains(err.Error(), "does not fit into the 16777216 bytes that are left of shared memory") {
		t.Errorf("got %v", err)
	}
}
