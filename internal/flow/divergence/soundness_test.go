package divergence_test

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/emu"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/flowtest"
)

// watcher compares verdicts with an execution.
type watcher struct {
	t      testing.TB
	l      *flowtest.Launch
	r      *divergence.Result
	lanes  map[[3]int]*place // by CTA, warp and lane
	values map[moment]uint64
	seed   maphash.Seed
}

// place is how far a thread has come.
type place struct {
	pc         int   // executed last, or -1
	iterations []int // of each loop, since it was entered
}

// moment is a value in an iteration of the loops around it: of the whole grid, or of
// a CTA.
type moment struct {
	value gated.ID
	cta   int
	loops uint64 // hash of the iterations
}

// watch runs the first CTAs of a launch and checks what the analysis says: lanes that
// read a warp-uniform value together read the same, threads of a CTA or of the grid do
// in the same iterations, and lanes agree at uniform branches.
func watch(t testing.TB, l *flowtest.Launch, r *divergence.Result, ctas int) {
	t.Helper()
	s := &watcher{t: t, l: l, r: r, lanes: make(map[[3]int]*place), values: make(map[moment]uint64), seed: maphash.MakeSeed()}
	l.Run(t, ctas, func(cta *emu.CTA, warp int) func(*emu.Effect) {
		w := &cta.Warps[warp]
		s.check(cta.Index, warp, w)
		block := l.Graph.BlockOf(w.PC())
		return func(eff *emu.Effect) {
			if eff.Diverged && r.Uniform(block) {
				t.Fatalf("lanes diverge at %s, where the branch is %v\n%s", l.Graph.Name(block), r.Branch(block), r.Form)
			}
		}
	})
}

// check looks at what the active lanes read.
func (s *watcher) check(cta, warp int, w *emu.Warp) {
	pc := w.PC()
	for m := w.Active(); m != 0; m &= m - 1 {
		s.advance([3]int{cta, warp, bits.TrailingZeros64(m)}, pc)
	}
	first := bits.TrailingZeros64(w.Active())
	reads := s.r.Form.Reads(pc)
	s.l.Kernel.Instrs[pc].Reads(func(r isa.Reg) {
		v := reads[0]
		reads = reads[1:]
		verdict := s.r.Value(v)
		if verdict == divergence.Divergent {
			return
		}
		x := w.Register(r, first)
		for m := w.Active(); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			if y := w.Register(r, lane); y != x {
				s.t.Fatalf("%s, %v, is %#x in lane %d and %#x in lane %d of warp %d of CTA %d at %s\n%s",
					s.r.Form.Name(v), verdict, x, first, y, lane, warp, cta, s.r.Form.Instr(pc), s.r.Form)
			}
			if verdict == divergence.Warp {
				continue
			}
			at := moment{value: v, cta: cta, loops: s.hash(v, s.lanes[[3]int{cta, warp, lane}])}
			if verdict == divergence.Grid {
				at.cta = 0
			}
			if y, found := s.values[at]; found && y != x {
				s.t.Fatalf("%s, %v, is %#x and was %#x in the same iterations\n%s", s.r.Form.Name(v), verdict, x, y, s.r.Form)
			}
			s.values[at] = x
		}
	})
}

// advance takes a thread to an instruction.
func (s *watcher) advance(thread [3]int, pc int) {
	p := s.lanes[thread]
	loops := s.l.Graph.Loops()
	if p == nil {
		p = &place{pc: -1, iterations: make([]int, len(loops.Loops))}
		s.lanes[thread] = p
	}
	g := s.l.Graph
	if block := g.BlockOf(pc); pc == g.Blocks[block].Start {
		for l := loops.Innermost(block); l >= 0; l = loops.Loops[l].Parent {
			if loops.Loops[l].Header != block {
				continue
			}
			if p.pc >= 0 && loops.Loops[l].Contains(g.BlockOf(p.pc)) {
				p.iterations[l]++
			} else {
				p.iterations[l] = 0
			}
		}
	}
	p.pc = pc
}

// hash returns the iterations of the loops in which a value changes.
func (s *watcher) hash(v gated.ID, p *place) uint64 {
	var text strings.Builder
	for l := s.r.Form.Home(v); l >= 0; l = s.l.Graph.Loops().Loops[l].Parent {
		fmt.Fprint(&text, p.iterations[l], ",")
	}
	return maphash.String(s.seed, text.String())
}

// verdicts analyses the kernel of a launch, with what is known of the launch if known.
func verdicts(t testing.TB, l *flowtest.Launch, known bool) *divergence.Result {
	t.Helper()
	f, err := gated.New(t.Context(), l.Graph, 0)
	if err != nil {
		t.Fatal(err)
	}
	var shape divergence.Launch
	if known {
		shape = divergence.Launch{Grid: l.Semantics.Grid(), Block: l.Grid.Launch().Block, Width: l.Semantics.Width()}
	}
	r, err := divergence.Analyze(t.Context(), f, shape)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRandomKernels watches random kernels.
func TestRandomKernels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := flowtest.Random(t, rapid.Uint64().Draw(rt, "seed"), kernelgen.Options{
			Statements: rapid.IntRange(1, 40).Draw(rt, "statements"), Depth: 4, Trips: 4, Threads: 80, CTAs: 3,
		})
		watch(t, l, verdicts(t, l, rapid.Bool().Draw(rt, "known")), 3)
	})
}

// TestUnmodelledInstruction watches random kernels of which the analysis does not know an
// instruction.
func TestUnmodelledInstruction(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := flowtest.Random(t, rapid.Uint64().Draw(rt, "seed"), kernelgen.Options{
			Statements: rapid.IntRange(1, 30).Draw(rt, "statements"), Depth: 4, Trips: 4, Threads: 80, CTAs: 2,
		})
		l = l.Replaced(t, rapid.SampledFrom(flowtest.Replaceable(l.Kernel)).Draw(rt, "instruction"), rapid.Bool().Draw(rt, "access"))
		watch(t, l, verdicts(t, l, rapid.Bool().Draw(rt, "known")), 2)
	})
}

// TestSuite watches some CTAs of the kernels of the suite.
func TestSuite(t *testing.T) {
	for _, name := range flowtest.Kernels() {
		t.Run(name, func(t *testing.T) {
			l := flowtest.Suite(t, name)
			watch(t, l, verdicts(t, l, true), 1)
		})
	}
}

// TestModules watches the kernels of testdata.
func TestModules(t *testing.T) {
	for _, file := range modules(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var texts []string
			for _, name := range []string{strings.TrimSuffix(file, filepath.Ext(file)) + ".toml", file} {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, string(text))
			}
			l := flowtest.Job(t, texts[0], texts[1])
			watch(t, l, verdicts(t, l, false), 2)
		})
	}
}

// TestReducibleKernels watches kernels of random reducible flow, whose loops have
// several back edges and exits and whose branches reconverge anywhere.
func TestReducibleKernels(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		module := reducibleKernel(rt)
		l := flowtest.Job(t, job, module)
		watch(t, l, verdicts(t, l, false), 2)
	})
}

const job = `module = "k.ptx"
machine = "fermi-c2050"
grid = [2, 1, 1]
block = [40, 1, 1]
[[param]]
name = "out"
type = "u32"
count = 64
init = "uniform(0, 1000)"
`

// reducibleKernel makes a kernel of blocks each of which ends with a branch to one that
// follows or back to the header of a loop around it. Lanes may end on the way, and there
// may be a barrier at the end. The numbers u of iterations are uniform, d is not, and m
// is loaded from memory to which all threads write.
func reducibleKernel(t *rapid.T) string {
	draw := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
	blocks := draw(2, 9)
	type loop struct{ header, last int }
	var loops []loop
	for range draw(0, 3) {
		header := draw(0, blocks-1)
		l := loop{header, draw(header, blocks-1)}
		nested := true // or disjoint
		for _, o := range loops {
			disjoint := l.last < o.header || o.last < l.header
			inside := o.header < l.header && l.last <= o.last || l.header < o.header && o.last <= l.last
			nested = nested && (disjoint || inside)
		}
		if nested {
			loops = append(loops, l)
		}
	}
	around := func(l loop, b int) bool { return l.header <= b && b <= l.last }
	heads := func(to int) bool {
		return slices.ContainsFunc(loops, func(l loop) bool { return l.header == to })
	}
	targets := func(b int) []int {
		list := []int{blocks} // the end
		for to := range blocks {
			back, fits := false, to > b
			for _, l := range loops {
				back = back || around(l, b) && to == l.header
				fits = fits && (around(l, b) || !around(l, to) || to == l.header)
			}
			if back || fits {
				list = append(list, to)
			}
		}
		return list
	}
	var text strings.Builder
	text.WriteString(`.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p, %q;
	.reg .b32 %u, %v, %d, %m, %x, %count<10>;
	.reg .b64 %out;
	ld.param.u64 %out, [out];
	mov.u32 %d, %tid.x;
	mov.u32 %u, 0;
	mov.u32 %v, 1;
	mov.u32 %m, 0;
`)
	for b := range blocks {
		fmt.Fprintf(&text, "\tmov.u32 %%count%d, 0;\n", b)
	}
	operations := []string{
		"add.u32 %u, %u, 1", "mad.lo.u32 %v, %v, 5, %u", "mad.lo.u32 %d, %d, 77, %u", "xor.b32 %d, %d, %m",
		"ld.global.u32 %m, [%out]", "add.u32 %m, %m, 1", "st.global.u32 [%out], %d", "st.global.u32 [%out], %u",
		"@%q add.u32 %v, %v, 3", "@%q ld.global.u32 %m, [%out]", "xor.b32 %v, %v, %m", "vote.any.pred %q, %q",
	}
	for b := range blocks {
		fmt.Fprintf(&text, "B%d:\n", b)
		if heads(b) { // each loop is entered or goes on so often only
			fmt.Fprintf(&text, "\tadd.u32 %%count%d, %%count%d, 1;\n", b, b)
		}
		for range draw(0, 3) {
			fmt.Fprintf(&text, "\t%s;\n", rapid.SampledFrom(operations).Draw(t, "operation"))
		}
		word := rapid.SampledFrom([]string{"%u", "%v", "%d", "%m"}).Draw(t, "word")
		fmt.Fprintf(&text, "\tshr.u32 %%x, %s, %d;\n\tand.b32 %%x, %%x, 1;\n\tsetp.eq.u32 %%q, %%x, 0;\n", word, draw(0, 4))
		if draw(0, 5) == 0 {
			text.WriteString("\t@!%q exit;\n")
		}
		to := rapid.SampledFrom(targets(b)).Draw(t, "target")
		if to <= b {
			fmt.Fprintf(&text, "\tsetp.lt.and.u32 %%p, %%count%d, 7, %%q;\n\t@%%p bra B%d;\n", to, to)
		} else {
			fmt.Fprintf(&text, "\t@%%q bra B%d;\n", to)
		}
	}
	fmt.Fprintf(&text, "B%d:\n", blocks)
	if draw(0, 1) == 0 {
		text.WriteString("\tbar.sync 0;\n")
	}
	text.WriteString("\tst.global.u32 [%out], %v;\n\tst.global.u32 [%out], %m;\n\tst.global.u32 [%out], %u;\n\tret;\n}\n")
	return text.String()
}
