package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/platform"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// staticMethods returns the methods for the machine of a workload that need no runs.
func staticMethods(w *workload.Workload) []string {
	all := analysis.Methods()
	return slices.DeleteFunc(all.IDs(), func(id string) bool {
		_, measured := all.Find(id).Method.(method.Measured)
		return measured || !all.Supports(w, id)
	})
}

// methodsInMode are those of them that bound any run of a workload in its mode.
func methodsInMode(w *workload.Workload) []string {
	return slices.DeleteFunc(staticMethods(w), func(id string) bool {
		return w.HasSplits() && id != "split/"+string(w.Mode())
	})
}

// searchedBelow searches with few runs by each of the strategies and compares what it finds with
// every static bound. It returns how many comparisons there were.
func searchedBelow(t *testing.T, name string, j *platform.Job, strategies ...string) (compared int) {
	t.Helper()
	bounds := map[string]int64{}
	if j.Several() {
		return 0 // bounds are of one launch
	}
	for _, method := range methodsInMode(j.Workload) {
		a, err := analysis.Analyze(context.Background(), j.Platform, j.Workload, analysis.Request{Methods: []string{method}})
		if err != nil {
			continue // this job has no such bound
		}
		for _, e := range a.Estimates {
			if e.Evidence != estimate.Observed {
				bounds[e.Method] = e.Cycles
			}
		}
	}
	if len(bounds) == 0 || !j.Spec.Varies() {
		return 0
	}
	settings := DefaultSettings()
	settings.Runs, settings.Population, settings.Elite, settings.Novelty = 24, 8, 0.25, 2
	for _, strategy := range strategies {
		f, err := runOn(context.Background(), j, Options{
			Strategies: []string{strategy}, Settings: settings, Explore: DefaultExploreOptions(),
			Failed: func(_ workload.SavedInputs, fault string) error { return fmt.Errorf("a run failed: %s", fault) },
		})
		if err != nil {
			t.Errorf("%s: %s: %v", name, strategy, err)
			continue
		}
		e := &f.Analysis.Estimates[len(f.Analysis.Estimates)-1]
		for method, bound := range bounds {
			if e.Cycles > bound {
				t.Errorf("%s: %s found a run of %d cycles, %s says %d at most", name, strategy, e.Cycles, method, bound)
			}
			compared++
		}
		out, err := jobtest.Run(context.Background(), j, f.Best.Inputs)
		if err != nil {
			t.Fatal(err)
		}
		if out.Cycles != e.Cycles {
			t.Errorf("%s: %s found %d cycles, the same inputs take %d", name, strategy, e.Cycles, out.Cycles)
		}
	}
	return compared
}

// TestSearchBelowRandomBounds searches on random kernels, on machines of which methods bound all
// runs.
func TestSearchBelowRandomBounds(t *testing.T) {
	for _, on := range []struct {
		machine string
		modes   []machine.SplitMode
	}{
		{"predictable-rr", []machine.SplitMode{""}},
		{"integrated-fermi", []machine.SplitMode{""}},
		{"gcn3-split", []machine.SplitMode{machine.SplitNone, machine.DWS, machine.PWS}},
	} {
		t.Run(on.machine, func(t *testing.T) {
			t.Parallel()
			compared := 0
			for seed := range uint64(8) {
				c := jobtest.Random(seed, kernelgen.Options{
					Statements: 4 + int(seed), Depth: 2, Trips: 4, Threads: 70, CTAs: 6,
					Bounded: true, Machine: on.machine, Split: len(on.modes) > 1,
				})
				j := jobtest.Load(t, jobtest.Case(c), "job.toml", "")
				for _, mode := range on.modes {
					k := j
					if mode != "" {
						var err error
						if k, err = j.Split(workload.SplitOptions{Mode: mode}); err != nil {
							t.Fatal(err)
						}
					}
					compared += searchedBelow(t, fmt.Sprintf("kernel %d %s", seed, mode), k, "random+ga", "random")
				}
			}
			if compared < 8 {
				t.Errorf("only %d comparisons with a bound", compared)
			}
		})
	}
}

// TestSearchBelowSuiteBounds does so with kernels of the suite, small launches for which the
// search has benchmarks.
func TestSearchBelowSuiteBounds(t *testing.T) {
	needSolvers(t)
	quick := map[string]bool{"artificial": true, "insertionSort": true, "substringSearch": true} // to explore
	bounded := map[string]bool{"artificial": true, "insertionSort": true, "substringSearch": true, "lbm": true, "petriSmall": true}
	for _, b := range kernels.SearchBenchmarks() {
		if b.Tiny == "" {
			continue
		}
		t.Run(b.Kernel, func(t *testing.T) {
			t.Parallel()
			for i, name := range []string{"predictable-rr", "integrated-fermi", "gcn3-split"} {
				j := jobtest.Load(t, kernels.Suite(), b.Kernel+"/"+b.Tiny, name)
				strategies := Strategies()
				if i > 0 || !quick[b.Kernel] {
					strategies = PaperStrategies()[1:] // the others explore
				}
				if compared := searchedBelow(t, name, j, strategies...); compared < len(strategies) && bounded[b.Kernel] {
					t.Errorf("%d comparisons on %s", compared, name)
				}
			}
		})
	}
}

// phases is a kernel with a branch that is taken in the second round only, since the other kernel
// writes what it looks at, and a branch that no thread takes.
const phases = `.version 6.3
.target sm_70
.address_size 64
.visible .entry step(.param .u64 v, .param .u64 phase, .param .u64 over)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [v];
	ld.param.u64 %rd2, [phase];
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 7;
	@%p1 bra $NEVER;
	ld.global.u32 %r2, [%rd2];
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra $LATER;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd4, %rd1, %rd3;
	ld.global.u32 %r3, [%rd4];
	setp.eq.u32 %p1, %r3, 3;
	@%p1 bra $LATER;
	ret;
$LATER:
	atom.global.add.u32 %r4, [%rd1], 0;
	ret;
$NEVER:
	st.global.u32 [%rd1], 1;
	ret;
}
.visible .entry advance(.param .u64 v, .param .u64 phase, .param .u64 over)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [phase];
	ld.param.u64 %rd2, [over];
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra $END;
	ld.global.u32 %r2, [%rd1];
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra $END;
	st.global.u32 [%rd1], 1;
	st.global.u32 [%rd2], 1;
$END:
	ret;
}
`

// TestSearchOfSeveralLaunches: no outcome is infeasible that a later launch takes, and the best
// inputs are run in all rounds.
func TestSearchOfSeveralLaunches(t *testing.T) {
	needSolvers(t)
	j := jobtest.Text(t, `module = "match.ptx"
kernel = "step"
grid = [1]
block = [8]
param = [
	{name = "v", type = "u32", count = 8, init = "uniform(0, 1000000)"}, {name = "phase", type = "u32", count = 1},
	{name = "over", type = "u32", count = 1},
]
[repeat]
then = ["advance"]
while = "over"
`, phases)
	f := mustSearch(t, j, searchOptions(30, "gdivan"))
	if x := f.Search.Explored; len(x.Notes) == 0 || !strings.Contains(x.Notes[0], "step in the first launch of a run") {
		t.Errorf("notes %q", x.Notes)
	}
	verdicts := map[bool][]string{}
	for _, outcome := range f.Search.Explored.Outcomes {
		verdicts[outcome.Taken] = append(verdicts[outcome.Taken], outcome.Verdict)
	}
	want := []string{estimate.OutcomeInfeasible, estimate.OutcomeUnknown, estimate.OutcomeCovered}
	if !slices.Equal(verdicts[true], want) {
		t.Errorf("outcomes of taken branches are %v, want %v", verdicts[true], want)
	}
	out, err := jobtest.Run(context.Background(), j, f.Best.Inputs)
	if err != nil || out.Rounds != 2 || out.Cycles != f.Analysis.Estimates[0].Cycles {
		t.Errorf("the best inputs take %d rounds and %d cycles, error %v; found were %d", out.Rounds, out.Cycles, err, f.Analysis.Estimates[0].Cycles)
	}
}
