package gated_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/gated"
	"warpbound/internal/isa"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/goldentest"
)

func build(t testing.TB, k *isa.Kernel) *cfg.Graph {
	t.Helper()
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPrint compares the forms of the kernels in testdata with those beside them.
func TestPrint(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			form, err := gated.New(t.Context(), flowtest.Unmodelled(t, file, string(text)), 0)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".ptx") + ".golden"
			goldentest.Check(t, golden, form.String())
		})
	}
}

// TestRefused has kernels that have no gated form.
func TestRefused(t *testing.T) {
	at := func(line int32) diag.Pos { return diag.Pos{File: "k.ptx", Line: line, Col: 1} }
	p := isa.Guard{Set: true, Reg: 0}
	for name, c := range map[string]struct {
		instrs []isa.Instr
		want   string
	}{
		"a loop with two entries": {[]isa.Instr{
			{Op: isa.Bra, Guard: p, Target: 2, Pos: at(1)},
			{Op: isa.Nop, Pos: at(2)},
			{Op: isa.Bra, Guard: p, Target: 1, Pos: at(3)},
			{Op: isa.Ret, Pos: at(4)},
		}, "irreducible"},
		"a branch by a number": {[]isa.Instr{
			{Op: isa.BrxIdx, Src: []isa.Operand{isa.ImmOperand(0)}, Targets: []int{1}, Pos: at(1)},
			{Op: isa.Ret, Pos: at(2)},
		}, "the index must be a register"},
	} {
		t.Run(name, func(t *testing.T) {
			k := &isa.Kernel{Name: "k", Regs: []isa.RegDecl{{Name: "%p", Type: isa.Pred}}, Instrs: c.instrs}
			form, err := gated.New(t.Context(), build(t, k), 0)
			placed := (*diag.Error)(nil)
			if form != nil || !errors.As(err, &placed) || !placed.Pos.Known() || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with a position that says %q", err, c.want)
			}
		})
	}
}

// TestTooManyPaths has a switch of which every case falls through to the next.
func TestTooManyPaths(t *testing.T) {
	const cases = 4200
	var list, code strings.Builder
	for i := range cases {
		fmt.Fprintf(&list, ", C%d", i)
		fmt.Fprintf(&code, "C%d: add.u32 %%r0, %%r0, 1;\n", i)
	}
	text := ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .b32 %r<2>; .reg .b64 %a;\n" +
		"ld.param.u64 %a, [out];\nT: .branchtargets " + list.String()[2:] + ";\nbrx.idx %r1, T;\n" + code.String() + "st.global.u32 [%a], %r0;\nret;\n}\n"
	if form, err := gated.New(t.Context(), flowtest.Graph(t, "k.ptx", text), 0); form != nil || err == nil || !strings.Contains(err.Error(), "k.ptx:4:1: kernel k: there are more than 16777216 edges") {
		t.Errorf("got %v, want an error with a position", err)
	}
}
