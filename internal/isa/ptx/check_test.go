package ptx

import (
	"testing"

	"warpbound/internal/isa"
)

// checkProgram checks that a program is well formed: all indices are in range
// and every instruction has as many operands as its operation takes, and all else that
// later stages rely on holds.
func checkProgram(t *testing.T, p *isa.Program) {
	t.Helper()
	if err := isa.VerifyProgram(p); err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Funcs {
		vars := int32(len(p.Vars) + len(f.Vars))
		for i := range f.Instrs {
			in := &f.Instrs[i]
			info := in.Op.Info()
			ok := within(len(in.Dst), info.Dst) && within(len(in.Src), info.Src)
			if in.Op == isa.Bra {
				ok = ok && in.Target >= 0 && in.Target <= len(f.Instrs)
			}
			for _, target := range in.Targets {
				ok = ok && target >= 0 && target <= len(f.Instrs)
			}
			if in.Guard.Set {
				ok = ok && f.Regs[in.Guard.Reg].Type == isa.Pred
			}
			for _, list := range [][]isa.Operand{in.Dst, in.Src} {
				for _, o := range list {
					ok = ok && (o.Reg == isa.NoReg || int(o.Reg) < len(f.Regs))
					if o.Kind == isa.KindVar || o.Kind == isa.KindVarAddr {
						ok = ok && o.Var >= isa.ParamVar && o.Var < vars
					}
					ok = ok && o.Kind != isa.KindNone
				}
			}
			if !ok {
				t.Fatalf("%s: malformed %+v", in.Pos, in)
			}
		}
		for _, l := range f.Labels {
			if l.Index < 0 || l.Index > len(f.Instrs) {
				t.Fatalf("label %+v of %d instructions", l, len(f.Instrs))
			}
		}
	}
	for _, v := range p.Vars {
		if v.Bytes < 0 || len(v.Init) > v.Bytes || v.Align&(v.Align-1) != 0 {
			t.Fatalf("malformed variable %s of %d bytes", v.Name, v.Bytes)
		}
	}
}
