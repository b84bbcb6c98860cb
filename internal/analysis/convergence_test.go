package analysis

import (
	"io/fs"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/platform"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// turns has jobs of a kernel that goes round a loop as often as its argument says.
var turns = fstest.MapFS{
	"turns.ptx": {Data: []byte(`.version 6.0
.target sm_60
.address_size 64
.visible .entry turns(.param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
$ROUND:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, %r1;
	@%p1 bra $ROUND;
	ret;
}
`)},
	"stable.toml":  {Data: []byte(turnsJob)},
	"several.toml": {Data: []byte(turnsJob + "[[launch]]\n[[launch]]\nblock = [64]\n")},
}

const turnsJob = `module = "turns.ptx"
machine = "fermi-c2050"
grid = [2]
block = [32]
[[param]]
name = "n"
type = "u32"
range = [0, 9]
`

// turning is a file system with further files.
type turning struct {
	fs.FS
	more fstest.MapFS
}

func (f turning) Open(name string) (fs.File, error) {
	if _, ok := f.more[name]; ok {
		return f.more.Open(name)
	}
	return f.FS.Open(name)
}

// TestConvergence: each point is what an analysis of so many vectors gives, whatever the number of processors, and the last one is
// the estimate.
func TestConvergence(t *testing.T) {
	for _, c := range []struct {
		file    string
		vectors int
		saved   bool // the inputs of one vector are also run
		stable  bool
		want    []int // vectors
	}{
		{"bfs/job.toml", 12, false, false, []int{1, 2, 5, 10, 12}},
		{"petriSmall/job.toml", 20, false, false, []int{1, 2, 5, 10, 20}},
		{"petriSmall/job.toml", 20, true, false, []int{1, 2, 5, 10, 20, 21}},
		{"several.toml", 7, false, false, []int{1, 2, 5, 7}},
		{"vectorAdd/job.toml", 20, false, false, nil},
		{"stable.toml", 1000, false, true, []int{1, 2, 5, 10, 20, 50}},
	} {
		t.Run(c.file, func(t *testing.T) {
			j, err := platform.LoadFS(turning{kernels.Suite(), turns}, c.file, "")
			if err != nil {
				t.Fatal(err)
			}
			made := make(map[int]*Answer) // with one processor, by vectors
			analyze := func(vectors int) *Answer {
				t.Helper()
				if a := made[vectors]; a != nil {
					return a
				}
				spec := campaign.Spec{Vectors: vectors, UntilStable: c.stable && vectors == c.vectors}
				if c.saved && vectors == c.vectors+1 {
					spec.Vectors--
				}
				if c.saved && vectors >= c.vectors {
					spec.Inputs = []workload.SavedInputs{{File: "saved.toml", Inputs: j.First().Bound.Inputs(1000)}}
				}
				a, err := Analyze(t.Context(), j.Platform, j.Workload, Request{
					Methods: []string{"hybrid/phases", "hybrid/dynamic", "hybrid/waves"}, Campaign: spec, Unwatched: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				made[vectors] = a
				return a
			}
			a := analyze(c.vectors)
			clear(made)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			for i := range a.Estimates {
				e := &a.Estimates[i]
				var vectors []int
				for _, p := range e.Convergence {
					vectors = append(vectors, p.Vectors)
					few := analyze(p.Vectors)
					want := estimate.ConvergencePoint{Vectors: p.Vectors, Observed: few.Observed.Max, Cycles: few.Estimates[i].Cycles}
					if p != want {
						t.Errorf("%s: %+v, want %+v", e.Method, p, want)
					}
				}
				if c.stable {
					vectors = vectors[:len(vectors)-1]
				}
				if c.want != nil && !slices.Equal(vectors, c.want) || c.want == nil && vectors != nil {
					t.Errorf("%s: points for %v vectors, want %v", e.Method, vectors, c.want)
				}
				if n := len(e.Convergence); n > 0 && e.Convergence[n-1].Cycles != e.Cycles {
					t.Errorf("%s: the last point is %d cycles, not %d", e.Method, e.Convergence[n-1].Cycles, e.Cycles)
				}
			}
		})
	}
}
