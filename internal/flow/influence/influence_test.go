package influence_test

import (
	"strings"
	"testing"

	"warpbound/internal/flow/gated"
	"warpbound/internal/flow/influence"
	"warpbound/internal/test/flowtest"
)

// head declares a kernel of a buffer of inputs, one that is fixed, and a number that is sampled and
// one that is not.
const head = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 fixed, .param .u32 n, .param .u32 m)
{
	.reg .pred %p<9>;
	.reg .b32 %r<19>;
	.reg .b64 %d<19>;
	.shared .align 4 .b8 tile[512];
	ld.param.u64 %d1, [in];
	ld.param.u64 %d2, [fixed];
	ld.param.u32 %r1, [n];
	ld.param.u32 %r2, [m];
	mov.u32 %r3, %tid.x;
	mul.wide.u32 %d3, %r3, 4;
	add.u64 %d4, %d1, %d3;
	add.u64 %d5, %d2, %d3;
`

// TestFind: each comment says the level of the branch or of the address in its line.
func TestFind(t *testing.T) {
	levels := map[string]influence.Level{"none": influence.None, "counted": influence.Counted, "direct": influence.Direct, "indirect": influence.Indirect}
	for _, c := range []struct{ name, body string }{
		{"numbers", `
	setp.lt.u32 %p1, %r3, %r1;
	@%p1 bra A; // branch direct
	add.u32 %r9, %r9, 1;
A:
	setp.lt.u32 %p2, %r3, %r2;
	@%p2 bra B; // branch none
	add.u32 %r9, %r9, 1;
B:
	ret;
`},
		{"contents", `
	ld.global.u32 %r4, [%d4]; // address none
	ld.global.u32 %r5, [%d5]; // address none
	setp.eq.u32 %p1, %r4, 1;
	@%p1 bra A; // branch direct
	add.u32 %r9, %r9, 1;
A:
	setp.eq.u32 %p2, %r5, 1;
	@%p2 bra B; // branch none
	add.u32 %r9, %r9, 1;
B:
	mul.wide.u32 %d6, %r4, 4;
	add.u64 %d7, %d2, %d6;
	ld.global.u32 %r6, [%d7]; // address direct
	mul.wide.u32 %d8, %r6, 4;
	add.u64 %d9, %d2, %d8;
	ld.global.u32 %r7, [%d9]; // address indirect
	ret;
`},
		{"what is stored", `
	ld.global.u32 %r4, [%d4];
	st.global.u32 [%d5], %r4;
	mov.u64 %d6, tile;
	st.shared.u32 [tile], %r3;
	ld.shared.u32 %r6, [tile];
	setp.eq.u32 %p2, %r6, 1;
	@%p2 bra A; // branch none
	add.u32 %r9, %r9, 1;
A:
	ld.global.u32 %r5, [%d5];
	setp.eq.u32 %p1, %r5, 1;
	@%p1 bra B; // branch direct
	add.u32 %r9, %r9, 1;
B:
	ret;
`},
		{"counters", `
	mov.u32 %r5, 1;
	atom.global.add.u32 %r4, [%d2], %r5; // address none
	mul.wide.u32 %d6, %r4, 4;
	add.u64 %d7, %d1, %d6;
	st.global.u32 [%d7], %r3; // address counted
	ret;
`},
		{"what a loop carries is no matter of when it ends, but for what lies behind", `
	mov.u32 %r5, 0;
	mov.u64 %d6, %d4;
L:
	ld.global.u32 %r4, [%d6]; // address none
	add.u64 %d6, %d6, 4;
	add.u32 %r5, %r5, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra L; // branch direct
	mul.wide.u32 %d8, %r5, 4;
	add.u64 %d9, %d2, %d8;
	st.global.u32 [%d9], %r3; // address direct
	ret;
`},
		{"a choice", `
	ld.global.u32 %r4, [%d4];
	setp.ne.u32 %p1, %r4, 0;
	mov.u64 %d6, %d5;
	@%p1 bra A; // branch direct
	add.u32 %r9, %r9, 1;
	add.u64 %d6, %d5, 128;
A:
	ld.global.u32 %r5, [%d6]; // address counted
	ret;
`},
		{"a guard", `
	ld.global.u32 %r4, [%d4];
	setp.ne.u32 %p1, %r4, 0;
	@%p1 st.global.u32 [%d5], %r3; // guard direct
	ret;
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := head + c.body + "}\n"
			g := flowtest.Graph(t, "k.ptx", text)
			f, err := gated.New(t.Context(), g, 0)
			if err != nil {
				t.Fatal(err)
			}
			r := influence.Find(f, influence.Sources{
				Sampled: func(offset, bytes int) bool { return offset < 20 && offset+bytes > 16 },
				Buffer: func(offset int) (int, bool) {
					return offset / 8, offset == 0 || offset == 8
				},
				Buffers: []influence.Level{influence.Direct, influence.None},
			})
			lines, found := strings.Split(text, "\n"), 0
			for i := range g.Kernel.Instrs {
				_, want, ok := strings.Cut(lines[g.Kernel.Instrs[i].Pos.Line-1], "// ")
				if !ok {
					continue
				}
				found++
				what, level, _ := strings.Cut(want, " ")
				address, guard := r.Access(i)
				got := map[string]influence.Level{"branch": r.Decides(g.BlockOf(i)), "address": address, "guard": guard}[what]
				if got != levels[level] {
					t.Errorf("line %d: %s is of level %d, want %s", g.Kernel.Instrs[i].Pos.Line, what, got, level)
				}
			}
			if want := strings.Count(text, "// "); found != want {
				t.Errorf("%d comments were read, not %d", found, want)
			}
		})
	}
}

// TestControl: whether lanes come to a branch depends on those around it.
func TestControl(t *testing.T) {
	g := flowtest.Graph(t, "k.ptx", head+`
	setp.lt.u32 %p1, %r3, %r1;
	@%p1 bra OUT;
	setp.lt.u32 %p2, %r3, %r2;
	@%p2 bra OUT;
	st.global.u32 [%d5], %r3;
OUT:
	ret;
}
`)
	f, err := gated.New(t.Context(), g, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := influence.Find(f, influence.Sources{
		Sampled: func(offset, _ int) bool { return offset == 16 }, Buffer: func(int) (int, bool) { return 0, false },
	})
	if r.Decides(1) != influence.None || r.Branch(1) != influence.Direct || r.Branch(0) != influence.Direct {
		t.Errorf("levels %d, %d and %d", r.Decides(1), r.Branch(1), r.Branch(0))
	}
}
