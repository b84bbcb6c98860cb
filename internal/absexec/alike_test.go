package absexec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/test/effort"
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
		{"others than those guarded", "", "setp.gt.u32 %p1, %t, 3; mov.u32 %r3, %r2; @%p1 mov.u32 %r3, %r1; @%p1 bra A;" + access + "bra B; A:" + access + "B:", []int{1, 28}},
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

// TestDifferentOfRandomKernels checks that lanes have no more different addresses than is said, in kernels that compute addresses
// from numbers of all lanes and of each.
func TestDifferentOfRandomKernels(t *testing.T) {
	few := 0
	seeds := effort.Draw(t, 600)
	for _, seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 4))
		var b strings.Builder
		line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
		r := func() int { return 1 + rng.IntN(7) }
		p := func() int { return 1 + rng.IntN(4) }
		line(".local .align 4 .b8 m[16]; mul.wide.u32 %%rd1, %%i, 4; add.u64 %%rd1, %%rd1, %%buf;")
		line("ld.global.u32 %%r1, [%%rd1]; ld.global.u32 %%r2, [%%buf+4096]; mov.u32 %%r3, %d; mov.u32 %%r4, %%d; and.b32 %%r5, %%t, 1; ld.global.u32 %%r6, [%%buf+512]; ld.global.u32 %%r7, [%%rd1+64];", rng.IntN(9))
		for i := 1; i <= 4; i++ {
			line("setp.gt.u32 %%p%d, %%r%d, %d;", i, r(), rng.IntN(6))
		}
		for at := 0; at < 16; at += 4 {
			line("st.local.u32 [m+%d], %%r%d;", at, r())
		}
		access := func(at, to int) {
			line("and.b32 %%r8, %%r%d, 255; mul.wide.u32 %%rd2, %%r8, 4; add.u64 %%rd2, %%rd2, %%buf; ld.global.u32 %%r%d, [%%rd2];", at, to)
		}
		all := func() {
			for i := 1; i <= 7; i++ {
				access(i, 9)
			}
		}
		labels := 0
		var block func(depth, n int)
		block = func(depth, n int) {
			for range n {
				labels++
				at := labels
				switch kind := rng.IntN(11); {
				case kind < 2:
					line("%s %%r%d, %%r%d, %%r%d;", []string{"add.u32", "xor.b32", "min.u32", "sub.u32"}[rng.IntN(4)], r(), r(), r())
				case kind == 2:
					line("selp.b32 %%r%d, %%r%d, %%r%d, %%p%d;", r(), r(), r(), p())
				case kind == 3:
					line("setp.%s.u32 %%p%d, %%r%d, %%r%d;", []string{"gt", "eq", "ne"}[rng.IntN(3)], p(), r(), r())
				case kind == 4:
					line("%s.pred %%p%d, %%p%d, %%p%d;", []string{"and", "or", "xor"}[rng.IntN(3)], p(), p(), p())
				case kind == 5:
					line("st.local.u32 [m+%d], %%r%d; ld.local.u32 %%r%d, [m+%d];", 4*rng.IntN(4), r(), r(), 4*rng.IntN(4))
				case kind == 6:
					line("@%%p%d mov.u32 %%r%d, %%r%d;", p(), r(), r())
				case kind < 9 || depth == 0:
					access(r(), r())
				case kind == 9:
					line("@%%p%d bra A%d;", p(), at)
					block(depth-1, 1+rng.IntN(3))
					line("bra B%d; A%d:", at, at)
					block(depth-1, rng.IntN(3))
					line("B%d:", at)
					all()
				default:
					line("mov.u32 %%r%d, 0; C%d:", 10+depth, at)
					block(depth-1, 1+rng.IntN(3))
					line("add.u32 %%r%d, %%r%d, 1; setp.lt.u32 %%p6, %%r%d, %d; and.pred %%p6, %%p6, %%p%d; @%%p6 bra C%d;", 10+depth, 10+depth, 10+depth, 2+rng.IntN(3), p(), at)
				}
			}
		}
		block(2, 14)
		all()
		line("ret;")
		l := compile(t, 0, [3]int{2, 1, 1}, [3]int{32, 1, 1}, "", b.String())
		for vector := range 3 {
			l.prepare(t, vector, 32)
			config := l.config()
			bound, uniform := l.observe(t)
			if config.Bound = bound; seed%3 == 0 {
				config.Uniform = uniform
			}
			config.MaxSteps = 20_000
			l.prepare(t, vector, 32)
			config.Launch = l.semantics
			results, err := New(config).Warp(t.Context(), 0, func(Box) Visitor { return &differing{} })
			if err != nil {
				break // it has too many paths
			}
			for _, c := range results[0].Visitor.(*differing).counts {
				if c < 32 {
					few++
				}
			}
			if err := l.cover(t, config, 1); err != nil && !errors.Is(err, errTooLong) {
				t.Fatalf("seed %d: %v\n%s", seed, err, &b)
			}
		}
	}
	if effort.Many() && few < len(seeds)*50/3 {
		t.Errorf("%d accesses have few addresses", few)
	}
}
