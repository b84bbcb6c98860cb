package flow_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/flow"
	"warpbound/internal/isa"
)

// opaque is not modelled.
func opaque(in isa.Instr) isa.Instr {
	in.Op = isa.Opaque
	return in
}

// unless is guarded with a predicate that must not hold.
func unless(p int, in isa.Instr) isa.Instr {
	in.Guard = isa.Guard{Set: true, Not: true, Reg: isa.Reg(p)}
	return in
}

// TestUnwrittenReads has the predicates 0 and 1 and the registers 2 to 4.
func TestUnwrittenReads(t *testing.T) {
	ret := isa.Instr{Op: isa.Ret}
	stop := isa.Instr{Op: isa.RunSystem, System: isa.SysStop, Reason: "no function"}
	prologue := []isa.Instr{mov(0), mov(1)}
	for _, c := range []struct {
		name string
		body []isa.Instr // from instruction 2 on
		want string
	}{
		{"written", []isa.Instr{mov(2), mov(3, 2), ret}, "[]"},
		{"never written", []isa.Instr{mov(3, 2), ret}, "[{2 2 true}]"},
		{"written too late", []isa.Instr{mov(3, 2), mov(2), ret}, "[{2 2 false}]"},
		{"reads itself", []isa.Instr{mov(2, 2), ret}, "[{2 2 false}]"},
		{"on one way", []isa.Instr{guarded(0, bra(4)), mov(2), mov(3, 2), ret}, "[{2 4 false}]"},
		{"on both ways", []isa.Instr{guarded(0, bra(5)), mov(2), bra(6), mov(2), mov(3, 2), ret}, "[]"},
		{"in the first round of a loop", []isa.Instr{mov(3, 2), mov(2), guarded(0, bra(2)), ret}, "[{2 2 false}]"},
		{"under a guard", []isa.Instr{guarded(0, mov(2)), mov(3, 2), ret}, "[{2 3 false}]"},
		{"under the same guard", []isa.Instr{guarded(0, mov(2)), guarded(0, mov(3, 2)), ret}, "[]"},
		{"under another guard", []isa.Instr{guarded(0, mov(2)), guarded(1, mov(3, 2)), ret}, "[{2 3 false}]"},
		{"under the opposite guard", []isa.Instr{guarded(0, mov(2)), unless(0, mov(3, 2)), ret}, "[{2 3 false}]"},
		{"under both", []isa.Instr{guarded(0, mov(2)), unless(0, mov(2)), mov(3, 2), ret}, "[]"},
		{"the guard changes", []isa.Instr{guarded(0, mov(2)), mov(0), guarded(0, mov(3, 2)), ret}, "[{2 4 false}]"},
		{"behind a branch", []isa.Instr{guarded(0, mov(2)), unless(0, bra(5)), mov(3, 2), ret}, "[]"},
		{"behind the other branch", []isa.Instr{guarded(0, mov(2)), guarded(0, bra(5)), mov(3, 2), ret}, "[{2 4 false}]"},
		{"behind an exit", []isa.Instr{guarded(0, mov(2)), unless(0, ret), mov(3, 2), ret}, "[]"},
		{"but where the run ends", []isa.Instr{guarded(0, bra(5)), mov(2), bra(6), guarded(0, stop), mov(3, 2), ret}, "[]"},
		{"where the run may end", []isa.Instr{guarded(0, bra(5)), mov(2), bra(6), guarded(1, stop), mov(3, 2), ret}, "[{2 6 false}]"},
		{"where it ends for others", []isa.Instr{guarded(0, bra(5)), mov(2), bra(6), unless(0, stop), mov(3, 2), ret}, "[{2 6 false}]"},
		{"at the end of a block", []isa.Instr{mov(4), unless(0, mov(2)), guarded(0, mov(4)), mov(3, 2), unless(1, bra(5)), ret}, "[{2 5 false}]"},
		{"a guard", []isa.Instr{guarded(0, mov(3)), ret}, "[]"},
		{"unreachable", []isa.Instr{ret, mov(3, 2), ret}, "[]"},
		{"two", []isa.Instr{mov(4, 2, 3), ret}, "[{2 2 true} {3 2 true}]"},
		{"not modelled", []isa.Instr{opaque(mov(2)), mov(3, 2), ret}, "[]"},
		{"read by what is not modelled", []isa.Instr{opaque(mov(3, 2)), ret}, "[]"},
		{"perhaps written by what is not modelled", []isa.Instr{opaque(mov(3, 2)), mov(4, 2), ret}, "[]"},
		{"before what is not modelled", []isa.Instr{mov(3, 2), opaque(mov(2)), ret}, "[{2 2 false}]"},
		{"beside what is not modelled", []isa.Instr{guarded(0, bra(4)), opaque(mov(4, 2)), mov(3, 2), ret}, "[{2 4 false}]"},
		{"not modelled under a guard", []isa.Instr{guarded(0, opaque(mov(2))), guarded(0, mov(3, 2)), ret}, "[]"},
		{"not modelled under another guard", []isa.Instr{guarded(0, opaque(mov(2))), guarded(1, mov(3, 2)), ret}, "[{2 3 false}]"},
		{"not modelled, reading a guard", []isa.Instr{guarded(0, mov(2)), opaque(mov(4, 0)), guarded(0, mov(3, 2)), ret}, "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &isa.Kernel{Name: "k", Regs: regs(isa.Pred, isa.Pred, isa.U32, isa.U32, isa.U32), Instrs: append(slices.Clone(prologue), c.body...)}
			got := slices.Collect(flow.UnwrittenReads(build(t, k)))
			slices.SortFunc(got, func(a, b flow.Unwritten) int { return int(a.Reg - b.Reg) })
			if fmt.Sprint(got) != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
}

// TestUnwrittenReadsMissesNone executes random kernels with random predicates: every
// register that a run reads before it writes it must be reported.
func TestUnwrittenReadsMissesNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const preds, all, maximum = 2, 5, 12
		k := &isa.Kernel{Name: "k", Regs: regs(isa.Pred, isa.Pred, isa.U32, isa.U32, isa.U32)}
		n := rapid.IntRange(1, maximum).Draw(t, "n")
		draw := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "r") }
		for range n {
			in := mov(draw(0, all-1), draw(preds, all-1))
			switch draw(0, 5) {
			case 0:
				in = bra(draw(0, n))
			case 1:
				in = isa.Instr{Op: isa.Ret}
			case 2, 3:
				in.Src = nil
			}
			if g := draw(0, 2*preds); g < 2*preds {
				in.Guard = isa.Guard{Set: true, Not: g%2 == 1, Reg: isa.Reg(g / 2)}
			}
			k.Instrs = append(k.Instrs, in)
		}
		k.Instrs = append(k.Instrs, isa.Instr{Op: isa.Ret})
		reported := map[isa.Reg]bool{}
		for u := range flow.UnwrittenReads(build(t, k)) {
			reported[u.Reg] = true
		}
		var written [all]bool
		var value [preds]bool
		for pc, steps := 0, 0; steps < 100; steps++ {
			in := &k.Instrs[pc]
			early := func(r isa.Reg) {
				if !written[r] && !reported[r] {
					t.Fatalf("instruction %d reads register %d before it is written", pc, r)
				}
			}
			if in.Guard.Set {
				early(in.Guard.Reg)
				if value[in.Guard.Reg] == in.Guard.Not {
					pc++
					continue
				}
			}
			in.Reads(early)
			in.Writes(func(r isa.Reg) {
				written[r] = true
				if r < preds {
					value[r] = rapid.Bool().Draw(t, "value")
				}
			})
			switch in.Op {
			case isa.Ret:
				return
			case isa.Bra:
				pc = in.Target
			default:
				pc++
			}
		}
	})
}

// TestUnwrittenGuard has an instruction that is not modelled under a guard that is not written.
func TestUnwrittenGuard(t *testing.T) {
	k := &isa.Kernel{Name: "k", Regs: regs(isa.Pred, isa.U32), Instrs: []isa.Instr{guarded(0, opaque(mov(1))), {Op: isa.Ret}}}
	if got := fmt.Sprint(slices.Collect(flow.UnwrittenReads(build(t, k)))); got != "[{0 0 true}]" {
		t.Errorf("got %s", got)
	}
}
