package ptx

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/isatest"
)

// notModelled are instructions that the assembler takes and that are documented as refused, between
// spaces.
const notModelled = " cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32" +
	" st.bulk.weak.shared::cta red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 fma.rn.oob.f16 "

// assembled is a line of testdata/assembler.txt: an instruction, and the least version of PTX and the least target with
// which NVIDIA's assembler (ptxas of CUDA 13.0) takes it, of those from 3.0 and sm_20 on, or that it refuses it with all.
type assembled struct {
	version, target, instruction string
	refused                      bool
}

// readAssembled reads testdata/assembler.txt.
func readAssembled(t *testing.T) []assembled {
	t.Helper()
	text, err := os.ReadFile("testdata/assembler.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []assembled
	for line := range strings.Lines(string(text)) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		all = append(all, assembled{words[0], words[1], words[2], words[0] == "refused"})
	}
	return all
}

// with gives why no kernel may execute the instruction in a module of a version and a target; empty if one may.
func (a *assembled) with(version, target string) string {
	long := ""
	if strings.Contains(a.instruction, "%q") {
		long = ".reg .b128 %q<4>;"
	}
	p, err := lowerText(fmt.Sprintf(`.version %s
.target %s
.address_size 64
.const .align 16 .f32 table[4] = {1.0, 2.0, 3.0, 4.0};
.visible .entry k(.param .u64 buffer, .param .u32 n) {
	.shared .align 16 .b8 tile[512]; .local .align 16 .b8 own[16];
	.reg .f32 %%f<7>; .reg .f64 %%d<7>; .reg .b16 %%h<7>, %%b<7>, %%s<7>; .reg .b32 %%r<7>, %%x<7>, %%y<7>; .reg .b64 %%l<7>, %%z<4>; .reg .pred %%p<5>;
	.reg .u32 %%n; .reg .u64 %%u, %%w, %%v1, %%v2, %%v4, %%v8, %%v16, %%g1, %%g2, %%g4, %%g8, %%g16; %s
	%s;
	ret;
}
`, version, target, long, a.instruction))
	if err != nil {
		return err.Error()
	}
	k, err := isatest.Link(p, "k")
	if err != nil {
		return err.Error()
	}
	if o := isa.Obstacles(k); len(o) > 0 {
		return o[0].Text
	}
	return ""
}

// isModelled reports whether an instruction that the assembler takes is none of notModelled.
func (a *assembled) isModelled() bool {
	return !strings.Contains(notModelled, " "+strings.SplitAfter(a.instruction, " ")[0])
}

// TestInstructionsOfAssembler takes and refuses what the assembler takes and refuses.
func TestInstructionsOfAssembler(t *testing.T) {
	for _, a := range readAssembled(t) {
		version, target := a.version, a.target
		if a.refused {
			version, target = "9.0", "sm_90"
		}
		why := a.with(version, target)
		switch {
		case !a.refused && !a.isModelled() && strings.Contains(why, "cannot be executed"):
		case a.refused && why == "":
			t.Errorf("%s: taken, and the assembler refuses it", a.instruction)
		case !a.refused && why != "":
			t.Errorf("%s: refused, and the assembler takes it: %s", a.instruction, why[:min(len(why), 120)])
		}
	}
}

// TestLevelsOfAssembler refuses what the assembler takes in a module of the version before and of the target before, and
// names the least of both that it takes. The version before is tried unless it does not have the target.
func TestLevelsOfAssembler(t *testing.T) {
	versions := strings.Fields("3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 6.0 6.1 6.2 6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0")
	targets := strings.Fields("sm_20 sm_30 sm_32 sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a sm_100 sm_100a")
	for _, a := range readAssembled(t) {
		if a.refused || !a.isModelled() {
			continue
		}
		want := "needs .version " + a.version
		if a.target != "sm_20" {
			want += " and .target " + a.target + ";"
		}
		refuse := func(version, target, want string) {
			if why := a.with(version, target); !strings.Contains(why, want) {
				t.Errorf("%s: with %s and %s %q, want %q", a.instruction, version, target, why[:min(len(why), 150)], want)
			}
		}
		taken := levelOf(a.version, a.target)
		if a.version != "3.0" || a.target != "sm_20" {
			refuse("1.5", "sm_10", want)
		}
		if before := slices.Index(versions, a.version) - 1; before >= 0 && taken.version > versionOf(taken.targets[0]) {
			refuse(versions[before], a.target, want)
		}
		before := slices.Index(targets, a.target) - 1
		if before == slices.Index(targets, "sm_90a") { // those of its own are no part of later ones
			before--
		}
		if before >= 0 {
			refuse(a.version, targets[before], want)
		}
	}
}
