package kernelgen

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/test/isatest"
)

func generate(seed uint64, irreducible bool) *Case {
	return New(rand.New(rand.NewPCG(seed, 0)), Options{
		Statements: 30, Depth: 3, Trips: 8, Threads: 100, CTAs: 10, Irreducible: irreducible,
	})
}

func TestSameNumbersGiveTheSameKernel(t *testing.T) {
	a, b := generate(1, true), generate(1, true)
	if !reflect.DeepEqual(a, b) {
		t.Error("two kernels from the same numbers differ")
	}
	if reflect.DeepEqual(a, generate(2, true)) {
		t.Error("two kernels from different numbers are the same")
	}
}

// TestEveryKindOccurs looks for what the package's comment promises.
func TestEveryKindOccurs(t *testing.T) {
	missing := map[string]bool{
		"bar.sync": true, "st.shared": true, "ld.shared": true, "brx.idx": true, "selp.b32": true,
		"ld.global.v2.u32": true, "ld.global.s8": true, "fma.rn.f32": true, "cvt.rzi.s32.f32": true,
		"\tret;": true, "\texit;": true, " exit;": true, " brx.idx": true, "%ctaid.y": true,
	}
	for _, op := range atomics {
		for _, kind := range []string{"red.shared.", "red.global.", "atom.shared.", "atom.global."} {
			missing[kind+op] = true
		}
	}
	for seed := uint64(0); seed < 200 && len(missing) > 0; seed++ {
		text := generate(seed, false).Module
		for kind := range missing {
			if strings.Contains(text, kind) {
				delete(missing, kind)
			}
		}
	}
	for kind := range missing {
		t.Errorf("%q does not occur in 200 kernels", kind)
	}
}

// TestBounded checks that the jobs of bounded kernels annotate loops, though few, and that
// narrower jobs differ in the inputs only.
func TestBounded(t *testing.T) {
	loops, annotated := 0, 0
	for seed := range uint64(100) {
		c := New(rand.New(rand.NewPCG(seed, 0)), Options{
			Statements: 30, Depth: 3, Trips: 8, Threads: 100, CTAs: 10, Bounded: true, Narrowed: 3, Machine: "predictable-rr",
		})
		loops += len(flowGraph(t, c.Module).Loops().Loops)
		_, bounds, _ := strings.Cut(c.Job, "[loop]\n")
		annotated += strings.Count(bounds, "\n")
		head, _, _ := strings.Cut(c.Job, "[[param]]")
		if len(c.Narrowed) != 3 || !strings.Contains(head, `"predictable-rr"`) {
			t.Fatalf("job\n%s\nnarrower\n%q", c.Job, c.Narrowed)
		}
		for _, n := range c.Narrowed {
			if other, _, _ := strings.Cut(n, "[[param]]"); other != head || !strings.HasSuffix(n, bounds) {
				t.Errorf("job\n%s\nnarrower\n%s", c.Job, n)
			}
		}
	}
	if annotated < 50 || annotated > loops/2 {
		t.Errorf("%d of %d loops are annotated", annotated, loops)
	}
}

// TestSIMT checks that modules of mini-SIMT code are understood and keep the discipline of
// syncs, that they have loops and barriers, and that annotations stand at loops.
func TestSIMT(t *testing.T) {
	loops, barriers, bounds := 0, 0, 0
	for seed := range uint64(200) {
		c := NewSIMT(rand.New(rand.NewPCG(seed, 0)), Options{
			Statements: 20, Depth: 3, Trips: 8, Threads: 16, CTAs: 4, Bounded: true, Narrowed: 2,
		})
		g := simtGraph(t, c.Module)
		k := g.Kernel
		if err := g.CheckSyncs(); err != nil {
			t.Fatalf("%v\n%s", err, c.Module)
		}
		loops += len(g.Loops().Loops)
		barriers += strings.Count(c.Module, "barrier")
		for _, line := range strings.Split(c.Job, "\n") {
			place, ok := strings.CutPrefix(line, `"`+SIMTFile+":")
			if !ok {
				continue
			}
			bounds++
			number, _, _ := strings.Cut(place, `"`)
			at, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(k.Instrs, func(in isa.Instr) bool { return int(in.Pos.Line) == at })
			if i < 0 || g.Loops().Innermost(g.BlockOf(i)) < 0 || g.Blocks[g.BlockOf(i)].Start != i {
				t.Errorf("no loop begins at line %s of\n%s", number, c.Module)
			}
		}
		if len(c.Narrowed) != 2 {
			t.Errorf("%d jobs with narrower inputs", len(c.Narrowed))
		}
	}
	if loops < 200 || barriers < 100 || bounds < 20 {
		t.Errorf("%d loops, %d barriers, %d annotations", loops, barriers, bounds)
	}
}

// TestControlFlow checks that all modules are PTX that is fully understood, and
// that loops have several entries in some kernels, if that is asked for, and
// otherwise in none.
func TestControlFlow(t *testing.T) {
	for _, irreducible := range []bool{false, true} {
		loops, irreducibles := 0, 0
		for seed := range uint64(100) {
			g := flowGraph(t, generate(seed, irreducible).Module)
			loops += len(g.Loops().Loops)
			if g.CheckReducible() != nil {
				irreducibles++
			}
		}
		if loops < 100 {
			t.Errorf("100 kernels have %d loops", loops)
		}
		if irreducible && irreducibles < 20 || !irreducible && irreducibles > 0 {
			t.Errorf("irreducible=%t: %d of 100 kernels have loops with several entries", irreducible, irreducibles)
		}
	}
}

// TestDeserts checks that in some kernels lanes that go round a loop from barrier to barrier
// part, and may end on one path before they reconverge.
func TestDeserts(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		g := flowGraph(t, generate(seed, false).Module)
		if slices.ContainsFunc(g.Loops().Loops, func(l graph.Loop) bool { return deserted(g, &l) }) {
			found++
		}
	}
	if found < 10 {
		t.Errorf("%d of 200 kernels", found)
	}
}

// deserted reports whether a loop with a barrier can be left for good from a block that
// only some of the paths around it visit.
func deserted(g *cfg.Graph, l *graph.Loop) bool {
	if !slices.ContainsFunc(l.Body, g.Awaits) {
		return false
	}
	around := graph.New(g.Len() + 1) // once, from the header to the exit
	for _, e := range g.Flow.Graph().Edges() {
		switch {
		case !l.Contains(e.From):
		case e.To == l.Header:
			around.AddEdge(e.From, g.Exit())
		case l.Contains(e.To):
			around.AddEdge(e.From, e.To)
		}
	}
	always := graph.PostDominators(around, g.Exit())
	return slices.ContainsFunc(l.Body, func(b int) bool {
		leaves := slices.ContainsFunc(g.Succ(b), func(s int) bool { return s == g.Exit() || !l.Contains(s) && !g.ReachesBarrier(s) })
		return leaves && !always.Dominates(b, l.Header)
	})
}

func flowGraph(t *testing.T, module string) *cfg.Graph {
	t.Helper()
	m, err := ptx.Parse(ModuleFile, []byte(module))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptx.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Warnings) > 0 {
		t.Fatal(p.Warnings[0])
	}
	return build(t, p)
}

func simtGraph(t *testing.T, module string) *cfg.Graph {
	t.Helper()
	m, err := minisimt.Parse(SIMTFile, []byte(module))
	if err != nil {
		t.Fatal(err)
	}
	p, err := minisimt.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	return build(t, p)
}

// build makes the flow graph of the first kernel of a program.
func build(t *testing.T, p *isa.Program) *cfg.Graph {
	t.Helper()
	k, err := isatest.Link(p, p.Entries()[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
