package barrel

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/simtest"
	"warpbound/internal/trace"
)

// TestLimitIsExact checks that a run of exactly as many cycles as allowed ends
// well, and one of a cycle more does not.
func TestLimitIsExact(t *testing.T) {
	code := compile(t, "st.global.u32 [%buf], %t; ret;")
	o := observe(t, newSim(t, predictable(t), code), 200, 96)
	for limit, want := range map[int64]bool{o.Cycles: true, o.Cycles - 1: false} {
		cfg := config(predictable(t), code)
		cfg.MaxCycles = limit
		s, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var mem emu.Memory
		r, err := s.Run(context.Background(), launch(t, &mem, 200, 96), &mem, nil)
		if (err == nil) != want {
			t.Errorf("with a limit of %d cycles: %v", limit, err)
		}
		if err == nil && r.Cycles != o.Cycles {
			t.Errorf("%d cycles without a trace, %d with one", r.Cycles, o.Cycles)
		}
	}
}

// TestStuck gives a run up in several states of its warps.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		body string
		end  int64
		want string
	}{
		{"l: add.u32 %r1, %r1, 1; bra l;", 1000, "bra l: can issue; active lanes 0xffffffff, 32 of 32 alive; stack depth 1"},
		{"ret;", 7, "mov.u32 %t, %tid.x: waits for its first instruction"},
		{"ld.global.u32 %r1, [%buf]; add.u32 %r2, %r1, 1; ret;", 50, "add.u32 %r2, %r1, 0x1: waits for a result"},
		{"st.global.u32 [%buf], %t; membar.gl; ret;", 50, "waits at a fence for its accesses"},
		{"st.global.u32 [%buf], %t; ret;", 50, "has exited and waits for its accesses\n\t\tSM 0 CTA 0 warps 0-1"},
		{"setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 0; l: @!%p1 bra l; ret;", 50, "@%p1 bar.sync 0x0: waits at a barrier"},
	} {
		cfg := config(predictable(t), compile(t, c.body))
		cfg.MaxCycles = c.end
		s, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var mem emu.Memory
		_, err = s.Run(context.Background(), launch(t, &mem, 1, 64), &mem, nil)
		var stuck *sim.StuckError
		if !errors.Is(err, sim.ErrCycleLimit) || !errors.As(err, &stuck) || stuck.Cycle != c.end || len(stuck.Warps) != 2 {
			t.Errorf("%s: got %v", c.body, err)
		} else if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "1 of 1 CTAs have started, 0 have ended") {
			t.Errorf("%s: got %v, want %q", c.body, err, c.want)
		}
	}
}

// TestFaults checks that errors of the program come through with their place, and
// that the simulator can be used again after one.
func TestFaults(t *testing.T) {
	code := compile(t, "setp.eq.u32 %p1, %c, 7; @%p1 ld.global.u32 %r1, [0]; ret;")
	s := newSim(t, predictable(t), code)
	var mem emu.Memory
	_, err := s.Run(context.Background(), launch(t, &mem, 9, 64), &mem, nil)
	if !errors.Is(err, emu.ErrOutOfBounds) || !strings.Contains(err.Error(), "k.ptx:") || !strings.Contains(err.Error(), "CTA (7,0,0)") {
		t.Errorf("got %v", err)
	}
	simtest.Same(t, "after a fault", observe(t, newSim(t, predictable(t), code), 7, 64), observe(t, s, 7, 64))
	deadlock := compile(t, "setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 0; @!%p1 bar.sync 1; ret;")
	if _, err = newSim(t, predictable(t), deadlock).Run(context.Background(), launch(t, &mem, 1, 64), &mem, nil); !errors.Is(err, emu.ErrDeadlock) {
		t.Errorf("got %v", err)
	}
}

func TestCancellation(t *testing.T) {
	s := newSim(t, predictable(t), compile(t, "l: add.u32 %r1, %r1, 1; bra l;"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var mem emu.Memory
	if _, err := s.Run(ctx, launch(t, &mem, 1, 32), &mem, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRefusals(t *testing.T) {
	code := compile(t, "ret;")
	fermi, err := machine.Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(config(fermi, code)); err == nil || err.Error() != "fermi-c2050 has a scoreboard core; this is a simulator of barrel cores" {
		t.Errorf("another core gives %v", err)
	}
	cfg := config(predictable(t), code)
	cfg.Ipoints = cfg.Ipoints[1:]
	if _, err := New(cfg); err == nil {
		t.Error("too few ipoints are accepted")
	}
	var mem emu.Memory
	if _, err := newSim(t, predictable(t), code).Run(context.Background(), launch(t, &mem, 1, 1025), &mem, nil); err == nil {
		t.Error("a CTA of 1025 threads is accepted")
	}
}

// TestSameStorage runs launches of different shapes in the same storage and in
// fresh storage.
func TestSameStorage(t *testing.T) {
	code := compile(t, "ld.global.u32 %r1, [%buf]; bar.sync 0; red.global.add.u32 [%buf], %r1; ret;")
	s := newSim(t, predictable(t), code)
	for _, shape := range [][2]int{{1, 96}, {200, 96}, {40, 300}, {3, 32}, {200, 64}, {1, 1024}} {
		simtest.Same(t, "in used storage", observe(t, newSim(t, predictable(t), code), shape[0], shape[1]), observe(t, s, shape[0], shape[1]))
	}
}

// TestNoAllocationPerInstruction runs loops of different lengths in the same
// storage: what they allocate must not depend on the length.
func TestNoAllocationPerInstruction(t *testing.T) {
	allocs := func(trips string) float64 {
		s := newSim(t, predictable(t), compile(t, `
			mov.u32 %r1, 0;
			mul.wide.u32 %rd1, %t, 256;
			add.u64 %rd2, %buf, %rd1;
		loop:
			ld.global.u32 %r2, [%rd2];
			st.shared.u32 [sh], %r2;
			red.global.add.u32 [%rd2+4], %r2;
			st.global.u32 [%rd2+8], %r1;
			bar.sync 0;
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, `+trips+`;
			@%p1 bra loop;
			ret;`))
		var mem emu.Memory
		var tr trace.Run
		l := launch(t, &mem, 30, 128)
		return testing.AllocsPerRun(2, func() {
			tr.Reset(0)
			if _, err := s.Run(context.Background(), l, &mem, &tr); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := allocs("2"), allocs("20"); long > short {
		t.Errorf("%v allocations with 2 trips, %v with 20", short, long)
	}
}
