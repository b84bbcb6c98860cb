package splitting

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// drawKernel draws a kernel of blocks that branch to each other at will, with barriers and
// ends anywhere.
func drawKernel(t *rapid.T) *isa.Kernel {
	n := rapid.IntRange(2, 9).Draw(t, "blocks")
	k := &isa.Kernel{Name: "k", AddressBits: 64, Regs: []isa.RegDecl{{Name: "%p", Type: isa.Pred}}}
	starts := make([]int, n)
	emit := func(in isa.Instr) {
		in.Pos.Line = int32(len(k.Instrs) + 1)
		k.Instrs = append(k.Instrs, in)
	}
	guard := isa.Guard{Set: true}
	target := func(from int) int {
		if rapid.IntRange(0, 3).Draw(t, "back") > 0 { // mostly forward, so that branches reconverge
			return rapid.IntRange(min(from+1, n-1), min(from+4, n-1)).Draw(t, "target")
		}
		return rapid.IntRange(0, n-1).Draw(t, "target")
	}
	for b := range n {
		starts[b] = len(k.Instrs)
		if rapid.IntRange(0, 12).Draw(t, "barrier") == 0 {
			emit(isa.Instr{Op: isa.Bar, Barrier: isa.BarrierSync, Src: []isa.Operand{isa.ImmOperand(0)}})
		}
		switch kind := rapid.IntRange(0, 14).Draw(t, "end"); {
		case b == n-1 || kind == 0:
			emit(isa.Instr{Op: isa.Exit})
		case kind < 9:
			emit(isa.Instr{Op: isa.Bra, Guard: guard, Target: target(b)})
		case kind < 12:
			emit(isa.Instr{Op: isa.Bra, Target: target(b)})
		case kind == 12:
			emit(isa.Instr{Op: isa.Exit, Guard: guard})
		case kind == 13:
			emit(isa.Instr{Op: isa.BrxIdx, Src: []isa.Operand{isa.ImmOperand(0)}, Targets: []int{target(b), target(b)}})
		default:
			emit(isa.Instr{Op: isa.Nop})
		}
	}
	for i := range k.Instrs {
		in := &k.Instrs[i]
		if in.Op == isa.Bra {
			in.Target = starts[in.Target]
		}
		for j := range in.Targets {
			in.Targets[j] = starts[in.Targets[j]]
		}
	}
	for b, at := range starts {
		k.Labels = append(k.Labels, isa.Label{Name: fmt.Sprint("L", b), Index: at})
	}
	return k
}

// splittable is the rule of Splittable in terms of paths.
func splittable(g *cfg.Graph, b int) bool {
	reconverge := g.Reconverge(b)
	if in := g.Last(b); in.Op != isa.Bra || !in.Guard.Set || !g.Reachable(b) || len(g.Succ(b)) < 2 || reconverge == g.Exit() || reconverge == b {
		return false
	}
	// reach returns what can be reached behind blocks without passing a stop.
	reach := func(from []int, stop ...int) map[int]bool {
		seen := make(map[int]bool)
		for len(from) > 0 {
			x := from[0]
			from = from[1:]
			if x == g.Exit() {
				continue
			}
			for _, s := range g.Succ(x) {
				if !seen[s] && !slices.Contains(stop, s) {
					seen[s] = true
					from = append(from, s)
				}
			}
		}
		return seen
	}
	region := reach([]int{b}, reconverge)
	if region[b] || region[g.Exit()] {
		return false
	}
	ways := []int{reconverge}
	if b != 0 {
		ways = append(ways, 0)
	}
	around := reach(ways, b) // past the branch
	for x := range region {
		if g.Awaits(x) || around[x] || x == 0 || !reach([]int{x})[reconverge] {
			return false
		}
	}
	return true
}

// checkBalance follows all paths of a thread: each split is followed by the merge of its
// branch before it is executed again and before the thread ends, inner ones first.
func checkBalance(t testing.TB, g *cfg.Graph) {
	t.Helper()
	mergeOf := make(map[int]int) // by split
	for _, b := range Splits(g) {
		mergeOf[g.Blocks[b].End-2] = g.Blocks[g.Reconverge(b)].Start
	}
	type state struct {
		block int
		open  string
	}
	seen := map[state]bool{{0, "[]"}: true}
	type work struct {
		block int
		open  []int // merges to come, the next one last
	}
	for todo := []work{{0, nil}}; len(todo) > 0; {
		w := todo[0]
		todo = todo[1:]
		for i := g.Blocks[w.block].Start; i < g.Blocks[w.block].End; i++ {
			switch g.Kernel.Instrs[i].Op {
			case isa.Split:
				if slices.Contains(w.open, mergeOf[i]) {
					t.Fatalf("the split at %d is executed again before its merge", i)
				}
				w.open = append(slices.Clone(w.open), mergeOf[i])
			case isa.Merge:
				last := len(w.open) - 1
				if last < 0 || w.open[last] != i {
					t.Fatalf("the merge at %d is executed while those at %v are to come", i, w.open)
				}
				w.open = w.open[:last]
			}
		}
		for _, s := range g.Succ(w.block) {
			if s == g.Exit() {
				if len(w.open) > 0 {
					t.Fatalf("a thread ends in block %d before the merges at %v", w.block, w.open)
				}
				continue
			}
			if next := (state{s, fmt.Sprint(w.open)}); !seen[next] {
				seen[next] = true
				todo = append(todo, work{s, w.open})
			}
		}
	}
}

// TestRandomFlow splits some of the branches that can be split in kernels of any shape.
func TestRandomFlow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := build(t, drawKernel(rt))
		var branches []int
		for b := range g.Blocks {
			err := Splittable(g, b)
			if want := splittable(g, b); want != (err == nil) {
				rt.Fatalf("block %d can be split: %v, but the error is %v\n%s", b, want, err, listing(g.Kernel))
			}
			if err == nil && rapid.IntRange(0, 3).Draw(rt, "split") > 0 {
				branches = append(branches, b)
			}
		}
		r, err := Insert(g, branches)
		if err != nil {
			rt.Fatalf("%v\n%s", err, listing(g.Kernel))
		}
		checkResult(t, g, branches, r)
		checkBalance(t, r.Graph)
		if t.Failed() {
			rt.Fatalf("of\n%s\nwith splits at %v\n%s", listing(g.Kernel), branches, listing(r.Graph.Kernel))
		}
	})
}

// issue is an instruction that a warp executes.
type issue struct {
	cta, warp, instr int
	lanes            uint64
}

// execute runs a launch and returns what warps execute but for splits and merges. They must
// come in pairs around each other, for the same lanes.
func execute(t testing.TB, l *flowtest.Launch, index map[int]int) (issues []issue, splits int) {
	t.Helper()
	mergeOf := make(map[int]int)
	for _, b := range Splits(l.Graph) {
		mergeOf[l.Graph.Blocks[b].End-2] = l.Graph.Blocks[l.Graph.Reconverge(b)].Start
	}
	type warp struct {
		cta  *emu.CTA
		warp int
	}
	open := make(map[warp][]issue)
	started := 0
	l.Run(t, 4, func(cta *emu.CTA, k int) func(*emu.Effect) {
		w := warp{cta, k}
		return func(eff *emu.Effect) {
			if eff.CTADone {
				started++
			}
			last := len(open[w]) - 1
			switch l.Kernel.Instrs[eff.PC].Op {
			case isa.Split:
				splits++
				open[w] = append(open[w], issue{instr: mergeOf[eff.PC], lanes: eff.Mask})
			case isa.Merge:
				if last < 0 || open[w][last] != (issue{instr: eff.PC, lanes: eff.Mask}) {
					t.Fatalf("lanes %x merge at %d while %v is to come", eff.Mask, eff.PC, open[w])
				}
				open[w] = open[w][:last]
			default:
				issues = append(issues, issue{started, k, index[eff.PC], eff.Mask})
			}
			if eff.WarpDone && last >= 0 {
				t.Fatalf("a warp ends while %v is to come", open[w])
			}
		}
	})
	return issues, splits
}

// TestRandomKernels runs random kernels with splits at all branches where there can be some:
// warps execute the same instructions as without.
func TestRandomKernels(t *testing.T) {
	opts := kernelgen.Options{Statements: 14, Depth: 4, Trips: 3, Threads: 70, CTAs: 2}
	total, refused := 0, 0
	seeds := effort.Draw(t, 1200)
	for _, seed := range seeds {
		src := rand.New(rand.NewPCG(seed, 21))
		opts.Irreducible = seed%5 == 0
		c := kernelgen.New(src, opts)
		if seed%3 == 2 {
			c = kernelgen.NewSIMT(src, opts)
		}
		plain := flowtest.Job(t, c.Job, c.Module)
		var branches []int
		for b := range plain.Graph.Blocks {
			if Splittable(plain.Graph, b) == nil {
				branches = append(branches, b)
			} else if conditional(plain.Graph.Last(b)) {
				refused++
			}
		}
		r, err := Insert(plain.Graph, branches)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, c.Module)
		}
		checkResult(t, plain.Graph, branches, r)
		checkBalance(t, r.Graph)
		split := plain.Of(t, r.Graph)

		same, back := make(map[int]int), make(map[int]int)
		for i, at := range r.Index {
			same[i], back[at] = i, i
		}
		for i := range r.Graph.Kernel.Instrs {
			if _, known := back[i]; !known {
				back[i] = -1 // a branch behind a merge
			}
		}
		want, _ := execute(t, plain, same)
		got, splits := execute(t, split, back)
		got = slices.DeleteFunc(got, func(i issue) bool { return i.instr < 0 })
		total += splits
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: with splits, warps execute other instructions", seed)
		}
		if diff := cmp.Diff(plain.Buffers, split.Buffers); diff != "" {
			t.Errorf("seed %d: with splits, memory differs\n%s", seed, diff)
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s\nsplits at %v\n%s", seed, c.Module, branches, listing(r.Graph.Kernel))
		}
	}
	if effort.Many() && total < 10*len(seeds) {
		t.Errorf("only %d splits are executed; %d branches cannot be split", total, refused)
	}
	t.Logf("%d splits are executed; %d branches cannot be split", total, refused)
}

// TestSuite splits at all branches of the suite's kernels where there can be some.
func TestSuite(t *testing.T) {
	total := 0
	for _, kernel := range flowtest.Kernels() {
		g := flowtest.Suite(t, kernel).Graph
		var branches []int
		for b := range g.Blocks {
			if Splittable(g, b) == nil {
				branches = append(branches, b)
			}
		}
		r, err := Insert(g, branches)
		if err != nil {
			t.Errorf("%s: %v", kernel, err)
			continue
		}
		checkResult(t, g, branches, r)
		checkBalance(t, r.Graph)
		total += len(branches)
		t.Logf("%s: %d branches", kernel, len(branches))
	}
	if total == 0 {
		t.Error("no branch of the suite can be split")
	}
}
