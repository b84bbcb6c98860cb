package ptx

import (
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// listed gives the address size, the parameters and the instructions of the entry
// k of a module.
func listed(p *isa.Program) string {
	var b strings.Builder
	fmt.Fprint(&b, p.AddressBits)
	k := p.Func("k")
	for _, v := range k.Params {
		fmt.Fprintf(&b, " %s@%d", v.Name, v.Offset)
	}
	for i := range k.Instrs {
		fmt.Fprintf(&b, "; %s", k.Instrs[i].String())
	}
	return b.String()
}

// TestDialect checks what modules of old versions and targets mean.
func TestDialect(t *testing.T) {
	const regs = ".reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .pred %p<2>; "
	body := func(s string) string { return ".entry k (.param .u64 a) { " + regs + s + " }" }
	for _, c := range []struct{ src, want string }{
		// Modifiers before PTX 1.4.
		{".version 1.3 .target sm_20 " + body("div.f32 %f1, %f2, %f3; rsqrt.f64 %fd1, %fd2; div.rn.f64 %fd1, %fd2, %fd3; sin.f32 %f1, %f2;"),
			"64 a@0; div.approx.ftz.f32 %0, %1, %2; rsqrt.approx.f64 %3, %4; div.rn.f64 %3, %4, %5; sin.approx.ftz.f32 %0, %1"},
		{".version 1.4 .target sm_20 " + body("div.f32 %f1, %f2, %f3;"), "64 a@0; div.f32 %f1, %f2, %f3"}, // unknown

		// Subnormal numbers on sm_1x.
		{".version 1.4 .target sm_13 " + body("add.f32 %f1, %f2, %f3; add.f64 %fd1, %fd2, %fd3; cvt.rzi.s32.f32 %r1, %f1; mov.f32 %f1, %f2; set.lt.u32.f32 %r1, %f1, %f2; add.u32 %r1, %r2, 1;"),
			"64 a@0; add.ftz.f32 %0, %1, %2; add.f64 %3, %4, %5; cvt.rzi.ftz.s32.f32 %6, %0; mov.f32 %0, %1; set.lt.ftz.u32.f32 %6, %0, %1; add.u32 %6, %7, 0x1"},
		{".version 9.0 .target sm_100 " + body("add.f32 %f1, %f2, %f3;"), "64 a@0; add.f32 %0, %1, %2"},

		{".version 1.4 .target sm_13 " + body("mad.f32 %f1, %f2, %f3, %f4;"), "64 a@0; fma.ftz.f32 %0, %1, %2, %3"},
		{".version 2.0 .target sm_20 " + body("mad.f32 %f1, %f2, %f3, %f4; mad.f64 %fd1, %fd2, %fd3, %fd4;"),
			"64 a@0; fma.f32 %0, %1, %2, %3; fma.f64 %4, %5, %6, %7"},

		{".version 1.4 .target sm_13 " + body("cvt.rn.ftz.f32.f64 %f1, %fd1; cvt.f64.f32 %fd1, %f1; cvt.rn.f32.s32 %f1, %r1;"),
			"64 a@0; cvt.rn.f32.f64 %0, %1; cvt.f64.f32 %1, %0; cvt.rn.ftz.f32.s32 %0, %2"},
		{".version 1.5 .target sm_13 " + body("cvt.rn.f32.f64 %f1, %fd1;"), "64 a@0; cvt.rn.ftz.f32.f64 %0, %1"},

		// Doubles that are floats.
		{".version 1.4 .target sm_10, map_f64_to_f32 " + body("cvt.f64.f32 %fd1, %f1; mov.u32 %r1, 1;"),
			"64 a@0; cvt.f64.f32 %fd1, %f1; mov.u32 %2, 0x1"},

		// Parameters in the bodies of entries before PTX 1.4.
		{".version 1.3 .target sm_10 .entry k { .reg .u32 %r<2>; .param .u64 a; .param .u32 n, m; ld.param.u32 %r1, [m]; }",
			"64 a@0 n@8 m@12; ld.param.u32 %0, [param+12]"},
		{".version 1.4 .target sm_10 .entry k { .reg .u32 %r<2>; .param .u32 n; st.param.u32 [n], %r1; }", "32; mov.u32 %0, %1"},

		// Registers at module scope belong to each entry.
		{".version 1.4 .target sm_10 .reg .u32 %ra<17>, v; .entry k (.param .u32 n) { .reg .u32 v; mov.u32 %ra16, v; }",
			"32 n@0; mov.u32 %2, %1"},

		// The size of addresses.
		{".version 1.4 .target sm_10 .entry k (.param .f64 d, .param .b64 s[2]) { }", "32 d@0 s@8"},
		{".version 1.4 .target sm_10 .entry j (.param .s64 p) { } .entry k { }", "64"},
		{".version 2.3 .target sm_10 .address_size 32 .entry k (.param .u64 d) { }", "32 d@0"},

		// Banks of constant memory.
		{".version 2.1 .target sm_20 .const[2] .align 4 .u32 c[2]; .entry k { .reg .u32 %r; ld.const[2].u32 %r, [c+4]; ld.const.u32 %r, [c]; }",
			"32; ld.const.u32 %0, [var0+4]; ld.const.u32 %0, [var0]"},

		// Declarations without a semicolon.
		{".version 2.1 .target sm_20 .visible .func (.param .s32 r) f (.param .s32 a)\n.func g\n.extern .func h ()\n.file 1 \"x\"\n" +
			".entry k { call h; } .func g { ret; }", "32; call h"},
	} {
		p, err := lowerText(c.src)
		if err != nil {
			t.Errorf("%s\n%v", c.src, err)
			continue
		}
		if got := listed(p); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestModuleRegister checks that functions share no register, as two that use one
// of the module would.
func TestModuleRegister(t *testing.T) {
	p, err := lowerText(".version 1.4 .target sm_10 .reg .u32 %ra<17>; .func f { mov.u32 %ra1, 1; }")
	const want = "t.ptx:1:65: mov.u32 %ra1, 1: operand %ra1: undeclared register %ra1"
	if err != nil {
		t.Fatal(err)
	}
	if got := refusals(t, p); got != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}

// TestSourceEnds checks that what editors and C strings put around a source is no
// part of it.
func TestSourceEnds(t *testing.T) {
	if _, err := lowerText("\ufeff.version 7.0 .target sm_70\r\n.entry k() .language 7 { ret; }\r\n\x00\x00"); err != nil {
		t.Error(err)
	}
}
