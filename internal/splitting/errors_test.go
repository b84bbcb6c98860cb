package splitting

import (
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// first returns the first block that ends in a branch.
func first(g *cfg.Graph) int {
	for b := range g.Blocks {
		if op := g.Last(b).Op; op == isa.Bra || op == isa.BrxIdx {
			return b
		}
	}
	return 0
}

// TestSplittable checks for each obstacle its position and what the message says. The last
// instruction of the first block with a branch is asked for.
func TestSplittable(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"if", "@%p1 bra L;\nmov.u32 %r1, 1;\nL: ret;", ""},
		{"a barrier before and behind", "bar.sync 0; @%p1 bra L;\nmov.u32 %r1, 1;\nL: bar.sync 0; ret;", ""},
		{"a loop around", "T: @%p1 bra L;\nmov.u32 %r1, 1;\nL: @%p2 bra T; ret;", ""},
		{"an end before", "@%p3 exit; @%p1 bra L;\nmov.u32 %r1, 1;\nL: ret;", ""},
		{"a failing path of another branch", "@%p1 bra L;\n@%p2 bra F; mov.u32 %r1, 1; bra L; F: trap;\nL: ret;", ""},

		{"no branch", "mov.u32 %r1, 1;\nret;", "k.ptx:3:1: block entry ends in no branch with a predicate"},
		{"no predicate", "bra L; L: ret;", "k.ptx:2:1: block entry ends in no branch with a predicate"},
		{"indexed", "ts: .branchtargets A, B;\nbrx.idx %r1, ts; A: mov.u32 %r1, 1; B: ret;", "k.ptx:3:1: an indexed branch has too many successors"},
		{"unreachable", "ret; L: @%p1 bra L;\nret;", "k.ptx:2:9: the branch cannot be reached"},
		{"one target", "@%p1 bra L; L: ret;", "k.ptx:2:1: the branch has one successor only"},
		{"a failing path", "@%p1 bra F; ret; F: trap;", "k.ptx:2:1: the branch has one successor only"},
		{"one path ends", "@%p1 bra A;\nret; A: mov.u32 %r1, 1; ret;", "k.ptx:3:1: threads end on a path of the branch at k.ptx:2:1, before it reconverges at A"},
		{"paths with barriers", "@%p1 bra A;\nbar.sync 0; ret; A: bar.sync 1; ret;", "k.ptx:3:1: a barrier on a path of the branch at k.ptx:2:1, which does not reconverge before it"},
		{"barriers before reconvergence", "@%p1 bra A;\nbar.sync 0; bra L; A: bar.sync 0;\nL: mov.u32 %r1, 1; ret;", "k.ptx:3:1: a barrier on a path of the branch at k.ptx:2:1"},
		{"paths that go on for ever", "@%p1 bra A;\nB: bra B; A: bra A;", "k.ptx:2:1: the branch never reconverges"},
		{"a barrier", "@%p1 bra L;\nmov.u32 %r1, 1;\nbar.sync 0;\nL: ret;", "k.ptx:4:1: a barrier on a path of the branch at k.ptx:2:1, before it reconverges at L (k.ptx:5:4)"},
		{"an end", "@%p1 bra L;\n@%p2 exit;\nL: ret;", "k.ptx:3:1: threads end on a path of the branch at k.ptx:2:1, before it reconverges at L"},
		{"the branch of a loop", "T: mov.u32 %r1, 1;\n@%p1 bra T;\nret;", "k.ptx:3:1: lanes come back to the branch from T (k.ptx:2:4) before it reconverges at T+2 (k.ptx:4:1)"},
		{"a way out of a loop", "T: @%p1 bra L;\nmov.u32 %r1, 1;\n@%p2 bra T;\nL: ret;", "k.ptx:2:4: lanes come back to the branch from T+1 (k.ptx:3:1) before"},
		{"no way back", "@%p1 bra L;\nmov.u32 %r1, 1;\n@%p2 bra L;\nT: bra T;\nL: ret;", "k.ptx:5:4: lanes do not come from here to L (k.ptx:6:4), where the branch at k.ptx:2:1 reconverges"},
		{"a way in", "@%p1 bra S;\nA: mov.u32 %r1, 1;\nbra L;\nS: @%p2 bra A;\nL: ret;", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := compile(t, c.body)
			err := Splittable(g, first(g))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("error %v", err)
			case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestUnstructured asks for each branch of kernels whose paths can be entered from elsewhere.
func TestUnstructured(t *testing.T) {
	for _, c := range []struct {
		name, body string
		block      string
		want       string
	}{
		{"goto past the branch", "@%p1 bra A;\n@%p2 bra L;\nmov.u32 %r1, 1;\nA: mov.u32 %r1, 2;\nL: ret;", "entry+1",
			"k.ptx:2:1: unstructured control flow: this leads to A (k.ptx:5:4) on a path of the branch at k.ptx:3:1, past that branch"},
		{"back into a path", "@%p1 bra L;\nA: mov.u32 %r1, 1;\nL: @%p2 bra A;\nret;", "entry",
			"k.ptx:4:4: unstructured control flow: this leads to A (k.ptx:3:4) on a path of the branch at k.ptx:2:1"},
		{"back to the start", "A: @%p1 bra A;\n@%p1 bra A;\nB: bar.sync 0; @%p1 bra B;\nC: bar.sync 0;\n@%p1 bra A;\nbra B;", "C",
			"k.ptx:2:4: unstructured control flow: the kernel starts here on a path of the branch at k.ptx:6:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := compile(t, c.body)
			for b := range g.Blocks {
				if g.Name(b) != c.block {
					continue
				}
				if err := Splittable(g, b); err == nil || !strings.HasPrefix(err.Error(), c.want) {
					t.Errorf("got  %v\nwant %s", err, c.want)
				}
				return
			}
			t.Errorf("no block %s", c.block)
		})
	}
}

// TestInsertListsErrors asks for two branches that cannot be split.
func TestInsertListsErrors(t *testing.T) {
	g := compile(t, ".pragma \"split\"; @%p1 bra L;\nbar.sync 0;\nL: mov.u32 %r1, 1;\nT: .pragma \"split\"; @%p2 bra T;\nret;")
	marked := Marked(g)
	r, err := Insert(g, marked)
	if r != nil || err == nil || !strings.Contains(err.Error(), "k.ptx:3:1: a barrier") || !strings.Contains(err.Error(), "k.ptx:5:21: lanes come back") {
		t.Errorf("result %v, error %v", r, err)
	}
}

// TestStray puts splits and merges where they have no effect.
func TestStray(t *testing.T) {
	g := compile(t, "@%p1 bra L;\nmov.u32 %r1, 1;\nL: mov.u32 %r2, 2;\nret;")
	k := *g.Kernel
	split, merge := isa.Instr{Op: isa.Split}, isa.Instr{Op: isa.Merge}
	bra := k.Instrs[0]
	bra.Target = 6
	k.Instrs = []isa.Instr{
		split, split, bra, // the second one splits
		k.Instrs[1], split, merge,
		merge, merge, k.Instrs[2], // the first one merges
		split, k.Instrs[3],
	}
	k.Labels = nil
	h := build(t, &k)
	marked := Marked(h)
	if len(marked) != 1 || marked[0] != 0 {
		t.Errorf("marked %v", marked)
	}
	r, err := Insert(h, marked)
	if err != nil {
		t.Fatal(err)
	}
	const text = "\tsplit\n\t@%p1 bra ->3 (merge)\n\tmov.u32 %r1, 0x1\n\tmerge\n\tmov.u32 %r2, 0x2\n\tret"
	if got := listing(r.Graph.Kernel); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	if at := r.Index; at[1] != 1 || at[4] != 4 || at[9] != 5 || at[10] != 5 {
		t.Errorf("instructions go to %v", at)
	}
	if none, err := Insert(h, nil); err != nil || len(none.Graph.Kernel.Instrs) != 4 {
		t.Errorf("removing all: error %v", err)
	}
}

// TestDetours keeps a branch behind a merge that leads to itself.
func TestDetours(t *testing.T) {
	g := compile(t, "@%p1 bra L;\nret;\nL: bra L;")
	k := *g.Kernel
	k.Instrs = []isa.Instr{k.Instrs[0], k.Instrs[1], {Op: isa.Merge}, k.Instrs[2]}
	k.Labels = nil
	k.Instrs[3].Target = 2
	r, err := Remove(build(t, &k))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listing(r.Graph.Kernel), "\t@%p1 bra ->2 (bra)\n\tret\n\tbra ->2 (bra)"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
