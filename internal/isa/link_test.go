package isa

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLiveAcrossCalls compares the registers that a call must save with those
// that a walk along every path from behind the call finds.
func TestLiveAcrossCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const regs = 5
		reg := rapid.Int32Range(0, regs-1)
		operand := func(name string) Operand { return RegOperand(Reg(reg.Draw(t, name))) }
		f := &Func{Regs: make([]RegDecl, regs), ResultRegs: []Reg{Reg(reg.Draw(t, "result"))}}
		n := rapid.IntRange(1, 9).Draw(t, "instructions")
		for range n {
			in := Instr{Op: rapid.SampledFrom([]Op{Add, Bra, BrxIdx, Call, Ret, Exit}).Draw(t, "op")}
			if rapid.Bool().Draw(t, "guarded") {
				in.Guard = Guard{Set: true, Reg: Reg(reg.Draw(t, "guard"))}
			}
			switch in.Op {
			case Add, Call:
				in.Dst, in.Src = []Operand{operand("d")}, []Operand{operand("a")}
			case Bra:
				in.Target = rapid.IntRange(0, n).Draw(t, "target")
			case BrxIdx:
				in.Src = []Operand{operand("index")}
				in.Targets = []int{rapid.IntRange(0, n).Draw(t, "first"), rapid.IntRange(0, n).Draw(t, "second")}
			}
			f.Instrs = append(f.Instrs, in)
		}
		live := liveAcrossCalls(f)
		for i := range f.Instrs {
			if f.Instrs[i].Op != Call {
				continue
			}
			for r := range Reg(regs) {
				seen := make([]bool, n+1)
				want := f.Instrs[i].Dst[0].Reg != r && readFrom(f, i+1, r, seen)
				if got := slices.Contains(live[i], r); got != want {
					t.Fatalf("register %d across instruction %d: %t, want %t", r, i, got, want)
				}
			}
		}
	})
}

// readFrom reports whether a path from instruction i reads r before it writes it.
func readFrom(f *Func, i int, r Reg, seen []bool) bool {
	if seen[i] {
		return false
	}
	seen[i] = true
	if i == len(f.Instrs) {
		return f.ResultRegs[0] == r
	}
	in := &f.Instrs[i]
	if in.Guard.Set && in.Guard.Reg == r || len(in.Src) > 0 && in.Src[0].Reg == r {
		return true
	}
	if len(in.Dst) > 0 && in.Dst[0].Reg == r && !in.Guard.Set {
		return false
	}
	next := []int{i + 1}
	switch {
	case in.Op == Bra:
		next = append(next, in.Target)
	case in.Op == BrxIdx:
		next = append(next, in.Targets...)
	case in.Op == Ret:
		next = append(next, len(f.Instrs))
	}
	if !in.Guard.Set && in.Op != Add && in.Op != Call {
		next = next[1:]
	}
	return slices.ContainsFunc(next, func(at int) bool { return readFrom(f, at, r, seen) })
}

// TestFuncAddresses checks addresses of functions among initial bytes.
func TestFuncAddresses(t *testing.T) {
	p := callProgram()
	p.Vars[0].Init = make([]byte, 8)
	p.Vars[0].Relocs = []Reloc{{Var: "main", Size: 4}, {Var: "main", Offset: 6, Size: 1, Shift: 8}, {Var: "other", Offset: 4, Size: 1}}
	k, err := Link(p, "main")
	if err != nil {
		t.Fatal(err)
	}
	out := k.Vars[variableNamed(k.Vars, "out")]
	if want := []byte{0x10, 1, 0, 0, 0, 0, 1, 0}; !bytes.Equal(out.Init, want) || len(out.Relocs) != 1 || FuncAddress(1) != 0x110 {
		t.Errorf("initial bytes %x and %d addresses, want %x and 1", out.Init, len(out.Relocs), want)
	}
	if p.Vars[0].Init[0] != 0 || len(p.Vars[0].Relocs) != 3 {
		t.Error("Link changed the program")
	}
}

// TestCallByAddress checks the chain of comparisons.
func TestCallByAddress(t *testing.T) {
	p := callProgram()
	other := *p.Funcs[0]
	other.Name, other.Instrs, other.Labels = "other function", []Instr{{Op: Ret}}, nil
	p.Funcs = append(p.Funcs, &other)
	p.Funcs[1].Regs = append(p.Funcs[1].Regs, RegDecl{"%f", U64})
	p.Funcs[1].Instrs = []Instr{
		{Op: Mov, Type: U64, Dst: reg(2), Src: []Operand{{Kind: KindFunc, Reg: NoReg, Var: 2}}},
		{Op: Call, Callees: []string{"inc", "other function"}, Dst: reg(0), Src: []Operand{RegOperand(2), ImmOperand(7)}},
		{Op: Ret},
	}
	k, err := Link(p, "main")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(`
mov.u64 %2, 0x120
setp.ne.u64 %3, %2, 0x120
@%3 bra ->7
mov.u32 %4, 0x7
bra ->5
mov.u32 %0, %5
bra ->8
@%3 call stop
ret`)
	var lines []string
	for i := range k.Instrs {
		lines = append(lines, k.Instrs[i].String())
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestStatics lists variables that no kernel may name.
func TestStatics(t *testing.T) {
	p := callProgram()
	p.Vars = append(p.Vars, Var{Name: "s", Space: Shared, Bytes: 4}, Var{Name: "c", Space: Const, Bytes: 8, Relocs: []Reloc{{Var: "main", Size: 4}}})
	p.Funcs[0].Vars = append(p.Funcs[0].Vars, Var{Name: "kept", Space: Global, Bytes: 4}, Var{Name: "gone", Space: Local, Bytes: 4})
	p.Vars[len(p.Vars)-1].Init = make([]byte, 4)
	var names []string
	vars := Statics(p)
	for _, v := range vars {
		if v.Space != Global && v.Space != Const {
			t.Errorf("%s lies in %v", v.Name, v.Space)
		}
		names = append(names, v.Name)
	}
	if n := len(names); !slices.Equal(names[n-2:], []string{"c", "kept"}) {
		t.Errorf("variables %v", names)
	}
	if c := vars[len(vars)-2]; len(c.Relocs) != 0 || !bytes.Equal(c.Init, []byte{0x10, 1, 0, 0}) {
		t.Errorf("c holds % x and %d addresses", c.Init, len(c.Relocs))
	}
}
