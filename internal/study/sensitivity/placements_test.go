package sensitivity_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
	"warpbound/internal/abi"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/study/sensitivity"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

func suite(t *testing.T, kernel, on string) *platform.Job {
	t.Helper()
	j, err := platform.LoadFS(kernels.Suite(), kernel+"/job.toml", on)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestPlacements holds the smallest and largest results against those with the same placements one by one, and the estimates against
// those without them.
func TestPlacements(t *testing.T) {
	j := suite(t, "vectorAdd", "fermi-c2050")
	const others = 5
	steps := 0
	opts := sensitivity.Options{Placements: others, Progress: func(done, total int) {
		if steps++; done != steps || total != others {
			t.Errorf("%d of %d is done at step %d", done, total, steps)
		}
	}}
	req := analysis.Request{Methods: []string{"static/oblivious", "hybrid/waves"}, Campaign: campaign.Spec{Vectors: 1}}
	plain, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, req)
	if err != nil {
		t.Fatal(err)
	}
	a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, opts)
	if err != nil {
		t.Fatal(err)
	}
	got := a.Placements
	a.Placements = nil
	if diff := cmp.Diff(plain.Analysis, a.Analysis); diff != "" {
		t.Errorf("the rest of the analysis is another:\n%s", diff)
	}
	want := &estimate.Placements{Samples: others + 1, Range: sensitivity.GapRange, Align: abi.BufferAlign, Evidence: estimate.Observed, Observed: &estimate.Extent{Min: 1 << 60, MinNS: 1 << 60}}
	for i := range plain.Estimates {
		want.Estimates = append(want.Estimates, estimate.SampledEstimates{Method: plain.Estimates[i].Method, Samples: others + 1, Extent: *want.Observed})
	}
	hz := j.Machine.Clock.Core.Value
	wider := func(e *estimate.Extent, cycles int64) {
		ns := (cycles*1e9 + hz - 1) / hz
		*e = estimate.Extent{Min: min(e.Min, cycles), Max: max(e.Max, cycles), MinNS: min(e.MinNS, ns), MaxNS: max(e.MaxNS, ns)}
	}
	for i := -1; i < others; i++ {
		one := plain
		if i >= 0 {
			if one, err = analysis.Analyze(t.Context(), j.Platform, workload.Placed(j.Workload, sensitivity.Gaps(j.Spec, j.Spec.Seed, i)), req); err != nil {
				t.Fatal(err)
			}
		}
		wider(want.Observed, one.Observed.Max)
		for m := range one.Estimates {
			wider(&want.Estimates[m].Extent, one.Estimates[m].Cycles)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if steps != others || got.Observed.Min == got.Observed.Max {
		t.Errorf("%d steps; all of %d placements take %d cycles", steps, got.Samples, got.Observed.Min)
	}
	t.Logf("%+v %+v", *got.Observed, got.Estimates)

	// A machine without caches and banks takes the same time.
	j = suite(t, "vectorAdd", "predictable-rr")
	a, err = sensitivity.Analyze(t.Context(), j.Platform, j.Workload, static(), sensitivity.Options{Placements: 2})
	if err != nil {
		t.Fatal(err)
	}
	if e := a.Placements.Estimates[0]; a.Placements.Observed != nil || e.Samples != 3 || e.Min != a.Estimates[0].Cycles || e.Max != e.Min {
		t.Errorf("%+v", a.Placements)
	}
}

// TestGaps has the buffers of placements lie behind one another, aligned, and elsewhere each time.
func TestGaps(t *testing.T) {
	j := suite(t, "vectorAdd", "")
	spec, buffers := j.Spec, j.Buffers()
	in := j.First().Bound.Vector(0)
	own := j.First().NewMemory()
	if _, err := own.Fill(in); err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]bool{}
	for i := range 40 {
		gaps := sensitivity.Gaps(spec, spec.Seed, i)
		if again := sensitivity.Gaps(spec, spec.Seed, i); !cmp.Equal(gaps, again) || cmp.Equal(gaps, sensitivity.Gaps(spec, spec.Seed+1, i)) {
			t.Fatalf("gaps %v, then %v", gaps, again)
		}
		memory := workload.Placed(j.Workload, gaps).First().NewMemory()
		for range 2 { // in the same storage
			if _, err := memory.Fill(in); err != nil {
				t.Fatal(err)
			}
		}
		end, moved := uint64(0), uint64(0)
		for p := range spec.Params {
			if !slices.Contains(buffers, spec.Params[p].Name) {
				if gaps[p] != 0 {
					t.Errorf("a gap of %d bytes before what is no buffer", gaps[p])
				}
				continue
			}
			at := memory.Address(p)
			moved += gaps[p]
			if gaps[p] >= sensitivity.GapRange || at%abi.BufferAlign != 0 || at < end || at != own.Address(p)+moved {
				t.Errorf("placement %d: %s is at 0x%x, %d behind 0x%x", i, spec.Params[p].Name, at, moved, own.Address(p))
			}
			end = at + uint64(len(memory.Buffers()[p])) + abi.BufferGap
			seen[gaps[p]] = true
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d gaps are different", len(seen))
	}
}

// TestGapRange has all sets, partitions, rows and banks of the built-in machines have their turn within the range, but banks of machines
// that are like no GPU, which may have so many that a launch needs few of them.
func TestGapRange(t *testing.T) {
	for _, name := range machine.Names() {
		m, err := machine.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		l1 := m.L1.Sets.Value * m.L1.Line.Value
		partitions := max(m.L2.Partitions.Value, 1)
		l2 := partitions * m.L2.Sets.Value * m.L2.Line.Value
		llc := m.LLC.Sets.Value * m.L1.Line.Value
		dram := partitions * m.DRAM.Banks.Value * m.DRAM.Row.Value
		if m.Architecture == machine.MadeUp {
			dram = 0
		}
		if period := max(l1, l2, llc, dram); period > sensitivity.GapRange {
			t.Errorf("%s: gaps below %d bytes, the same comes again after %d", name, sensitivity.GapRange, period)
		} else {
			t.Logf("%s: %d", name, period)
		}
	}
}

// TestPlacedResults has kernels compute the same wherever their buffers lie.
func TestPlacedResults(t *testing.T) {
	for _, kernel := range []string{"vectorAdd", "matrixMul", "histogram64"} {
		j := suite(t, kernel, "")
		run := func(w *workload.Workload) (out [][]byte) {
			e := w.First().NewEmulator()
			if _, err := e.Run(t.Context(), w.First().Bound.Vector(0)); err != nil {
				t.Fatal(err)
			}
			for _, b := range e.Buffers() {
				out = append(out, bytes.Clone(b))
			}
			return out
		}
		want := run(j.Workload)
		for i := range 2 {
			if got := run(workload.Placed(j.Workload, sensitivity.Gaps(j.Spec, j.Spec.Seed, i))); !cmp.Equal(got, want) {
				t.Errorf("%s computes something else with placement %d", kernel, i)
			}
		}
	}
}

func TestPlacementErrors(t *testing.T) {
	opts := sensitivity.Options{Placements: 1}
	refuses := func(j *platform.Job, req analysis.Request, want string) {
		t.Helper()
		if a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, opts); a != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	req := static()
	req.Traces = strings.NewReader("")
	refuses(suite(t, "vectorAdd", ""), req, "traces are of runs with the buffers where they were")
	refuses(suite(t, "vectorAdd", "cuda:standin"), static(), "where buffers lie is for cuda:standin to say")
}

// TestPlacementsInterrupted has what placements showed before the context ended.
func TestPlacementsInterrupted(t *testing.T) {
	j := suite(t, "vectorAdd", "predictable-rr")
	ctx, cancel := context.WithCancel(t.Context())
	opts := sensitivity.Options{Placements: 9, Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}}
	a, err := sensitivity.Analyze(ctx, j.Platform, j.Workload, static(), opts)
	if !errors.Is(err, context.Canceled) || a == nil || a.Placements.Samples != 4 || a.Interrupted == nil || a.Interrupted.Planned != 9 || !cmp.Equal(a.Interrupted.Missing, []string{"placements"}) {
		t.Errorf("got %+v, %v", a, err)
	}
}
