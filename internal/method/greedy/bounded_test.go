package greedy_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/analysis"
	"warpbound/internal/method/greedy"
	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/goldentest"
	"warpbound/kernels"
)

// aim is how far the bound may be above the longest run on a machine that is made to be bounded.
const aim = 3

// boundedMachines are made to be bounded: like a model, but for what docs/machine-model/bounded.md
// says. Kernels whose bound is further above the run than the aim are listed with their limit
// there.
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

// little are kernels that it takes little to run and bound, on each machine.
var little = []string{"cfdAdvance", "gaussianFactor", "gaussianUpdate", "linkedList", "ludDiagonal", "substringSearch", "triangleSum"}

// boundedFile has a line for each machine and kernel: the longest run on the model and on the
// machine, and the bound, 0 if there is none.
const boundedFile = "testdata/bounded.txt"

// boundedLine runs and bounds a kernel.
func boundedLine(t *testing.T, machine, model, kernel string) string {
	t.Helper()
	on := func(machine string) *platform.Job {
		j, err := platform.LoadFS(kernels.Suite(), kernel+"/job.toml", machine)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j, bound := on(machine), int64(0)
	a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{greedy.ID}})
	if err == nil {
		bound = a.Estimates[0].Cycles
	} else if kernel != unboundedLoop {
		t.Errorf("%s: %v", kernel, err)
	}
	return fmt.Sprintf("%s %s %d %d %d", machine, kernel, longestRun(t, on(model)), longestRun(t, j), bound)
}

// TestBoundedMachines holds the machines that are made to be bounded to what is said of them: how
// much slower than their models they are, and how far bounds are above the runs. The file says so
// of all kernels. Of a few of these it is found out again, and of any that the file has not.
func TestBoundedMachines(t *testing.T) {
	jobs, err := fs.Glob(kernels.Suite(), "*/job.toml")
	if err != nil || len(jobs) == 0 {
		t.Fatalf("no kernels: %v", err)
	}
	text, err := os.ReadFile(boundedFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := make(map[string]string) // by machine and kernel
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 2 {
			lines[f[0]+" "+f[1]] = strings.TrimSpace(line)
		}
	}
	sampled := make(map[int]bool) // by the number of the machine and the kernel
	for n := range len(boundedMachines) * len(jobs) {
		sampled[n] = false
	}
	for _, n := range effort.Some(t, slices.Sorted(maps.Keys(sampled)), 1) {
		sampled[n] = true
	}
	var all strings.Builder
	for m, c := range boundedMachines {
		logs, count := 0.0, 0
		table := ""
		for k, file := range jobs {
			kernel := path.Dir(file)
			if kernel == unboundedRounds {
				continue
			}
			line, ok := lines[c.name+" "+kernel]
			if !ok || slices.Contains(little, kernel) || sampled[m*len(jobs)+k] {
				line = boundedLine(t, c.name, c.model, kernel)
			}
			fmt.Fprintln(&all, line)
			var model, run, bound int64
			if _, err := fmt.Sscanf(line, c.name+" "+kernel+" %d %d %d", &model, &run, &bound); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			logs += math.Log(float64(run) / float64(model))
			count++
			row := fmt.Sprintf("| `%s` | %d | %d | %.2f |", kernel, model, run, float64(run)/float64(model))
			if bound == 0 {
				table += row + " | |\n"
				continue
			}
			ratio := float64(bound) / float64(run)
			table += row + fmt.Sprintf(" %d | %.2f |\n", bound, ratio)
			switch limit := cmp.Or(c.misses[kernel], aim); {
			case bound < run:
				t.Errorf("%s runs for %d cycles, bound %d", kernel, run, bound)
			case ratio > limit:
				t.Errorf("%s: the bound is %.2f times the run, more than %g", kernel, ratio, limit)
			}
		}
		slower := math.Exp(logs / float64(count))
		t.Logf("%.3f times the run on %s as the geometric mean of %d kernels\n| kernel | `%s` | `%s` | slower | bound | bound / run |\n|---|---|---|---|---|---|\n%s", slower, c.model, count, c.model, c.name, table)
		if slower > c.slower {
			t.Errorf("%.3f times the run on %s, more than %g", slower, c.model, c.slower)
		}
	}
	goldentest.Check(t, boundedFile, all.String())
}
