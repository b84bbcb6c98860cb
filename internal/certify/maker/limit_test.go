package maker

import (
	"testing"

	"warpbound/internal/budget"
	"warpbound/internal/certify/check"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
	"warpbound/internal/method"
)

// TestTooLarge asks for facts about blocks of kernels that are too large for that at an effort: the reason names the limit.
func TestTooLarge(t *testing.T) {
	for _, c := range []struct {
		effort       budget.Effort
		instructions int
		want         string
	}{
		{0, 4097, "instructions times registers are 16781312, more than 16777216"},
		{0.5, 4096, "instructions times registers are 16777216, more than 8388608"},
		{2, 8193, "instructions times registers are 33558528, more than 33554432"},
	} {
		k := &isa.Kernel{Instrs: make([]isa.Instr, c.instructions), Regs: make([]isa.RegDecl, 4096)}
		p := &method.Problem{Values: &value.Result{}, Effort: c.effort}
		if facts, omitted := Places(p, &check.Subject{Kernel: k}); len(facts) > 0 || omitted != c.want {
			t.Errorf("effort %v: %d facts, %q; want %q", c.effort, len(facts), omitted, c.want)
		}
	}
}
