package ptx

import (
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// TestGates checks notes of the manual on several targets, and what a module accepts. What an instruction needs with one
// target each is with TestLevelsOfAssembler.
func TestGates(t *testing.T) {
	const cvt8, reduxF32 = "cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;", "redux.sync.min.f32 %f1, %f2, -1;"
	for _, c := range []struct{ version, target, body, want string }{ // what is refused; empty if nothing is
		{"7.8", "sm_90", cvt8, ""},
		{"7.8", "sm_89", cvt8, "needs .version 8.1 and .target sm_89;"},
		{"7.8", "sm_80", cvt8, "needs .version 8.1 and .target sm_89;"},
		{"7.7", "sm_90", cvt8, "needs .version 7.8 and .target sm_89; the module says .version 7.7, sm_90"},

		{"8.6", "sm_100a", reduxF32, ""},
		{"8.8", "sm_100f", reduxF32, ""},
		{"8.8", "sm_103a", reduxF32, ""},
		{"8.8", "sm_103f", reduxF32, ""},
		{"8.8", "sm_103", reduxF32, ".target sm_100a"},
		{"8.6", "sm_101a", reduxF32, ".target sm_100a"},
		{"8.8", "sm_120a", reduxF32, ".target sm_100a"},
		{"8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 40;", ""},
		{"8.8", "sm_90", "setmaxnreg.inc.sync.aligned.u32 40;", ".target sm_90a"},
		{"8.7", "sm_121a", "setmaxnreg.inc.sync.aligned.u32 40;", ""},
		{"8.7", "sm_103a", "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;", ""},
		{"8.8", "sm_100f", "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;", ".target sm_100a"},

		{"7.4", "sm_80", "cp.async.ca.shared.global [%r1], [%rd1], 4, %p1;", "needs .version 7.5 and .target sm_80;"},
		{"7.4", "sm_80", "cp.async.ca.shared.global [%r1], [%rd1], 4, %r2;", ""},
		{"8.7", "sm_100", "max.f32 %f1, %f2, %f3, %f4;", "max.f32 needs .version 8.8"},
		{"8.7", "sm_100", "max.f32 %f1, %f2, %f3;", ""},
		{"7.0", "sm_80", "mbarrier.arrive.shared.b64 %rd1, [%rd2], 2;", "needs .version 7.8 and .target sm_90;"},
		{"8.0", "sm_90", "mov.u32 %r1, %aggr_smem_size;", "%aggr_smem_size needs .version 8.1 and .target sm_90;"},
		{"7.7", "sm_90", "mov.u32 %r1, %clusterid.x;", "%clusterid.x needs .version 7.8"},
		{"6.0", "sm_20", "ts: .branchtargets E; E: brx.idx %r1, ts;", "needs .version 6.0 and .target sm_30; the module says .version 6.0, sm_20"},
		{"7.7", "sm_90", "barrier.cluster.wait;", "needs .version 7.8 and .target sm_90; the module says .version 7.7, sm_90"},

		{"1.4", "sm_10", "popc.b32 %r1, %r2;", "needs .version 2.0 and .target sm_20;"},
		{"9.10", "sm_10x", reduxF32, ""}, // nobody knows what these have
	} {
		p, err := lowerText(".version " + c.version + " .target " + c.target + " .address_size 64 .entry k() { " + gatedRegisters + c.body + " }")
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		why := ""
		for _, w := range isa.UnmodelledInstrs("k", p.Func("k").Instrs) {
			why += w.Text
		}
		if (why == "") != (c.want == "") || !strings.Contains(why, c.want) || strings.Contains(why, "it may") {
			t.Errorf("%s of %s, %s: %q, want %q", c.body, c.version, c.target, why, c.want)
		}
	}
}

const gatedRegisters = ".reg .f32 %f<5>; .reg .b16 %rs<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p<2>; "

// TestAccept takes what a module accepts, and tells where it was needed.
func TestAccept(t *testing.T) {
	m, err := Parse("t.ptx", []byte(".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { "+gatedRegisters+`
redux.sync.min.u32 %r1, %r2, -1;
redux.sync.max.u32 %r1, %r2, -1;
mov.u32 %r1, %aggr_smem_size;
}`))
	if err != nil {
		t.Fatal(err)
	}
	m.Accept = []string{"redux.sync.min.u32", "%aggr_smem_size", "add.u32"}
	p, err := Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	var refused, accepted []string
	for _, w := range p.Warnings {
		refused = append(refused, w.Pos.String())
	}
	for _, a := range p.Accepted {
		accepted = append(accepted, a.Pos.String()+" "+a.Name)
	}
	if !slices.Equal(refused, []string{"t.ptx:6:1"}) || !slices.Equal(accepted, []string{"t.ptx:5:1 redux.sync.min.u32", "t.ptx:7:1 %aggr_smem_size"}) {
		t.Errorf("refused %q, accepted %q", refused, accepted)
	}
}

// TestGatesOfForms finds a form, or a special register, for each name in the gates.
func TestGatesOfForms(t *testing.T) {
	for name := range compiledGates() {
		register, isRegister := strings.CutPrefix(name, "%")
		_, known := isa.SpecialByName(register)
		if !isRegister {
			known = len(forms()[name]) > 0 || isStackInstr(&Instr{Mnemonic: name + ".u64"})
		}
		if _, ofAxes := isa.SpecialByName(register + ".x"); !known && !ofAxes {
			t.Errorf("there is no %s", name)
		}
	}
}
