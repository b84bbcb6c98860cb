package emu

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/diag"
	"warpbound/internal/constraint"
	"warpbound/internal/isa"
)

// TestDeciding compares the registers that decide with a walk from each along what is computed from
// it.
func TestDeciding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := &isa.Kernel{Name: "k", Regs: make([]isa.RegDecl, 9)}
		reg := func(name string) isa.Reg { return isa.Reg(rapid.IntRange(0, len(k.Regs)-1).Draw(t, name)) }
		for range rapid.IntRange(0, 20).Draw(t, "instructions") {
			address := isa.Operand{Kind: isa.KindAddr, Reg: reg("address")}
			in := isa.Instr{Op: isa.St, Src: []isa.Operand{address, isa.RegOperand(reg("value"))}}
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				in.Guard = isa.Guard{Set: true, Reg: reg("guard")}
			case 1:
				in = isa.Instr{Op: isa.Ld, Src: []isa.Operand{address}}
				in.Dst = []isa.Operand{isa.RegOperand(reg("result"))}
			case 2:
			default:
				in = isa.Instr{Op: isa.Add, Dst: []isa.Operand{isa.RegOperand(reg("sum"))}}
				in.Src = []isa.Operand{isa.RegOperand(reg("a")), isa.RegOperand(reg("b"))}
			}
			k.Instrs = append(k.Instrs, in)
		}
		got := deciding(k, func(int) bool { return false }, nil)
		for r := range k.Regs {
			if want := decides(k, isa.Reg(r), make([]bool, len(k.Regs))); got[r] != want {
				t.Fatalf("register %d decides: %t, not %t", r, got[r], want)
			}
		}
	})
}

// decides reports whether a register is a guard or has a part in an address, or another one does
// that is computed from it.
func decides(k *isa.Kernel, r isa.Reg, seen []bool) bool {
	if seen[r] {
		return false
	}
	seen[r] = true
	for i := range k.Instrs {
		in := &k.Instrs[i]
		if in.Guard.Set && in.Guard.Reg == r || in.Op != isa.Add && in.Src[0].Reg == r {
			return true
		}
		reads := slices.ContainsFunc(in.Src, func(o isa.Operand) bool { return o.Reg == r })
		if reads && len(in.Dst) > 0 && decides(k, in.Dst[0].Reg, seen) {
			return true
		}
	}
	return false
}

// TestTraceDeciding follows an address back to what it is computed from, around a loop.
func TestTraceDeciding(t *testing.T) {
	k := &isa.Kernel{Name: "k", Regs: []isa.RegDecl{{Name: "%a"}, {Name: "%b"}, {Name: "%c"}}}
	add := func(line int32, d, s isa.Reg) isa.Instr {
		return isa.Instr{
			Op: isa.Add, Type: isa.U32, Pos: diag.Pos{File: "k.ptx", Line: line, Col: 1},
			Dst: []isa.Operand{isa.RegOperand(d)}, Src: []isa.Operand{isa.RegOperand(s), isa.ImmOperand(1)},
		}
	}
	k.Instrs = []isa.Instr{
		add(1, 0, 1), add(2, 1, 2),
		{Op: isa.St, Type: isa.U32, Src: []isa.Operand{{Kind: isa.KindAddr, Reg: 0}, isa.RegOperand(2)}},
	}
	var lines []string
	deciding(k, func(int) bool { return false }, func(s constraint.Step) { lines = append(lines, s.String()) })
	want := []string{
		"  1  k.ptx:1:1: add.u32 %a, %b, 0x1  {} -> {%b}",
		"  2  k.ptx:2:1: add.u32 %b, %c, 0x1  {} -> {%c}",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("steps\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
