package cta_test

import (
	"bytes"
	"context"
	"io/fs"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/method/cta"
	"warpbound/internal/test/effort"
	"warpbound/kernels"
)

// TestSuite pins how far the bounds of the suite's kernels are above runs. Those of kernels
// without branches or addresses that depend on data are exact.
func TestSuite(t *testing.T) {
	for job, maximum := range map[string]float64{ // bound divided by simulation
		"vectorAdd/job.toml":     1,
		"matrixMul/job.toml":     1,
		"reduction/job.toml":     1,
		"triangleSum/job.toml":   1,
		"bitonicSort/job.toml":   1.05,
		"histogram64/worst.toml": 1.07,
		"bfs/job.toml":           1.95,

		"cfdStep/job.toml":         1,
		"cfdAdvance/job.toml":      1,
		"gaussianFactor/job.toml":  1,
		"gaussianUpdate/job.toml":  1,
		"ludDiagonal/job.toml":     1,
		"ludPerimeter/job.toml":    1,
		"ludInternal/job.toml":     1,
		"nwUpper/job.toml":         1,
		"nwLower/job.toml":         1,
		"sradCoefficient/job.toml": 1.1,
		"sradSelect/job.toml":      1,
		"sradUpdate/job.toml":      1,
	} {
		t.Run(job, func(t *testing.T) {
			opts := warpbound.LoadOptions{Machine: "predictable-rr"}
			if job == "triangleSum/job.toml" {
				opts.Machine = ""
			}
			j, err := warpbound.LoadFS(kernels.Suite(), job, opts)
			if err != nil {
				t.Fatal(err)
			}
			a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{cta.ID}})
			if err != nil {
				t.Fatal(err)
			}
			run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			e := &a.Estimates[0]
			if ratio := float64(e.Cycles) / float64(run.Cycles); ratio < 1 || ratio > maximum || e.Evidence != estimate.Proven {
				t.Errorf("bound %d (%s), simulated %d: ratio %.3f, want at most %.2f", e.Cycles, e.Evidence, run.Cycles, ratio, maximum)
			}
			d := e.Detail.(*estimate.CTA)
			sum := int64(0)
			for _, s := range e.Breakdown {
				sum += s.Cycles
			}
			if sum != e.Cycles || d.Issue+d.Stall+d.Dispatch != e.Cycles {
				t.Errorf("shares of %d and parts of %d cycles, bound %d", sum, d.Issue+d.Stall+d.Dispatch, e.Cycles)
			}
		})
	}
}

// TestHugeGrid bounds grids of 2^20 CTAs and more. The time does not depend on their
// number.
func TestHugeGrid(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"job.toml", "vectorAdd.ptx"} {
		data, err := fs.ReadFile(kernels.Suite(), "vectorAdd/"+name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	job := files["job.toml"].Data
	bound := func(grid string) (cycles int64) {
		files["job.toml"] = &fstest.MapFile{Data: bytes.Replace(job, []byte("[254, 1, 1]"), []byte(grid), 1)}
		j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{Machine: "predictable-rr"})
		if err != nil {
			t.Fatal(err)
		}
		a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{cta.ID}})
		if err != nil {
			t.Fatal(err)
		}
		return a.Estimates[0].Cycles
	}
	few, twice := bound("[1048576, 1, 1]"), bound("[2097152, 1, 1]")
	if twice <= few || twice > 2*few {
		t.Errorf("a grid of 2^20 CTAs takes %d, one of 2^21 %d", few, twice)
	}
	for _, grid := range []string{"[2097152, 1, 1]", "[32767, 1024, 1]", "[1073741824, 1, 1]"} {
		effort.Grows(t, 4, func() { bound("[1048576, 1, 1]") }, func() { bound(grid) })
	}
}

// TestUnalignedCTAs bounds CTAs whose accesses begin at different places of a segment, so
// that their requests differ from one to the next, and repeat.
func TestUnalignedCTAs(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"job.toml", "vectorAdd.ptx"} {
		data, err := fs.ReadFile(kernels.Suite(), "vectorAdd/"+name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	text := files["job.toml"].Data
	for _, block := range []string{"[100, 1, 1]", "[33, 1, 1]", "[70, 1, 1]"} {
		files["job.toml"] = &fstest.MapFile{Data: bytes.Replace(text, []byte("[256, 1, 1]"), []byte(block), 1)}
		j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{Machine: "predictable-rr"})
		if err != nil {
			t.Fatal(err)
		}
		a, run := analysedAndRun(t, j)
		if e := &a.Estimates[0]; e.Cycles != run.Cycles || !e.Exact() {
			t.Errorf("block %s: bound %d, simulated %d", block, e.Cycles, run.Cycles)
		}
	}
}

// TestUnalignedRows is TestUnalignedCTAs for grids of rows and of layers. Of the three CTAs of an SM, two begin 24 bytes
// into a segment, where an access needs most requests.
func TestUnalignedRows(t *testing.T) {
	for axis, grid := range map[string]string{"y": "[1, 30]", "z": "[1, 1, 30]"} {
		a, run := boundAndRun(t, `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b32 %r<9>; .reg .b64 %d<9>;
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.`+axis+`;
	mad.lo.u32 %r4, %r2, 2, %r1; mad.lo.u32 %r4, %r3, 6, %r4;
	ld.param.u64 %d1, [p]; mul.wide.u32 %d2, %r4, 4; add.u64 %d1, %d1, %d2;
	ld.global.u32 %r5, [%d1];
	ret;
}
`, "grid = "+grid+"\nblock = [12]\n[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 300\n", warpbound.LoadOptions{})
		if e := &a.Estimates[0]; e.Cycles != run.Cycles || !e.Exact() {
			t.Errorf("%s: bound %d, simulated %d", axis, e.Cycles, run.Cycles)
		}
	}
}
