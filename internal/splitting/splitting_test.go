package splitting

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/test/flowtest"
)

// compile makes the kernel k of PTX statements, of which the first line is line 2.
func compile(t *testing.T, body string) *cfg.Graph {
	t.Helper()
	const head = ".version 8.3 .target sm_90 .address_size 64 .entry k() { .reg .pred %p<9>; .reg .b32 %r<9>;\n"
	return flowtest.Graph(t, "k.ptx", head+body+"\n}\n")
}

func build(t *testing.T, k *isa.Kernel) *cfg.Graph {
	t.Helper()
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// listing renders a kernel, a line for each label and instruction.
func listing(k *isa.Kernel) string {
	var lines []string
	for i := range k.Instrs {
		for _, l := range k.Labels {
			if l.Index == i {
				lines = append(lines, l.Name+":")
			}
		}
		in := &k.Instrs[i]
		text := "\t" + k.Format(in)
		if named := slices.ContainsFunc(k.Labels, func(l isa.Label) bool { return l.Index == in.Target }); in.Op == isa.Bra && !named {
			text += fmt.Sprintf(" (%s)", k.Instrs[in.Target].Op)
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// lines gives statements the form of a listing.
func lines(text string) string {
	var out []string
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		l = strings.TrimSpace(l)
		if !strings.HasSuffix(l, ":") {
			l = "\t" + l
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

func TestInsert(t *testing.T) {
	const mark = ".pragma \"split\"; "
	for _, c := range []struct{ name, body, want string }{
		{"if", mark + "@%p1 bra L; mov.u32 %r1, 1; L: ret;", `
			split
			@%p1 bra L
			mov.u32 %r1, 0x1
		L:
			merge
			ret`},
		{"if-else", mark + "@%p1 bra E; mov.u32 %r1, 1; bra L; E: mov.u32 %r1, 2; L: ret;", `
			split
			@%p1 bra E
			mov.u32 %r1, 0x1
			bra L
		E:
			mov.u32 %r1, 0x2
		L:
			merge
			ret`},
		{"not split", "@%p1 bra L; mov.u32 %r1, 1; L: ret;", `
			@%p1 bra L
			mov.u32 %r1, 0x1
		L:
			ret`},
		{"nested with one end", mark + "@%p1 bra L; mov.u32 %r1, 1; " + mark + "@%p2 bra L; mov.u32 %r1, 2; L: ret;", `
			split
			@%p1 bra L
			mov.u32 %r1, 0x1
			split
			@%p2 bra ->6 (merge)
			mov.u32 %r1, 0x2
			merge
		L:
			merge
			ret`},
		{"inner alone", "@%p1 bra L; mov.u32 %r1, 1; " + mark + "@%p2 bra L; mov.u32 %r1, 2; L: ret;", `
			@%p1 bra L
			mov.u32 %r1, 0x1
			split
			@%p2 bra ->5 (merge)
			mov.u32 %r1, 0x2
			merge
		L:
			ret`},
		{"outer alone", mark + "@%p1 bra L; mov.u32 %r1, 1; @%p2 bra L; mov.u32 %r1, 2; L: ret;", `
			split
			@%p1 bra L
			mov.u32 %r1, 0x1
			@%p2 bra L
			mov.u32 %r1, 0x2
		L:
			merge
			ret`},
		{"both paths nested", mark + "@%p1 bra E; " + mark + "@%p2 bra L; mov.u32 %r1, 1; bra L; E: " + mark + "@%p3 bra L; mov.u32 %r1, 2; L: ret;", `
			split
			@%p1 bra E
			split
			@%p2 bra ->12 (merge)
			mov.u32 %r1, 0x1
			bra ->12 (merge)
		E:
			split
			@%p3 bra ->9 (merge)
			mov.u32 %r1, 0x2
			merge
		L:
			merge
			ret
			merge
			bra L`},
		{"past what follows", mark + "@%p1 bra A; bra B; C: ret; A: mov.u32 %r1, 1; B: mov.u32 %r2, 2; bra C;", `
			split
			@%p1 bra A
			bra B
		C:
			ret
		A:
			mov.u32 %r1, 0x1
		B:
			merge
			mov.u32 %r2, 0x2
			bra C`},
		{"outer path falls through", "@%p1 bra A; mov.u32 %r1, 1; L: ret; A: " + mark + "@%p2 bra L; mov.u32 %r1, 2; bra L;", `
			@%p1 bra A
			mov.u32 %r1, 0x1
		L:
			ret
		A:
			split
			@%p2 bra ->7 (merge)
			mov.u32 %r1, 0x2
			bra ->7 (merge)
			merge
			bra L`},
		{"nothing falls through", mark + "@%p1 bra A; mov.u32 %r1, 1; bra L; A: mov.u32 %r1, 2; bra L; L: ret;", `
			split
			@%p1 bra A
			mov.u32 %r1, 0x1
			bra L
		A:
			mov.u32 %r1, 0x2
			bra L
		L:
			merge
			ret`},
		{"a branch where the branch reconverges", mark + "@%p1 bra A; bra L; A: bra L; L: bra M; M: ret;", `
			split
			@%p1 bra A
			bra ->6 (merge)
		A:
			bra ->6 (merge)
		L:
			bra M
		M:
			ret
			merge
			bra L`},
		{"in a loop", "T: " + mark + "@%p1 bra L; mov.u32 %r1, 1; L: @%p2 bra T; ret;", `
		T:
			split
			@%p1 bra L
			mov.u32 %r1, 0x1
		L:
			merge
			@%p2 bra T
			ret`},
		{"to the head of a loop", mark + "@%p1 bra T; mov.u32 %r1, 1; T: @%p2 bra T; ret;", `
			split
			@%p1 bra ->3 (merge)
			mov.u32 %r1, 0x1
			merge
		T:
			@%p2 bra T
			ret`},
		{"around a loop", mark + "@%p1 bra L; T: @%p2 bra T; L: ret;", `
			split
			@%p1 bra L
		T:
			@%p2 bra T
		L:
			merge
			ret`},
		{"continue", "T: " + mark + "@%p1 bra N; mov.u32 %r1, 1; @%p2 bra N; mov.u32 %r2, 1; N: @%p3 bra T; ret;", `
		T:
			split
			@%p1 bra N
			mov.u32 %r1, 0x1
			@%p2 bra N
			mov.u32 %r2, 0x1
		N:
			merge
			@%p3 bra T
			ret`},
		{"switch on a path", "ts: .branchtargets A, L; " + mark + "@%p1 bra L; brx.idx %r1, ts; A: mov.u32 %r1, 1; L: ret;", `
			split
			@%p1 bra L
			brx.idx %r1, A, L
		A:
			mov.u32 %r1, 0x1
		L:
			merge
			ret`},
		{"a failing assertion", mark + "@%p1 bra L; @%p2 bra F; mov.u32 %r1, 1; bra L; F: trap; L: ret;", `
			split
			@%p1 bra L
			@%p2 bra F
			mov.u32 %r1, 0x1
			bra L
		F:
			trap
		L:
			merge
			ret`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := compile(t, c.body)
			marked := Marked(g)
			r, err := Insert(g, marked)
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(r.Graph.Kernel); got != lines(c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, lines(c.want))
			}
			checkResult(t, g, marked, r)
		})
	}
}

// checkResult checks what must hold of every result.
func checkResult(t testing.TB, g *cfg.Graph, branches []int, r *Result) {
	t.Helper()
	k := r.Graph.Kernel
	if err := isa.Verify(k); err != nil {
		t.Error(err)
	}
	var splits []int
	for _, b := range branches {
		splits = append(splits, r.Graph.BlockOf(r.Index[g.Blocks[b].End-1]))
	}
	slices.Sort(splits)
	if got := Splits(r.Graph); !slices.Equal(got, splits) {
		t.Errorf("splits at blocks %v, want %v", got, splits)
	}
	merges := 0
	for i := range k.Instrs {
		if k.Instrs[i].Op == isa.Merge {
			merges++
		}
	}
	if merges != len(branches) {
		t.Errorf("%d merges of %d splits", merges, len(branches))
	}
	own := make(map[int]bool)
	for _, b := range splits {
		reconverge := r.Graph.Reconverge(b)
		if in := &k.Instrs[r.Graph.Blocks[reconverge].Start]; in.Op != isa.Merge || in.Pos != r.Graph.Last(b).Pos || own[reconverge] {
			t.Errorf("the branch of block %d reconverges at %s, which starts with %s of %v", b, r.Graph.Name(reconverge), in, in.Pos)
		}
		own[reconverge] = true
		if in := &k.Instrs[r.Graph.Blocks[b].End-2]; in.Pos != r.Graph.Last(b).Pos || in.Loc != r.Graph.Last(b).Loc {
			t.Errorf("the split of block %d stands at %v", b, in.Pos)
		}
	}
	for i := range g.Kernel.Instrs {
		old, now := g.Kernel.Instrs[i], k.Instrs[r.Index[i]]
		old.Target, old.Targets, now.Target, now.Targets = 0, nil, 0, nil
		if diff := cmp.Diff(old, now); diff != "" {
			t.Errorf("instruction %d (-old +new)\n%s", i, diff)
		}
	}

	again := Marked(r.Graph)
	if !subset(splits, again) {
		t.Errorf("the new kernel has marks %v", again)
	}
	second, err := Insert(r.Graph, splits)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(k, second.Graph.Kernel); diff != "" {
		t.Errorf("inserting again (-once +twice)\n%s", diff)
	}
	removed, err := Remove(r.Graph)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(g.Kernel, removed.Graph.Kernel); diff != "" {
		t.Errorf("removing what was inserted (-before +after)\n%s", diff)
	}
	for i, at := range r.Index {
		if removed.Index[at] != i {
			t.Errorf("instruction %d becomes %d and that %d", i, at, removed.Index[at])
		}
	}
}

func subset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(x int) bool { return !slices.Contains(b, x) })
}
