package inspect

import (
	"testing"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// A warning about an error stands where the error is, once.
func TestWarningsHaveThePlaceOfTheirErrors(t *testing.T) {
	at := func(line int32) diag.Pos { return diag.Pos{File: "m.ptx", Line: line, Col: 1} }
	guarded := isa.Guard{Set: true}
	program := func(body ...isa.Instr) *isa.Program {
		for i := range body {
			body[i].Pos = at(int32(i + 2))
		}
		return &isa.Program{File: "m.ptx", AddressBits: 64, Funcs: []*isa.Func{{
			Name: "k", Entry: true, Pos: at(1), Instrs: body,
			Regs: []isa.RegDecl{{Name: "%p", Type: isa.Pred}},
		}}}
	}
	for _, c := range []struct {
		name, id, pos string
		program       *isa.Program
		kernels       int
	}{
		{"two entries of a loop", "irreducible", "m.ptx:3:1", program(
			isa.Instr{Op: isa.Mov, Type: isa.Pred, Dst: []isa.Operand{isa.RegOperand(0)}, Src: []isa.Operand{isa.ImmOperand(1)}},
			isa.Instr{Op: isa.Bra, Guard: guarded, Target: 3},
			isa.Instr{Op: isa.Nop},
			isa.Instr{Op: isa.Bra, Guard: guarded, Target: 2},
			isa.Instr{Op: isa.Ret}), 1},
		{"two of a form", "unknown-instruction", "m.ptx:2:1", func() *isa.Program {
			p := program(isa.Instr{Op: isa.Opaque, Text: "frob 1"}, isa.Instr{Op: isa.Opaque, Text: "frob 2"}, isa.Instr{Op: isa.Ret})
			p.Warnings = isa.UnmodelledInstrs("k", p.Funcs[0].Instrs)
			return p
		}(), 1},
		{"call of a kernel", "no-flow-graph", "m.ptx:3:1", func() *isa.Program {
			p := program(isa.Instr{Op: isa.Nop}, isa.Instr{Op: isa.Call, Callee: "other"}, isa.Instr{Op: isa.Ret})
			p.Funcs = append(p.Funcs, &isa.Func{Name: "other", Entry: true, Pos: at(9)})
			return p
		}(), 0},
		{"call that lowering warned of", "unresolved-extern", "m.ptx:2:1", func() *isa.Program {
			p := program(isa.Instr{Op: isa.Call, Callee: "gone"}, isa.Instr{Op: isa.Ret})
			p.Warnings = []diag.Warning{{Pos: at(2), ID: "unresolved-extern", Text: "gone"}}
			return p
		}(), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Inspect(t.Context(), c.program, "k", func(*cfg.Graph) ([]graph.Edge, error) { return nil, nil }, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Kernels) != c.kernels || len(m.Warnings) != 1 {
				t.Fatalf("%d kernels and warnings %+v; want %d and one", len(m.Kernels), m.Warnings, c.kernels)
			}
			if w := m.Warnings[0]; w.ID != c.id || w.Pos != c.pos {
				t.Errorf("got %+v, want %s at %s", w, c.id, c.pos)
			}
		})
	}
}
