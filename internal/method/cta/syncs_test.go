package cta_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/internal/test/effort"
)

// simt draws mini-SIMT code whose branches depend on thread indices and on data.
type simt struct {
	*rand.Rand
	code  []string
	loops int
}

func (g *simt) emit(format string, args ...any) int {
	g.code = append(g.code, fmt.Sprintf(format, args...))
	return len(g.code) - 1
}

// target makes the branch at so many places go to the next instruction.
func (g *simt) target(places ...int) {
	for _, at := range places {
		g.code[at] = strings.Replace(g.code[at], "?", fmt.Sprint(len(g.code)), 1)
	}
}

// number puts a number from 0 to 3 into variable v.
func (g *simt) number(v string) {
	switch g.IntN(3) {
	case 0:
		g.emit("binop %s = Tid %% %d", v, 2+g.IntN(3))
	case 1:
		g.emit("const %s = %d", v, g.IntN(4))
	case 2:
		g.emit("binop a = in + Tid")
		g.emit("load %s = a", v)
	}
}

func (g *simt) statements(depth int) {
	for range 1 + g.IntN(3) {
		switch k := g.IntN(6); {
		case k == 0 && depth > 0:
			g.number("t")
			skip := g.emit("bz t, ?")
			g.statements(depth - 1)
			g.target(skip)
			g.emit("sync")
		case k == 1 && depth > 0:
			g.number("t")
			other := g.emit("bnz t, ?")
			g.statements(depth - 1)
			end := g.emit("jump ?")
			g.target(other)
			g.statements(depth - 1)
			g.target(end)
			g.emit("sync")
		case k == 2 && depth > 0:
			i, n := fmt.Sprintf("i%d", g.loops), fmt.Sprintf("n%d", g.loops)
			g.loops++
			g.number(n)
			g.emit("const %s = 0", i)
			head := g.emit("binop p = %s < %s", i, n)
			leave := g.emit("bz p, ?")
			g.statements(depth - 1)
			g.emit("binop %s = %s + 1", i, i)
			g.emit("jump %d", head)
			g.target(leave)
			g.emit("sync")
		case k == 3:
			g.emit("binop a = out + Tid")
			g.emit("store a = s")
		case k == 4 && depth == 2:
			g.emit("barrier 0, Ntid")
		default:
			g.number("t")
			g.emit("binop s = s + t")
		}
	}
}

func (g *simt) module() string {
	g.statements(2)
	text := "kernel k(int* in, int* out)\nint s, t\nbool p\nint* a\n"
	for i := range g.loops {
		text += fmt.Sprintf("int i%d, n%d\n", i, i)
	}
	return text + "0: " + strings.Join(g.code, "\n") + "\n"
}

// TestRandomSyncs is TestRandomKernels for kernels whose lanes reconverge at syncs.
func TestRandomSyncs(t *testing.T) {
	bound, certain, sum := 0, 0, 0.0
	for _, seed := range effort.Draw(t, 400) {
		src := rand.New(rand.NewPCG(seed, 3))
		g := &simt{Rand: src}
		g.emit("const s = 0")
		fsys := fstest.MapFS{
			"k.simt": {Data: []byte(g.module())},
			"m.toml": {Data: randomMachine(t, src)},
			"job.toml": {Data: fmt.Appendf(nil, `module = "k.simt"
machine = "m.toml"
grid = [%d, 1, 1]
block = [%d, 1, 1]
[[param]]
name = "in"
type = "s32"
count = 64
init = "uniform(0, 3)"
[[param]]
name = "out"
type = "s32"
count = 64
init = "zeros"
`, 1+src.IntN(9), 1+src.IntN(20))},
		}
		job, e := bounded(t, fsys, 3)
		if job == nil {
			continue
		}
		all := e.Exact()
		if all {
			certain++
		}
		maximum := int64(0)
		for vector := range 4 {
			run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, fsys["k.simt"].Data)
			}
			maximum = max(maximum, run.Cycles)
			if run.Cycles > e.Cycles || all && run.Cycles != e.Cycles {
				t.Errorf("seed %d, vector %d: %d cycles, bound %d, exact %t\n%s\n%s\n%s", seed, vector, run.Cycles, e.Cycles, all,
					fsys["job.toml"].Data, fsys["k.simt"].Data, fsys["m.toml"].Data)
			}
		}
		bound++
		sum += float64(e.Cycles) / float64(maximum)
	}
	t.Logf("%d kernels, %d of which are certain; mean of bound/simulation %.3f", bound, certain, sum/float64(bound))
}
