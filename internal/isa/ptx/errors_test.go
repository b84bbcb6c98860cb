package ptx

import (
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/test/isatest"
)

// refusals lists the statements of a program that were refused, and checks that its kernels
// can be linked and consist of what warnings were given for.
func refusals(t *testing.T, p *isa.Program) string {
	t.Helper()
	checkProgram(t, p)
	warned := make(map[diag.Pos]bool)
	var lines []string
	for _, w := range p.Warnings {
		warned[w.Pos] = true
		if w.ID == "refused-statement" {
			lines = append(lines, w.Pos.String()+": "+w.Text)
		}
	}
	for _, f := range p.Entries() {
		k, err := isatest.Link(p, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range isa.Obstacles(k) {
			if !warned[o.Pos] {
				t.Errorf("%s: %s: no warning of it", o.Pos, o.Text)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// mentions reports whether one line of messages has the position, if there is one, and the
// text of another one; between the two may stand what the message is about.
func mentions(messages, want string) bool {
	pos, text, placed := strings.Cut(want, ": ")
	if !placed || !strings.HasPrefix(pos, "t.ptx:") {
		pos, text = "", want
	}
	for line := range strings.SplitSeq(messages, "\n") {
		if strings.HasPrefix(line, pos) && strings.Contains(line[len(pos):], ": "+text) || pos == "" && strings.Contains(line, text) {
			return true
		}
	}
	return false
}

// isRefused reports whether a kernel holds anything that is refused.
func isRefused(t *testing.T, p *isa.Program, kernel string) bool {
	t.Helper()
	k, err := isatest.Link(p, kernel)
	if err != nil {
		t.Fatal(err)
	}
	return len(isa.Obstacles(k)) > 0
}

// TestSharedAddresses refuses variables that are initialised with addresses of shared variables, and what is initialised
// with theirs, whichever is declared first.
func TestSharedAddresses(t *testing.T) {
	p, err := lowerText(`.version 8.6 .target sm_90 .address_size 64
.global .u64 before[2] = {0, tile + 4};
.shared .u32 tile[4];
.global .u32 behind = tile;
.global .u64 whole = generic(tile);
.const .u64 of = before;
.global .u64 fine = other;
.global .u32 other;
.entry a() { .reg .b64 %rd; ld.global.u64 %rd, [before]; ret; }
.entry b() { .reg .b64 %rd; ld.const.u64 %rd, [of]; ret; }
.entry c() { .global .u64 own = tile; ret; }
.entry d() { .reg .b64 %rd; ld.global.u64 %rd, [fine]; ret; }
`)
	if err != nil {
		t.Fatal(err)
	}
	got := refusals(t, p)
	const because = "it is initialised with the address of tile, which is in .shared and no constant; store it when the kernel runs"
	for _, want := range []string{"t.ptx:2:14: before: " + because, "t.ptx:4:14: behind: " + because, "t.ptx:5:14: whole: " + because,
		"t.ptx:6:13: of: it is initialised with the address of before, which cannot be used", "t.ptx:11:14: .global .u64 own: " + because} {
		if !mentions(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for kernel, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false} {
		if isRefused(t, p, kernel) != want {
			t.Errorf("kernel %s: refused %t", kernel, !want)
		}
	}
}

// TestRefusedStatements checks the messages for statements that are wrong, each of which
// refuses the kernel in which it stands and nothing else.
func TestRefusedStatements(t *testing.T) {
	for _, c := range []struct{ snippet, want string }{
		{"add.s32 %r1, %q2, 1;", "t.ptx:2:14: add.s32 %r1, %q2, 1: operand %q2: undeclared register %q2"},
		{"add.s32 %r1, %r99, 1;", "undeclared register %r99"},
		{"add.s32 %r1, %r01, 1;", "undeclared register %r01"},
		{"mov.u32 %r1, nothing;", "undeclared name nothing"},
		{"add.s32 %r1, %r2;", "t.ptx:2:1: add.s32 %r1, %r2: the operands do not fit, want d, a, b"},
		{"ld.global.u32 %r1, %rd1;", "the operands do not fit, %rd1 is not an address in brackets"},
		{"cp.async.ca.shared.global [%r1], [%rd1];", "the operands do not fit, want [a], [b], i, "},
		{"mov.b64 %rd1, {%r1, %r2, %r3};", "operand {%r1, %r2, %r3}: 3 elements do not fill .b64"},
		{"ld.global.v2.f32 {%f1, %f2, %f3}, [%rd1];", "the operands do not fit, {%f1, %f2, %f3} is not a vector of 2 elements"},
		{"add.s32 %r1, %rd2, 1;", "register %rd2 is .b64, want .s32"},
		{"add.f32 %f1, %fd2, %f1;", "register %fd2 is .f64, want .f32"},
		{"add.s32 %r1, %f2, 1;", "register %f2 is .f32, want .s32"},
		{"ld.global.u64 %r1, [%rd1];", "register %r1 is .b32, want .u64"},
		{"ld.global.u32 %r1, [%f1];", "address register %f1 is .f32, want 32 or 64 bits"},
		{"selp.u32 %r1, 1, 0, %r2;", "register %r2 is .b32, want .pred"},
		{"add.f32 %f1, %f2, 1;", "an integer where .f32 is wanted; write a float such as 1.0 or 0f3F800000"},
		{"add.s32 %r1, %r2, 1.0;", "a float where .s32 is wanted"},
		{"add.s32 %r1, %r2, 1/0;", "division by zero"},
		{"add.s32 %r1, %r2, 1+1.0;", "operator + has a float and an integer"},
		{"mov.u32 %r1, 0x123456789;", "t.ptx:2:14: mov.u32 %r1, 0x123456789: operand 0x123456789: the constant has more than the 32 bits of .u32"},
		{"add.s32 %r1, %r2, -2147483649;", "the constant has more than the 32 bits of .s32"},
		{"add.u16 %rs1, %rs2, 70000;", "the constant has more than the 16 bits of .u16"},
		{"st.u8 [%rd1], 300;", "the constant has more than the 8 bits of .u8"},
		{"mov.b32 %r1, 0xffffffff00000000;", "the constant has more than the 32 bits of .b32"},
		{"add.f16 %rs1, %rs2, 0x3C00;", "an integer where .f16 is wanted, which has no constants but 0; move its bits to a register with mov.b16"},
		{"mov.f64 %fd1, -1;", "an integer where .f64 is wanted"},
		{"ld.global.v2.b32 {%r1}, [%rd1];", "the operands do not fit"},
		{"ld.global.v1.b32 {%r1, %r2}, [%rd1];", "the operands do not fit"},
		{"bra {A}; A: ret;", "the operands do not fit"},
		{"ld.global.b32 %r1, {[%rd1]};", "the operands do not fit"},
		{"add.s32 %r1+1, %r2, 1;", "an offset needs a variable or a source register"},
		{"ld.global.u32 %r1, g[0];", "g is not an array of one dimension"},
		{".global .b8 a[4]; ld.global.u8 %r1, a[%r1];", "the index %r1 is .b32, which does not say how it extends to .u64"},
		{"ld.shared.u32 %r1, tile[%f1];", "the index %f1 is .f32, want an integer of up to 64 bits"},
		{"ld.shared.u32 %r1, tile[c];", "c is no operand"},
		{"ld.global.u32 %r1, tile[1];", "tile is in .shared, not in .global"},
		{"mov.u64 %rd1, tile[%r1];", "an address of 32 bits does not fit into .u64"},
		{"mov.u32 %r1, tile[1]+4;", "an element of tile is an operand of its own, not a part of a constant"},
		{"add.u32 %r1, tile[1.5], 1;", "an index is an integer or a register, perhaps with an offset"},
		{"mov.f32 %f1, %f2+1;", "a register of type .f32 takes no offset"},
		{"add.s32 %r1, !%r2, 1;", "! is not allowed here"},
		{"alloca.u32 %r1, 8;", "want alloca.u64, as wide as addresses are"},
		{"alloca.u64 %rd1;", "1 operands"},
		{"alloca.u64 5, %rd1;", "want a register for the result"},
		{"alloca.u64 %rd1, %rd2, 24;", "want a power of two for the alignment"},
		{"alloca.u64 %rd1, [%rd2];", "want registers and constants"},
		{"stackrestore.u64 %r1;", "register %r1 is .b32, want .u64"},
		{"lop3.b32 %r1, %r2, %r3, %r4, 256;", "want a constant from 0 to 255"},
		{"bfe.u32 %r1, %r2, 256, 1;", "want a constant from 0 to 255"},
		{"bfe.s32 %r1, %r2, 1, -1;", "want a constant from 0 to 255"},
		{"bfi.b32 %r1, %r2, %r3, 256, 1;", "want a constant from 0 to 255"},
		{"bfi.b32 %r1, %r2, %r3, 1, 4294967295;", "want a constant from 0 to 255"},
		{"vadd.u32.u32.u32 %r1, %r2, %r3, %r4;", "operand %r1: want a part to write, such as .b0 or .h1"},
		{"vadd.u32.u32.u32 %r1.h10, %r2, %r3, %r4;", "operand %r1.h10: there are no parts .h10 here"},
		{"vadd.u32.u32.u32 %r1.b4, %r2, %r3, %r4;", "there are no parts .b4 here"},
		{"vadd.u32.u32.u32 %r1, %r2.h2, %r3;", "operand %r2.h2: there are no parts .h2 here"},
		{"vadd2.u32.u32.u32 %r1, %r2.b10, %r3, %r4;", "there are no parts .b10 here"},
		{"vadd2.u32.u32.u32 %r1, %r2.h4, %r3, %r4;", "there are no parts .h4 here"},
		{"vadd4.u32.u32.u32 %r1.b01, %r2, %r3, %r4;", "there are no parts .b01 here"},
		{"vadd4.u32.u32.u32 %r1, %r2.b3218, %r3, %r4;", "undeclared register %r2.b3218"},
		{"vmad.s32.u32.u32 %r1, -%r2, %r3, -%r4;", "either the product or the third source may be negated"},
		{"vmad.u32.u32.u32.po %r1, -%r2, %r3, %r4;", "an address takes no operator but + and -"},
		{"add.s32 5, %r2, 1;", "want a register for the result"},
		{"add.s32 %r1, _, 1;", "_ is no source"},
		{"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "operand %r5: want a constant"},
		{"mov.u64 %rd1, %tid.x;", "special register %tid.x has 32 bits, want .u64"},
		{"mov.u16 %rs1, tile;", "the address of tile does not fit into .u16"},
		{"ld.global.u32 %r1, [tile];", "tile is in .shared, not in .global"},
		{"ld.shared.u32 %r1, [p];", "p is in .param, not in .shared"},
		{"bra nowhere;", "t.ptx:2:5: bra nowhere: unknown label nowhere"},
		{"{ inner: ret; } bra inner;", "unknown label inner"},
		{"A: ret; A: ret;", "t.ptx:2:9: A: label A is declared twice in this block, first at t.ptx:2:1"},
		{"a: .branchtargets c; b: .branchtargets c; b: ret; c: ret;", "label b is declared twice in this block"},
		{"brx.idx %r1, nolist;", "want the name of a .branchtargets list"},
		{"@%r1 bra A; A: ret;", "t.ptx:2:2: @%r1 bra A: guard %r1 is .b32, want a .pred register"},
		{"@%q1 ret;", "t.ptx:2:2: @%q1 ret: undeclared register %q1, want a predicate register"},
		{".reg .b32 x; .reg .b32 x;", "t.ptx:2:24: .reg .b32 x: x is declared twice in this block"},
		{".reg .b32 %z<2>; .reg .b64 %z<3>;", "registers %z<3> are declared twice in this block"},
		{".reg .b32 %z<2>; .reg .b64 %z1;", "%z1 is declared twice in this block"},
		{".reg .f32 v[4];", "v: arrays of registers are not supported"},
		{".shared .u4 v;", "v: .u4 is a type of instructions only; declare bits such as .b32"},
		{".reg .v8 .f32 v;", "v: vectors of registers have two or four elements of up to 64 bits"},
		{".reg .v2 .f32 v; mov.f32 %f1, v.z;", "undeclared name v.z"},
		{".reg .b128 q; mov.b128 q, %rd1;", "want a register of 128 bits"},
		{".reg .b31 v;", "unknown type .b31 of a register"},
		{"call f, (%r1, %rd1);", "call of f with 2 arguments and 0 results, but it has 2 and 1"},
		{"call (%r1), f, (%r1, %r2);", "t.ptx:2:22: call (%r1), f, (%r1, %r2): argument 2 of f: register %r2 is .b32, want .b64"},
		{"call g, (%r1);", "call of g, which is no function of the module"},
		{"call (%r1), %rd1, (%r2);", "a call by address needs a list of targets or a prototype"},
		{"call (%r1), %r3, (%r2), ts; ts: .calltargets f;", "register %r3 is .b32, want .u64"},
		{"call (%r1), %rd1, (%r2, %rd2), ts; ts: .calltargets g;", "g is no function of the module"},
		{"call (%r1), %rd1, (%r2, %rd2), ts; ts: .branchtargets E; E: ret;", "ts is neither a .calltargets list nor a .callprototype"},
		{"call (%r1), %rd1, (%r2), ts; ts: .calltargets f;", "call of %rd1 with 1 arguments and 1 results, but it has 2 and 1"},
		{"{ .param .b8 x[8]; call (x), %rd1, (x), ts; ts: .callprototype (.param .b8 _[8]) _ (.param .b8 _[8]); }", "result 1 of %rd1: want another array than the call has already"},
		{"call (%r1);", "want call (results), function, (arguments)"},
		{"{ .param .b32 x; st.param.b64 [x], %rd1; }", "access of 8 bytes at 0, but the parameter has 4"},
		{"add.s32 " + strings.Repeat("%r1, ", 1000) + "%r1;", ": the operands do not fit"},
		{"mov.u32 %r1, g*2;", "an address takes no operator but + and -"},
	} {
		p, err := lowerSnippet(c.snippet + "}\n.entry other() { ret;")
		if err != nil {
			t.Errorf("%s\n%v", c.snippet, err)
			continue
		}
		if got := refusals(t, p); !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.snippet, got, c.want)
		}
		if !isRefused(t, p, "k") || isRefused(t, p, "other") {
			t.Errorf("%s\nrefuses the wrong kernel", c.snippet)
		}
	}
}

// TestUnknown checks that an instruction beyond the table is kept with its text
// and a warning, whatever its operands look like.
func TestUnknown(t *testing.T) {
	for _, c := range []struct{ snippet, text, reason string }{
		{"@%p1 frob.x::y.b32  {%r1,%r2}, [%rd1, {%r2}], a|b, 1+2;", "@%p1 frob.x::y.b32 {%r1, %r2}, [%rd1, {%r2}], a|b, 1+2", ""},
		{"add.s31 %r1, %r2, 1;", "add.s31 %r1, %r2, 1", "no form of the instruction has these words: not .s31, want .s16, .s32, .s64, .u16, .u32, .u64"},
		{"not.rn.b32 %r1, %r2;", "not.rn.b32 %r1, %r2", "no form of the instruction has these words: .rn is one too many"},
		{"cvt.rn.f64.f32 %fd1, %f1;", "cvt.rn.f64.f32 %fd1, %f1", "no form of the instruction has these words: .rn is one too many"},
		{"ld.v2.u4 {%r1, %r2}, [%rd1];", "ld.v2.u4 {%r1, %r2}, [%rd1]", "no form of the instruction has these words: not .u4, want .b128, .b16, .b32, .b64, .b8, .bf16, .f16, .f32, .f64, .s16..."},
		{"shl %r1, %r2, 1;", "shl %r1, %r2, 1", "no form of the instruction has these words: one is missing, want .b16, .b32, .b64"},
		{"and.u32 %r1, %r2, 1;", "and.u32 %r1, %r2, 1", "no form of the instruction has these words: not .u32, want .b16, .b32, .b64, .pred"},
		{"tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}|%p1, [t, {%r1}];", "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}|%p1, [t, {%r1}]", "textures are not modelled"},
		{"cvt.rn.u32.f32 %r1, %r2;", "cvt.rn.u32.f32 %r1, %r2", "no form of the instruction has these words: not .rn, want .rmi, .rni, .rpi, .rzi"},
		{"red.global.exch.b32 [%rd1], %r1;", "red.global.exch.b32 [%rd1], %r1", "no form of the instruction has these words: not .exch, want .and, .or, .xor"},
		{"cvt.f32.f64 %f1, %fd1;", "cvt.f32.f64 %f1, %fd1", "this conversion rounds and must say how, as in cvt.rn.f32.f64"},
		{"cvt.sat.f16.f32 %h1, %f1;", "cvt.sat.f16.f32 %h1, %f1", "this conversion rounds and must say how, as in cvt.rn.sat.f16.f32"},
		{"cvt.f32.s32 %f1, %r1;", "cvt.f32.s32 %f1, %r1", "this conversion rounds and must say how, as in cvt.rn.f32.s32"},
		{"cvt.sat.u8.f32 %r1, %f1;", "cvt.sat.u8.f32 %r1, %f1", "this conversion rounds and must say how, as in cvt.rzi.sat.u8.f32"},
		{"call (%r1), _runtime_f, ();", "call (%r1), _runtime_f, ()", "_runtime_f is not declared"},
		{"E: mov.u64 %rd1, E;", "mov.u64 %rd1, E", "the address of code is taken, and it may branch to E"},
		{"ld.param.u64 %rd1, [n];", "ld.param.u64 %rd1, [n]", "it reads 8 bytes at offset 0 of parameter n, which has 4"},
		{"ld.param.v2.u16 {%rs1, %rs2}, [s+4];", "ld.param.v2.u16 {%rs1, %rs2}, [s+4]", "it reads 4 bytes at offset 4 of parameter s, which has 6"},
		{"ld.param.u32 %r1, [n+4];", "ld.param.u32 %r1, [n+4]", "it reads at offset 4 of parameter n, which has 4 bytes"},
		{"ld.param.u32 %r1, [p-8];", "ld.param.u32 %r1, [p-8]", "it reads at offset -8 of parameter p, which has 8 bytes"},
		{".reg .b128 q; ld.param.b128 q, [p];", "ld.param.b128 q, [p]", "it reads 16 bytes at offset 0 of parameter p, which has 8"},
	} {
		p, err := lowerSnippet(c.snippet)
		if err != nil {
			t.Errorf("%s\n%v", c.snippet, err)
			continue
		}
		in := p.Func("k").Instrs[0]
		if in.String() != c.text || in.Pos.Line != 2 {
			t.Errorf("%s\nkept as %s at %s", c.snippet, in.String(), in.Pos)
		}
		want := "unknown instruction " + c.text
		if c.reason != "" {
			want = c.text + " cannot be executed: " + c.reason
		}
		if in.Reason != c.reason {
			t.Errorf("%s\nreason %s, want %s", c.snippet, in.Reason, c.reason)
		}
		if len(p.Warnings) != 1 || p.Warnings[0].ID != "unknown-instruction" || p.Warnings[0].Text != want || p.Warnings[0].Pos != in.Pos {
			t.Errorf("%s\nwarnings %+v\nwant %s", c.snippet, p.Warnings, want)
		}
	}
}

// TestRefused checks that instructions of every family are parsed, printed and
// kept with the reason why they cannot be executed.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, {%f1, %f2}]": "textures",
		"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f2}]": "textures",
		"txq.width.b32 %r1, [%rd1]":                                  "textures",
		"istypep.texref %p1, %rd1":                                   "textures",
		"suld.b.2d.v2.b32.trap {%r1, %r2}, [%rd1, {%r1, %r2}]":       "surfaces",
		"sust.b.1d.b32.clamp [%rd1, {%r1}], %r2":                     "surfaces",
		"sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3":            "surfaces",
		"suq.height.b32 %r1, [%rd1]":                                 "surfaces",
		"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2, %f3, %f4}, %r1, 0":               "matrix",
		"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4}": "no form of the instruction",
		"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3]":                                                                             "no form of the instruction",
		"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2}, [%rd1], %r3":                                                                     "matrix",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, %p1, 1, 1, 0, 0":                                                     "asynchronous matrix",
		"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1":                                                                                "asynchronous matrix",
		"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4]":                                  "bulk copies",
		"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], %r2":                                                                 "bulk copies",
		"tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2":                                                                           "bulk copies",
		"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3]":                                                              "asynchronous stores",
		"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3]":                                              "asynchronous stores",
		"multimem.ld_reduce.global.add.f32 %f1, [%rd1]":                                                                                                 "multimem",
		"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%rd1], [%rd2]":                                            "launches",
		"prefetch.const.tensormap [%rd1]":                                                                                     "bulk copies",
		"fma.rn.oob.relu.f16x2 %r1, %r2, %r3, %r4":                                                                            "oob",
		"cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r3":                                                          "stochastic",
		"cvt.rs.satfinite.e2m1x4.f32 %rs1, {%f1, %f2, %f3, %f4}, %r3":                                                         "stochastic",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], 16, [%r4], %rs1": "bulk copies",
	} {
		p, err := lowerSnippet("@!%p2 " + text + ";")
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		in := p.Func("k").Instrs[0]
		if in.Obstacle() == "" || in.Text != "@!%p2 "+text || !strings.Contains(in.Reason, want) {
			t.Errorf("%s\nkept as %s with the reason %s, want %s", text, in.Text, in.Reason, want)
		}
	}
}

// TestParseErrors checks the messages for what is not PTX.
func TestParseErrors(t *testing.T) {
	const head = ".version 6.3\n.target sm_70\n"
	body := func(s string) string { return head + ".entry k() {\n" + s + "\n}\n" }
	for _, c := range []struct{ name, src, want string }{
		{"empty", "", "t.ptx:1:1: not PTX: a module begins with .version, not with end of file"},
		{"other", "int main() {}", "t.ptx:1:1: not PTX: a module begins with .version, not with int"},
		{"machine code", "\x7fELF\x02\x01\x01\x00", "t.ptx:1:1: not PTX: this is machine code (ELF); nvcc -ptx writes PTX, and cuobjdump -ptx what such a file holds of it"},
		{"directive", head + ".frob 1\n", "t.ptx:3:1: unknown directive .frob at module scope"},
		{"unclosed", head + ".entry k() {\nret;", "t.ptx:3:12: block is not closed; its } is missing"},
		{"comment", head + "/* ", "t.ptx:3:1: comment is not closed"},
		{"string", head + ".file 1 \"x\n", "t.ptx:3:9: string is not closed on its line"},
		{"nesting", body(strings.Repeat("{", 300)), "nested deeper than 200 levels"},
		{"braces", head + ".global .b8 x = " + strings.Repeat("{", 1<<20), "nested deeper than 200 levels"},
		{"section", head + ".section .x {", "unexpected end of file, want the } of the section"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse("t.ptx", []byte(c.src))
			if m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestSyntaxRefusals checks that a syntax error in what ends all the same costs only the
// kernel in which it stands, or that needs what it would have declared.
func TestSyntaxRefusals(t *testing.T) {
	const head = ".version 6.3\n.target sm_70\n"
	body := func(s string) string { return head + ".entry k() {\n" + s + "\n}\n" }
	for _, c := range []struct{ name, src, want string }{
		{"operand", body("add.s32 %r1, , 2;"), "t.ptx:4:14: unexpected ',', want an operand"},
		{"bank", head + ".const[11] .u32 x;\n", "t.ptx:3:8: bank of constant memory 11 is not in the range from 0 to 10"},
		{"semicolon", body("ret"), "t.ptx:5:1: unexpected '}', want an operand or ';'"},
		{"character", body("add \x01;"), `t.ptx:4:5: unexpected character '\x01'`},
		{"control character", body("\x01;"), `t.ptx:4:1: "\x01": unexpected character '\x01'`},
		{"letter", body("add \u00e9;"), `t.ptx:4:5: add é: unexpected character 'é'`},
		{"float", body("mov.f32 %f1, 0f3F80;"), "t.ptx:4:14: bad float 0f3F80; 0f takes 8 hex digits"},
		{"octal", body("mov.u32 %r1, 08;"), "t.ptx:4:14: bad octal number 08"},
		{"number", body("mov.u32 %r1, 12ab;"), "t.ptx:4:14: bad number 12ab"},
		{"large", body("mov.u32 %r1, 0x10000000000000000;"), "t.ptx:4:14: 0x10000000000000000 does not fit into 64 bits"},
		{"range", body(".reg .b32 %r<4000000000>;"), "number of registers 4000000000 is not in the range from 1 to 16777216"},
		{"alignment", head + ".global .align 0 .b8 x;", "t.ptx:3:16: alignment 0 is not in the range from 1 to 1048576"},
		{"parentheses", body("mov.u32 %r1, " + strings.Repeat("(", 1<<20)), "nested deeper than 200 levels"},
		{"signs", body("mov.u32 %r1, " + strings.Repeat("- ", 1<<20)), "nested deeper than 200 levels"},
		{"operators", body("mov.u32 %r1, 1" + strings.Repeat("+1", 1<<20) + ";"), "expression has more than 1000 operators"},
		{"arguments", head + ".entry k() .maxntid {ret;}", "t.ptx:3:21: unexpected '{', want an integer as argument of .maxntid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse("t.ptx", []byte(c.src+"\n.entry other() { ret; }"))
			if err != nil {
				t.Fatal(err)
			}
			checkRoundTrip(t, m)
			p, err := Lower(m)
			if err != nil {
				t.Fatal(err)
			}
			if got := refusals(t, p); !mentions(got, c.want) {
				t.Errorf("got  %v\nwant %s", got, c.want)
			}
			if p.Func("k") != nil && !isRefused(t, p, "k") || isRefused(t, p, "other") {
				t.Error("refuses the wrong kernel")
			}
		})
	}
}

// TestSeveralErrors checks that the parser goes on after an error, without
// errors that only follow from it, and stops after 20 that refuse the whole module.
func TestSeveralErrors(t *testing.T) {
	src := `.version 6.3
.target sm_70
.global .b32 a[2] = {1 2};
.visible .frob f();
.entry k() {
	mov.b64 %rd1, {%r1 %r2};
	ret;
	.frob
	add.s32 %r1, %r2, ;
	{ ] ; }
	ret;
}
.global .b32 b = ;
`
	p, err := lowerText(src)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.SplitSeq(refusals(t, p), "\n") {
		lines = append(lines, strings.SplitN(line, ":", 3)[1])
	}
	if got, want := strings.Join(lines, " "), "3 4 6 8 10 13"; got != want {
		t.Errorf("refused on the lines %s, want %s", got, want)
	}

	_, err = Parse("t.ptx", []byte(".version 6.3\n.target sm_70\n"+strings.Repeat("add ];\n", 1000)))
	if got := strings.Count(err.Error(), "\n") + 1; got != maxErrors {
		t.Errorf("%d errors, want %d", got, maxErrors)
	}
}
