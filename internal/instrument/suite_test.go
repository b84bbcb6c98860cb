package instrument_test

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"testing"

	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
	"warpbound/kernels"
)

// placements are the usual ones, and none.
func placements() map[string]hybrid.Placement {
	return map[string]hybrid.Placement{
		"blocks": hybrid.EveryBlock(), "every second": hybrid.EveryNth(2), "headers": hybrid.LoopHeaders(),
		"none": func(p *hybrid.Program) ([]bool, error) { return make([]bool, len(p.Blocks)), nil },
	}
}

// TestSuite records all kernels of the suite.
func TestSuite(t *testing.T) {
	for _, r := range slices.Concat(kernels.References(), kernels.LLC()) {
		t.Run(r.Kernel, func(t *testing.T) {
			t.Parallel()
			b, err := newBench("job.toml", func(name string) ([]byte, error) {
				return fs.ReadFile(kernels.Suite(), path.Join(r.Kernel, name))
			})
			if err != nil {
				t.Fatal(err)
			}
			m := mustCheck(t, b, hybrid.EveryBlock())
			checkCovers(t, m.ipg, hybrid.Options{Clocks: trace.PerSM, Unknown: true}, &m.recorded)
			checkCovers(t, m.ipg, hybrid.Options{}, &m.simulated)
			if r.Kernel != "bfs" { // where threads race for what they visit, so time decides
				if err := same(&m.recorded, &m.without); err != nil {
					t.Error(err)
				}
			}
			if len(m.code.Missing) > 0 || m.Ambiguous > 0 {
				t.Errorf("blocks %v have no ipoint, %d warps have several paths", m.code.Missing, m.Ambiguous)
			}
		})
	}
}

// checkCovers checks that the estimates cover a run, by the clock of its trace.
func checkCovers(t *testing.T, g *hybrid.IPG, o hybrid.Options, run *trace.Run) {
	t.Helper()
	p := hybrid.NewProfileOf(g, o)
	if err := run.Replay(p); err != nil {
		t.Fatal(err)
	}
	r, err := hybrid.Analyze(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Observed.Max != run.End || r.Dynamic.Cycles < run.End || r.Waves.Cycles < run.End {
		t.Errorf("%+v: hybrid/dynamic is %d and hybrid/waves %d, but %d of %d cycles were observed",
			o, r.Dynamic.Cycles, r.Waves.Cycles, r.Observed.Max, run.End)
	}
}
