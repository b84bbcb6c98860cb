package ptx

import (
	"errors"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/isatest"
)

// seed gives a fuzz target the committed modules and every snippet that the
// table tests know by heart.
func seed(f *testing.F) {
	for _, src := range modules(f) {
		f.Add(src)
	}
	f.Add([]byte(prelude + "ts: .branchtargets A; @!%p1 brx.idx %r1, ts; A: setp.lt.and.s32 %p1|_, %r1, -(5 << 2), !%p3; }"))
	f.Add([]byte(prelude + "{ .param .b32 x; st.param.b32 [x], 1; call.uni (x), f, (x, 5); ld.param.v2.b16 {%rs1, %rs2}, [x+0]; } }"))
	f.Add([]byte(head + ".global .v2 .u64 x[][2] = {{{generic(x)+4, 0xff(x)}}, {1.5, 0d3FF0000000000000}}; .section .s { a: .b8 1 }"))
	f.Add([]byte(head + ".entry k() .maxntid 1 { .loc 1 2 3, function_name a+4, inlined_at 1 2 3\np: .callprototype (.param .b32 _) _ (); }"))
	f.Add([]byte(head + ".func (.param .b32 r) g(.param .b32 n) { .local .b64 v; .reg .b32 a; .reg .b64 p; .reg .pred q; mov.u64 p, v+4; " +
		"@q call (a), g, (a); st.local.b32 [v], a; call (a), p, (a), t; t: .calltargets g, h; st.param.b32 [r], a; ret; } " +
		".func (.param .b32 r) h(.param .b32 n) { .reg .b64 p; mov.u64 p, g; mov.u64 p, h; ret; } .alias i, h; .global .u64 x[2] = {g, i}; " +
		".entry k() { .reg .b32 a; call (a), g, (3); ret; }"))
	f.Add([]byte(head + ".global .texref t; .func (.param .b32 r) g(.param .b32 n) { .reg .b128 q; .reg .v4 .f32 v; .reg .pred p; " +
		"frob.cc.b32 v|p, [n], t[3], q; st.frob.shared.b32 [r], v.x; ret; } " +
		".entry k(.param .u64 n) { .reg .b32 a; L: @!p tex.1d.v2.s32.s32 {a, _}, [t, {a+1}]; frob.wait a, L, g; call (a), h, (3, n); ret; }"))
	f.Add([]byte(prelude + "@%p1 { .reg .b32 q; mov.u32 q, 1; @!%p2 { ret; } } ld.global.v1.b32 {%r1}, [%rd1]; st.u8 [%rd1], WARP_SZ; mov.f32 %f1, 0; }"))
	f.Add([]byte(prelude + "add.s32 %r1 %r2, 1; .frob 3; mov.u32 %r1, 08; x: @@p foo; .reg .b23 y; mov.u32 %r1, 0x1ffffffff; ld.global.u32 %r1, [none]; }"))
	f.Add([]byte(head + ".frob 3; .global .b23 x; .global .u64 y = x; .entry k(.param .b32 n .param .b32 m) { ret; } .file 1 \"a\" \"b\" md5 0x12 .entry l() { .reg .b64 r; mov.u64 r, x; }"))
	f.Add([]byte(head + ".func (.reg .v2 .f32 s) f(.reg .v4 .b32 v, .hidden .param .b8 h[3]) .global .u32 g; .extern .func (.param .b32 r) printf(.param .b64 f); " +
		".func (.reg .v2 .f32 s) f(.reg .v4 .b32 v, .hidden .param .b8 h[3]) { mov.f32 s.x, 0; ret; } " +
		".entry k() { .reg .v2 .f32 a; .reg .v4 .b32 b; .reg .b64 p; .param .b8 c[3]; call (a), f, (b, c); call ({a.y, a.x}), f, ({b.x, b.y, b.z, b.w}, c); call (b.x), printf, (p, b.y, p); ret; }"))
}

// FuzzParse checks that any input gives a module or an error, and that a module
// survives being printed.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse("f.ptx", src)
		if (m == nil) != (err != nil) {
			t.Fatalf("module %v with error %v", m, err)
		}
		if err == nil {
			checkRoundTrip(t, m)
		}
	})
}

// FuzzLower checks that what parses lowers to a program or gives an error, and
// that the program has the form that all later stages rely on and so have its kernels, if
// they link.
func FuzzLower(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := Parse("f.ptx", src)
		if err != nil {
			return
		}
		p, err := Lower(m)
		if (p == nil) != (err != nil) {
			t.Fatalf("program %v with error %v", p, err)
		}
		if err != nil {
			return
		}
		checkProgram(t, p)
		for _, f := range p.Entries() {
			k, err := isatest.Link(p, f.Name)
			if (k == nil) != (err != nil) || errors.As(err, new(*isa.InvariantError)) {
				t.Fatalf("kernel %v with error %v", k, err)
			}
		}
	})
}
