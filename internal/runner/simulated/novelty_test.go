package simulated_test

import (
	"context"
	"slices"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/runner"
	"warpbound/internal/test/jobtest"
)

// crowd adds to one of four words in each of two spaces from every thread, but for those whose
// number is odd, and reads a constant word of its own.
const crowd = `.version 6.0
.target sm_60
.address_size 64
.const .align 4 .b32 table[64];
.visible .entry crowd(.param .u64 out)
{
	.reg .pred %p<3>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<5>;
	.shared .align 4 .b32 words[4];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra $END;
	and.b32 %r3, %r1, 6;
	shl.b32 %r3, %r3, 1;
	cvt.u64.u32 %rd2, %r3;
	add.u64 %rd3, %rd1, %rd2;
	red.global.add.u32 [%rd3], 1;
	mov.u32 %r4, words;
	add.u32 %r4, %r4, %r3;
	red.shared.add.u32 [%r4], 1;
	mov.u32 %r5, table;
	shl.b32 %r6, %r1, 2;
	add.u32 %r5, %r5, %r6;
	ld.const.u32 %r7, [%r5];
$END:
	ret;
}
`

const crowdJob = `module = "crowd.ptx"
grid = [1]
block = [64]
param = [{name = "out", type = "u32", count = 4}]
`

// TestNovelty checks what is counted where it can be told: of each atomic instruction of a warp,
// half the lanes on four words.
func TestNovelty(t *testing.T) {
	files := fstest.MapFS{"crowd.ptx": {Data: []byte(crowd)}, "job.toml": {Data: []byte(crowdJob)}}
	for _, c := range []struct {
		machine       string
		warps, serial int64
	}{
		{"fermi-c2050", 2, 2 * 2 * (16 - 4)},
		{"predictable-rr", 2, 2 * 2 * (16 - 4)},
		{"integrated-fermi", 2, 2 * 2 * (16 - 4)},
		{"gcn3-split", 1, 2 * (32 - 4)},
	} {
		j := jobtest.Load(t, files, "job.toml", c.machine)
		out, err := jobtest.Run(context.Background(), j, j.First().Bound.Inputs(0))
		if err != nil {
			t.Fatal(err)
		}
		values := out.Statistics.Novelty([]int64{7})
		names := append([]string{"before"}, runner.NoveltyCounters()...)
		if len(values) != len(names) || values[0] != 7 {
			t.Fatalf("%d values, %d names", len(values), len(names))
		}
		get := func(name string) int64 { return values[slices.Index(names, name)] }
		if got := get("divergent_branches"); got != c.warps {
			t.Errorf("%s: %d divergent branches, want %d", c.machine, got, c.warps)
		}
		if got := get("serialised_atomics"); got != c.serial {
			t.Errorf("%s: %d serialised atomics, want %d", c.machine, got, c.serial)
		}
		if get("shared_conflicts") == 0 || get("const_replays") == 0 || get("transactions") == 0 {
			t.Errorf("%s: %v are %v", c.machine, names, values)
		}
	}
}

// TestCountersOfMachines: what warps of as many lanes execute does not depend on the machine, so
// that these counters agree between simulators that share no code for them.
func TestCountersOfMachines(t *testing.T) {
	atomics := int64(0)
	for seed := range uint64(12) {
		c := jobtest.Random(100+seed, jobtest.RandomOptions(seed))
		var want map[string]int64
		for _, machine := range []string{"predictable-rr", "fermi-c2050", "integrated-fermi"} {
			j := jobtest.Load(t, jobtest.Case(c), "job.toml", machine)
			out, err := jobtest.Run(context.Background(), j, j.First().Bound.Inputs(0))
			if err != nil {
				t.Fatal(err)
			}
			run := estimate.Simulation{Counters: map[string]int64{}, Scheduler: map[string]int64{}}
			out.Statistics.Describe(&run)
			if want == nil {
				want = run.Counters
				atomics += want["serialised_atomics"]
			}
			for _, name := range []string{"serialised_atomics", "divergent_branches", "warp_instructions", "thread_instructions"} {
				if got := run.Counters[name]; got != want[name] {
					t.Errorf("kernel %d: %s is %d on %s, %d on predictable-rr", 100+seed, name, got, machine, want[name])
				}
			}
		}
	}
	if atomics == 0 {
		t.Error("no kernel has atomics that are serialised")
	}
}
