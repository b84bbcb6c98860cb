package campaign_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/fstest"

	"warpbound/internal/campaign"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
)

// TestBuffersTakeTheirSizeOnce runs vectors with buffers of all kinds of contents, of which
// a run reads nothing.
func TestBuffersTakeTheirSizeOnce(t *testing.T) {
	const size = 8 << 20
	const more = 4 << 20 // for the machine and all else
	for _, init := range []string{"zeros", "iota", "uniform(0, 1000)"} {
		files := fstest.MapFS{"k.ptx": {Data: []byte(module)}, "job.toml": {Data: fmt.Appendf(nil, `module = "k.ptx"
machine = "fermi-c2050"
grid = [1]
block = [1]
vectors = 3
[[param]]
name = "p"
type = "u32"
count = %d
init = %q
`, size/4, init)}}
		j, err := platform.LoadFS(files, "job.toml", "")
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result, _, err := campaign.Run(t.Context(), oneRunner{j.Platform}, j.Workload, campaign.Spec{}, runner.Options{}, nil)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > size+more {
			t.Errorf("%s: %d runs with %d bytes of buffers take %d bytes", init, result.Runs, size, took)
		}
	}
}

// oneRunner is a platform that makes one run after the other.
type oneRunner struct{ runner.Platform }

func (oneRunner) Workers(int, runner.Options) int { return 1 }
