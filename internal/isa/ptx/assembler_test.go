package ptx

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/isatest"
)

// notModelled are instructions that the assembler takes and that are documented as refused, between
// spaces.
const notModelled = " cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32" +
	" st.bulk.weak.shared::cta red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 fma.rn.oob.f16 "

// TestInstructionsOfAssembler takes and refuses what NVIDIA's assembler (ptxas of CUDA 13.0) takes
// and refuses. testdata/assembler.txt has for each instruction the least version of PTX and the
// least target with which it takes it, or that it refuses it with all.
func TestInstructionsOfAssembler(t *testing.T) {
	text, err := os.ReadFile("testdata/assembler.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		version, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		target, instruction, _ := strings.Cut(rest, " ")
		refused := version == "refused"
		if refused {
			version, target = "9.0", "sm_90"
		}
		long := ""
		if strings.Contains(instruction, "%q") {
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
`, version, target, long, instruction))
		why := ""
		if err != nil {
			why = err.Error()
		} else if k, err := isatest.Link(p, "k"); err != nil {
			why = err.Error()
		} else if o := isa.Obstacles(k); len(o) > 0 {
			why = o[0].Text
		}
		switch {
		case strings.Contains(why, "cannot be executed") && !refused && strings.Contains(notModelled, " "+strings.SplitAfter(instruction, " ")[0]):
		case refused && why == "":
			t.Errorf("%s: taken, and the assembler refuses it", instruction)
		case !refused && why != "":
			t.Errorf("%s: refused, and the assembler takes it: %s", instruction, why[:min(len(why), 120)])
		}
	}
}
