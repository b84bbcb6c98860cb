package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/jobtest"
)

// small are kernels whose inputs can all be run.
var small = []struct {
	name, job, body string
	runs            int // of a search, a small part of all inputs
}{
	{"outcomes", `grid = [1, 1, 1]
block = [3, 1, 1]
[[param]]
name = "v"
type = "u8"
count = 3
init = "uniform(0, 15)"
[[param]]
name = "n"
type = "u32"
range = [1, 3]
`, `
	setp.eq.u32 %p1, %r5, 13;
	@%p1 bra $long;
	setp.lt.u32 %p1, %r5, 4;
	@%p1 bra $low;
	and.b32 %r6, %r5, 1;
	setp.eq.u32 %p1, %r6, 1;
	@%p1 bra $odd;
	add.u32 %r7, %r5, 1;
	bra $out;
$odd:
	div.u32 %r7, %r5, %r1;
	bra $out;
$low:
	rem.u32 %r7, %r5, %r1;
	mul.lo.u32 %r7, %r7, %r7;
	bra $out;
$long:
	mov.u32 %r2, 0;
$loop:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p2, %r2, %r1;
	@%p2 bra $loop;
`, 500},
	{"sort", `grid = [1, 1, 1]
block = [1, 1, 1]
[[param]]
name = "v"
type = "u8"
count = 5
init = "uniform(0, 4)"
[[param]]
name = "n"
type = "u32"
value = 5
`, `
	mov.u64 %rd4, 1;
$next:
	add.s64 %rd2, %rd1, %rd4;
	ld.global.u8 %r2, [%rd2];
$down:
	ld.global.u8 %r3, [%rd2+-1];
	setp.le.u32 %p1, %r3, %r2;
	@%p1 bra $place;
	st.global.u8 [%rd2], %r3;
	add.s64 %rd2, %rd2, -1;
	setp.gt.u64 %p2, %rd2, %rd1;
	@%p2 bra $down;
$place:
	st.global.u8 [%rd2], %r2;
	add.s64 %rd4, %rd4, 1;
	setp.lt.u64 %p3, %rd4, 5;
	@%p3 bra $next;
`, 200},
	{"conflicts", `grid = [1, 1, 1]
block = [4, 1, 1]
[[param]]
name = "v"
type = "u8"
count = 4
init = "uniform(0, 7)"
[[param]]
name = "n"
type = "u32"
value = 1
`, `
	mov.u32 %r2, s;
	mad.lo.u32 %r6, %r5, 64, %r2;
	st.shared.u32 [%r6], %r5;
	and.b32 %r6, %r5, 5;
	mad.lo.u32 %r6, %r6, 100, %r2;
	ld.shared.u32 %r7, [%r6];
	setp.eq.u32 %p1, %r5, 6;
	@%p1 atom.global.add.u32 %r7, [%rd1], 0;
`, 700},
}

const smallHead = `.version 6.3
.target sm_70
.address_size 64

.visible .entry match(.param .u64 v, .param .u32 n)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<5>;
	.shared .align 4 .b8 s[2048];

	ld.param.u64 %rd1, [v];
	ld.param.u32 %r1, [n];
	mov.u32 %r4, %tid.x;
	cvt.u64.u32 %rd2, %r4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u8 %r5, [%rd3];
`

// TestSearchIsExact runs all inputs of small kernels: searches find one of those that take longest
// with 95 of 100 seeds at least, and with the first ones.
func TestSearchIsExact(t *testing.T) {
	needSolvers(t)
	const first = 4
	for _, c := range small {
		t.Run(c.name, func(t *testing.T) {
			load := func(seed int64) *platform.Job {
				return jobtest.Text(t, fmt.Sprintf("module = \"match.ptx\"\nseed = %d\n%s", seed, c.job), smallHead+c.body+"$out:\n\tret;\n}\n")
			}
			j := load(0)
			s, err := newSearching(j.Platform, j.Workload, searchOptions(1, "gdivan"))
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.plan(context.Background()), s.await()); err != nil {
				t.Fatal(err)
			}
			worst, all, err := SimulateExhaustively(context.Background(), j.Platform, j.Workload, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			missed := 0
			search := func(seed int64) int64 {
				t.Helper()
				opts := searchOptions(c.runs, "gdivan")
				opts.Settings.Population, opts.Settings.Patience = 100, 0
				j := load(seed)
				one, err := newSearching(j.Platform, j.Workload, opts)
				if err != nil {
					t.Fatal(err)
				}
				one.state.Plan, one.state.Explored = s.state.Plan, s.state.Explored
				if err := one.run(context.Background(), "gdivan"); err != nil {
					t.Fatal(err)
				}
				if one.best > worst {
					t.Fatalf("seed %d finds %d cycles, more than the %d of all inputs", seed, one.best, worst)
				}
				return one.best
			}
			for seed := range int64(first) {
				if best := search(seed); best != worst {
					t.Errorf("seed %d finds %d cycles, not the %d of the worst of %d inputs", seed, best, worst, all)
				}
			}
			seeds := effort.Draw(t, 500)
			for _, n := range seeds {
				if search(first+int64(n)) != worst {
					missed++
				}
			}
			if missed > max(1, len(seeds)/20) {
				t.Errorf("%d of %d seeds do not find the worst case of %d cycles in %d runs", missed, len(seeds), worst, c.runs)
			}
		})
	}
}

// TestExhaustiveSimulationRefuses what has too many inputs.
func TestExhaustiveSimulationRefuses(t *testing.T) {
	for _, c := range []struct{ job, want string }{
		{jobtest.MatchJob, "the job has more than 1000 inputs"},
		{strings.Replace(strings.Replace(jobtest.MatchJob, `"u32"`, `"f32"`, 1), "1000000", "1", 1), `param "v": floats that are sampled have too many numbers to run all`},
		{strings.Replace(strings.Replace(jobtest.MatchJob, "uniform(0, 1000000)", "zeros", 1), "range = [1, 9]", "value = 9", 1), "no input is sampled at random"},
	} {
		j := jobtest.Text(t, c.job, jobtest.MatchModule)
		longest, inputs, err := SimulateExhaustively(t.Context(), j.Platform, j.Workload, 1000)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d cycles, %d inputs, %v instead of %s", longest, inputs, err, c.want)
		}
	}
}
