package ptx

import (
	"strings"
	"testing"
)

// TestLowerMatrices checks what instructions on matrices lower to, as compilers write them: with
// single registers in braces and without, with words of ldmatrix in another order, and with generic
// addresses.
func TestLowerMatrices(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
			"mma.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}"},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6}, %r7, {%f1, 0f00000000, %f2, %r1};",
			"mma.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, %6, {%7, 0x0, %8, %0}"},
		{"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2, %r3, %r4};",
			"mma.m8n8k4.col.row.f32.f16.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%8, %9, %10, %11}"},
		{"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};",
			"mma.m8n8k16.row.col.satfinite.s32.u8.s8.s32 {%0, %1}, %2, %3, {%0, %1}"},
		{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r1, _}, %r3, %r4, {%r1, %r2};",
			"mma.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%0, _}, %1, %2, {%0, %3}"},
		{"mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {%r1, %r2}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r1, %r2};",
			"mma.m16n8k32.row.col.f16.e4m3.e5m2.f16 {%0, %1}, {%0, %1, %2, %3}, {%4, %5}, {%0, %1}"},
		{"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5+32];", "ldmatrix.m8n8.trans.shared.v4.b16 {%0, %1, %2, %3}, [%4+32]"},
		{"ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];", "ldmatrix.m8n8.shared.v4.b16 {%0, %1, %2, %3}, [%4]"},
		{"ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%rd1];", "ldmatrix.m8n8.shared.b16 %0, [%1]"},
		{"stmatrix.sync.aligned.m8n8.x2.shared::cta.b16 [tile], {%r1, %r2};", "stmatrix.m8n8.shared.v2.b16 [var3], {%0, %1}"},
		{"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", "movmatrix.m8n8.trans.b16 %0, %1"},
	} {
		p, err := lowerSnippet(c.text)
		if err != nil {
			t.Errorf("%s\n%v", c.text, err)
			continue
		}
		for _, w := range p.Warnings {
			t.Errorf("%s\n%s", c.text, w.Text)
		}
		if got := p.Func("k").Instrs[0].String(); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestMatrixErrors checks the messages for fragments that do not fit.
func TestMatrixErrors(t *testing.T) {
	for text, want := range map[string]string{
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1}, {%r1, %r2}, {%r3}, {%r1, %r2};":         "operand {%r1}: 1 registers, want the 2 of a fragment",
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, %r1, {%r3}, {%r1, %r2};":           "operand %r1: 1 registers, want the 2 of a fragment",
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, 1}, {%r1, %r2}, {%r3}, {%r1, %r2};":      "want a register for the result",
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %rd2}, {%r3}, {%r1, %r2};":   "register %rd2 is .b64, want .b32",
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, {%r2}}, {%r3}, {%r1, %r2};":  "want a register or a constant in each element",
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, [%r1], {%r3}, {%r1, %r2};":         "the operands do not fit",
		"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2, %r3}, [%r4];":                               "the operands do not fit",
		"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [g];":                                           "g is in .global, not in .shared",
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%p1}, {%r1, %r2};":    "register %p1 is .pred, want .b32",
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd1}, {%r1}, {%fd1, %fd2};":     "register %r1 is .b32, want .f64",
		"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {%r1, %r2, %r3, %f1}; add.u32 %r1, %r1, %rd1;":  "register %rd1 is .b64",
		"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%r3, %r4}, {%r1, _};": "operand {%r3, %r4}: 2 registers, want the 1 of a fragment",
	} {
		p, err := lowerSnippet(text)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
		} else if got := refusals(t, p); !strings.Contains(got, want) {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}
