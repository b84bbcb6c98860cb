package integrated

import (
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
)

// TestLimitIsExact checks that a run of exactly as many cycles as allowed ends well, and one
// of a cycle more does not.
func TestLimitIsExact(t *testing.T) {
	code := simtest.Compile(t, "st.global.u32 [%buf], %t; ret;")
	simtest.LimitIsExact(t, create, simtest.Config(fermi(t), code), launch(t, 200, 96))
}

// TestStuck gives a run up in several states of its warps.
func TestStuck(t *testing.T) {
	for _, c := range []struct {
		body string
		end  int64
		want string
	}{
		{"l: add.u32 %r1, %r1, 1; bra l;", 1001, "waits for its next instruction"},
		{"ret;", 7, "mov.u32 %t, %tid.x: waits for its first instruction"},
		{"st.global.u32 [%buf], %t; membar.gl; ret;", 100, "waits at a fence for its accesses"},
		{"st.global.u32 [%buf], %t; ret;", 100, "has exited and waits for its accesses"},
		{"setp.lt.u32 %p1, %t, 32; @%p1 bra w; ld.global.u32 %r1, [%buf]; w: bar.sync 0; ret;", 150, "waits at a barrier"},
	} {
		cfg := simtest.Config(fermi(t), simtest.Compile(t, c.body))
		cfg.MaxCycles = c.end
		if stuck := simtest.Stuck(t, create, cfg, launch(t, 1, 64)); !mentions(stuck, c.want) {
			t.Errorf("%s: got %+v, want %q", c.body, stuck, c.want)
		}
	}
}

func mentions(e *sim.StuckError, want string) bool {
	for _, w := range e.Warps {
		if strings.Contains(w.Site.String(), want) {
			return true
		}
	}
	return false
}

// TestUsedStorage: a run in the storage of others, also of one that failed, shows the same.
func TestUsedStorage(t *testing.T) {
	code := simtest.Compile(t, "setp.eq.u32 %p1, %c, 100; @%p1 bra bad;"+stride+"ld.global.u32 %r1, [%rd1]; bar.sync 0; st.global.u32 [%buf], %r1; ret; bad: ld.global.u32 %r1, [0]; ret;")
	s := simtest.Make(t, create, simtest.Config(regulated(t, true, 3), code))
	for _, shape := range [][2]int{{1, 32}, {70, 96}, {3, 64}, {101, 32}, {40, 256}, {1, 32}} {
		prepare := launch(t, shape[0], shape[1])
		if shape[0] == 101 {
			simtest.Fails(t, s, prepare, emu.ErrOutOfBounds)
			continue
		}
		fresh := observe(t, simtest.Config(regulated(t, true, 3), code), prepare)
		simtest.Same(t, "in used storage", fresh.Observation, simtest.Observe(t, s, prepare))
	}
}

func TestNewErrors(t *testing.T) {
	m, err := machine.Builtin("predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(simtest.Config(m, simtest.Compile(t, "ret;"))); err == nil || err.Error() != "predictable-rr has a barrel core; this is a simulator of integrated cores" {
		t.Errorf("got %v", err)
	}
}
