package divergence_test

import (
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/budget"
	"warpbound/internal/flow/divergence"
)

// Of many branches to one block each one by itself is judged up to a limit, which a greater effort
// lifts, and a warning names.
func TestLimitOfBlocks(t *testing.T) {
	const branches = 11700
	var text strings.Builder
	text.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) {\n" +
		".reg .pred %p; .reg .b32 %r<2>; .reg .b64 %a; ld.param.u64 %a, [p]; mov.u32 %r0, %tid.x;\n")
	for i := range branches {
		fmt.Fprintf(&text, "setp.eq.u32 %%p, %%r0, %d; @%%p bra E;\n", i)
	}
	text.WriteString("E: ret; }\n")
	for effort, limited := range map[budget.Effort]bool{0: true, 2: false} {
		w := analyze(t, "k.ptx", text.String(), divergence.Launch{Effort: effort}).Limited()
		const want = "judged up to a limit of 67108864 blocks between branches and where their lanes reconverge"
		if limited != (len(w) == 1) || limited && !strings.Contains(w[0].Text, want) {
			t.Errorf("effort %v: %v", effort, w)
		}
	}
}
