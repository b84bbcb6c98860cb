package analysis

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/platform"
	"warpbound/kernels"
)

// suiteJobWith is a job of the suite, in which loops have bounds that are far above what runs show.
func suiteJobWith(t *testing.T, kernel string, bounds bool) *platform.Job {
	t.Helper()
	files := fstest.MapFS{}
	suite, err := fs.Sub(kernels.Suite(), kernel)
	if err != nil {
		t.Fatal(err)
	}
	if err := fs.WalkDir(suite, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(suite, name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	j, err := platform.LoadFS(files, "job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	if !bounds {
		return j
	}
	text := string(files["job.toml"].Data) + "\n[loop]\n"
	g := j.First().Graph
	for _, l := range g.Loops().Loops {
		text += fmt.Sprintf("%q = 1000\n", g.Name(l.Header))
	}
	files["job.toml"].Data = []byte(text)
	if j, err = platform.LoadFS(files, "job.toml", ""); err != nil {
		t.Fatal(err)
	}
	return j
}

// TestPlacements: each placement that hybrid/placements tried is one that can be asked for, with the same path of a warp and
// with no word of a loop bound that has no effect, and no run exceeds the least.
func TestPlacements(t *testing.T) {
	tried := 0
	for _, kernel := range []string{"bitonicSort", "histogram64", "insertionSort", "bfs", "reduction", "petriSmall"} {
		for _, stated := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stated %t", kernel, stated), func(t *testing.T) {
				j := suiteJobWith(t, kernel, stated)
				ask := func(at method.Placement, id string) *estimate.Estimate {
					req := Request{Methods: []string{id}, Ipoints: at, Campaign: campaign.Spec{Vectors: 2}, Unwatched: true}
					a, err := Analyze(t.Context(), j.Platform, j.Workload, req)
					if err != nil {
						t.Fatal(err)
					}
					if slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "unused-loop-bound" }) {
						t.Errorf("%s: a stated bound has no effect", id)
					}
					if a.Estimates[0].Cycles < a.Observed.Max {
						t.Errorf("%s is %d, and a run took %d", id, a.Estimates[0].Cycles, a.Observed.Max)
					}
					return &a.Estimates[0]
				}
				d := ask(nil, hybrid.Placed).Detail.(*estimate.HybridPlacements)
				shortest := d.Warp
				for _, p := range d.Placements {
					at, err := method.ParsePlacement(strings.Replace(p.Placement, "recorded", "blocks", 1))
					if err != nil {
						t.Fatal(err)
					}
					if e := ask(at, hybrid.Dynamic); e.Cycles != p.Warp+d.Jitter {
						t.Errorf("%s with --ipoints %s is %d, and %s says %d", hybrid.Dynamic, p.Placement, e.Cycles, hybrid.Placed, p.Warp+d.Jitter)
					}
					shortest = min(shortest, p.Warp)
					tried++
				}
				if shortest != d.Warp {
					t.Errorf("the shortest path takes %d, not %d", shortest, d.Warp)
				}
			})
		}
	}
	if tried < 20 {
		t.Errorf("%d placements tried", tried)
	}
}
