package cta_test

import (
	"slices"
	"testing"

	"warpbound"
	"warpbound/estimate"
)

// TestManyIterations bounds loops of which one iteration stands for all, with barriers and accesses in them.
func TestManyIterations(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		maximum float64 // bound divided by simulation
	}{
		"arithmetic":        {"add.u32 %r3, %r3, %r2;\n", 1.001},
		"a barrier":         {"bar.sync 0;\n", 1.001},
		"two barriers":      {"bar.sync 0;\nadd.u32 %r3, %r3, %r2;\nbar.sync 0;\n", 1.001},
		"loads":             {"ld.global.u32 %r3, [%d];\nadd.u32 %r3, %r3, 1;\n", 1.05},
		"loads and a store": {"ld.global.u32 %r3, [%d];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%d], %r3;\n", 1.02},
	} {
		t.Run(name, func(t *testing.T) {
			a, run := boundAndRun(t, ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %d;\n.reg .pred %p;\n"+
				"ld.param.u64 %d, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nLOOP:\n"+c.body+
				"add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, 3000;\n@%p bra LOOP;\nret;\n}\n",
				"grid = [1]\nblock = [64]\n[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 1\n", warpbound.LoadOptions{Effort: 0.001}) // so that few instructions are followed
			if !slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "loops-summarised" }) {
				t.Errorf("iterations are not added up: %v", a.Warnings)
			}
			if e := &a.Estimates[0]; e.Cycles < run.Cycles || float64(e.Cycles) > c.maximum*float64(run.Cycles) {
				t.Errorf("bound %d, the run takes %d", e.Cycles, run.Cycles)
			}
		})
	}
}

// TestLoopsThatAreNotEntered are not among those that the bound tells of.
func TestLoopsThatAreNotEntered(t *testing.T) {
	a, _ := boundAndRun(t, ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k {\n.reg .b32 %r<9>;\n.reg .pred %p;\n"+
		"mov.u32 %r2, 0;\nONE: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, 3;\n@%p bra ONE;\nsetp.lt.u32 %p, %r2, 9;\n@%p bra END;\n"+
		"TWO: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, 20;\n@%p bra TWO;\nEND: ret;\n}\n", "grid = [1]\nblock = [32]\n", warpbound.LoadOptions{})
	loops := a.Estimates[0].Detail.(*estimate.CTA).Loops
	if len(loops) != 1 || loops[0].Name != "ONE" || loops[0].Iterations != 2 {
		t.Errorf("loops %+v", loops)
	}
}
