package genetic

import (
	"testing"
)

// TestAfter says when searches end after a generation.
func TestAfter(t *testing.T) {
	best := func(cycles int64) *Member { return &Member{Outcome: Outcome{Cycles: cycles}} }
	for _, c := range []struct {
		name   string
		config Config
		state  State
		before Stop
		want   Stop
	}{
		{"runs are left, and patience has no limit", Config{Settings: Settings{Runs: 10}}, State{Runs: 9, Stale: 99}, Running, Running},
		{"no runs are left", Config{Settings: Settings{Runs: 10}}, State{Runs: 10}, Running, OutOfRuns},
		{"one generation without gain", Config{Settings: Settings{Runs: 10, Patience: 1}}, State{Stale: 1}, Running, Settled},
		{"a gain", Config{Settings: Settings{Runs: 10, Patience: 1}}, State{}, Running, Running},
		{"fewer generations than allowed", Config{Settings: Settings{Runs: 10, Patience: 2}}, State{Stale: 1}, Running, Running},
		{"as much as a bound", Config{Settings: Settings{Runs: 10}, Enough: 7}, State{Best: best(7)}, Running, Proven},
		{"less than a bound", Config{Settings: Settings{Runs: 10}, Enough: 7}, State{Best: best(6)}, Running, Running},
		{"exhausted", Config{Settings: Settings{Runs: 10}}, State{}, Exhausted, Exhausted},
	} {
		if got := c.config.after(&c.state, c.before); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
