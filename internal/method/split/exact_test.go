package split_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/test/effort"
)

// withL1 adds a small L1 to a machine file.
func withL1(src *rand.Rand, text []byte) []byte {
	return fmt.Appendf(text, `
[l1]
sets = { value = %d, unit = "sets per SM", source = "test" }
ways = { value = %d, unit = "lines per set", source = "test" }
hit  = { value = %d, unit = "core cycles", source = "test" }
`, 1<<src.IntN(4), 1+src.IntN(3), 1+src.IntN(150))
}

// randomMachine makes a small and odd machine file of that of gcn3-split.
func randomMachine(t *testing.T, src *rand.Rand) []byte {
	t.Helper()
	text, err := os.ReadFile("../../machine/gcn3-split.toml")
	if err != nil {
		t.Fatal(err)
	}
	pick := func(values ...int) int { return values[src.IntN(len(values))] }
	numbers := map[string]int{
		"count": pick(1, 2, 5), "schedulers": pick(1, 2, 4), "ctas": pick(1, 2, 8), "dispatch": pick(1, 8, 30), "barrier": pick(4, 20),
		"segment": pick(32, 128, 1024), "banks": pick(1, 4, 32, 64), "bank_width": pick(4, 8, 16), "address": pick(4, 8, 16),
	}
	return regexp.MustCompile(`(?m)^(\w+)( *= \{ value = )\d+`).ReplaceAllFunc(text, func(m []byte) []byte {
		name, _, _ := strings.Cut(string(m), " ")
		n, ok := numbers[name]
		if !ok {
			return m
		}
		return fmt.Appendf(nil, "%s = { value = %d", name, n)
	})
}

// certain draws PTX whose time depends on no data: accesses of all kinds at addresses of the thread and of the workgroup, fences,
// barriers outside of branches, branches and loops that depend on both.
type certain struct {
	*rand.Rand
	strings.Builder
	labels int
}

// address puts the address of the thread, with a random stride in words, into %rd2.
func (g *certain) address() {
	fmt.Fprintf(g, "mul.lo.u32 %%r4, %%r1, %d; shl.b32 %%r4, %%r4, 2; and.b32 %%r4, %%r4, 4095; cvt.u64.u32 %%rd2, %%r4; add.u64 %%rd2, %%rd2, %%rd1;\n",
		[]int{0, 1, 2, 7, 32}[g.IntN(5)])
}

func (g *certain) statement(depth int) {
	switch k := g.IntN(11); {
	case k == 0:
		g.address()
		g.WriteString("ld.global.u32 %r5, [%rd2];\n")
	case k == 1:
		g.address()
		g.WriteString("st.global.u32 [%rd2], %r5;\n")
	case k == 2:
		g.address()
		g.WriteString([]string{"red.global.add.u32 [%rd2], 1;\n", "atom.global.add.u32 %r5, [%rd2], 1;\n"}[g.IntN(2)])
	case k == 3:
		fmt.Fprintf(g, "mul.lo.u32 %%r4, %%r1, %d; and.b32 %%r4, %%r4, 1020; mov.u32 %%r7, s; add.u32 %%r4, %%r4, %%r7; ld.shared.u32 %%r5, [%%r4];\n", 4*g.IntN(20))
	case k == 4:
		g.WriteString([]string{"membar.gl;\n", "membar.cta;\n", "prefetch.global.L1 [%rd1];\n"}[g.IntN(3)])
	case k == 5 && depth == 2:
		g.WriteString("bar.sync 0;\n")
	case k < 8 && depth > 0:
		g.labels++
		l, by := g.labels, []string{"%r1", "%r2", "%r6"}[g.IntN(3)]
		fmt.Fprintf(g, "and.b32 %%r4, %s, %d; setp.ne.u32 %%p1, %%r4, 0; @%%p1 bra L%d;\n", by, 1<<g.IntN(7), l)
		g.statements(depth - 1)
		fmt.Fprintf(g, "L%d:\n", l)
	case k == 8 && depth > 0:
		g.labels++
		l := g.labels
		fmt.Fprintf(g, "and.b32 %%r%d, %s, 3;\nL%d:\n", 10+depth, []string{"%r1", "%r2", "%r6"}[g.IntN(3)], l)
		g.statements(depth - 1)
		fmt.Fprintf(g, "add.u32 %%r%d, %%r%[1]d, 1; setp.lt.u32 %%p1, %%r%[1]d, 4; @%%p1 bra L%d;\n", 10+depth, l)
	default:
		g.WriteString([]string{"mul.lo.u32 %r5, %r5, 3;\n", "div.u32 %r5, %r5, 7;\n", "sqrt.rn.f32 %f1, %f1;\n", "add.u32 %r5, %r5, %r1;\n"}[g.IntN(4)])
	}
}

func (g *certain) statements(depth int) {
	for range 1 + g.IntN(4) {
		g.statement(depth)
	}
}

func (g *certain) module() string {
	g.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" +
		".reg .pred %p<4>; .reg .b32 %r<20>; .reg .f32 %f<4>; .reg .b64 %rd<4>; .shared .align 4 .b8 s[1024];\n" +
		"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shr.u32 %r6, %r1, 6; mov.u32 %r5, 0; mov.f32 %f1, 0f00000000; ld.param.u64 %rd1, [p];\n")
	if g.IntN(3) == 0 { // some wavefronts, or threads, exit at once
		fmt.Fprintf(g, "setp.gt.u32 %%p1, %s, %d; @%%p1 bra END;\n", []string{"%r1", "%r2", "%r6"}[g.IntN(3)], g.IntN(100))
	}
	for range 3 + g.IntN(6) {
		g.statement(2)
	}
	g.WriteString("END: ret;\n}\n")
	return g.String()
}

// TestRandomSchedules holds the bounds of random kernels on random machines that are said to be exact against runs.
func TestRandomSchedules(t *testing.T) {
	if exact, bounds := randomSchedules(t, effort.Some(t, sixtySeeds(), 3), false); effort.Many() && exact != 150 {
		t.Errorf("%d of %d bounds are exact", exact, bounds)
	}
}

// TestRandomCaches does so on machines with an L1, where none is.
func TestRandomCaches(t *testing.T) {
	if exact, _ := randomSchedules(t, effort.Some(t, sixtySeeds(), 3), true); exact != 0 {
		t.Errorf("%d bounds are exact", exact)
	}
}

// sixtySeeds are those of kernels: of more, the race detector takes minutes for some.
func sixtySeeds() (seeds []uint64) {
	for seed := range uint64(60) {
		seeds = append(seeds, seed)
	}
	return seeds
}

// randomSchedules compares bounds with runs of random kernels, on random machines with an L1 or without, and returns how
// many there are and how many are exact.
func randomSchedules(t *testing.T, seeds []uint64, cached bool) (exact, bounds int) {
	t.Helper()
	for _, seed := range seeds {
		src := rand.New(rand.NewPCG(seed, 19))
		g := &certain{Rand: src}
		module, m := g.module(), randomMachine(t, src)
		if cached {
			m = withL1(src, m)
		}
		files := fstest.MapFS{
			"k.ptx": {Data: []byte(module)}, "m.toml": {Data: m},
			"job.toml": {Data: fmt.Appendf(nil, "module = \"k.ptx\"\nmachine = \"m.toml\"\ngrid = [%d]\nblock = [%d]\n[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 1024\ninit = \"zeros\"\n",
				1+src.IntN(12), 1+src.IntN(300))},
		}
		j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []string{"none", "dws", "pws"} {
			in, err := j.Split(warpbound.SplitOptions{Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			a, err := in.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + mode}, Runs: warpbound.Runs{Observe: true, Vectors: 1}})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, g)
			}
			e := &a.Estimates[0]
			bounds++
			if e.Cycles < a.Observed.Max {
				t.Errorf("seed %d, %s: bound %d, simulated %d", seed, mode, e.Cycles, a.Observed.Max)
			}
			if !e.Exact() {
				continue
			}
			exact++
			sum := int64(0)
			for _, s := range e.Breakdown {
				sum += s.Cycles
			}
			if d := e.Detail.(*estimate.Split); e.Cycles != a.Observed.Max || sum != e.Cycles || e.Cycles > d.Composed() {
				t.Errorf("seed %d, %s: every run takes %d cycles (shares %d, bounds %+v), and one takes %d\n%s\n%s", seed, mode, e.Cycles, sum, d.Bounds, a.Observed.Max, files["job.toml"].Data, g)
			}
		}
	}
	t.Logf("%d of %d bounds are exact", exact, bounds)
	return exact, bounds
}
