package job

import (
	"testing"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// TestNoPlace checks what is said of places that a kernel with two loops does not have.
func TestNoPlace(t *testing.T) {
	k := &isa.Kernel{Name: "k", File: "dir/m.ptx"}
	for i := range 8 {
		k.Instrs = append(k.Instrs, isa.Instr{
			Pos: diag.Pos{File: "dir/m.ptx", Line: int32(10 + i)},
			Loc: diag.Pos{File: "src/m.cu", Line: int32(5 + i/2)},
		})
	}
	k.Instrs[4].Op, k.Instrs[4].Target = isa.Bra, 2
	k.Instrs[5].Op, k.Instrs[5].Target = isa.Bra, 7
	k.Instrs[6].Op, k.Instrs[6].Targets = isa.BrxIdx, []int{7, 0}
	k.Instrs[0].Loc = diag.Pos{}
	k.Labels = []isa.Label{{Name: "$debug", Index: 3}, {Name: "$L__BB0_1", Index: 2}, {Name: "$L__BB0_2", Index: 7}}
	const found = "its loops begin at one (m.ptx:10), $L__BB0_1 (m.ptx:12, m.cu:6)"
	for _, c := range []struct {
		place, there, want string
	}{
		{"$L__BB1_1", loops(k), `j:1:1: kernel k has no label "$L__BB1_1"; did you mean "$L__BB0_1"? (` + found + ")"},
		{"inner", loops(k), `j:1:1: kernel k has no label "inner"; ` + found},
		{"inner", labels(k), `j:1:1: kernel k has no label "inner"; it has $L__BB0_1, $L__BB0_2`},
		{"m.cu:6", loops(k), "j:1:1: m.cu:6 is a line of the source, whose instructions a compiler copies and moves; give a label or a line of dir/m.ptx: " + found},
		{"99", loops(k), `j:1:1: no instruction of kernel k stands at "99"; give a line of dir/m.ptx that holds one, or a label: ` + found},
		{"x.cu:6", loops(k), `j:1:1: no instruction of kernel k stands at "x.cu:6"; give a line of dir/m.ptx that holds one, or a label: ` + found},
	} {
		p, err := ParsePlace(c.place)
		if err != nil {
			t.Fatal(err)
		}
		var errs diag.List
		m := &binder{Bound: Bound{Job: &Job{}, Kernel: k}, errs: &errs}
		m.noPlace(p, diag.Pos{File: "j", Line: 1, Col: 1}, c.there)
		if got := errs.Err().Error(); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.place, got, c.want)
		}
	}
	bare := &isa.Kernel{}
	if got := loops(bare) + ", " + labels(bare); got != "it has no loop, it has none" {
		t.Errorf("without labels: %s", got)
	}
}
