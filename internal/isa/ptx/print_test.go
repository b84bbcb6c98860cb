package ptx

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	if path := difference(reflect.ValueOf(m), reflect.ValueOf(again)); path != "" {
		t.Fatalf("the module and its printed text differ at Module%s\n%s", path, b.Bytes())
	}
}

// difference gives the path to the first difference between two values of one
// type, positions aside; empty if there is none. It takes time in proportion to
// the values, which general comparisons do not on deeply nested expressions.
func difference(a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		switch {
		case a.IsNil() != b.IsNil():
			return " (nil)"
		case a.IsNil():
			return ""
		case a.Elem().Type() != b.Elem().Type():
			return " (type)"
		}
		return difference(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Field(i).Type() == reflect.TypeFor[Pos]() {
				continue
			}
			if path := difference(a.Field(i), b.Field(i)); path != "" {
				return "." + a.Type().Field(i).Name + path
			}
		}
		return ""
	case reflect.Slice:
		if a.Len() != b.Len() {
			return " (length)"
		}
		for i := range a.Len() {
			if path := difference(a.Index(i), b.Index(i)); path != "" {
				return fmt.Sprintf("[%d]%s", i, path)
			}
		}
		return ""
	}
	if !a.Equal(b) {
		return fmt.Sprintf(": %v and %v", a, b)
	}
	return ""
}

// TestDifference checks that the comparison of the round trips sees every field
// of the syntax tree.
func TestDifference(t *testing.T) {
	parse := func(body string) reflect.Value {
		m, err := Parse("t.ptx", []byte(".version 6.3 .target sm_70 .entry k() {"+body+"}"))
		if err != nil {
			t.Fatal(err)
		}
		return reflect.ValueOf(m)
	}
	for _, c := range []struct{ a, b, want string }{
		{"add 1;", "\n add   1 ;", ""},
		{"add 1;", "add 2;", ".Items[2].Body.Stmts[0].Operands[0].Expr.Text: 1 and 2"},
		{"add 1;", "add x;", ".Items[2].Body.Stmts[0].Operands[0].Kind: 1 and 0"},
		{"add x;", "L:", ".Items[2].Body.Stmts[0] (type)"},
		{"add x;", "add x, y;", ".Items[2].Body.Stmts[0].Operands (length)"},
		{".loc 1 1 1", ".loc 1 1 1, inlined_at 1 1 1", ".Items[2].Body.Stmts[0].InlinedAt (nil)"},
	} {
		if got := difference(parse(c.a), parse(c.b)); got != c.want {
			t.Errorf("%s and %s differ at %q, want %q", c.a, c.b, got, c.want)
		}
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
