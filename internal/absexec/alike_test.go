package absexec

import (
	"slices"
	"strings"
	"testing"
)

// differing notes how many addresses the lanes of accesses differ in at most, where some are not known.
type differing struct {
	silent
	counts []int
}

func (d *differing) Step(s *Step) {
	if s.Access != nil && s.May&^s.Access.Known != 0 {
		d.counts = append(d.counts, s.Access.Different(s.May))
	}
}

// TestDifferent checks how many addresses the lanes of an access are known to have at most, and that
// they have no more. %x is a number between 0 and 7 that each lane has for itself, and %y one that all have.
func TestDifferent(t *testing.T) {
	const prologue = `mul.wide.u32 %rd1, %i, 4; add.u64 %rd1, %rd1, %buf;
ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%buf+4096];
`
	const access = `
mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %buf; ld.global.u32 %r9, [%rd2];
`
	for _, c := range []struct {
		name, decl, body string
		want             []int
	}{
		{"own", "", "mov.u32 %r3, %r1;" + access, []int{32}},
		{"common", "", "add.u32 %r3, %r2, 1;" + access, []int{1}},
		{"input", "", "mov.u32 %r3, %d;" + access, []int{1}},
		{"loaded", "", "mov.u32 %r3, %r2;" + access + "mov.u32 %r3, %r9;" + access, []int{1, 1}},
		{"known", "", "add.u32 %r3, %r2, %t;" + access, []int{32}},
		{"chosen", "", "setp.gt.u32 %p1, %r1, 3; selp.b32 %r3, %r2, 9, %p1;" + access, []int{2}},
		{"chosen twice", "", "setp.gt.u32 %p1, %r1, 3; selp.b32 %r3, %r2, 9, %p1; selp.b32 %r4, 5, %r2, %p1; add.u32 %r3, %r3, %r4;" + access, []int{2}},
		{"chosen by two", "", "setp.gt.u32 %p1, %r1, 3; setp.gt.u32 %p2, %r1, 5; selp.b32 %r3, %r2, 9, %p1; selp.b32 %r4, 5, %r2, %p2; add.u32 %r3, %r3, %r4;" + access, []int{4}},
		{"chosen by all", "", "setp.gt.u32 %p1, %r2, 3; selp.b32 %r3, %r2, 9, %p1;" + access, []int{1}},
		{"guarded", "", "setp.gt.u32 %p1, %r1, 3; mov.u32 %r3, %r2; @%p1 mov.u32 %r3, 9;" + access, []int{32}},
		{"branch", "", "setp.gt.u32 %p1, %r1, 3; add.u32 %r3, %r2, 1; @%p1 bra A; mov.u32 %r3, 9; A:" + access, []int{2}},
		{"branch of all", "", "setp.gt.u32 %p1, %r2, 3; add.u32 %r3, %r2, 1; @%p1 bra A; add.u32 %r3, %r3, 9; A:" + access, []int{1}},
		{"branch in a branch", "", "setp.gt.u32 %p1, %r1, 2; setp.gt.u32 %p2, %r1, 5; add.u32 %r3, %r2, 1; @!%p1 bra A; mov.u32 %r3, 9; @%p2 bra A; mov.u32 %r3, 20; A:" + access, []int{4}},
		{"branch by number", "", "setp.gt.u32 %p1, %t, 3; add.u32 %r3, %r2, 1; @%p1 bra A; add.u32 %r3, %r3, 9; A:" + access, []int{32}},
		{"branch by number and data", "", "setp.gt.u32 %p1, %t, 3; setp.gt.u32 %p2, %r1, 3; add.u32 %r3, %r2, 1; @%p1 bra C; @%p2 bra B; add.u32 %r3, %r3, 9; B: bra A; C: add.u32 %r3, %r2, 20; A:" + access, []int{32}},
		{"branch by number or data", "", "setp.gt.u32 %p1, %t, 3; setp.gt.u32 %p2, %r1, 3; add.u32 %r3, %r2, 1; @!%p1 bra C; @%p2 bra B; add.u32 %r3, %r3, 9; B: bra A; C: add.u32 %r3, %r2, 20; A:" + access, []int{32}},
		{"guarded by number", "", "setp.gt.u32 %p1, %t, 3; mov.u32 %r3, %r2; @%p1 mov.u32 %r3, %r1;" + access, []int{32}},
		{"one of four", "", "L: .branchtargets A, B, C, D; and.b32 %r4, %r1, 3; add.u32 %r3, %r2, 1; brx.idx %r4, L; A: add.u32 %r3, %r3, 1; B: add.u32 %r3, %r3, 1; C: add.u32 %r3, %r3, 1; D:" + access, []int{32}},
		{"loop", "", "mov.u32 %r3, %r2; mov.u32 %r4, 0; L:" + access + "setp.gt.u32 %p1, %r1, %r4; add.u32 %r3, %r3, 8; add.u32 %r4, %r4, 2; @%p1 bra L;" + access, []int{1, 1, 1, 1, 1, 16}},
		{"search", "", `mov.u32 %r3, 512; mov.u32 %r4, 256; L:` + access +
			"setp.gt.u32 %p1, %r1, %r9; add.u32 %r5, %r3, %r4; sub.u32 %r6, %r3, %r4; selp.b32 %r3, %r5, %r6, %p1; shr.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 2; @%p2 bra L;", []int{2, 4, 8, 16, 32, 32}},
		{"local", "", "{ .local .align 4 .b8 m[8]; st.local.u32 [m], %r2; st.local.u32 [m+4], %r1; ld.local.u32 %r3, [m];" + access + "ld.local.u32 %r3, [m+4]; " + access + "st.local.u16 [m+2], 0; ld.local.u32 %r3, [m];" + access + "}", []int{1, 32, 32}},
		{"unknown local", "", "{ .local .align 4 .b8 m[64]; mov.u64 %rd3, m; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd3, %rd3, %rd4; st.local.u32 [%rd3], %r1; ld.local.u32 %r3, [%rd3];" + access + "}", []int{1, 1, 32}},
		{"generic local", "", "{ .local .align 4 .b8 m[64]; mov.u64 %rd3, m; cvta.local.u64 %rd3, %rd3; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd3, %rd3, %rd4; st.u32 [%rd3], %r1; ld.u32 %r3, [%rd3];" + access + "}", []int{1, 1, 32}},
		{"shared", ".shared .align 4 .b8 s[128];", "mov.u32 %r4, s; mul.lo.u32 %r5, %t, 4; add.u32 %r4, %r4, %r5; st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r3, [s+8];" + access, []int{1}},
		{"atomic", "", "atom.global.add.u32 %r3, [%buf+8192], 1;" + access, []int{32}},
		{"across lanes", "", "shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; vote.sync.any.pred %p1, 0, -1;" + access, []int{32}},
		{"lane", "", "mov.u32 %r4, %laneid; add.u32 %r3, %r2, %r4;" + access, []int{32}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := compile(t, 0, [3]int{3, 1, 1}, [3]int{32, 1, 1}, c.decl, prologue+c.body+"ret;")
			for vector := range 5 {
				l.prepare(t, vector, 32)
				config := l.config()
				config.Bound, _ = l.observe(t)
				l.prepare(t, vector, 32)
				config.Launch = l.semantics
				config.Bound = func(int) (int, bool) { return 4, true }
				if strings.Contains(c.name, "search") {
					config.Bound = nil
				}
				results, err := New(config).Warp(t.Context(), 0, func(Box) Visitor { return &differing{} })
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range results {
					if got := r.Visitor.(*differing).counts; !slices.Equal(got, c.want) {
						t.Errorf("%v: got %v, want %v", r.Box, got, c.want)
					}
				}
				if err := l.cover(t, config, 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
