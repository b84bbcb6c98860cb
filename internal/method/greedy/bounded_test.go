package greedy_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"warpbound/internal/analysis"
	"warpbound/internal/method/greedy"
	"warpbound/internal/platform"
)

// aim is how far the bound may be above the longest run on a machine that is made to be bounded.
const aim = 3

// boundedMachines are made to be bounded: like a model, but for what docs/machine-model/bounded.md says. Kernels whose bound is further
// above the run than the aim are listed with their limit there.
var boundedMachines = []struct {
	name, model string
	slower      float64 // than the model, at most, as the geometric mean over the suite
	misses      map[string]float64
}{
	{"fermi-bounded", "fermi-c2050", 1.15, map[string]float64{
		"artificial": 302.5, "bfs": 11.7, "halfMul": 3.4, "histogram64": 6.8, "insertionSort": 4.3, "petri": 38.9,
		"substringSearch": 6.5,
	}},
	{"ampere-bounded", "a100", 1.15, map[string]float64{
		"artificial": 602.6, "bfs": 14.9, "gaussianUpdate": 3.4, "halfMul": 3.7, "histogram64": 4.8, "insertionSort": 5.9,
		"lbm": 3.3, "matrixMul": 3.2, "nwLower": 3.1, "nwUpper": 3.9, "petri": 72.2, "petriSmall": 3.2, "sradUpdate": 3.1,
		"substringSearch": 8.4,
	}},
}

// Of these kernels, loops or how often a run launches them depend on data.
const unboundedLoop, unboundedRounds = "knapsack", "bfsExpand"

// longestRun returns the longest of the first runs of a job on a machine.
func longestRun(t *testing.T, j *platform.Job) int64 {
	t.Helper()
	longest := int64(0)
	for vector := range 3 {
		run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{Vector: vector})
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, run.Cycles)
	}
	return longest
}

// TestBoundedMachines holds the machines that are made to be bounded to what is said of them: how much slower than their models they are, and how
// far bounds are above the runs.
func TestBoundedMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates the suite four times")
	}
	jobs, err := filepath.Glob("../../../kernels/*/job.toml")
	if err != nil || len(jobs) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	files := os.DirFS("../../../kernels")
	for _, c := range boundedMachines {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			logs, n := 0.0, 0
			table := ""
			for _, file := range jobs {
				kernel := filepath.Base(filepath.Dir(file))
				if kernel == unboundedRounds {
					continue
				}
				on := func(machine string) *platform.Job {
					j, err := platform.LoadFS(files, kernel+"/job.toml", machine)
					if err != nil {
						t.Fatal(err)
					}
					return j
				}
				j := on(c.name)
				model, run := longestRun(t, on(c.model)), longestRun(t, j)
				logs += math.Log(float64(run) / float64(model))
				n++
				row := fmt.Sprintf("| `%s` | %d | %d | %.2f |", kernel, model, run, float64(run)/float64(model))
				if a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{greedy.ID}}); err != nil {
					if kernel != unboundedLoop {
						t.Errorf("%s: %v", kernel, err)
					}
					row += " | |"
				} else {
					bound := a.Estimates[0].Cycles
					ratio := float64(bound) / float64(run)
					limit := cmp.Or(c.misses[kernel], aim)
					switch {
					case bound < run:
						t.Errorf("%s runs for %d cycles, bound %d", kernel, run, bound)
					case ratio > limit:
						t.Errorf("%s: the bound is %.2f times the run, more than %g", kernel, ratio, limit)
					}
					row += fmt.Sprintf(" %d | %.2f |", bound, ratio)
				}
				table += row + "\n"
			}
			slower := math.Exp(logs / float64(n))
			t.Logf("%.3f times the run on %s as the geometric mean of %d kernels\n| kernel | `%s` | `%s` | slower | bound | bound / run |\n|---|---|---|---|---|---|\n%s", slower, c.model, n, c.model, c.name, table)
			if slower > c.slower {
				t.Errorf("%.3f times the run on %s, more than %g", slower, c.model, c.slower)
			}
		})
	}
}
