package barrel

import (
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
)

const (
	prologue      = simtest.Prologue
	prologueTime  = 4       // cycles on predictable-rr: two moves and the parameter
	bufBytes      = 1 << 18 // of the buffer
	dispatch      = 8       // cycles on predictable-rr
	loadLatency   = 100
	sharedLatency = 8
)

// predictable returns a machine that the caller may change.
func predictable(t testing.TB) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("predictable-rr")
	if err != nil {
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

// observe runs a launch and checks what holds of every run.
func observe(t testing.TB, s simtest.Simulator, ctas, threads int) *simtest.Observation {
	t.Helper()
	return simtest.Observe(t, s, launch(t, ctas, threads))
}

// checkSolo runs the body with one warp and compares when its instructions issue,
// counted from the first, and last when it retires.
func checkSolo(t *testing.T, m *machine.Machine, body string, want ...int64) *simtest.Observation {
	t.Helper()
	o := observe(t, newSim(t, m, simtest.Compile(t, body)), 1, int(m.SM.WarpSize.Value))
	o.CheckSolo(t, body, o.Issues(0, 0, prologue)[0], want)
	return o
}
