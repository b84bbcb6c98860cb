package kernels

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The facts of a benchmark are those of its source, its module and its jobs.
func TestSearchBenchmarks(t *testing.T) {
	facts := SearchBenchmarks()
	if len(facts) != len(Search()) {
		t.Fatalf("%d benchmarks, %d references", len(facts), len(Search()))
	}
	for i, b := range facts {
		if name := Search()[i].Kernel; b.Kernel != name {
			t.Errorf("benchmark %s at the place of %s", b.Kernel, name)
		}
		dir := os.DirFS(b.Kernel)
		job := readJob(t, dir)
		if threads := job.Grid[0] * job.Block[0]; threads != b.Threads {
			t.Errorf("%s: the job has %d threads, the table %d", b.Kernel, threads, b.Threads)
		}
		module, err := fs.ReadFile(dir, job.Module)
		if err != nil {
			t.Fatal(err)
		}
		if branches := conditionalBranches(string(module)); branches != b.Branches {
			t.Errorf("%s: the module has %d conditional branches, the table %d", b.Kernel, branches, b.Branches)
		}
		source, err := fs.ReadFile(dir, b.Kernel+".cu")
		if err != nil {
			t.Fatal(err)
		}
		var ifs, loops int
		for line := range strings.Lines(string(source)) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "} ")
			switch {
			case strings.HasPrefix(line, "if ("):
				ifs++
			case strings.HasPrefix(line, "for ("), strings.HasPrefix(line, "while (") && strings.HasSuffix(line, "{"),
				strings.HasPrefix(line, "while (i "), line == "do {":
				loops++
			}
		}
		if ifs != b.Ifs || loops != b.Loops {
			t.Errorf("%s: the source has %d ifs and %d loops, the table %d and %d", b.Kernel, ifs, loops, b.Ifs, b.Loops)
		}
		files, err := fs.Glob(dir, "*.toml")
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(append([]string{"job.toml", b.Tiny, b.Worst}, b.Alone...), func(file string) bool { return file == "" })
		slices.Sort(want)
		if !slices.Equal(files, want) {
			t.Errorf("%s has the jobs %v, the table %v", b.Kernel, files, want)
		}
		if b.Tiny != "" {
			if n := countInputs(t, readJobFile(t, dir, b.Tiny)); n != b.TinyInputs || n > 1<<16 {
				t.Errorf("%s has %d inputs, the table says %d", path.Join(b.Kernel, b.Tiny), n, b.TinyInputs)
			}
		}
		if b.Worst != "" {
			if n := countInputs(t, readJobFile(t, dir, b.Worst)); n != 1 {
				t.Errorf("%s has %d inputs", path.Join(b.Kernel, b.Worst), n)
			}
		}
	}
}

// TestSearchGraphs: the search of the job starts at vertex 0, and the worst graph known is a
// chain. The last of the four edges of vertex v leads to v + 1, the others back.
func TestSearchGraphs(t *testing.T) {
	source := make([]uint32, 1024)
	source[0] = 1
	checkFile(t, "bfsExpand/source.bin", wordBytes(source), "says the source of the search")
	edges := make([]uint32, 2048)
	for i := range edges {
		edges[i] = uint32(min(max(i-2, 0), 1023))
	}
	checkFile(t, "bfsExpand/chain.bin", wordBytes(edges), "makes a chain of start = 0, 1, 2, ... and degree 4")
}

// conditionalBranches counts them in a module.
func conditionalBranches(module string) int {
	n := 0
	for line := range strings.Lines(module) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "@") && strings.Contains(line, "bra") {
			n++
		}
	}
	return n
}

// countInputs returns how many different inputs a job of integers can draw.
func countInputs(t *testing.T, job jobFile) int {
	t.Helper()
	inputs := 1.0
	for _, p := range job.Param {
		if !strings.HasPrefix(p.Init, "uniform") {
			continue
		}
		var low, high int
		if _, err := fmt.Sscanf(p.Init, "uniform(%d, %d)", &low, &high); err != nil {
			t.Fatalf("%s: %v", p.Init, err)
		}
		inputs *= math.Pow(float64(high-low+1), float64(p.Count))
	}
	return int(inputs)
}

// Whatever moves in a square of walls and obstacles stays in it.
func TestLBMConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.IntRange(1, 6).Draw(t, "edge")
		cells := edge * edge
		// So even that no limit is reached.
		now := rapid.SliceOfN(rapid.Float32Range(0.45, 0.5), 9*cells, 9*cells).Draw(t, "now")
		flags := rapid.SliceOfN(rapid.Uint32Range(0, lbmObstacle), cells, cells).Draw(t, "flags")
		out := lbm(map[string][]byte{
			"now": floatBytes(now), "next": make([]byte, 4*len(now)),
			"flags": wordBytes(flags), "probe": make([]byte, 4*11*cells),
		}, map[string]uint64{"edge": uint64(edge)})
		var before, after float64
		for i, f := range floats(out["next"]) {
			before, after = before+float64(now[i]), after+float64(f)
		}
		if math.Abs(after-before) > 1e-5*before {
			t.Fatalf("%g before, %g after", before, after)
		}
	})
}

// At rest, the populations by their weights stay what they are.
func TestLBMRests(t *testing.T) {
	const edge, cells = 3, 9
	var now []float32
	for _, d := range lbmDirections {
		now = append(now, slices.Repeat([]float32{4 * d.weight}, cells)...)
	}
	out := lbm(map[string][]byte{
		"now": floatBytes(now), "next": make([]byte, 4*len(now)),
		"flags": make([]byte, 4*cells), "probe": make([]byte, 4*11*cells),
	}, map[string]uint64{"edge": edge})
	for i, f := range floats(out["next"]) {
		if math.Abs(float64(f-now[i])) > 1e-6 {
			t.Errorf("population %d of cell %d becomes %g from %g", i/cells, i%cells, f, now[i])
		}
	}
}
