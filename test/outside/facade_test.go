package outside

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"warpbound"
	"warpbound/jobs"
)

// TestJobInGo simulates and analyses a job that no file describes.
func TestJobInGo(t *testing.T) {
	job, err := warpbound.New(Scale(16), warpbound.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	run, err := job.Simulate(ctx, warpbound.SimulateOptions{Chain: true})
	if err != nil {
		t.Fatal(err)
	}
	if covered := Covered(run.Chain); covered != run.Cycles {
		t.Errorf("the chain of causes covers %d of %d cycles", covered, run.Cycles)
	}
	analysis, err := job.Analyze(ctx, warpbound.AnalyzeOptions{Methods: []string{"static/cta"}, Runs: warpbound.Runs{Vectors: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if len(analysis.Estimates) != 1 || analysis.Estimates[0].Cycles < run.Cycles {
		t.Errorf("%d cycles are not below %+v", run.Cycles, analysis.Estimates)
	}
	for _, e := range analysis.Estimates {
		if text, err := Details(e.Detail); err != nil || e.Detail == nil {
			t.Errorf("%s: %q, %v", e.Method, text, err)
		}
	}
}

// TestJobOfFile reads a detail of each method from a job of the suite.
func TestJobOfFile(t *testing.T) {
	for machine, methods := range map[string][]string{
		"predictable-rr":   {"static/cta"},
		"integrated-fermi": {"static/llc-simple", "static/llc-interval"},
		"fermi-c2050":      {"hybrid/warp", "hybrid/dynamic", "hybrid/waves", "hybrid/list"},
	} {
		job, err := warpbound.Load(filepath.Join("..", "..", "kernels", "vectorAdd", "job.toml"), warpbound.LoadOptions{Machine: machine})
		if err != nil {
			t.Fatal(err)
		}
		analysis, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: methods, Runs: warpbound.Runs{Vectors: 5}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range analysis.Estimates {
			if text, err := Details(e.Detail); err != nil || e.Detail == nil {
				t.Errorf("%s: %q, %v", e.Method, text, err)
			}
		}
	}
}

// TestErrors tells apart what goes wrong with wrong jobs.
func TestErrors(t *testing.T) {
	count := Scale(16)
	count.Params[0].Count = 0
	fault := Scale(16)
	fault.Params[1] = jobs.Scalar("n", jobs.U32, 1<<20)
	limited := Scale(16)
	for _, c := range []struct {
		job  jobs.Job
		opts warpbound.SimulateOptions
		want string
	}{
		{count, warpbound.SimulateOptions{}, "at scale: Params[0] (x).Count"},
		{fault, warpbound.SimulateOptions{}, "fault"},
		{limited, warpbound.SimulateOptions{MaxCycles: 10}, "limit"},
	} {
		job, err := warpbound.New(c.job, warpbound.LoadOptions{})
		if err == nil {
			_, err = job.Simulate(context.Background(), c.opts)
		}
		if kind := Kind(err); len(kind) < len(c.want) || kind[:len(c.want)] != c.want {
			t.Errorf("%v is %q, not %s", err, kind, c.want)
		}
	}
}

// TestSaved writes the job as files, which load as the same job.
func TestSaved(t *testing.T) {
	files, err := warpbound.Render(Scale(16))
	if err != nil {
		t.Fatal(err)
	}
	dir, file := t.TempDir(), ""
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".toml" {
			file = filepath.Join(dir, name)
		}
	}
	saved, err := warpbound.Load(file, warpbound.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	built, err := warpbound.New(Scale(16), warpbound.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var cycles [2]int64
	for i, job := range []*warpbound.Job{saved, built} {
		run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		cycles[i] = run.Cycles
	}
	if cycles[0] != cycles[1] {
		t.Errorf("%d cycles as a file, %d as a value", cycles[0], cycles[1])
	}
}
