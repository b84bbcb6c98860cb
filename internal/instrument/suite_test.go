package instrument_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
	"warpbound/kernels"
)

// placements are the usual ones, and none.
func placements() map[string]method.Placement {
	return map[string]method.Placement{
		"blocks": method.EveryBlock(), "every second": method.EveryNth(2), "headers": method.LoopHeaders(),
		"none": func(p *method.Sites) ([]bool, error) { return make([]bool, len(p.Blocks)), nil },
	}
}

// TestSuite records all kernels of the suite.
func TestSuite(t *testing.T) {
	for _, r := range slices.Concat(kernels.References(), kernels.LLC(), kernels.Search()) {
		t.Run(r.Kernel, func(t *testing.T) {
			t.Parallel()
			b, err := newBench("job.toml", func(name string) ([]byte, error) {
				return fs.ReadFile(kernels.Suite(), path.Join(r.Kernel, name))
			})
			if err != nil {
				t.Fatal(err)
			}
			m := mustCheck(t, b, method.EveryBlock())
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
	if r.Observed.Max != run.End || r.Dynamic.Cycles < run.End || r.Waves.Cycles < run.End || r.List.Cycles < run.End {
		t.Errorf("%+v: hybrid/dynamic is %d, hybrid/waves %d and hybrid/list %d, but %d of %d cycles were observed",
			o, r.Dynamic.Cycles, r.Waves.Cycles, r.List.Cycles, r.Observed.Max, run.End)
	}
}

var corpus = flag.Int("corpus", 11, "of so many modules of the corpus one is recorded")

// TestCorpus records kernels as several compilers make them.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../../kernels/*/corpus/*.ptx")
	if err != nil || files == nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += *corpus {
		dir, file := filepath.Split(files[i])
		t.Run(filepath.Base(filepath.Dir(filepath.Clean(dir)))+"/"+file, func(t *testing.T) {
			t.Parallel()
			b, err := newBench("job.toml", func(name string) ([]byte, error) {
				if strings.HasSuffix(name, ".ptx") {
					name = file
				}
				return os.ReadFile(filepath.Join(dir, name))
			})
			if err != nil {
				t.Fatal(err)
			}
			mustCheck(t, b, method.EveryBlock())
		})
	}
}
