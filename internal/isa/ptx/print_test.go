package ptx

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// checkRoundTrip checks that a module's text parses as the module again, but for
// positions.
func checkRoundTrip(t interface{ Fatalf(string, ...any) }, m *Module) {
	var b bytes.Buffer
	if err := Print(&b, m); err != nil {
		t.Fatalf("%v", err)
	}
	again, err := Parse(m.File, b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	if diff := cmp.Diff(m, again, cmpopts.IgnoreTypes(Pos{})); diff != "" {
		t.Fatalf("parsed and printed modules differ:\n%s\n%s", diff, b.Bytes())
	}
}

func TestPrintKernels(t *testing.T) {
	for file, src := range modules(t) {
		m, err := Parse(file, src)
		if err != nil {
			t.Error(err)
			continue
		}
		checkRoundTrip(t, m)
	}
}

func TestPrintGenerated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, generator{t}.module()) })
}

// TestPrintText checks the printed text itself.
func TestPrintText(t *testing.T) {
	const src = `.version 6.3 .target sm_70, debug
# 1 "lines of the preprocessor"
@@DWARF .byte 0
.weak .func (.param .b32 r) f (.param .b64 .ptr .shared .align 4 a, .param .align 8 .b8 b[ 2+2*(3-1) ]) .noreturn;
.visible .entry k() .maxntid 1,2 { // comment
 .reg .pred %p<3>, %q;
L:/* comment */@!%p1  ld .global	.v2.u32 {%r1,_},[ %rd1 + -8 ]; {ret;}
 setp.lt.s32 %p1 | %p2 , ( 5 % ((3)) ) , !1;
}
`
	const want = `.version 6.3
.target sm_70, debug
.weak .func (.param .b32 r) f(.param .b64 .ptr .shared .align 4 a, .param .align 8 .b8 b[2+2 * (3-1)])
.noreturn
;
.visible .entry k()
.maxntid 1, 2
{
	.reg .pred %p<3>, %q;
L:
	@!%p1 ld.global.v2.u32 {%r1, _}, [%rd1+-8];
	{
		ret;
	}
	setp.lt.s32 %p1|%p2, 5 % 3, !1;
}
`
	m, err := Parse("t.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Print(&b, m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestPrintReportsWriteErrors(t *testing.T) {
	if err := Print(brokenWriter{}, &Module{Items: []Item{&Directive{Name: "noreturn"}}}); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want %v", err, errBroken)
	}
}
