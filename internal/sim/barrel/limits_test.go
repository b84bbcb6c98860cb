package barrel

import (
	"context"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/test/simtest"
)

// TestLimitIsExact checks that a run of exactly as many cycles as allowed ends
// well, and one of a cycle more does not.
func TestLimitIsExact(t *testing.T) {
	code := simtest.Compile(t, "st.global.u32 [%buf], %t; ret;")
	simtest.LimitIsExact(t, create, simtest.Config(predictable(t), code), launch(t, 200, 96))
}

// TestStuck gives a run up in several states of its warps.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		body string
		end  int64
		want string
	}{
		{"l: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra l; ret;", 1000, "%p1, %r1, 0x0: can issue; active lanes 0xffffffff, 32 of 32 alive; stack depth 1"},
		{"ret;", 7, "mov.u32 %t, %tid.x: waits for its first instruction"},
		{"ld.global.u32 %r1, [%buf]; add.u32 %r2, %r1, 1; ret;", 50, "add.u32 %r2, %r1, 0x1: waits for a result"},
		{"st.global.u32 [%buf], %t; membar.gl; ret;", 50, "waits at a fence for its accesses"},
		{"st.global.u32 [%buf], %t; ret;", 50, "has exited and waits for its accesses\n\t\tSM 0 CTA 0 warps 0-1"},
		{"setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 0; l: @!%p1 bra l; ret;", 50, "@%p1 bar.sync 0x0: waits at a barrier"},
	} {
		cfg := simtest.Config(predictable(t), simtest.Compile(t, c.body))
		cfg.MaxCycles = c.end
		stuck := simtest.Stuck(t, create, cfg, launch(t, 1, 64))
		if text := stuck.Error(); len(stuck.Warps) != 2 || !strings.Contains(text, c.want) || !strings.Contains(text, "1 of 1 CTAs have started, 0 have ended") {
			t.Errorf("%s: got %s, want %q", c.body, text, c.want)
		}
	}
}

// TestFaults checks that errors of the program come through with their place, and
// that the simulator can be used again after one.
func TestFaults(t *testing.T) {
	code := simtest.Compile(t, "setp.eq.u32 %p1, %c, 7; @%p1 ld.global.u32 %r1, [0]; ret;")
	s := newSim(t, predictable(t), code)
	err := simtest.Fails(t, s, launch(t, 9, 64), emu.ErrOutOfBounds)
	if !strings.Contains(err.Error(), "k.ptx:") || !strings.Contains(err.Error(), "CTA (7,0,0)") {
		t.Errorf("got %v", err)
	}
	simtest.Same(t, "after a fault", observe(t, newSim(t, predictable(t), code), 7, 64), observe(t, s, 7, 64))
	deadlock := simtest.Compile(t, "setp.lt.u32 %p1, %t, 32; @%p1 bar.sync 0; @!%p1 bar.sync 1; ret;")
	simtest.Fails(t, newSim(t, predictable(t), deadlock), launch(t, 1, 64), emu.ErrDeadlock)
}

func TestCancellation(t *testing.T) {
	s := newSim(t, predictable(t), simtest.Compile(t, "l: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 1000000000; @%p1 bra l; ret;"))
	simtest.Cancelled(t, s, launch(t, 1, 32))
}

func TestRefusals(t *testing.T) {
	code := simtest.Compile(t, "ret;")
	fermi, err := machine.Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(simtest.Config(fermi, code)); err == nil || err.Error() != "fermi-c2050 has a scoreboard core; this is a simulator of barrel cores" {
		t.Errorf("another core gives %v", err)
	}
	cfg := simtest.Config(predictable(t), code)
	cfg.Ipoints = cfg.Ipoints[1:]
	if _, err := New(cfg); err == nil {
		t.Error("too few ipoints are accepted")
	}
	var mem emu.Memory
	if _, err := newSim(t, predictable(t), code).Run(context.Background(), launch(t, 1, 1025)(&mem), &mem, nil); err == nil {
		t.Error("a CTA of 1025 threads is accepted")
	}
}

// TestSameStorage runs launches of different shapes in the same storage and in
// fresh storage.
func TestSameStorage(t *testing.T) {
	code := simtest.Compile(t, "ld.global.u32 %r1, [%buf]; bar.sync 0; red.global.add.u32 [%buf], %r1; ret;")
	simtest.SameStorage(t, create, simtest.Config(predictable(t), code), func(ctas, threads int) simtest.Prepare { return launch(t, ctas, threads) })
}

// TestNoAllocationPerInstruction runs loops of different lengths in the same
// storage: what they allocate must not depend on the length.
func TestNoAllocationPerInstruction(t *testing.T) {
	allocs := func(trips string) float64 {
		s := newSim(t, predictable(t), simtest.Compile(t, `
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
		return simtest.Allocations(t, s, launch(t, 30, 128))
	}
	if short, long := allocs("2"), allocs("20"); long > short {
		t.Errorf("%v allocations with 2 trips, %v with 20", short, long)
	}
}
