package sensitivity_test

import (
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

// TestPolicies holds the runs under every choice against those on the same machines one by one, and the estimates against those
// without them.
func TestPolicies(t *testing.T) {
	src, err := workload.ReadFS(kernels.Suite(), "bitonicSort/job.toml")
	if err != nil {
		t.Fatal(err)
	}
	read := src.Read
	src.Read = func(name string) ([]byte, error) {
		if strings.HasSuffix(name, "chip.toml") {
			return []byte("name = \"chip\"\nbase = \"fermi-c2050\"\nsm.independent_threads = { value = \"on\", source = \"s\" }\n"), nil
		}
		return read(name)
	}
	for _, c := range []struct {
		machine string
		choices int
	}{{"fermi-c2050", 28}, {"./chip.toml", 31}} {
		j, err := platform.Load(src, c.machine)
		if err != nil {
			t.Fatal(err)
		}
		var seen []*machine.Machine
		opts := sensitivity.Options{Policies: true, On: func(m *machine.Machine) (runner.Platform, *workload.Workload, error) {
			seen = append(seen, m)
			on, err := j.On(m)
			if err != nil {
				return nil, nil, err
			}
			return on.Platform, on.Workload, nil
		}}
		req := analysis.Request{Observe: true, EndToEnd: true, Methods: []string{}, Campaign: campaign.Spec{Vectors: 2}}
		plain, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, sensitivity.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, opts)
		if err != nil {
			t.Fatal(err)
		}
		got := a.Policies
		a.Policies = nil
		if diff := cmp.Diff(plain.Analysis, a.Analysis); diff != "" {
			t.Errorf("%s: the rest of the analysis is another:\n%s", c.machine, diff)
		}
		if len(got.Runs) != c.choices || len(seen) != c.choices || got.Vectors != 2 || got.Evidence != estimate.Observed {
			t.Fatalf("%s: %d choices, %d machines, %+v", c.machine, len(got.Runs), len(seen), got)
		}
		if got.Runs[0].Max != plain.Observed.Max {
			t.Errorf("%s: %d cycles as the machine says, observed %d", c.machine, got.Runs[0].Max, plain.Observed.Max)
		}
		smallest, largest, hashes := int64(1<<60), int64(0), map[string]bool{}
		for i, m := range seen {
			on, err := j.On(m)
			if err != nil {
				t.Fatal(err)
			}
			alone := req
			alone.Unwatched = true
			one, err := analysis.Analyze(t.Context(), on.Platform, on.Workload, alone)
			if err != nil || got.Runs[i].Failed != "" {
				t.Fatalf("%s: %+v: %v", c.machine, got.Runs[i], err)
			}
			if one.Observed.Max != got.Runs[i].Max {
				t.Errorf("%s: %+v, alone %d", c.machine, got.Runs[i], one.Observed.Max)
			}
			smallest, largest = min(smallest, got.Runs[i].Max), max(largest, got.Runs[i].Max)
			hashes[m.Hash()] = true
		}
		s := got.Spread
		if len(hashes) != c.choices || s.Min != smallest || s.Max != largest || got.Runs[s.Shortest].Max != smallest || got.Runs[s.Longest].Max != largest || smallest == largest {
			t.Errorf("%s: %d machines, between %d and %d: %+v", c.machine, len(hashes), smallest, largest, s)
		}
		t.Logf("%s: %+v", c.machine, *s)
	}
	j, opts := loadChip(t, "")
	opts.Policies = true
	if _, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, static(), opts); err == nil || !strings.Contains(err.Error(), "leaves no choice of policies") {
		t.Error(err)
	}
	req := static()
	req.Traces = strings.NewReader("")
	if _, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, opts); err == nil || !strings.Contains(err.Error(), "traces are of one choice") {
		t.Error(err)
	}
}
