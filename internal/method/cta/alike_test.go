package cta_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
)

// search finds the place of each of 32 numbers among 1024 that are sorted, 8 words apart.
const search = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 keys, .param .u64 q, .param .u64 at)
{
	.reg .pred %p;
	.reg .b32 %lo, %half, %m, %key, %v, %t;
	.reg .b64 %keys, %q, %at;
	ld.param.u64 %keys, [keys];
	ld.param.u64 %q, [q];
	ld.param.u64 %at, [at];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %q, %t, 4, %q;
	ld.global.u32 %key, [%q];
	mov.u32 %lo, 0;
	mov.u32 %half, 512;
NEXT:
	add.u32 %m, %lo, %half;
	mad.wide.u32 %q, %m, 32, %keys;
	ld.global.u32 %v, [%q];
	setp.ge.u32 %p, %key, %v;
	selp.u32 %lo, %m, %lo, %p;
	shr.u32 %half, %half, 1;
	setp.ne.u32 %p, %half, 0;
	@%p bra NEXT;
	mad.wide.u32 %at, %t, 4, %at;
	st.global.u32 [%at], %lo;
	ret;
}
`

// TestDifferentAddresses bounds a search in which lanes read 1, 2, 4, 8, 16, and then 32 different segments. The bound is the time
// of a run in which the numbers are 32 places apart.
func TestDifferentAddresses(t *testing.T) {
	for _, memory := range []string{"global", "generic"} {
		module := search
		if memory == "generic" {
			module = strings.ReplaceAll(search, "ld.global", "ld")
		}
		job := `module = "k.ptx"
machine = "predictable-rr"
grid = [1]
block = [32]
[[param]]
name = "keys"
type = "u32"
count = 8192
init = "iota"
[[param]]
name = "q"
type = "u32"
count = 32
values = [` + spread(32, 32*8) + `]
[[param]]
name = "at"
type = "u32"
count = 32
`
		load := func(text string) *warpbound.Job {
			j, err := warpbound.LoadFS(fstest.MapFS{"k.ptx": {Data: []byte(module)}, "job.toml": {Data: []byte(text)}}, "job.toml", warpbound.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		run, err := load(job).Simulate(context.Background(), warpbound.SimulateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		unknown := strings.Replace(job, `init = "iota"`, `init = "uniform(0, 8191)"`, 1)
		a, err := load(unknown).Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Estimates[0].Cycles; got != run.Cycles {
			t.Errorf("%s: bound %d, the run takes %d", memory, got, run.Cycles)
		}
	}
}

// spread lists n multiples of a number.
func spread(n, step int) string {
	var all []string
	for i := range n {
		all = append(all, strconv.Itoa(i*step))
	}
	return strings.Join(all, ", ")
}
