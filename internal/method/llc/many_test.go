package llc_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/method/llc"
)

// counting has every thread count in one word; a branch on what the word holds makes the
// order of instructions uncertain if it is there.
const counting = `.version 6.0
.target sm_60
.address_size 64
.visible .entry counting(.param .u64 out)
{
	.reg .pred %%p;
	.reg .b32 %%r<2>;
	.reg .b64 %%rd;
	ld.param.u64 %%rd, [out];
	ld.global.u32 %%r0, [%%rd];
	%s
	add.u32 %%r0, %%r0, 1;
$L:
	st.global.u32 [%%rd], %%r0;
	ret;
}
`

const branch = "setp.eq.u32 %p, %r0, 7;\n@%p bra $L;"

// launched returns a launch of so many CTAs.
func launched(t *testing.T, code string, ctas int) *warpbound.Job {
	t.Helper()
	files := fstest.MapFS{"k.ptx": {Data: fmt.Appendf(nil, counting, code)}, "job.toml": {Data: fmt.Appendf(nil, `module = "k.ptx"
machine = "integrated-fermi"
grid = [%d]
block = [32]
param = [{name = "out", type = "u32", count = 1, init = "uniform(0, 9)"}]
`, ctas)}}
	j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// allocated returns the estimate of a launch and the bytes that bounding it allocates.
func allocated(t *testing.T, code string, ctas int) (*estimate.Estimate, uint64) {
	t.Helper()
	j := launched(t, code, ctas)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{llc.Interval.ID()}})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	return &a.Estimates[0], after.TotalAlloc - before.TotalAlloc
}

// TestOrderNotFollowed bounds a launch that is too large to follow, which is said.
func TestOrderNotFollowed(t *testing.T) {
	for ctas, said := range map[int]bool{1 << 10: false, 1 << 24: true} {
		a, err := launched(t, "", ctas).Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{llc.Interval.ID()}})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "order-not-followed" })
		if exact := a.Estimates[0].Detail.(*estimate.LLC).Exact; got != said || exact == said {
			t.Errorf("%d CTAs: exact %t, warnings %v", ctas, exact, a.Warnings)
		}
	}
}

// TestMemoryOfSums bounds launches of up to 2^30 CTAs by sums, in the memory that one of
// 2^10 needs. The lines of the larger ones are not followed, which is said.
func TestMemoryOfSums(t *testing.T) {
	small, needed := allocated(t, branch, 1<<10)
	for _, log := range []int{14, 24, 30} {
		e, bytes := allocated(t, branch, 1<<log)
		if bytes > 2*needed {
			t.Errorf("2^%d CTAs take %d bytes, 2^10 take %d", log, bytes, needed)
		}
		// SMs have not equally many waves, so that sums are not quite multiples.
		if d := e.Detail.(*estimate.LLC); d.Exact || d.Misses != 2<<log && log > 14 || d.Misses > 15 && log <= 14 || e.Cycles < small.Cycles<<(log-10)*9/10 {
			t.Errorf("2^%d CTAs: %d misses, %d cycles; 2^10 take %d cycles", log, d.Misses, e.Cycles, small.Cycles)
		}
	}
}

// TestMemoryOfOrders bounds launches of which all is known, in memory for what they send to
// the shared cache, not for what they issue.
func TestMemoryOfOrders(t *testing.T) {
	const few, many = 1 << 11, 1 << 13
	_, small := allocated(t, "", few)
	e, large := allocated(t, "", many)
	if d := e.Detail.(*estimate.LLC); !d.Exact {
		t.Error("the order is not known")
	}
	if each := (large - small) / (many - few); each > 700 {
		t.Errorf("each CTA takes %d bytes", each)
	}
}

// TestSumsOfIntervals bounds CTAs on SMs of their own by sums. As long as there is one interval, the time is
// that of one SM, however many there are.
func TestSumsOfIntervals(t *testing.T) {
	one, _ := allocated(t, branch, 1)
	all, _ := allocated(t, branch, 15)
	if d := all.Detail.(*estimate.LLC); d.Exact || d.Intervals != 1 || all.Cycles != one.Cycles {
		t.Errorf("15 CTAs take %d cycles in %d intervals, one takes %d", all.Cycles, d.Intervals, one.Cycles)
	}
}
