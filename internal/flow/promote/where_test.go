package promote

import (
	"strings"
	"testing"

	"warpbound/internal/constraint"
	"warpbound/internal/test/flowtest"
)

// TestHeight has what is known of addresses change as often as it can.
func TestHeight(t *testing.T) {
	for _, test := range []struct {
		registers, code string
		steps           int
		ok              bool
	}{
		{"%a", "mov.u64 %a, d; add.s64 %a, %a, 8;", 2, true},
		{"%a", "mov.u64 %a, d; st.local.u64 [d], %a; add.s64 %a, %a, 8;", 4, true},
		{"%a", "mov.u64 %a, d; add.s64 %a, %a, 8; mov.u64 %a, 0;", 3, false},
		{"%a, %b", "mov.u64 %a, d; add.s64 %a, %a, 8; mov.u64 %b, %a; mov.u64 %a, 0; mov.u64 %b, 0;", 4, false},
	} {
		text := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.local .align 8 .b8 d[16];\n" +
			".reg .b64 " + test.registers + ";\n" + strings.ReplaceAll(test.code, "; ", ";\n") + "\nret;\n}\n"
		var steps []string
		_, ok := locate(flowtest.Kernel(t, "k.ptx", text), nil, func(s constraint.Step) { steps = append(steps, s.String()) })
		if len(steps) != test.steps || ok != test.ok {
			t.Errorf("%s: known %t, after %d steps:\n%s", test.code, ok, len(steps), strings.Join(steps, "\n"))
		}
	}
}
