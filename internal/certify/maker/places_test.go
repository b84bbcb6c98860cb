package maker

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"warpbound/internal/certify"
	"warpbound/internal/certify/check"
	"warpbound/internal/emu"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/test/flowtest"
)

// launched returns the facts about the blocks of a launch, and the kernel as the checker sees it.
func launched(t *testing.T, l *flowtest.Launch) ([]certify.Fact, *check.Program) {
	t.Helper()
	m, err := machine.Builtin("predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	here := *m
	here.SM.WarpSize.Value = int64(l.Grid.Width())
	s := &check.Subject{Kernel: l.Kernel, Bound: l.Bound(), Machine: &here}
	p := &method.Problem{Graph: l.Graph, Machine: &here}
	launch := launchfacts.Launch{Width: l.Grid.Width(), Grid: l.Grid.Launch().Grid, Block: l.Grid.Launch().Block}
	for _, v := range l.Kernel.Params {
		if v.Bytes == 4 {
			n := binary.LittleEndian.Uint32(l.Grid.Launch().Params[v.Offset:])
			launch.Params = append(launch.Params, launchfacts.Word{Offset: v.Offset, Interval: strided.Const(32, uint64(n))})
		}
	}
	p.Values = flowtest.Must(value.Analyze(t.Context(), l.Graph, launch))
	p.Count(true)
	program, err := check.NewProgram(s)
	if err != nil {
		t.Fatal(err)
	}
	facts, omitted := Places(p, s)
	if omitted != "" {
		t.Fatal(omitted)
	}
	return facts, program
}

// watch runs a launch and compares with it what is said of registers and of loops. It returns how many loops have ranking
// functions, and how often one of these attains its bound.
func watch(t *testing.T, l *flowtest.Launch) (ranked, attained int) {
	t.Helper()
	facts, p := launched(t, l)
	bounds := make(map[int]*certify.Fact)
	for i := range facts {
		if f := &facts[i]; f.Kind == certify.Loop {
			bounds[p.BlockAt(*f.PC)] = f
			if f.Ranking != nil {
				ranked++
			}
		}
	}
	type lane struct {
		cta, warp, lane int
	}
	type trip struct {
		last  int
		count map[int]int64
	}
	trips := make(map[lane]*trip)
	maximum := make(map[int]int64)
	l.Run(t, 2, func(c *emu.CTA, warp int) func(*emu.Effect) {
		w := &c.Warps[warp]
		b := p.BlockAt(w.PC())
		if p.Blocks[b].Start != w.PC() {
			return nil
		}
		for k := range l.Grid.Width() {
			if w.Active()>>k&1 == 0 {
				continue
			}
			at := lane{c.Index, warp, k}
			if trips[at] == nil {
				trips[at] = &trip{-1, make(map[int]int64)}
			}
			v := trips[at]
			if f := bounds[b]; f != nil {
				if v.last >= 0 && p.Loops[b].Body[v.last] {
					v.count[b]++
				} else {
					v.count[b] = 0
				}
				maximum[b] = max(maximum[b], v.count[b])
				if v.count[b] > f.Value {
					t.Fatalf("a lane returns to the loop at %s more than %d times", f.At, f.Value)
				}
			}
			v.last = b
		}
		return nil
	})
	for b, f := range bounds {
		if f.Ranking != nil && maximum[b] == f.Value {
			attained++
		}
	}
	return ranked, attained
}

func TestLoopsOfRandomKernels(t *testing.T) {
	ranked, attained := 0, 0
	for seed := range uint64(12) {
		opts := kernelgen.Options{Statements: 25, Depth: 3, Trips: 8, Threads: 80, CTAs: 4, Irreducible: seed%5 == 4}
		l := flowtest.Random(t, seed, opts)
		if seed%4 == 1 {
			opts.Threads = 30
			c := kernelgen.NewSIMT(rand.New(rand.NewPCG(seed, 0)), opts)
			l = flowtest.Job(t, c.Job, c.Module)
		}
		n, k := watch(t, l)
		ranked, attained = ranked+n, attained+k
	}
	if ranked < 10 || attained < 8 {
		t.Errorf("%d loops have ranking functions, and %d attain their bounds", ranked, attained)
	}
	t.Logf("%d loops have ranking functions, and %d attain their bounds", ranked, attained)
}

func TestLoopsOfTheSuite(t *testing.T) {
	ranked := 0
	for _, kernel := range []string{"reduction", "bitonicSort", "histogram64", "insertionSort", "ludPerimeter", "matrixMul", "nwLower"} {
		n, _ := watch(t, flowtest.Suite(t, kernel))
		ranked += n
	}
	if ranked < 9 {
		t.Errorf("%d loops of the suite have ranking functions", ranked)
	}
}

// TestOmitted says of a kernel that is too large why its certificate has no facts about blocks.
func TestOmitted(t *testing.T) {
	var text strings.Builder
	const n = 4100 // instructions, each of which writes a register of its own
	fmt.Fprintf(&text, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\t.reg .u32 %%r<%d>;\n", n)
	for i := range n {
		fmt.Fprintf(&text, "\tmov.u32 %%r%d, %d;\n", i, i)
	}
	text.WriteString("\tret;\n}\n")
	s := &check.Subject{Kernel: flowtest.Kernel(t, "k.ptx", text.String())}
	facts, omitted := Places(&method.Problem{}, s)
	if facts != nil || !strings.Contains(omitted, "more than 16777216") {
		t.Errorf("%d facts, omitted %q", len(facts), omitted)
	}
}
