package integrated

import (
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
)

const (
	prologue = simtest.Prologue
	bufBytes = 1 << 20 // of the buffer
)

// fermi returns the machine, which the caller may change.
func fermi(t testing.TB) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// regulated returns the machine with another regulator.
func regulated(t testing.TB, on bool, quota int64) *machine.Machine {
	t.Helper()
	m, err := fermi(t).WithLLC(machine.LLCOptions{Quota: &quota, Regulated: &on})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// observation is all that a run shows, with its accesses to the shared cache.
type observation struct {
	*simtest.Observation
	accesses []sim.LLCAccess
}

// observe runs a launch.
func observe(t testing.TB, cfg sim.Config, prepare simtest.Prepare) *observation {
	t.Helper()
	o := &observation{}
	cfg.Access = func(a *sim.LLCAccess) { o.accesses = append(o.accesses, *a) }
	o.Observation = simtest.Observe(t, simtest.Make(t, create, cfg), prepare)
	return o
}

func create(cfg sim.Config) (simtest.Simulator, error) { return New(cfg) }

func launch(t testing.TB, ctas, threads int) simtest.Prepare {
	return simtest.Launch(t, bufBytes, ctas, threads)
}

// run compiles a body and runs it in so many CTAs of so many threads.
func run(t testing.TB, m *machine.Machine, body string, ctas, threads int) *observation {
	t.Helper()
	return observe(t, simtest.Config(m, simtest.Compile(t, body)), launch(t, ctas, threads))
}

// checkSolo runs the body with one warp and compares when its instructions issue, and
// last when it retires. A warp alone begins the body at 42: dispatch 8, two moves of 4, a parameter
// of 26.
func checkSolo(t *testing.T, m *machine.Machine, body string, want ...int64) *observation {
	t.Helper()
	o := run(t, m, body, 1, 32)
	o.CheckSolo(t, body, 0, want)
	return o
}
