package symexec

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/smt"
	"warpbound/internal/test/isatest"
)

// TestCorpus has a meaning for all instructions that compute something in what compilers made
// of the suite's kernels.
func TestCorpus(t *testing.T) {
	missing := make(map[string]int)
	visit := func(k *isa.Kernel) {
		b := smt.NewBuilder()
		variable := func(o isa.Operand) *smt.Term {
			if o.Kind == isa.KindReg && k.Regs[o.Reg].Type == isa.Pred {
				return b.Var("p", smt.Bool)
			} else if o.Kind == isa.KindImm {
				return b.Number(64, o.Imm)
			}
			return b.Var("x", smt.Bits(64))
		}
		for i := range k.Instrs {
			in := &k.Instrs[i]
			if !alu.IsPure(in.Op) {
				continue
			}
			var src []*smt.Term
			for _, o := range in.Src {
				src = append(src, variable(o))
			}
			widths := make([]int, len(in.Dst))
			for i, o := range in.Dst {
				if widths[i] = 64; o.Kind == isa.KindReg {
					widths[i] = k.Regs[o.Reg].Type.Bits()
				}
			}
			if _, ok := lift(b, in, src, widths); !ok {
				missing[in.Op.String()]++
			}
		}
	}
	corpus := os.DirFS("../../kernels")
	files, err := fs.Glob(corpus, "*/corpus/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		text, err := fs.ReadFile(corpus, file)
		if err != nil {
			t.Fatal(err)
		}
		module, err := ptx.Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		program, err := ptx.Lower(module)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range program.Entries() {
			k, err := isatest.Link(program, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			visit(k)
		}
	}
	if names := slices.Sorted(maps.Keys(missing)); len(names) > 0 {
		t.Errorf("without meaning are %s", strings.TrimSpace(fmt.Sprint(missing)))
	}
}
