package isa

import (
	"strings"
	"testing"

	"warpbound/diag"
)

// TestOpTable checks that every operation has a complete row.
func TestOpTable(t *testing.T) {
	seen := map[string]Op{}
	for op := Unknown + 1; op < numOps; op++ {
		info := op.Info()
		modelled := info.Effect&Unmodelled == 0
		if info.Name == "" || (info.Unit != NoUnit) != modelled {
			t.Errorf("operation %d has no name, or not the right unit: %+v", op, info)
		}
		if other, dup := seen[info.Name]; dup {
			t.Errorf("operations %d and %d are both called %s", other, op, info.Name)
		}
		seen[info.Name] = op
		if info.Dst[0] > info.Dst[1] || info.Src[0] > info.Src[1] {
			t.Errorf("%s: empty range of operands: %+v", op, info)
		}
		for _, typ := range []Type{U32, F32, F64} {
			in := Instr{Op: op, Type: typ}
			if (in.Class() != ClassNone) != modelled {
				t.Errorf("%s.%s has timing class %s", op, typ, in.Class())
			}
		}
	}
	if in := (Instr{Op: Unknown}); in.Class() != ClassNone {
		t.Errorf("an unknown instruction has timing class %s", in.Class())
	}
	if got := Op(60000).Info(); got != Unknown.Info() {
		t.Errorf("a value beyond the table gives %+v", got)
	}
}

func TestNamesRoundTrip(t *testing.T) {
	for typ := Pred; typ < numTypes; typ++ {
		if got, ok := TypeByName(typ.String()); !ok || got != typ {
			t.Errorf("type %s reads back as %s", typ, got)
		}
		if typ.Class() == NoClass || typ.Bits() == 0 {
			t.Errorf("type %s has no class or width", typ)
		}
	}
	for s := TidX; s < numSpecials; s++ {
		if got, ok := SpecialByName(s.String()); !ok || got != s {
			t.Errorf("special register %s reads back as %s", s, got)
		}
	}
	for _, c := range Classes() {
		if c.String() == "" {
			t.Errorf("timing class %d has no name", c)
		}
	}
}

func reg(r Reg) []Operand { return []Operand{RegOperand(r)} }

// callProgram has a kernel that calls inc twice, once guarded, and inc has a
// local variable, a shared variable and two returns.
func callProgram() *Program {
	shared := Var{Name: "tile", Space: Shared, Type: B32, Bytes: 64, Align: 4}
	local := Var{Name: "frame", Space: Local, Type: B32, Bytes: 8, Align: 8}
	inc := &Func{
		Name: "inc", ParamRegs: []Reg{0}, ResultRegs: []Reg{1},
		Regs: []RegDecl{{"%a", U32}, {"%b", U32}, {"%p", Pred}},
		Vars: []Var{local, shared},
		Instrs: []Instr{
			{Op: Add, Type: U32, Dst: reg(1), Src: []Operand{RegOperand(0), ImmOperand(1)}},
			{Op: Ret, Guard: Guard{Set: true, Reg: 2}},
			{Op: St, Type: U32, Space: Local, Src: []Operand{{Kind: KindVarAddr, Reg: NoReg, Var: 3}, RegOperand(1)}},
			{Op: St, Type: U32, Space: Shared, Src: []Operand{{Kind: KindVarAddr, Reg: NoReg, Var: 4}, RegOperand(1)}},
			{Op: Bra, Target: 5},
			{Op: Ret},
		},
		Labels: []Label{{Name: "end", Index: 5}},
	}
	main := &Func{
		Name: "main", Entry: true,
		Regs: []RegDecl{{"%x", U32}, {"%q", Pred}},
		Instrs: []Instr{
			{Op: Call, Callee: "inc", Dst: reg(0), Src: []Operand{ImmOperand(7)}},
			{Op: Call, Callee: "inc", Dst: reg(0), Src: reg(0), Guard: Guard{Set: true, Reg: 1}},
			{Op: St, Type: U32, Space: Global, Src: []Operand{{Kind: KindVarAddr, Reg: NoReg, Var: 0}, RegOperand(0)}},
			{Op: Ret},
		},
	}
	return &Program{
		File: "m.ptx", AddressBits: 64, Funcs: []*Func{inc, main},
		Vars: []Var{
			{Name: "out", Space: Global, Bytes: 8, Init: make([]byte, 8), Relocs: []Reloc{{Var: "other", Size: 8}}},
			{Name: "other", Space: Global, Bytes: 4},
			{Name: "unused", Space: Global, Bytes: 4},
		},
	}
}

func TestLinkExpandsCalls(t *testing.T) {
	k, err := Link(callProgram(), "main")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(`
mov.u32 %2, 0x7
add.u32 %3, %2, 0x1
@%4 bra ->7
st.local.u32 [var0], %3
st.shared.u32 [var1], %3
bra ->6
bra ->7
mov.u32 %0, %3
@!%1 bra ->17
mov.u32 %5, %0
add.u32 %6, %5, 0x1
@%7 bra ->16
st.local.u32 [var2], %6
st.shared.u32 [var1], %6
bra ->15
bra ->16
mov.u32 %0, %6
st.global.u32 [var3], %0
ret`)
	var lines []string
	for i := range k.Instrs {
		lines = append(lines, k.Instrs[i].String())
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for at, want := range map[int]string{
		2:  "@inc@1.%p bra ->7",
		3:  "st.local.u32 [frame], inc@1.%b",
		5:  "bra inc@1.end",
		17: "st.global.u32 [out], %x",
	} {
		if got := k.Format(&k.Instrs[at]); got != want {
			t.Errorf("instruction %d with names: got %q, want %q", at, got, want)
		}
	}
	var vars []string
	for _, v := range k.Vars {
		vars = append(vars, v.Name)
	}
	if got, want := strings.Join(vars, " "), "frame tile frame out other"; got != want {
		t.Errorf("variables %q, want %q", got, want)
	}
	if k.Labels[0].Name != "inc@1.end" || k.Labels[0].Index != 6 {
		t.Errorf("first label %+v", k.Labels[0])
	}
}

func TestLinkErrors(t *testing.T) {
	at := diag.Pos{File: "m.ptx", Line: 4, Col: 2}
	for _, c := range []struct {
		name   string
		mutate func(*Program)
		want   string
	}{
		{"no such kernel", func(p *Program) { p.Funcs[1].Name = "other" }, `module m.ptx has no kernel "main"; it has other`},
		{"arguments", func(p *Program) { p.Funcs[1].Instrs[0].Src = nil }, "passes 0 arguments for 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := callProgram()
			p.Funcs[1].Instrs[0].Pos = at
			c.mutate(p)
			if _, err := Link(p, "main"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestObstacles(t *testing.T) {
	at := diag.Pos{File: "m.ptx", Line: 4, Col: 2}
	for _, c := range []struct {
		name   string
		mutate func(*Program)
		want   diag.Warning
	}{
		{"extern", func(p *Program) {
			p.Funcs[0].Extern = true
			p.Funcs[1].Instrs[0].Pos = at
			p.Funcs[1].Instrs[1] = Instr{Op: Ret}
		}, diag.Warning{Pos: at, ID: "unresolved-call", Text: "call to inc, which the module does not define"}},
		{"address", func(p *Program) {
			p.Funcs[1].Instrs[0] = Instr{Op: Call, Callees: []string{"inc"}, Dst: reg(0), Src: []Operand{ImmOperand(0), ImmOperand(7)}, Pos: at}
			p.Funcs[1].Instrs[1] = Instr{Op: Ret}
		}, diag.Warning{Pos: at, ID: "unresolved-call", Text: "call by address: the module uses the address of no function that fits"}},
		{"address of what is not defined", func(p *Program) {
			p.Funcs[0].Extern = true
			function := Operand{Kind: KindFunc, Reg: NoReg}
			p.Funcs[1].Instrs[0] = Instr{Op: Call, Callees: []string{"inc"}, Dst: reg(0), Src: []Operand{function, ImmOperand(7)}, Pos: at}
			p.Funcs[1].Instrs[1] = Instr{Op: Ret}
		}, diag.Warning{Pos: at, ID: "unresolved-call", Text: "call by address: the module uses the address of no function that fits"}},
		{"relocation", func(p *Program) {
			p.Vars[0].Pos, p.Vars[1].Name = at, "gone"
		}, diag.Warning{Pos: at, ID: "unresolved-address", Text: "out is initialised with the address of other, which the module does not define"}},
		{"unknown", func(p *Program) {
			p.Funcs[1].Instrs[2] = Instr{Op: Unknown, Text: "frob.u32 %r1", Pos: at}
		}, diag.Warning{Pos: at, ID: "unknown-instruction", Text: "unknown instruction frob.u32 %r1"}},
		{"not modelled", func(p *Program) {
			p.Funcs[1].Instrs[2] = Instr{Op: Opaque, Text: "frob.u32 %r1", Reason: "it is new", Pos: at}
		}, diag.Warning{Pos: at, ID: "unknown-instruction", Text: "frob.u32 %r1 cannot be executed: it is new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := callProgram()
			c.mutate(p)
			k, err := Link(p, "main")
			if err != nil {
				t.Fatal(err)
			}
			if got := Obstacles(k); len(got) != 1 || got[0] != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	k, err := Link(callProgram(), "main")
	if err != nil || len(Obstacles(k)) > 0 {
		t.Errorf("a complete program has obstacles %v, error %v", Obstacles(k), err)
	}
}

func TestLinkStopsExponentialGrowth(t *testing.T) {
	p := callProgram()
	body := p.Funcs[0]
	for i := range 30 {
		f := *body
		f.Name = "level" + string(rune('a'+i))
		callee := p.Funcs[len(p.Funcs)-1].Name
		if i == 0 {
			callee = "inc"
		}
		f.Instrs = []Instr{
			{Op: Call, Callee: callee, Dst: reg(1), Src: reg(0)},
			{Op: Call, Callee: callee, Dst: reg(1), Src: reg(0)},
			{Op: Ret},
		}
		f.Labels = nil
		p.Funcs = append(p.Funcs, &f)
	}
	p.Func("main").Instrs[0].Callee = p.Funcs[len(p.Funcs)-1].Name
	if _, err := Link(p, "main"); err == nil || !strings.Contains(err.Error(), "grows beyond") {
		t.Errorf("got %v, want an error about growth", err)
	}
}
