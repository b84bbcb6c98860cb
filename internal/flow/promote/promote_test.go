package promote_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/promote"
	"warpbound/internal/isa"
	"warpbound/internal/test/flowtest"
)

// module is a kernel with two local variables whose code is given.
func module(code string) string {
	return `.version 7.0
.target sm_70
.address_size 64
.global .align 8 .u64 cell;
.visible .entry k(.param .u64 p, .param .u32 n)
{
	.local .align 8 .b8 d[32];
	.local .align 8 .b8 e[16];
	.reg .b64 %SP, %SPL, %other, %out, %a<9>;
	.reg .b32 %r<9>;
	.reg .b16 %h<9>;
	.reg .f32 %f<9>;
	.reg .pred %p<3>;
	mov.u64 %SPL, d;
	cvta.local.u64 %SP, %SPL;
	mov.u64 %other, e;
	ld.param.u64 %out, [p];
	ld.param.u32 %r8, [n];
` + code + `
	ret;
}
`
}

// moves lists the instructions of a kernel that are moves in place of accesses.
func moves(t *testing.T, k *isa.Kernel) []string {
	t.Helper()
	if err := isa.Verify(k); err != nil {
		t.Error(err)
	}
	var all []string
	for i := range k.Instrs {
		in := k.Instrs[i]
		if was := in.Text; was != "" {
			in.Text = ""
			all = append(all, fmt.Sprintf("%s => %s", was, k.Format(&in)))
		}
	}
	return all
}

// What becomes of accesses.
func TestSlots(t *testing.T) {
	tests := []struct {
		name, code string
		want       []string
	}{
		{"word", "st.u32 [%SP+4], %r8; ld.u32 %r1, [%SP+4];",
			[]string{"st.u32 [%SP+4], %r8 => mov.b32 d+4, %r8", "ld.u32 %r1, [%SP+4] => mov.b32 %r1, d+4"}},
		{"in its own space", "st.local.f32 [%SPL+4], 0f3F800000; ld.local.f32 %f1, [d+4];",
			[]string{"st.local.f32 [%SPL+4], 0x3f800000 => mov.b32 d+4, 0x3f800000", "ld.local.f32 %f1, [d+4] => mov.b32 %f1, d+4"}},
		{"extended", "st.u32 [%SP], %r8; ld.s32 %a1, [%SP];",
			[]string{"st.u32 [%SP], %r8 => mov.b32 d+0, %r8", "ld.s32 %a1, [%SP] => cvt.s64.s32 %a1, d+0"}},
		{"byte", "st.u8 [%SP+1], %r8; ld.s8 %h1, [%SP+1]; st.u8 [%SP+2], 255; ld.u8 %r1, [%SP+2];",
			[]string{"st.u8 [%SP+1], %r8 => cvt.u16.u8 d+1, %r8", "ld.s8 %h1, [%SP+1] => cvt.s16.s8 %h1, d+1",
				"st.u8 [%SP+2], 0xff => mov.b16 d+2, 0xff", "ld.u8 %r1, [%SP+2] => cvt.u32.u8 %r1, d+2"}},
		{"cut", "st.u32 [%SP], %a1; ld.u32 %r1, [%SP];",
			[]string{"st.u32 [%SP], %a1 => cvt.u32.u32 d+0, %a1", "ld.u32 %r1, [%SP] => mov.b32 %r1, d+0"}},
		{"guarded", "setp.eq.u32 %p1, %r8, 0; st.u32 [%SP], 1; @!%p1 st.u32 [%SP], 2; ld.u32 %r1, [%SP];",
			[]string{"st.u32 [%SP], 0x1 => mov.b32 d+0, 0x1", "@!%p1 st.u32 [%SP], 0x2 => @!%p1 mov.b32 d+0, 0x2", "ld.u32 %r1, [%SP] => mov.b32 %r1, d+0"}},
		{"pair as a whole", "st.v2.u32 [%SP+8], {%r8, %r8}; ld.v2.u32 {%r1, %r2}, [%SP+8];",
			[]string{"st.v2.u32 [%SP+8], {%r8, %r8} => pack.b64 d+8, %r8, %r8", "ld.v2.u32 {%r1, %r2}, [%SP+8] => unpack.b64 %r1, %r2, d+8"}},
		{"copy of a struct", "st.u32 [%SP], %r8; st.u32 [%SP+4], %r8; ld.u64 %a1, [%SP]; st.u64 [%SP+8], %a1; ld.u32 %r1, [%SP+12];",
			[]string{"st.u32 [%SP], %r8 => mov.b32 d+0, %r8", "st.u32 [%SP+4], %r8 => mov.b32 d+4, %r8", "ld.u64 %a1, [%SP] => pack.b64 %a1, d+0, d+4",
				"st.u64 [%SP+8], %a1 => unpack.b64 d+8, d+12, %a1", "ld.u32 %r1, [%SP+12] => mov.b32 %r1, d+12"}},
		{"address in a slot", "add.u64 %a1, %SP, 8; st.u64 [%SP+16], %a1; ld.u64 %a2, [%SP+16]; st.u32 [%a2+4], 3; ld.u32 %r1, [%SP+12];",
			[]string{"st.u64 [%SP+16], %a1 => mov.b64 d+16, %a1", "ld.u64 %a2, [%SP+16] => mov.b64 %a2, d+16", "st.u32 [%a2+4], 0x3 => mov.b32 d+12, 0x3",
				"ld.u32 %r1, [%SP+12] => mov.b32 %r1, d+12"}},
		{"array beside", "and.b32 %r1, %r8, 3; mul.wide.u32 %a1, %r1, 4; add.u64 %a2, %SP, %a1; st.u32 [%a2], 1; st.u32 [%SP+16], 2; ld.u32 %r2, [%SP+16];",
			[]string{"st.u32 [%SP+16], 0x2 => mov.b32 d+16, 0x2", "ld.u32 %r2, [%SP+16] => mov.b32 %r2, d+16"}},
		{"array on it", "and.b32 %r1, %r8, 4; mul.wide.u32 %a1, %r1, 4; add.u64 %a2, %SP, %a1; st.u32 [%a2], 1; st.u32 [%SP+16], 2; ld.u32 %r2, [%SP+16];", nil},
		{"array whose index is in it", "st.u32 [%SP+16], 0; ld.u32 %r1, [%SP+16]; mul.wide.u32 %a1, %r1, 4; add.u64 %a2, %SP, %a1; st.u32 [%a2+16], %r8; st.u32 [%SP+20], 1; ld.u32 %r2, [%SP+20];", nil},
		{"array that leaves its variable", "and.b32 %r1, %r8, 15; mul.wide.u32 %a1, %r1, 4; add.u64 %a2, %SP, %a1; st.u32 [%a2], 1; st.u32 [%other], 2; ld.u32 %r2, [%other];", nil},
		{"behind the variable", "st.u32 [%SP+32], 1; st.u32 [%other], 2; ld.u32 %r1, [%other];", nil},
		{"before the variable", "st.u32 [%other+-4], 1; st.u32 [%SP+28], 2; ld.u32 %r1, [%SP+28];", nil},
		{"halves", "st.u32 [%SP], %r8; st.u16 [%SP+2], %h1; ld.u32 %r1, [%SP];",
			[]string{"st.u32 [%SP], %r8 => unpack.b32 d+0, d+2, %r8", "st.u16 [%SP+2], %h1 => mov.b16 d+2, %h1", "ld.u32 %r1, [%SP] => pack.b32 %r1, d+0, d+2"}},
		{"array under a guard", "setp.lt.u32 %p1, %r8, 4; mul.wide.u32 %a1, %r8, 4; add.u64 %a2, %SP, %a1; @%p1 st.u32 [%a2], 1; st.u32 [%SP+16], 2; ld.u32 %r2, [%SP+16];",
			[]string{"st.u32 [%SP+16], 0x2 => mov.b32 d+16, 0x2", "ld.u32 %r2, [%SP+16] => mov.b32 %r2, d+16"}},
		{"array with its last word on it", "and.b32 %r1, %r8, 1; mul.wide.u32 %a1, %r1, 8; add.u64 %a2, %SP, %a1; st.u64 [%a2], %out; st.u32 [%SP+12], 2; ld.u32 %r2, [%SP+12];", nil},
		{"array before its variable", "and.b32 %r1, %r8, 1; sub.s32 %r2, %r1, 1; mul.wide.s32 %a1, %r2, 4; add.u64 %a2, %other, %a1; st.u32 [%a2], 1; st.u32 [%SP+28], 2; ld.u32 %r3, [%SP+28];", nil},
		{"overlap", "st.u32 [%SP], %r8; st.u32 [%SP+2], %r8; ld.u32 %r1, [%SP]; st.u32 [%SP+8], 1; ld.u32 %r2, [%SP+8];",
			[]string{"st.u32 [%SP+8], 0x1 => mov.b32 d+8, 0x1", "ld.u32 %r2, [%SP+8] => mov.b32 %r2, d+8"}},
		{"parts of bytes", "st.u8 [%SP], %r8; st.u8 [%SP+1], %r8; ld.u16 %h1, [%SP];", nil},
		{"extension of two parts", "st.u16 [%SP], %h1; st.u16 [%SP+2], %h1; ld.u32 %a1, [%SP];", nil},
		{"not written", "ld.u32 %r1, [%SP]; st.u32 [%SP], 2;", nil},
		{"not always written", "setp.eq.u32 %p1, %r8, 0; @%p1 st.u32 [%SP], 1; ld.u32 %r1, [%SP];", nil},
		{"stored elsewhere", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; st.global.u64 [%out], %SP;", nil},
		{"stored in an array", "and.b32 %r1, %r8, 1; mul.wide.u32 %a1, %r1, 8; add.u64 %a2, %SP, %a1; st.u64 [%a2], %SP; st.u32 [%SP+16], 2; ld.u32 %r2, [%SP+16];", nil},
		{"read from an array", "st.u64 [%SP], %SP; and.b32 %r1, %r8, 1; mul.wide.u32 %a1, %r1, 8; add.u64 %a2, %SP, %a1; ld.u64 %a3, [%a2]; st.u32 [%a3+16], 7; st.u32 [%SP+16], 2; ld.u32 %r2, [%SP+16];", nil},
		{"a half read", "st.u64 [%SP], %SP; ld.u32 %r1, [%SP]; st.u32 [%SP+16], 2; ld.u32 %r2, [%SP+16];", nil},
		{"compared", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; setp.eq.u64 %p1, %SP, %out;", nil},
		{"or something else", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; mov.u64 %a1, %out; @%p1 mov.u64 %a1, %SP; ld.u32 %r2, [%a1];", nil},
		{"sum of two", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; add.u64 %a1, %SP, %other; ld.u32 %r2, [%a1];", nil},
		{"multiplied", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; mad.lo.u64 %a1, %SP, 1, 0; ld.u32 %r2, [%a1];", nil},
		{"subtracted", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; sub.u64 %a1, %out, %SP; ld.u32 %r2, [%a1];", nil},
		{"shortened", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; cvt.u32.u64 %r2, %SP;", nil},
		{"in another space", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; cvta.to.global.u64 %a1, %SP;", nil},
		{"in a space where it is not", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; ld.global.u32 %r2, [%SP];", nil},
		{"atomic", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; atom.add.u32 %r2, [%SP], 1;", nil},
		{"plus what nothing writes",
			"st.u32 [%SP], 2; ld.u32 %r1, [%SP]; add.u64 %a1, %SP, %a8; ld.u32 %r2, [%a1];", nil},
		{"unknown local address", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; st.local.u32 [%out], 1;", nil},
		{"absolute local address", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; st.local.u32 [33554432], 1;", nil},
		{"other spaces", "st.u32 [%SP], 2; ld.u32 %r1, [%SP]; st.global.u64 [cell], %out; ld.u64 %a1, [%out]; st.u32 [%a1], 1;",
			[]string{"st.u32 [%SP], 0x2 => mov.b32 d+0, 0x2", "ld.u32 %r1, [%SP] => mov.b32 %r1, d+0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := flowtest.Graph(t, "k.ptx", module(strings.ReplaceAll(test.code, "; ", ";\n")))
			before := fmt.Sprintf("%+v", *g.Kernel)
			promoted, _, err := promote.Slots(t.Context(), g, launchfacts.Launch{})
			if err != nil {
				t.Fatal(err)
			}
			got := moves(t, promoted.Kernel)
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(test.want, "\n\t"))
			}
			if fmt.Sprintf("%+v", *g.Kernel) != before {
				t.Error("the kernel has changed")
			}
		})
	}
}

// What stays in local memory is told from what lies elsewhere.
func TestSpaces(t *testing.T) {
	g := flowtest.Graph(t, "k.ptx", module("and.b32 %r1, %r8, 1;\nmul.wide.u32 %a1, %r1, 4;\nadd.u64 %a2, %SP, %a1;\nst.u32 [%a2], 1;\nst.u32 [%out], 1;"))
	promoted, _, err := promote.Slots(t.Context(), g, launchfacts.Launch{})
	if err != nil {
		t.Fatal(err)
	}
	k := promoted.Kernel
	var spaces []isa.Space
	for i := range k.Instrs {
		if k.Instrs[i].Op == isa.St {
			spaces = append(spaces, k.Instrs[i].Space)
		}
	}
	if !k.LocalSeparate || !slices.Equal(spaces, []isa.Space{isa.Local, isa.Generic}) {
		t.Errorf("the spaces are %v, generic addresses elsewhere: %v", spaces, k.LocalSeparate)
	}
}

// A kernel that calls what nobody knows is left alone.
func TestUnknownCall(t *testing.T) {
	text := strings.Replace(module("st.u32 [%SP], 2;\nld.u32 %r1, [%SP];\ncall frob, (%r1);"), ".visible", ".extern .func frob(.param .u32 x);\n.visible", 1)
	g := flowtest.Unmodelled(t, "k.ptx", text)
	if promoted, _, err := promote.Slots(t.Context(), g, launchfacts.Launch{}); err != nil || promoted != g {
		t.Error("slots were promoted")
	}
}
