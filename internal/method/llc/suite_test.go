package llc_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc"
	"warpbound/kernels"
)

// on returns a suite's job on a machine with integrated cores that edit changes.
func on(t testing.TB, job string, edit func(*machine.Machine)) *warpbound.Job {
	t.Helper()
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	varied := *m
	edit(&varied)
	files := fstest.MapFS{"m.toml": {Data: varied.Format()}}
	err = fs.WalkDir(kernels.Suite(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(kernels.Suite(), path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	j, err := warpbound.LoadFS(files, job, warpbound.LoadOptions{Machine: "m.toml"})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// estimates returns both estimates of a job.
func estimates(t testing.TB, j *warpbound.Job) (simple, interval *estimate.Estimate) {
	t.Helper()
	a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{llc.Simple.ID(), llc.Interval.ID()}})
	if err != nil {
		t.Fatal(err)
	}
	return &a.Estimates[0], &a.Estimates[1]
}

// TestBenchmarks bounds kernels of Table IV. All of their paths are certain but those of one, which
// depend on its data, so that its bound is a sum.
func TestBenchmarks(t *testing.T) {
	for job, maximum := range map[string]float64{ // bound divided by simulation, by Interval
		"cfdStep/job.toml":        1.08,
		"cfdAdvance/job.toml":     1.09,
		"gaussianFactor/job.toml": 1.06,
		"gaussianUpdate/job.toml": 1.09,
		"ludDiagonal/job.toml":    1.05,
		"ludPerimeter/job.toml":   1.06,
		"ludInternal/job.toml":    1.07,
		"nwLower/job.toml":        1.01,
		"sradUpdate/job.toml":     1.08,

		"sradCoefficient/job.toml": 0,
	} {
		for _, size := range []int64{256, 1024} {
			t.Run(fmt.Sprint(job, "/", size), func(t *testing.T) {
				j := on(t, job, func(m *machine.Machine) {
					m.LLC.Sets.Value = size * 1024 / 128 / m.LLC.Ways.Value
					m.Regulator.Quota.Value = 32
				})
				run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				simple, interval := estimates(t, j)
				misses := run.Counters["l2_misses"]
				for _, e := range []*estimate.Estimate{simple, interval} {
					d := e.Detail.(*estimate.LLC)
					sum := int64(0)
					for _, s := range e.Breakdown {
						sum += s.Cycles
					}
					if e.Cycles < run.Cycles || d.Misses < misses || d.Exact != (maximum > 0) || e.Evidence != estimate.Proven || sum != e.Cycles {
						t.Errorf("%s: %d cycles (%s, exact %t, shares of %d) and %d misses; the run takes %d cycles and has %d misses",
							e.Method, e.Cycles, e.Evidence, d.Exact, sum, d.Misses, run.Cycles, misses)
					}
				}
				if ratio := float64(interval.Cycles) / float64(run.Cycles); maximum > 0 && (ratio > maximum || interval.Cycles > simple.Cycles) {
					t.Errorf("bound %d, simulated %d: ratio %.3f, want at most %.2f; by Simple %d", interval.Cycles, run.Cycles, ratio, maximum, simple.Cycles)
				}
			})
		}
	}
}

// TestRefusals asks for bounds where there is none.
func TestRefusals(t *testing.T) {
	j := on(t, "vectorAdd/job.toml", func(m *machine.Machine) { m.Regulator.Switch.Value = machine.Off })
	a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{llc.Simple.ID()}})
	if err != nil || len(a.Estimates) != 1 {
		t.Errorf("%s: %v, %v", llc.Simple.ID(), a, err)
	}
	_, err = j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{llc.Interval.ID()}})
	if !errors.Is(err, llc.ErrUnregulated) {
		t.Errorf("%s without regulators: %v", llc.Interval.ID(), err)
	}
	barrel, err := warpbound.LoadFS(kernels.Suite(), "vectorAdd/job.toml", warpbound.LoadOptions{Machine: "predictable-rr"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = barrel.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{llc.Simple.ID()}})
	if !errors.Is(err, llc.ErrMachine) {
		t.Errorf("%s on a machine with barrel cores: %v", llc.Simple.ID(), err)
	}
}
