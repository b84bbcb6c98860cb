package machine

import (
	"strings"
	"testing"
)

// TestWithThreads chooses how threads are scheduled, which then is part of the description.
func TestWithThreads(t *testing.T) {
	for _, c := range []struct {
		machine string
		threads Threads
		same    bool // times are as on the machine
	}{
		{"h100", InLockStep, false}, {"h100", Independently, true},
		{"fermi-c2050", InLockStep, true}, {"fermi-c2050", Independently, false},
		{"ampere-bounded", InLockStep, true}, {"ampere-bounded", Independently, false},
		{"predictable-rr", InLockStep, true}, {"gcn3-split", InLockStep, true}, {"integrated-fermi", InLockStep, true},
	} {
		m := builtin(t, c.machine)
		other, err := m.WithThreads(c.threads)
		if err != nil {
			t.Fatal(err)
		}
		if (other.Hash() == m.Hash()) != c.same {
			t.Errorf("%s, %s: hashes %s and %s", c.machine, c.threads, m.Hash(), other.Hash())
		}
		again, err := Parse("m.toml", other.Format())
		if err != nil {
			t.Fatal(err)
		}
		for _, on := range []*Machine{other, again} {
			lockstep := c.threads == InLockStep
			if on.LockStep() != lockstep || on.IndependentThreads() == lockstep {
				t.Errorf("%s, %s: %t in lock-step, %t independent", c.machine, c.threads, on.LockStep(), on.IndependentThreads())
			}
		}
	}
	device := *builtin(t, "h100")
	device.Core = "GPU's"
	for _, c := range []struct {
		machine *Machine
		threads Threads
		want    string
	}{
		{builtin(t, "h100"), "volta", `no way to schedule the threads of a warp "volta"; there are lockstep and independent`},
		{builtin(t, "predictable-rr"), Independently, "predictable-rr has a barrel core, whose warps run in lock-step: choose a machine with a scoreboard core"},
		{builtin(t, "integrated-fermi"), Independently, "integrated-fermi has an integrated core, whose warps run in lock-step"},
		{&device, InLockStep, "h100 schedules the threads of a warp as it does: leave threads out"},
	} {
		if _, err := c.machine.WithThreads(c.threads); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: got %v, want %s", c.machine.Name, c.threads, err, c.want)
		}
	}
}
