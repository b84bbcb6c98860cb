package sourceloop

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/test/flowtest"
)

// module makes a kernel of a body in which "@L:C" before an instruction stands for line and column of its source, and "@L:C<M"
// for such of a function that was inlined at line M.
func module(body string) string {
	var b strings.Builder
	b.WriteString(`.version 7.0
.target sm_70
.address_size 64
.file 1 "/src/a.cu"
.file 2 "/src/lib/b.cuh"
.visible .entry k(.param .u64 buf, .param .u32 n)
{
.reg .b32 %r<9>;
.reg .f32 %f<9>;
.reg .b64 %d<9>;
.reg .pred %p<9>;
ld.param.u64 %d1, [buf];
ld.param.u32 %r1, [n];
`)
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if at, rest, ok := strings.Cut(strings.TrimPrefix(line, "@@"), " "); ok && strings.HasPrefix(line, "@@") {
			at, inlined, _ := strings.Cut(at, "<")
			row, column, _ := strings.Cut(at, ":")
			fmt.Fprintf(&b, ".loc 1 %s %s", row, column)
			if inlined != "" {
				fmt.Fprintf(&b, ", function_name $L, inlined_at 1 %s 1", inlined)
			}
			b.WriteString("\n")
			line = rest
		}
		b.WriteString(line + "\n")
	}
	b.WriteString("ret;\n}\n.section .debug_str { $L: .b8 0 }\n")
	return b.String()
}

const (
	// for (k = 0; k < n; k++) // line 5
	//   s += a[k];            // line 6
	rolled = `@@5:3 mov.u32 %r2, 0;
@@5:9 setp.ge.u32 %p1, %r2, %r1;
@%p1 bra E;
L:
@@6:4 ld.global.f32 %f1, [%d1];
@@6:7 add.f32 %f2, %f2, %f1;
@@5:14 add.u32 %r2, %r2, 1;
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
E:
`
	// As above, tested before each iteration.
	tested = `@@5:3 mov.u32 %r2, 0;
L:
@@5:9 setp.ge.u32 %p1, %r2, %r1;
@%p1 bra E;
@@6:4 ld.global.f32 %f1, [%d1];
@@6:7 add.f32 %f2, %f2, %f1;
@@5:14 add.u32 %r2, %r2, 1;
bra L;
E:
`
	// As above, three at a time, and what is left over.
	unrolled = `@@5:3 mov.u32 %r2, 0;
setp.lt.u32 %p1, %r1, 3;
@%p1 bra R;
L:
@@6:4 ld.global.f32 %f1, [%d1];
@@6:7 add.f32 %f2, %f2, %f1;
@@6:4 ld.global.f32 %f1, [%d1+4];
@@6:7 add.f32 %f2, %f2, %f1;
@@6:4 ld.global.f32 %f1, [%d1+8];
@@6:7 add.f32 %f2, %f2, %f1;
@@5:14 add.u32 %r2, %r2, 3;
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
R:
@@5:9 setp.ge.u32 %p1, %r2, %r1;
@%p1 bra E;
M:
@@6:4 ld.global.f32 %f1, [%d1];
@@6:7 add.f32 %f2, %f2, %f1;
@@5:14 add.u32 %r2, %r2, 1;
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra M;
E:
`
	// A pair at a time, behind a single one beside the loop.
	peeled = `@@6:4 ld.global.f32 %f1, [%d1];
@@6:7 add.f32 %f2, %f2, %f1;
L:
@@6:4 ld.global.f32 %f1, [%d1];
@@6:7 add.f32 %f2, %f2, %f1;
@@6:4 ld.global.f32 %f1, [%d1];
@@6:7 add.f32 %f2, %f2, %f1;
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
`
	// The load was moved in front of the loop.
	hoisted = `@@6:4 ld.global.f32 %f1, [%d1];
L:
@@6:7 add.f32 %f2, %f2, %f1;
@@5:14 add.u32 %r2, %r2, 1;
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
`
	// if (k & 1) s += a[k];
	sometimes = `L:
@@5:14 add.u32 %r2, %r2, 1;
and.b32 %r3, %r2, 1;
setp.eq.u32 %p2, %r3, 0;
@%p2 bra M;
@@6:4 ld.global.f32 %f1, [%d1];
M:
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
`
	// The same loop of a function that is called at lines 8 and 9.
	inlined = `L:
@@6:7<8 add.f32 %f2, %f2, %f1;
@@5:9<8 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
M:
@@6:7<9 add.f32 %f2, %f2, %f1;
@@5:9<9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra M;
`
	// A loop around was unrolled by two.
	again = `L:
@@6:7 add.f32 %f2, %f2, %f1;
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
M:
@@6:7 add.f32 %f2, %f2, %f1;
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra M;
`
	// A loop inside, p = 1; for (k = 0; k < 2; k++) p *= a[k]; was unrolled completely, and its first product folded.
	folded = `L:
@@6:4 ld.global.f32 %f1, [%d1];
@@6:4 ld.global.f32 %f2, [%d1+4];
@@6:7 mul.f32 %f3, %f1, %f2;
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
`
	// A loop inside was unrolled completely.
	inside = `L:
@@6:7 add.f32 %f2, %f2, %f1;
@@6:7 add.f32 %f2, %f2, %f1;
@@6:7 add.f32 %f2, %f2, %f1;
@@5:9 setp.lt.u32 %p1, %r2, %r1;
@%p1 bra L;
`
)

// at describes a copy: the label of its loop, how many iterations the block makes, and the back edges of ten iterations.
func describe(g *cfg.Graph, l *Loop) []string {
	var all []string
	for _, c := range l.Copies {
		all = append(all, fmt.Sprintf("%s x%d: %d of 10", g.Name(g.Loops().Loops[c.Loop].Header), c.Times, c.Back(10)))
	}
	if l.Entry >= 0 {
		all = append(all, "entry "+g.Name(l.Entry))
	}
	return all
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, body string
		line       int
		want       [][]string
		err        string
	}{
		{"rolled", rolled, 6, [][]string{{"L x1: 9 of 10"}}, ""},
		{"rolled, line of for", rolled, 5, [][]string{{"L x1: 9 of 10"}}, ""},
		{"tested", tested, 6, [][]string{{"L x1: 10 of 10"}}, ""},
		{"tested, line of for", tested, 5, [][]string{{"L x1: 10 of 10"}}, ""},
		{"unrolled", unrolled, 6, [][]string{{"L x3: 2 of 10", "M x1: 9 of 10", "entry entry"}}, ""},
		{"peeled", peeled, 6, [][]string{{"L x2: 4 of 10"}}, ""},
		{"hoisted", hoisted, 6, [][]string{{"L x1: 9 of 10"}}, ""},
		{"sometimes", sometimes, 6, nil, "the loop at L executes a.cu:6 only on some paths: name a line of its body that every iteration executes"},
		{"inlined", inlined, 6, [][]string{{"L x1: 9 of 10"}, {"M x1: 9 of 10"}}, ""},
		{"again", again, 6, [][]string{{"L x1: 9 of 10", "M x1: 9 of 10"}}, ""},
		{"inside", inside, 6, nil, "the loop at L has instructions of a.cu:6 several times, so that it may make several iterations at a time: name another line of the body, or give the bound by its label"},
		{"folded", folded, 6, nil, "the loop at L has instructions of a.cu:6 several times, so that it may make several iterations at a time: name another line of the body, or give the bound by its label"},
		{"nothing", rolled, 7, nil, "no instruction of kernel k is from a.cu:7: the compiler has left nothing of the line, or moved it to others; name another line of the loop's body, or a label"},
		{"no loop", "@@6:4 add.u32 %r1, %r1, 1;\n", 6, nil, "a.cu:6 is in no loop of kernel k: it was unrolled completely, or the line is before the loop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := flowtest.Graph(t, "m.ptx", module(c.body))
			found, err := Find(g, "a.cu", c.line)
			if text := fmt.Sprint(err); err != nil && text != c.err || err == nil && c.err != "" {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			var got [][]string
			for i := range found {
				got = append(got, describe(g, &found[i]))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestCopies(t *testing.T) {
	for _, c := range []struct {
		body string
		line int
		want string
	}{
		{rolled, 6, "[[L x1]]"},
		{unrolled, 6, "[[L x3 M x1]]"},
		{peeled, 6, "[[entry x1 L x2]]"},
		{hoisted, 6, "[[entry x1]]"}, // one of the two is enough, and each is executed once at most
		{inlined, 6, "[[L x1] [M x1]]"},
	} {
		g := flowtest.Graph(t, "m.ptx", module(c.body))
		found, err := Copies(g, "src/a.cu", c.line)
		if err != nil {
			t.Fatal(err)
		}
		var got [][]string
		for _, group := range found {
			var one []string
			for _, c := range group {
				one = append(one, fmt.Sprintf("%s x%d", g.Name(c.Block), c.Times))
			}
			got = append(got, one)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", c.body, got, c.want)
		}
	}
}

func TestFilesWithOneName(t *testing.T) {
	text := strings.Replace(module(rolled), "/src/lib/b.cuh", "/src/lib/a.cu", 1)
	text = strings.Replace(text, ".loc 1 6 7", ".loc 2 6 7", 1)
	g := flowtest.Graph(t, "m.ptx", text)
	if _, err := Find(g, "a.cu", 6); err == nil || err.Error() != "a.cu:6 may be in /src/a.cu or in /src/lib/a.cu: write more of the path" {
		t.Error(err)
	}
	if _, err := Find(g, "lib/a.cu", 6); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		said string
		want bool
	}{{"a.cu", true}, {"src/a.cu", true}, {"/src/a.cu", true}, {"cu", false}, {"rc/a.cu", false}} {
		if got := Matches("/src/a.cu", c.said); got != c.want {
			t.Errorf("%s: %t", c.said, got)
		}
	}
}
