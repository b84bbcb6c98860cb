package split_test

import (
	"context"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/internal/machine"
	"warpbound/kernels"
)

// TestBarrierDelays bounds kernels with barriers on machines that take long from the last arrival at a
// barrier until its wavefronts are ready, so that what the barriers cost decides.
func TestBarrierDelays(t *testing.T) {
	builtin, err := machine.Builtin("gcn3-split")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, path := range []string{
		"bitonicSort/job.toml", "bitonicSort/bitonicSort.ptx", "reduction/job.toml", "reduction/reduction.ptx",
		"triangleSum/job.toml", "triangleSum/triangleSum.simt",
	} {
		data, err := fs.ReadFile(kernels.Suite(), path)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = &fstest.MapFile{Data: data}
	}
	for _, delay := range []int64{4, 60, 100_000} {
		m := *builtin
		m.SM.Barrier.Value = delay
		files["m.toml"] = &fstest.MapFile{Data: m.Format()}
		for _, job := range []string{"bitonicSort/job.toml", "reduction/job.toml", "triangleSum/job.toml"} {
			whole, err := warpbound.LoadFS(files, job, warpbound.LoadOptions{Machine: "m.toml"})
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range whole.Modes() {
				t.Run(fmt.Sprint(job, "/", delay, "/", mode), func(t *testing.T) {
					j, err := whole.Split(warpbound.SplitOptions{Mode: mode})
					if err != nil {
						t.Fatal(err)
					}
					a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + mode}, Runs: warpbound.Runs{Observe: true, Vectors: 1}})
					if err != nil {
						t.Fatal(err)
					}
					check(t, a, mode, 1.7)
				})
			}
		}
	}
}
