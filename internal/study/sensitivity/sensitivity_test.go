package sensitivity_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/study/sensitivity"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// loadChip loads vectorAdd on a machine that has predictable-rr as its base, and how to have it on others.
func loadChip(t *testing.T, numbers string) (*platform.Job, sensitivity.Options) {
	t.Helper()
	src, err := workload.ReadFS(kernels.Suite(), "vectorAdd/job.toml")
	if err != nil {
		t.Fatal(err)
	}
	read := src.Read
	src.Read = func(name string) ([]byte, error) {
		if strings.HasSuffix(name, "chip.toml") {
			return []byte("name = \"chip\"\nbase = \"predictable-rr\"\n" + numbers), nil
		}
		return read(name)
	}
	j, err := platform.Load(src, "./chip.toml")
	if err != nil {
		t.Fatal(err)
	}
	return j, sensitivity.Options{On: func(m *machine.Machine) (runner.Platform, *workload.Workload, error) {
		other, err := j.On(m)
		if err != nil {
			return nil, nil, err
		}
		return other.Platform, other.Workload, nil
	}}
}

const (
	clock    = `clock.core = { value = 2000, unit = "Hz", source = "s", range = [1000, 4000] }` + "\n"
	count    = `sm.count = { value = 4, unit = "SMs", source = "s", basis = "assumed", range = [3, 5] }` + "\n"
	dispatch = `sm.dispatch = { value = 5, unit = "core cycles per wave", source = "s", range = [1, 9] }` + "\n"
)

func static() analysis.Request { return analysis.Request{Methods: []string{"static/cta"}} }

// TestAnalyze holds the smallest and largest estimates against those on the same machines one by one.
func TestAnalyze(t *testing.T) {
	j, opts := loadChip(t, clock+count+dispatch)
	var seen []*machine.Machine
	on := opts.On
	opts.On = func(m *machine.Machine) (runner.Platform, *workload.Workload, error) {
		seen = append(seen, m)
		return on(m)
	}
	steps := 0
	opts.Samples, opts.Progress = 6, func(done, total int) {
		if steps++; done != steps || total != 6 {
			t.Errorf("%d of %d is done at step %d", done, total, steps)
		}
	}
	req := analysis.Request{Methods: []string{"static/cta", "hybrid/waves"}, Campaign: campaign.Spec{Vectors: 1}}
	a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, opts)
	if err != nil {
		t.Fatal(err)
	}
	if steps != 6 || len(seen) != 7 { // the last has another of the assumed numbers alone
		t.Fatalf("%d steps, %d machines", steps, len(seen))
	}
	seen = seen[:6]
	want := &estimate.Sensitivity{Samples: 6, Numbers: []string{"clock.core", "sm.count", "sm.dispatch"}, Evidence: estimate.Observed}
	want.Observed = &estimate.Extent{Min: 1 << 60, MinNS: 1 << 62}
	for i, method := range []string{"hybrid/waves", "static/cta"} {
		want.Estimates = append(want.Estimates, estimate.SampledEstimates{Method: method, Samples: 6, Extent: *want.Observed})
		if a.Estimates[i].Method != method {
			t.Fatalf("estimates of %+v", a.Estimates)
		}
	}
	wider := func(e *estimate.Extent, cycles, hz int64) {
		ns := (cycles*1e9 + hz - 1) / hz
		*e = estimate.Extent{Min: min(e.Min, cycles), Max: max(e.Max, cycles), MinNS: min(e.MinNS, ns), MaxNS: max(e.MaxNS, ns)}
	}
	for _, m := range seen {
		p, w, err := on(m)
		if err != nil {
			t.Fatal(err)
		}
		one, err := analysis.Analyze(t.Context(), p, w, req)
		if err != nil {
			t.Fatal(err)
		}
		hz := m.Clock.Core.Value
		wider(want.Observed, one.Observed.Max, hz)
		for i := range one.Estimates {
			wider(&want.Estimates[i].Extent, one.Estimates[i].Cycles, hz)
		}
	}
	if diff := cmp.Diff(want, a.Sensitivity); diff != "" {
		t.Error(diff)
	}
	if s := a.Sensitivity.Estimates[1]; s.Min == s.Max {
		t.Errorf("the samples of %s are all %d", s.Method, s.Min)
	}

	// One sample is the smallest and the largest.
	opts.Samples, opts.Progress = 1, nil
	one, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, static(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if e := one.Sensitivity.Estimates[0]; e.Min == 0 || e.Min != e.Max || e.MinNS == 0 || e.MinNS != e.MaxNS || e.Samples != 1 {
		t.Errorf("one sample gives %+v", e)
	}

	// Fewer samples are the first of them, and another seed gives others.
	first := slices.Clone(seen[:2])
	seen, opts.Samples, opts.Progress = nil, 2, nil
	if _, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, static(), opts); err != nil {
		t.Fatal(err)
	}
	for i, m := range seen {
		if m.Hash() != first[i].Hash() {
			t.Errorf("sample %d depends on how many there are", i)
		}
	}
	other := *j.Workload
	spec := *other.Spec
	spec.Seed++
	other.Spec = &spec
	seen = nil
	if _, err := sensitivity.Analyze(t.Context(), j.Platform, &other, static(), opts); err != nil {
		t.Fatal(err)
	}
	if seen[0].Hash() == first[0].Hash() && seen[1].Hash() == first[1].Hash() {
		t.Error("the samples do not depend on the seed")
	}
}

func TestAnalyzeErrors(t *testing.T) {
	for _, c := range []struct{ name, numbers, want string }{
		{"no ranges", "", "no number of machine chip has a range with more than one value; state range = [LOWEST, GREATEST] beside value"},
		{"one value", `sm.count = { value = 4, unit = "SMs", source = "s", range = [4, 4] }`, "no number of machine chip has a range"},
		{"no machine", `sm.cta_threads = { value = 512, unit = "threads per CTA", source = "s", range = [256, 512] }
sm.threads = { value = 1024, unit = "threads per SM", source = "s", range = [128, 1024] }`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, opts := loadChip(t, c.numbers)
			opts.Samples = 2
			a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, static(), opts)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || a != nil) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	// The launch has CTAs of 256 threads.
	j, opts := loadChip(t, `sm.cta_threads = { value = 512, unit = "threads per CTA", source = "s", range = [1, 512] }`)
	opts.Samples = 20
	a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, static(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if n := a.Sensitivity.Estimates[0].Samples; n == 0 || n == 20 || a.Sensitivity.Samples != 20 {
		t.Errorf("the launch fits %d machines of %d", n, a.Sensitivity.Samples)
	}
	req := static()
	req.Observe = true
	if a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, opts); a != nil || err == nil || !strings.Contains(err.Error(), " of the ranges of machine chip: vectorAdd/job.toml:") {
		t.Errorf("runs of a launch that does not fit: %v", err)
	}
	j, opts = loadChip(t, count)
	req = static()
	req.Traces, opts.Samples = strings.NewReader(""), 1
	if _, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, opts); err == nil || !strings.Contains(err.Error(), "traces are of one machine") {
		t.Error(err)
	}
}

// TestInterrupted has what the machines showed before the context ended.
func TestInterrupted(t *testing.T) {
	j, opts := loadChip(t, count)
	ctx, cancel := context.WithCancel(t.Context())
	opts.Samples, opts.Progress = 9, func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}
	a, err := sensitivity.Analyze(ctx, j.Platform, j.Workload, static(), opts)
	if !errors.Is(err, context.Canceled) || a == nil || a.Sensitivity.Samples != 3 || a.Interrupted == nil || a.Interrupted.Reason != estimate.ByCaller || a.Interrupted.Planned != 9 {
		t.Errorf("got %+v, %v", a, err)
	}
	if a, err := sensitivity.Analyze(ctx, j.Platform, j.Workload, static(), opts); !errors.Is(err, context.Canceled) || a != nil {
		t.Errorf("before any: %+v, %v", a, err)
	}
}

// TestNone makes no samples where none are asked for, whatever the machine.
func TestNone(t *testing.T) {
	j, opts := loadChip(t, "")
	if a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, static(), opts); err != nil || a.Sensitivity != nil {
		t.Errorf("%+v, %v", a, err)
	}
}
