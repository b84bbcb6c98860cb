package ptx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/isa"
)

const head = ".version 8.6 .target sm_100a, debug .address_size 64\n"

func lowerText(src string) (*isa.Program, error) {
	m, err := Parse("t.ptx", []byte(src))
	if err != nil {
		return nil, err
	}
	return Lower(m)
}

// TestVariables checks layout and initial bytes of module variables.
func TestVariables(t *testing.T) {
	for _, c := range []struct{ decl, want string }{
		{".global .u32 x;", "global u32 4/4 []"},
		{".visible .const .align 16 .b8 x[6] = {1, -1, 0x1ff};", "const b8 6/16 [1 255 255]"},
		{".weak .global .v4 .f32 x[2];", "global f32 32/16 []"},
		{".global .v2 .u16 x[] = {{1, 2}, {3}};", "global u16 8/4 [1 0 2 0 3 0]"},
		{".global .s16 x[2][3] = {{1, 2}, {-3}};", "global s16 12/2 [1 0 2 0 0 0 253 255]"},
		{".global .u8 x[] = {1, 2, 3};", "global u8 3/1 [1 2 3]"},
		{".global .u8 x[][][2] = {{{1}}, {{2}, {3, 4}}};", "global u8 8/1 [1 0 0 0 2 0 3 4]"},
		{".global .f32 x[] = {.5, -.25e1, 1.};", "global f32 12/4 [0 0 0 63 0 0 32 192 0 0 128 63]"},
		{".global .f32 x = 0f3F800000;", "global f32 4/4 [0 0 128 63]"},
		{".global .f64 x[2] = {1.5, -0d3FF0000000000000};", "global f64 16/8 [0 0 0 0 0 0 248 63 0 0 0 0 0 0 240 191]"},
		{".global .u64 x = (2 + 3 * 4 == 14) ? 7 : 8;", "global u64 8/8 [7 0 0 0 0 0 0 0]"},
		{".global .u8 x[] = {(-1 | 0) < 0, (-1 & 1U) < 0, ~0 < 0, ~0 >> 63};", "global u8 4/1 [1 0 0 1]"},
		{".global .u32 x = {5};", "global u32 4/4 [5 0 0 0]"},
		{".extern .shared .align 8 .b8 x[];", "shared b8 0/8 []"},
		{".global .u64 x[2] = {y+4, generic(y)};", "global u64 16/8 [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0] {0 8 0 y 4 false} {8 8 0 y 0 true}"},
		{".global .u8 x[2] = {0xff(y), 0xFF00(generic(y)+1)};", "global u8 2/1 [0 0] {0 1 0 y 0 false} {1 1 8 y 1 true}"},
		{".global .u8 x[] = {0xFF(1000 + 546), 0xFF00(0x1234), 0xff(-2)};", "global u8 3/1 [10 18 254]"},
		{".global .texref x;", "global b64 8/8 []"},
		{".global .attribute(.managed) .u32 x;", "global u32 4/4 []"},
		{".extern .global .u32 x; .global .u32 x = 1; .extern .global .u32 x;", "global u32 4/4 [1 0 0 0]"},
	} {
		p, err := lowerText(head + c.decl)
		if err != nil {
			t.Errorf("%s\n%v", c.decl, err)
			continue
		}
		v := p.Vars[0]
		got := fmt.Sprintf("%s %s %d/%d %v", v.Space, v.Type, v.Bytes, v.Align, v.Init)
		for _, r := range v.Relocs {
			got += fmt.Sprintf(" %v", r)
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.decl, got, c.want)
		}
		if len(p.Vars) != 1 || v.Name != "x" || v.Pos.Line != 2 {
			t.Errorf("%s\nvariables %+v", c.decl, p.Vars)
		}
	}
}

// TestVariableRanges declares several variables by the prefix of their names.
func TestVariableRanges(t *testing.T) {
	p, err := lowerText(head + `.shared .align 8 .u32 s<3>, t;
.func (.param .b32 r) f(.param .b32 a) { ret; }
.entry k() {
	.local .v2 .f32 x<2>;
	.param .b32 p<2>;
	.reg .b32 %r;
	mov.u32 %r, s2;
	st.param.b32 [p1], %r;
	call (p0), f, (p1);
	ret;
}`)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, v := range slices.Concat(p.Vars, p.Func("k").Vars) {
		fmt.Fprintf(&got, "%s %s %s %d/%d;", v.Space, v.Type, v.Name, v.Bytes, v.Align)
	}
	const want = "shared u32 s0 4/8;shared u32 s1 4/8;shared u32 s2 4/8;shared u32 t 4/8;local f32 x0 8/8;local f32 x1 8/8;"
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", got.String(), want)
	}
}

// TestModuleErrors checks the messages for declarations that are wrong, which refuse the
// kernels that they belong to or that use their names.
func TestModuleErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{".global .b8 x[1 << 60];", "t.ptx:2:15: x is larger than 1024 MiB"},
		{".global .b8 x[1 << 20][1 << 20][1 << 20];", "x is larger than 1024 MiB"},
		{".global .b8 x[-1];", "x is larger than 1024 MiB"},
		{".global .b8 x[1.0];", "a dimension of x is no integer"},
		{".global .b8 x[4][];", "only the first dimension of x may be open"},
		{".global .b8 x[];", "x needs a size or an initialiser"},
		{".global .b8 x[2][500000000] = {{1}, {2}};", "initialisers fill more than 64 MiB"},
		{".global .b8 x[1] = {1, 2};", "x has 2 initialisers for 1 elements"},
		{".global .b8 x = {1, 2};", "x has braces where a single value is wanted"},
		{".global .b8 x[0] = 1;", "x has an initialiser but no elements"},
		{".global .u32 x = 1.0;", "initialiser of x is a float where .u32 is wanted"},
		{".global .u16 x = y;", "an address does not fit into the elements of x, which are .u16"},
		{".global .u8 x = 0xf0(y);", "mask 0xf0 in x does not select the byte of an element"},
		{".global .u64 x = foo(y);", "unknown function foo in a constant expression"},
		{".global .u64 x = y * 2;", "an address takes no operator but + and -"},
		{".global .align 3 .u64 x;", "alignment 3 of x is not a power of two"},
		{".global .foo x;", "unknown type .foo"},
		{".global .u32 x<5000>;", "number of variables"},
		{".global .pred x;", "x: predicates are registers only"},
		{".global .u32 x; .global .u32 x;", "t.ptx:2:30: x is declared twice, first at t.ptx:2:14"},
		{".extern .global .u32 x; .shared .u32 x;", "x is .shared here and .global at t.ptx:2:22"},
		{".global .u32 x; .func x();", "x is declared twice, as a variable and as a function"},
		{".func x(); .global .u32 x;", "x is declared twice, as a function and as a variable"},
		{".func f() {ret;} .func f() {ret;}", "t.ptx:2:18: function f is defined twice, first at t.ptx:2:1"},
		{".func f(.param .b32 a); .func f() {ret;}", "function f is declared differently at t.ptx:2:1"},
		{".entry k(.param .b8 a[32765]) {ret;}", "parameters take more than 32764 bytes"},
		{".entry k(.reg .b32 a) {ret;}", "parameter a of an entry is a register"},
		{".entry k(.param .b32 a, .param .b32 a) {ret;}", "a is declared twice"},
		{".entry k() .maxntid 0 {ret;}", ".maxntid 0 is not in the range from 1"},
	} {
		p, err := lowerText(head + c.src + `
.entry x_user() { .reg .b64 %rd; mov.u64 %rd, x; ret; }
.entry f_user() { call f; ret; }
.entry other() { ret; }`)
		if err != nil {
			t.Errorf("%s\n%v", c.src, err)
			continue
		}
		if got := refusals(t, p); !mentions(got, c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.src, got, c.want)
		}
		if !isRefused(t, p, "x_user") || !isRefused(t, p, "f_user") || p.Func("k") != nil && !isRefused(t, p, "k") || isRefused(t, p, "other") {
			t.Errorf("%s\nrefuses the wrong kernel", c.src)
		}
	}
	for src, want := range map[string]string{
		"\n.version 8.3\n.address_size 64":            "t.ptx:2:1: the directive .target is missing",
		".version 8.3 .target sm_70 .address_size 48": "address size 48 is not 32 or 64",
	} {
		if _, err := lowerText(src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", src, err, want)
		}
	}
}

// TestUseBeforeDeclaration checks that registers, unlike labels, stand before
// their use, and that one run reports several errors.
func TestUseBeforeDeclaration(t *testing.T) {
	p, err := lowerText(head + `.entry k() {
	mov.u32 %r1, 1;
	.reg .b32 %r<3>;
	mov.u32 %r1, 1;
	mov.u32 %r1, %r4;
}`)
	const want = "t.ptx:3:10: mov.u32 %r1, 1: operand %r1: undeclared register %r1\n" +
		"t.ptx:6:15: mov.u32 %r1, %r4: operand %r4: undeclared register %r4"
	if err != nil {
		t.Fatal(err)
	}
	if got := refusals(t, p); got != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}

// TestFunctions checks headers, the convention of parameters, launch bounds and
// source positions.
func TestFunctions(t *testing.T) {
	p, err := lowerText(head + `.extern .func (.param .b32 r) later(.param .b64 a);
.func (.param .align 8 .b8 r[16], .reg .u32 count) device(.param .u8 small, .param .b8 big[3], .reg .f64 plain) {
	.reg .s64 %x;
	ld.param.u8 count, [small];
	st.param.b64 [r+8], 1;
	ld.param.s8 %x, [big+2];
	neg.f64 plain, plain;
	ret;
}
.visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .align 16 .b8 c[3]) .maxntid 32, 4 .reqntid 64 .minnctapersm 2 .maxnreg 40 .reqnctapercluster 2 {
	.reg .b32 %r<3>;
	.loc 1 5 3
	call (%r1), later, (7);
	.loc 2 0 0
	exit;
	.loc 2 9 1, function_name $L__info+4, inlined_at 1 8 2
end:	ret;
}
.file 1 "a\\b.cu"
.file 2 "c.cu", 123, 456
`)
	if err != nil {
		t.Fatal(err)
	}
	if p.Version != "8.6" || p.Target != "sm_100a" || p.AddressBits != 64 || p.File != "t.ptx" {
		t.Errorf("header %q %q %d %q", p.Version, p.Target, p.AddressBits, p.File)
	}
	want := `later true [] [] 0 0
device false [0 1 2 3] [4] 0 0
	5 cvt.u32.u8 %4, %0
	6 st.local.b64 [%3+8], 0x1
	7 ld.local.s8 %5, [%1+2]
	8 neg.f64 %2, %2
	9 ret
k false [] [] 1 0
	14 call %0, 0x7, later
	16 exit
	18 ret
`
	var b strings.Builder
	for _, f := range p.Funcs {
		fmt.Fprintln(&b, f.Name, f.Extern, f.ParamRegs, f.ResultRegs, len(f.Labels), len(f.Vars))
		for i := range f.Instrs {
			fmt.Fprintf(&b, "\t%d %s\n", f.Instrs[i].Pos.Line, f.Instrs[i].String())
		}
	}
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	k := p.Func("k")
	var offsets []int
	for _, v := range k.Params {
		offsets = append(offsets, v.Offset)
	}
	if !slices.Equal(offsets, []int{0, 8, 16}) {
		t.Errorf("parameters at %d", offsets)
	}
	if want := (isa.LaunchBounds{
		ReqNtid: [3]int{64, 1, 1}, MaxNtid: [3]int{32, 4, 1}, MinCTAs: 2, MaxRegs: 40,
		Cluster: [3]int{2, 1, 1}, ExplicitCluster: true,
	}); k.Bounds != want {
		t.Errorf("bounds %+v, want %+v", k.Bounds, want)
	}
	var locs []string
	for i := range k.Instrs {
		locs = append(locs, k.Instrs[i].Loc.String())
	}
	if got, want := strings.Join(locs, " "), `a\b.cu:5:3  c.cu:9:1`; got != want {
		t.Errorf("source positions %q, want %q", got, want)
	}
	if l := k.Labels[0]; l.Name != "end" || l.Index != 2 || l.Pos.String() != "t.ptx:18:1" {
		t.Errorf("label %+v", l)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].ID != "unresolved-extern" || p.Warnings[0].Pos.Line != 14 {
		t.Errorf("warnings %+v", p.Warnings)
	}
}
