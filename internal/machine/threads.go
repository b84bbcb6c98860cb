package machine

import "fmt"

// Threads says how the threads of a warp are scheduled.
type Threads string

// The ways to schedule the threads of a warp.
const (
	InLockStep    Threads = "lockstep"    // together, one path of a diverged branch after the other, as before sm_70
	Independently Threads = "independent" // so that each goes forward, as from sm_70 on
)

// WithThreads returns the machine with the threads of a warp scheduled in a way that the caller
// chooses, and not the machine's source; itself if they are. Only scoreboards have a choice.
func (m *Machine) WithThreads(t Threads) (*Machine, error) {
	if err := oneOf("way to schedule the threads of a warp", t, []Threads{InLockStep, Independently}); err != nil {
		return nil, err
	}
	switch m.Core {
	case Scoreboard:
	case Barrel, Splitting, Integrated:
		if t == Independently {
			return nil, fmt.Errorf("%s has %s, whose warps run in lock-step: choose a machine with %s (see warpbound machines), or leave threads out",
				m.Name, m.Core.Named(), Scoreboard.Named())
		}
		return m, nil
	default:
		return nil, fmt.Errorf("%s schedules the threads of a warp as it does: leave threads out, or choose a machine with %s", m.Name, Scoreboard.Named())
	}
	want := Switch(On)
	if t == InLockStep {
		want = Off
	}
	if m.LockStep() == (t == InLockStep) && m.IndependentThreads() == (t == Independently) {
		return m, nil
	}
	other := *m
	other.SM.IndependentThreads = Choice[Switch]{Value: want, Source: chosen}
	return &other, nil
}
