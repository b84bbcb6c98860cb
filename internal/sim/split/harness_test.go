package split

import (
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/splitting"
	"warpbound/internal/test/simtest"
)

// compile makes code of the body of a kernel (see simtest.Compile). Branches that the body marks
// split.
func compile(t testing.TB, body string) *emu.Code {
	t.Helper()
	code := simtest.Compile(t, body)
	g, err := cfg.Build(code.Kernel())
	if err != nil {
		t.Fatal(err)
	}
	marked := splitting.Marked(g)
	if len(marked) == 0 {
		return code
	}
	return insert(t, g, marked)
}

// insert makes code that splits at branches.
func insert(t testing.TB, g *cfg.Graph, branches []int) *emu.Code {
	t.Helper()
	r, err := splitting.Insert(g, branches)
	if err != nil {
		t.Fatal(err)
	}
	return simtest.Decode(t, r.Graph)
}

const (
	prologue = simtest.Prologue
	bufBytes = 1 << 18 // of the buffer
)

// gcn3 returns a machine that the caller may change.
func gcn3(t testing.TB, mode machine.SplitMode, simds int) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("gcn3-split")
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithSplit(mode, simds); err != nil {
		t.Fatal(err)
	}
	return m
}

func newSim(t testing.TB, m *machine.Machine, code *emu.Code) simtest.Simulator {
	t.Helper()
	return simtest.Make(t, create, simtest.Config(m, code))
}

func create(cfg sim.Config) (simtest.Simulator, error) { return New(cfg) }

func launch(t testing.TB, ctas, threads int) simtest.Prepare {
	return simtest.Launch(t, bufBytes, ctas, threads)
}

// checkSolo runs the body with one wavefront and compares when its instructions issue,
// counted from the first, and last when it retires.
func checkSolo(t *testing.T, m *machine.Machine, body string, want ...int64) *simtest.Observation {
	t.Helper()
	o := simtest.Observe(t, newSim(t, m, compile(t, body)), launch(t, 1, 64))
	o.CheckSolo(t, body, o.Issues(0, 0, prologue)[0], want)
	return o
}
