package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/report"
	"warpbound/internal/reproduce"
	"warpbound/kernels"
)

// TestSchemaOfInterrupted holds results of which only a part is known against the schema, and prints them for people.
func TestSchemaOfInterrupted(t *testing.T) {
	schema := schemas(t)
	load := func(kernel, machine string) *warpbound.Job {
		j, err := warpbound.LoadFS(kernels.Suite(), kernel+"/job.toml", warpbound.LoadOptions{Machine: machine})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	var ctx context.Context
	var cancel context.CancelFunc
	after := func(n int) func(done, total int) {
		return func(done, _ int) {
			if done == n {
				cancel()
			}
		}
	}
	var text bytes.Buffer
	for _, c := range []struct {
		of  string
		run func() (result any, err, printed error)
	}{
		{"Analysis", func() (any, error, error) {
			a, err := load("bfs", "predictable-rr").Analyze(ctx, warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: 50, Progress: after(20)}})
			return a, err, report.Details(&text, a, nil, 1e9)
		}},
		{"Analysis", func() (any, error, error) {
			explore := warpbound.DefaultExploreOptions()
			explore.Solver, explore.FloatSolver = "sleep 1000000", "sleep 1000000"
			f, err := load("bfs", "").Search(ctx, warpbound.SearchOptions{
				Settings: warpbound.DefaultSearchSettings(), Explore: explore, Progress: func(warpbound.SearchProgress) { cancel() },
			})
			return f.Analysis, err, report.Search(&text, f.Analysis, f.Search, 1e9)
		}},
		{"Simulation", func() (any, error, error) {
			steps := 0
			r, err := load("bfs", "predictable-rr").Simulate(ctx, warpbound.SimulateOptions{Step: func(*estimate.Step) {
				if steps++; steps == 100 {
					cancel()
				}
			}})
			return &r.Simulation, err, report.Simulation(&text, &r.Simulation, 1e9)
		}},
		{"Splitting", func() (any, error, error) {
			s, err := load("bfs", "gcn3-split").CompareSplits(ctx, warpbound.CompareSplitsOptions{Vectors: 2, Choose: true, Progress: after(3)})
			return s, err, report.Splitting(&text, s, 1e9)
		}},
		{"Quotas", func() (any, error, error) {
			q, err := warpbound.BestQuota(ctx, []*warpbound.Job{load("reduction", "integrated-fermi")}, warpbound.QuotaOptions{Progress: after(2)})
			return q, err, report.Quotas(&text, q)
		}},
		{"Reproduction", func() (any, error, error) {
			r, err := reproduce.Paper(ctx, "llc", reproduce.Options{Progress: func(string, int, int) { cancel() }})
			return r, err, report.Reproduction(&text, r)
		}},
		{"Calibration", func() (any, error, error) {
			c, err := warpbound.Calibrate(ctx, warpbound.CalibrateOptions{Device: "cuda:standin", Repeats: 1, Progress: after(2)})
			return &c.Calibration, err, report.Calibration(&text, &c.Calibration)
		}},
	} {
		ctx, cancel = context.WithCancel(t.Context())
		text.Reset()
		result, err, printed := c.run()
		cancel()
		if !errors.Is(err, context.Canceled) || printed != nil {
			t.Errorf("%s: %v, %v", c.of, err, printed)
			continue
		}
		if !strings.Contains(text.String(), "INCOMPLETE (cancelled)") && !strings.Contains(text.String(), "Interrupted: ") {
			t.Errorf("%s does not say that it is incomplete:\n%s", c.of, &text)
		}
		var out bytes.Buffer
		if err := report.JSON(&out, result); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `"reason": "caller"`) {
			t.Errorf("%s: no reason in\n%s", c.of, &out)
		}
		value, err := jsonschema.UnmarshalJSON(&out)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema("#/$defs/" + c.of).Validate(value); err != nil {
			t.Errorf("%s: %v", c.of, err)
		}
	}
}
