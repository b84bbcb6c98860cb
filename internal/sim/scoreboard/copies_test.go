package scoreboard

import (
	"fmt"
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// TestAsyncGroups starts a copy, lets it end, starts another and looks how long a
// wait keeps the next instruction from issuing: on a machine whose unit takes an access when it issues, and on one that buffers it.
func TestAsyncGroups(t *testing.T) {
	for _, name := range []string{"fermi-c2050", "a40"} {
		m, err := machine.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { asyncGroups(t, m) })
	}
}

func asyncGroups(t *testing.T, m *machine.Machine) {
	const delay = "div.u32 %r1, %t, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; div.u32 %r1, %r1, 3; add.u32 %r1, %r1, 1;"
	for _, c := range []struct {
		name          string
		first, second string // behind the copies
		wait          string
		waits         bool
	}{
		{"all but the latest", "cp.async.commit_group;", "cp.async.commit_group;", "cp.async.wait_group 1;", false},
		{"all groups", "cp.async.commit_group;", "cp.async.commit_group;", "cp.async.wait_group 0;", true},
		{"an open group", "cp.async.commit_group;", "", "cp.async.wait_group 0;", false},
		{"all copies", "cp.async.commit_group;", "", "cp.async.wait_all;", true},
		{"empty groups count", "", "cp.async.commit_group; cp.async.commit_group;", "cp.async.wait_group 1;", true},
		{"more than there are", "", "cp.async.commit_group;", "cp.async.wait_group 4;", false},
		{"nobody commits", "cp.async.commit_group;", "setp.lt.u32 %p1, %t, 0; @%p1 cp.async.commit_group;", "cp.async.wait_group 0;", false},
		{"nobody waits", "", "cp.async.commit_group; setp.lt.u32 %p1, %t, 0;", "@%p1 cp.async.wait_group 0;", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, o := solo(t, m, fmt.Sprintf(`
				cp.async.ca.shared.global [sh], [%%buf], 4; %s
				ld.global.u32 %%r2, [%%buf+2048]; add.u32 %%r2, %%r2, 1; %s
				cp.async.ca.shared.global [sh+4], [%%buf+1024], 4; %s %s
				mov.u32 %%r3, 1; ret;`, c.first, delay, c.second, c.wait))
			last := len(at) - 2
			if waited := at[last]-at[last-1] > 100; waited != c.waits { // a copy takes more, whatever the machine
				t.Errorf("issues at %v", at)
			}
			if sum := o.Stalled(); sum[sim.StallFence] != 0 {
				t.Errorf("stalls %v", sum)
			}
		})
	}
}

// TestAsyncPipeline checks that copies of several rounds of a loop are under way at
// a time: four take less than twice as long as one.
func TestAsyncPipeline(t *testing.T) {
	m := fermi(t)
	cycles := func(rounds, keep int) int64 {
		at, _ := solo(t, m, fmt.Sprintf(`
			mov.u32 %%r1, 0; mov.u64 %%rd1, %%buf;
		next:
			cp.async.ca.shared.global [sh], [%%rd1], 4; cp.async.commit_group; cp.async.wait_group %d;
			add.u64 %%rd1, %%rd1, 512; add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, %d; @%%p1 bra next;
			cp.async.wait_all; ret;`, keep, rounds))
		return at[len(at)-1]
	}
	one, four, serial := cycles(1, 0), cycles(4, 3), cycles(4, 0)
	if four >= 2*one || serial < 4*idleMiss(m) {
		t.Errorf("one copy takes %d cycles, four together %d, one after the other %d", one, four, serial)
	}
}
