package simulated_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"warpbound/internal/runner"
	"warpbound/internal/test/jobtest"
)

// sums has a kernel that adds up 64 lines of a buffer, one after the other, with every thread of the one warp.
const sums = `.version 6.0
.target sm_60
.address_size 64
.visible .entry sums(.param .u64 from, .param .u64 to)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [from];
	ld.param.u64 %rd2, [to];
	mov.u32 %r1, 0;
	mov.u32 %r2, 0;
$LINE:
	ld.global.u32 %r3, [%rd1];
	add.u32 %r2, %r2, %r3;
	add.u64 %rd1, %rd1, 128;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, 64;
	@%p1 bra $LINE;
	st.global.u32 [%rd2], %r2;
	ret;
}
`

const sumsJob = `module = "sums.ptx"
grid = [1]
block = [1]
caches = %q
param = [{name = "from", type = "u32", count = 2048, init = "iota"}, {name = "to", type = "u32", count = 1}]
launch = [{}, {}]
`

// TestWarm makes the same launch twice: the second one finds its lines in the shared cache, where there is one and
// the job asks for it; on gtx480 the first one does, too, since the host has copied them there. Runs do not find what other runs left.
func TestWarm(t *testing.T) {
	for _, c := range []struct {
		machine string
		caches  bool
	}{{"fermi-c2050", true}, {"gtx480", false}, {"integrated-fermi", true}, {"predictable-rr", false}, {"gcn3-split", false}} {
		cycles := map[string][2]int64{}
		for _, how := range []string{"cold", "warm"} {
			files := fstest.MapFS{"sums.ptx": {Data: []byte(sums)}, "job.toml": {Data: fmt.Appendf(nil, sumsJob, how)}}
			j := jobtest.Load(t, files, "job.toml", c.machine)
			r, err := j.Platform.Open(j.Workload, runner.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for n := range 2 {
				out, err := r.Run(context.Background(), j.First().Bound.Inputs(0), nil)
				if err != nil {
					t.Fatal(err)
				}
				took := [2]int64{out.Launches[0].Cycles, out.Launches[1].Cycles}
				if n > 0 && took != cycles[how] {
					t.Errorf("%s, %s: a run takes %v, the one before %v", c.machine, how, took, cycles[how])
				}
				cycles[how] = took
				if got := out.Buffers[1]; got[0] != 0 || got[1] != 0xfc || got[2] != 0 { // 32 times 0 + ... + 63
					t.Errorf("%s, %s: the sum is %x", c.machine, how, got)
				}
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		cold, warm := cycles["cold"], cycles["warm"]
		if cold[0] != cold[1] || warm[0] != cold[0] || (warm[1] < cold[1]) != c.caches || warm[1] > cold[1] {
			t.Errorf("%s: cold launches take %v, warm ones %v", c.machine, cold, warm)
		}
	}
}
