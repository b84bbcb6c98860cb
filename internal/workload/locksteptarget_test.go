package workload_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/diag"
	"warpbound/internal/platform"
)

// TestLockstepTarget has code for an older architecture on machines with and without lock-step, with instructions for which
// that matters and without.
func TestLockstepTarget(t *testing.T) {
	for _, c := range []struct {
		target, machine, threads, body string
		want                           string // part of the warning; empty for none
	}{
		{"sm_60", "h100", "", "bar.sync 0;", "k.ptx:2:1: the module targets sm_60 (Pascal), whose warps run in lock-step, and the threads of h100 are scheduled independently: bar.sync 0x0 at k.ptx:5:1 may"},
		{"sm_70", "h100", "", "bar.sync 0;", ""},
		{"sm_60", "fermi-c2050", "", "bar.sync 0;", ""},
		{"sm_60", "fermi-c2050", "independent", "bar.sync 0;", "the threads of fermi-c2050 are scheduled independently"},
		{"sm_60", "h100", "lockstep", "bar.sync 0;", ""},
		{"sm_60", "h100", "", "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;", ""},
		{"sm_60", "h100", "", "atom.global.add.u32 %r1, [%rd1], 1; membar.gl;", ""},
		{"sm_60", "h100", "", "st.volatile.global.u32 [%rd1], %r1;", "st.volatile.global.u32"},
		{"sm_60", "h100", "", "st.shared.u32 [s], %r1;", "st.shared.u32"},
		{"sm_60", "h100", "", "vote.ballot.b32 %r1, %p1;", "vote"},
		{"sm_60", "h100", "", "bar.warp.sync -1;", ""},
	} {
		module := fmt.Sprintf(".version 7.8\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 b) { .reg .b64 %%rd<2>; .reg .b32 %%r<2>; .reg .pred %%p<2>; .shared .b32 s; ld.param.u64 %%rd1, [b]; mov.u32 %%r1, 1; setp.eq.u32 %%p1, %%r1, 1;\n%s\nret; }\n", c.target, c.body)
		job := "module = 'k.ptx'\ngrid = [1]\nblock = [32]\nmachine = '" + c.machine + "'\n"
		if c.threads != "" {
			job += "threads = '" + c.threads + "'\n"
		}
		job += "[[param]]\nname = 'b'\ntype = 'u32'\ncount = 1\n"
		j, err := platform.LoadFS(fstest.MapFS{"k.ptx": {Data: []byte(module)}, "job.toml": {Data: []byte(job)}}, "job.toml", "")
		if err != nil {
			t.Fatalf("%s: %v", c.body, err)
		}
		warnings := j.Warnings()
		at := slices.IndexFunc(warnings, func(w diag.Warning) bool { return w.ID == "lockstep-target" })
		switch {
		case c.want == "" && at >= 0:
			t.Errorf("%s of %s on %s: %v", c.body, c.target, c.machine, warnings[at])
		case c.want != "" && (at < 0 || !strings.Contains(fmt.Sprint(warnings[at].Pos, ": ", warnings[at].Text), c.want)):
			t.Errorf("%s of %s on %s: got %v, want %s", c.body, c.target, c.machine, warnings, c.want)
		}
	}
}
