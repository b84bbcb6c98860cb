package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/method"
	"warpbound/internal/partition"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
)

// summing adds up values in n rounds, and passes m on.
const summing = `.version 7.0
.target sm_70
.address_size 64
.visible .entry rounds(.param .u64 buf, .param .u32 n, .param .u32 m)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<6>;
	.reg .pred %p<3>;
	ld.param.u64 %rd1, [buf];
	ld.param.u32 %r1, [n];
	ld.param.u32 %r2, [m];
	mov.u32 %r3, %tid.x;
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd3, %rd1, %rd2;
L:
	ld.global.u32 %r4, [%rd3];
	add.u32 %r2, %r2, %r4;
	add.u32 %r1, %r1, -1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra L;
	st.global.u32 [%rd3], %r2;
	ret;
}
`

func roundsJob(machine, n, m string) string {
	return fmt.Sprintf(`module = "`+jobtest.MatchFile+`"
kernel = "rounds"
machine = %q
grid = [3, 1, 1]
block = [96, 1, 1]
target = "sm_70"
[[param]]
name = "buf"
type = "u32"
count = 96
init = "uniform(0, 9)"
[[param]]
name = "n"
type = "u32"
%s
[[param]]
name = "m"
type = "u32"
%s
`, machine, n, m)
}

// The bound for a range is the greatest of those for its numbers, although the bound for all at once is greater; what
// does not matter is not cut, and no run takes longer.
func TestPartitioned(t *testing.T) {
	ctx := context.Background()
	estimateOf := func(text string, m Method, bound func(context.Context, *workload.Workload, method.Static) (*method.Answer, error)) *estimate.Estimate {
		t.Helper()
		w, err := m.of(jobtest.Text(t, text, summing).Workload)
		if err != nil {
			t.Fatal(err)
		}
		a, err := bound(ctx, w, m.Method.(method.Static))
		if err != nil {
			t.Fatal(err)
		}
		return &a.Estimates[0]
	}
	cold := func(ctx context.Context, w *workload.Workload, m method.Static) (*method.Answer, error) {
		return partitioned(ctx, w, m, nil)
	}
	for _, machine := range []string{"predictable-rr", "integrated-fermi", "gcn3-split"} {
		for _, m := range Methods() {
			_, static := m.Method.(method.Static)
			w := jobtest.Text(t, roundsJob(machine, "range = [1, 40]", "range = [5, 90]"), summing).Workload
			if !static || m.Applies(w.Machine) != nil {
				continue
			}
			id := m.Names()[0].ID + " on " + machine
			whole := estimateOf(roundsJob(machine, "range = [1, 40]", "range = [5, 90]"), m, bound)
			parts := estimateOf(roundsJob(machine, "range = [1, 40]", "range = [5, 90]"), m, cold)
			greatest := int64(0)
			for n := 1; n <= 40; n++ {
				greatest = max(greatest, estimateOf(roundsJob(machine, fmt.Sprintf("value = %d", n), "value = 7"), m, bound).Cycles)
			}
			if parts.Cycles > whole.Cycles || parts.Cycles < greatest || parts.Cycles > greatest+greatest/tolerance {
				t.Errorf("%s: bound %d by parts, %d of all at once, %d of the worst number", id, parts.Cycles, whole.Cycles, greatest)
			}
			if p := parts.Partition; (p != nil) != (parts.Cycles < whole.Cycles) || p != nil && (!strings.HasSuffix(p.Inputs, "m in [5, 90]") || p.Parts > 40 || p.Parts > p.Bounded) {
				t.Errorf("%s: partition %+v", id, p)
			}
			same := estimateOf(roundsJob(machine, "value = 40", "range = [5, 90]"), m, cold)
			if same.Partition != nil || same.Cycles != greatest {
				t.Errorf("%s: %d cycles, partition %+v where the range does not matter", id, same.Cycles, same.Partition)
			}
			j := jobtest.Text(t, roundsJob(machine, "value = 40", "value = 6"), summing)
			out, err := jobtest.Run(ctx, j, j.First().Bound.Inputs(0))
			if err != nil {
				t.Fatal(err)
			}
			if cycles := out.Cycles; cycles > parts.Cycles {
				t.Errorf("%s: a run takes %d cycles, bound %d", id, cycles, parts.Cycles)
			}
		}
	}
}

// What parts rest on, the estimate rests on; as many accesses as miss in any of them may miss.
func TestPartsAreWeakest(t *testing.T) {
	text := roundsJob("predictable-rr", "range = [1, 40]", "value = 5")
	w := jobtest.Text(t, text, summing).Workload
	answer := func(cycles int64, e estimate.Evidence, assumptions ...string) *method.Answer {
		return &method.Answer{Estimates: []estimate.Estimate{{Method: "m", Cycles: cycles, Evidence: e, Assumptions: assumptions}}}
	}
	greatest := part(partition.Box{{First: 0, Last: 19}}, answer(30, estimate.Proven, "a"))
	less := part(partition.Box{{First: 20, Last: 39}}, answer(20, estimate.Annotated, "a", "b"))
	greatest.Value.Estimates[0].Detail, less.Value.Estimates[0].Detail = &estimate.LLC{Misses: 1, AllMisses: 4}, &estimate.LLC{Misses: 2, AllMisses: 3}
	got := ofParts(workload.RangedArguments(w), &partition.Result[*method.Answer]{
		Greatest: greatest, Parts: []partition.Part[*method.Answer]{greatest, less}, Bounded: 3, Limited: true,
	})
	e := got.Estimates[0]
	if e.Cycles != 30 || e.Evidence != estimate.Annotated || !slices.Equal(e.Assumptions, []string{"a", "b"}) {
		t.Errorf("%+v", e)
	}
	if e.Partition == nil || e.Partition.Inputs != "n in [1, 20]" || e.Partition.Parts != 2 || e.Partition.Misses != 2 || e.Partition.AllMisses != 4 {
		t.Errorf("%+v", e.Partition)
	}
	if len(got.Warnings) != 1 || got.Warnings[0].ID != "partition-limit" || got.Warnings[0].Pos.Line != 12 {
		t.Errorf("warnings %v", got.Warnings)
	}
}
