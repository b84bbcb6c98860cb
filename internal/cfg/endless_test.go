package cfg_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

func TestEndless(t *testing.T) {
	bra := func(target int) isa.Instr { return isa.Instr{Op: isa.Bra, Target: target} }
	conditional := func(target int) isa.Instr { return isa.Instr{Op: isa.Bra, Guard: guard, Target: target} }
	ret, trap, add := isa.Instr{Op: isa.Ret}, isa.Instr{Op: isa.Trap}, isa.Instr{Op: isa.Add}
	located := add
	located.Loc = diag.Pos{File: "k.cu", Line: 7}
	const never = ", so a warp that enters it never ends"
	for _, c := range []struct {
		name string
		k    *isa.Kernel
		want []string
	}{
		{"a loop with an exit", kernel(nil, add, conditional(0), ret), nil},
		{"an exit under a guard", kernel(nil, isa.Instr{Op: isa.Exit, Guard: guard}, bra(0)), nil},
		{"the whole kernel", kernel([]isa.Label{{Name: "L", Index: 1}}, add, located, bra(1)),
			[]string{"k.ptx:11:5: kernel k: the loop at L (k.cu:7) has no exit" + never}},
		{"behind a branch, of several blocks", kernel(nil, conditional(2), ret, add, conditional(5), bra(2), bra(2)),
			[]string{"k.ptx:12:5: kernel k: the loop at entry+2 has no exit" + never}},
		{"two of them", kernel(nil, conditional(2), bra(1), bra(2)),
			[]string{"k.ptx:11:5: kernel k: the loop at entry+1 has no exit" + never, "k.ptx:12:5: kernel k: the loop at entry+2 has no exit" + never}},
		{"around a loop with an exit", kernel(nil, add, conditional(0), bra(0)),
			[]string{"k.ptx:10:5: kernel k: the loop at entry has no exit" + never}},
		{"an exit that fails", kernel([]isa.Label{{Name: "L", Index: 0}}, conditional(2), bra(0), trap),
			[]string{"k.ptx:10:5: kernel k: the loop at L has no exit but to code that ends with an error" + never}},
		{"behind a trap", kernel(nil, conditional(3), add, ret, trap, bra(4)), nil},
		{"behind an assertion", kernel(nil, conditional(3), add, ret, isa.Instr{Op: isa.RunSystem, System: isa.SysAssert}, bra(4)), nil},
		{"a branch back to an assertion", kernel(nil, conditional(3), add, ret, isa.Instr{Op: isa.RunSystem, System: isa.SysAssert}, bra(3)), nil},
		{"unreachable", kernel(nil, ret, bra(1)), nil},
		{"a kernel that only fails", kernel(nil, add, trap), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := cfg.Build(c.k)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range g.Endless() {
				got = append(got, e.Error())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
