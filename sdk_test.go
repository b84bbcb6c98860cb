package warpbound_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"math"
	"slices"
	"testing"

	"warpbound"
	"warpbound/kernels"
)

var paperSizes = flag.Bool("paper-sizes", false, "run the kernels of kernels.SDK with the launches of the paper's size, too")

// TestSDKKernels runs the kernels of kernels.SDK and compares what they leave with their references.
func TestSDKKernels(t *testing.T) {
	files := []string{"job.toml"}
	if *paperSizes {
		files = append(files, "paper.toml")
	}
	for _, k := range kernels.SDK() {
		for _, file := range files {
			t.Run(k.Program+"/"+file, func(t *testing.T) {
				t.Parallel()
				j, err := warpbound.LoadFS(k.Files(), file, warpbound.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				compareSDK(t, j, k)
			})
		}
	}
}

// compareSDK runs a kernel on one vector and compares all buffers that it writes, and that it leaves the others alone.
func compareSDK(t *testing.T, j *warpbound.Job, k kernels.SDKKernel) {
	t.Helper()
	buffers, scalars := arguments(j, 0)
	run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Warnings) > 0 {
		t.Errorf("warnings %v", run.Warnings)
	}
	for name, want := range k.Compute(buffers, scalars) {
		got := run.Buffer(name)
		if k.Tolerance == 0 {
			if at := firstDifference(got, want); at >= 0 {
				t.Errorf("%s differs from the reference at byte %d", name, at)
			}
			continue
		}
		for i := 0; i < len(want); i += 4 {
			a := float64(math.Float32frombits(binary.LittleEndian.Uint32(got[i:])))
			b := float64(math.Float32frombits(binary.LittleEndian.Uint32(want[i:])))
			if off := math.Abs(a-b) / max(1, math.Abs(b)); !(off <= k.Tolerance) {
				t.Fatalf("%s[%d] is %v, want %v within %v", name, i/4, a, b, k.Tolerance)
			}
		}
	}
	for name, before := range buffers {
		if !slices.Contains(k.Outputs, name) && !bytes.Equal(before, run.Buffer(name)) {
			t.Errorf("the input %s was changed", name)
		}
	}
}
