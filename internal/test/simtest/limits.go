package simtest

import (
	"context"
	"errors"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// New makes a simulator.
type New func(sim.Config) (Simulator, error)

// Make makes a simulator that can use the configuration.
func Make(t testing.TB, n New, cfg sim.Config) Simulator {
	t.Helper()
	s, err := n(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a launch without a trace.
func run(s Simulator, prepare Prepare) (*sim.Result, error) {
	var mem emu.Memory
	return s.Run(context.Background(), prepare(&mem), &mem, nil)
}

// LimitIsExact checks that a run of exactly as many cycles as allowed ends well, and one of
// a cycle more does not.
func LimitIsExact(t testing.TB, n New, cfg sim.Config, prepare Prepare) {
	t.Helper()
	o := Observe(t, Make(t, n, cfg), prepare)
	for limit, want := range map[int64]bool{o.Cycles: true, o.Cycles - 1: false} {
		cfg.MaxCycles = limit
		r, err := run(Make(t, n, cfg), prepare)
		if (err == nil) != want {
			t.Errorf("with a limit of %d cycles: %v", limit, err)
		}
		if err == nil && r.Cycles != o.Cycles {
			t.Errorf("%d cycles without a trace, %d with one", r.Cycles, o.Cycles)
		}
	}
}

// Stuck gives a run up at the limit of the configuration and returns the error.
func Stuck(t testing.TB, n New, cfg sim.Config, prepare Prepare) *sim.StuckError {
	t.Helper()
	_, err := run(Make(t, n, cfg), prepare)
	var stuck *sim.StuckError
	if !errors.Is(err, sim.ErrCycleLimit) || !errors.As(err, &stuck) || stuck.Cycle != cfg.MaxCycles {
		t.Fatalf("got %v", err)
	}
	return stuck
}

// Fails checks that a launch fails for a reason, and returns the error.
func Fails(t testing.TB, s Simulator, prepare Prepare, reason error) error {
	t.Helper()
	_, err := run(s, prepare)
	if !errors.Is(err, reason) {
		t.Fatalf("got %v", err)
	}
	return err
}

// Cancelled checks that a launch without an end does when its context is done.
func Cancelled(t testing.TB, s Simulator, prepare Prepare) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var mem emu.Memory
	if _, err := s.Run(ctx, prepare(&mem), &mem, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// SameStorage runs launches of different shapes in the same storage and in fresh storage.
func SameStorage(t testing.TB, n New, cfg sim.Config, launch func(ctas, threads int) Prepare) {
	t.Helper()
	s := Make(t, n, cfg)
	for _, shape := range [][2]int{{1, 96}, {200, 96}, {40, 300}, {3, 32}, {200, 64}, {1, 1024}} {
		prepare := launch(shape[0], shape[1])
		Same(t, "in used storage", Observe(t, Make(t, n, cfg), prepare), Observe(t, s, prepare))
	}
}

// Allocations returns how often a run allocates whose storage was used before.
func Allocations(t testing.TB, s Simulator, prepare Prepare) float64 {
	t.Helper()
	var mem emu.Memory
	var tr trace.Run
	l := prepare(&mem)
	return testing.AllocsPerRun(2, func() {
		tr.Reset(0)
		if _, err := s.Run(context.Background(), l, &mem, &tr); err != nil {
			t.Fatal(err)
		}
	})
}
