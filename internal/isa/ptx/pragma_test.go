package ptx

import (
	"bytes"
	"slices"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/isatest"
)

// marked returns the indices of the instructions that are marked.
func marked(instrs []isa.Instr) (at []int) {
	for i := range instrs {
		if instrs[i].Split {
			at = append(at, i)
		}
	}
	return at
}

func TestSplitPragma(t *testing.T) {
	const mark = ".pragma \"split\"; "
	for _, c := range []struct {
		name, snippet string
		marked        []int
		stray         []string // positions
	}{
		{"branch", mark + "@%p1 bra E; E: ret;", []int{0}, nil},
		{"negated and uniform", mark + "@!%p1 bra.uni E; E: ret;", []int{0}, nil},
		{"among pragmas and positions", mark + ".pragma \"nounroll\"; .loc 1 2 3\n@%p1 bra E; E: ret;", []int{0}, nil},
		{"one of several strings", ".pragma \"nounroll\", \"split\"; @%p1 bra E; E: ret;", []int{0}, nil},
		{"twice", mark + mark + "@%p1 bra E; E: ret;", []int{0}, nil},
		{"two branches", mark + "@%p1 bra E; @%p2 bra E; " + mark + "@%p3 bra E; E: ret;", []int{0, 2}, nil},
		{"block", "{ " + mark + "@%p1 bra E; } E: ret;", []int{0}, nil},
		{"another pragma", ".pragma \"splits\"; @%p1 bra E; E: ret;", nil, nil},
		{"no predicate", mark + "bra E; E: ret;", nil, []string{"t.ptx:2:1"}},
		{"no branch", mark + "@%p1 exit; ret;", nil, []string{"t.ptx:2:1"}},
		{"indexed", "ts: .branchtargets E;\n" + mark + "@%p1 brx.idx %r1, ts; E: ret;", nil, []string{"t.ptx:3:1"}},
		{"label between", mark + "L: @%p1 bra L; ret;", nil, []string{"t.ptx:2:1"}},
		{"block between", mark + "{ @%p1 bra E; } E: ret;", nil, []string{"t.ptx:2:1"}},
		{"end of block", "{ " + mark + "} @%p1 bra E; E: ret;", nil, []string{"t.ptx:2:3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := lowerSnippet(c.snippet)
			if err != nil {
				t.Fatal(err)
			}
			if got := marked(p.Func("k").Instrs); !slices.Equal(got, c.marked) {
				t.Errorf("marked instructions %v, want %v", got, c.marked)
			}
			var stray []string
			for _, w := range p.Warnings {
				if w.ID == "stray-split" {
					stray = append(stray, w.Pos.String())
				}
			}
			if !slices.Equal(stray, c.stray) {
				t.Errorf("warnings at %v, want %v", stray, c.stray)
			}
		})
	}
}

// TestSplitPragmaOutsideOfBodies marks nothing, with a warning.
func TestSplitPragmaOutsideOfBodies(t *testing.T) {
	m, err := Parse("t.ptx", []byte(`.version 8.3 .target sm_90 .address_size 64
.pragma "split";
.entry k()
.pragma "split";
{ ret; }`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	var at []int32
	for _, w := range p.Warnings {
		at = append(at, w.Pos.Line)
	}
	if !slices.Equal(at, []int32{2, 4}) {
		t.Errorf("warnings %v, want them in lines 2 and 4", p.Warnings)
	}
}

// TestSplitPragmaTravels follows the mark of a called function through printing, parsing
// and linking into two calls.
func TestSplitPragmaTravels(t *testing.T) {
	m, err := Parse("t.ptx", []byte(`.version 8.3 .target sm_90 .address_size 64
.func f(.param .b32 a) {
	.reg .pred %p; .reg .b32 %r;
	ld.param.u32 %r, [a];
	setp.eq.u32 %p, %r, 0;
	.pragma "split";
	@%p bra E;
	add.u32 %r, %r, 1;
E:	ret;
}
.entry k() { call f, (1); call f, (2); ret; }`))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := Print(&text, m); err != nil {
		t.Fatal(err)
	}
	if m, err = Parse("printed.ptx", text.Bytes()); err != nil {
		t.Fatal(err)
	}
	p, err := Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(p, "k")
	if err != nil {
		t.Fatal(err)
	}
	at := marked(k.Instrs)
	if len(at) != 2 || k.Instrs[at[0]].Op != isa.Bra || k.Instrs[at[1]].Op != isa.Bra {
		t.Errorf("instructions %v are marked, want the branches of both copies", at)
	}
}
