package analysis

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/internal/platform"
)

// TestSimulateManyCases simulates a kernel to which divergence adds more edges than
// any analysis gathers: only its trace needs them.
func TestSimulateManyCases(t *testing.T) {
	const cases = 2950 // the square of which is more than cfg.MaxDivergentEdges
	var list, body strings.Builder
	for i := range cases {
		fmt.Fprintf(&list, ", L%d", i)
		fmt.Fprintf(&body, "L%d: add.u32 %%r0, %%r0, 1; bra E;\n", i)
	}
	files := fstest.MapFS{
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"fermi-c2050\"\ngrid = [1, 1, 1]\nblock = [64, 1, 1]\n")},
		"k.ptx": {Data: []byte(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .b32 %r<2>; mov.u32 %r0, %tid.x;\n" +
			"ts: .branchtargets " + list.String()[2:] + ";\nbrx.idx %r0, ts;\n" + body.String() + "E: ret; }\n")},
	}
	j, err := platform.LoadFS(files, "job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Simulate(context.Background(), j.Platform, j.Workload, SimulateRequest{}); err != nil {
		t.Error(err)
	}
	if _, err := Simulate(context.Background(), j.Platform, j.Workload, SimulateRequest{Trace: io.Discard}); err == nil || !strings.Contains(err.Error(), "divergence adds more than") {
		t.Errorf("with a trace: %v", err)
	}
}
