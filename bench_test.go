package warpbound_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"warpbound/internal/job"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/kernels"
)

// BenchmarkKernels measures simulated warp instructions per second for every
// kernel of the suite that all methods are measured with, and for those of testdata/bench, which
// have what these lack: functional is the emulator alone, cycle the cycle-level
// simulator. `make bench` prints one line for each.
func BenchmarkKernels(b *testing.B) {
	for _, name := range kernels.Names() {
		benchmarkKernel(b, kernels.Suite(), name)
	}
	for _, name := range []string{"fastMath", "halfPrecision", "nbody", "vectorLoads"} {
		benchmarkKernel(b, os.DirFS("testdata/bench"), name)
	}
}

func benchmarkKernel(b *testing.B, files fs.FS, name string) {
	j, err := platform.LoadFS(files, name+"/job.toml", "")
	if err != nil {
		b.Fatal(err)
	}
	in := j.First().Bound.Inputs(0)
	b.Run(name+"/functional", func(b *testing.B) { benchmarkFunctional(b, j, in) })
	b.Run(name+"/cycle", func(b *testing.B) { benchmarkCycle(b, j, in) })
}

func benchmarkCycle(b *testing.B, j *platform.Job, in *job.Inputs) {
	g := j.First().Graph
	recording, err := hybrid.Method{}.Record(&method.Problem{Graph: g, Machine: j.Machine}, method.EveryBlock())
	if err != nil {
		b.Fatal(err)
	}
	chosen := slices.Repeat([]bool{true}, len(g.Blocks))
	r, err := j.Platform.Open(j.Workload, runner.Options{Record: []*runner.Record{{Chosen: chosen, Points: recording.Points(), Graph: recording}}})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	instrs := slices.Index(runner.NoveltyCounters(), "warp_instructions")
	var counters []int64
	report(b, func() int64 {
		out, err := r.Run(context.Background(), in, nil)
		if err != nil {
			b.Fatal(err)
		}
		counters = out.Statistics.Novelty(counters[:0])
		return counters[instrs]
	})
}

func benchmarkFunctional(b *testing.B, j *platform.Job, in *job.Inputs) {
	e := j.First().NewEmulator()
	report(b, func() int64 {
		c, err := e.Run(context.Background(), in)
		if err != nil {
			b.Fatal(err)
		}
		return c.WarpInstrs
	})
}

// report runs the benchmark and reports the rate of what run counts. The first
// run, which makes what later ones use again, is not measured.
func report(b *testing.B, run func() int64) {
	b.ReportAllocs()
	run()
	count := int64(0)
	for b.Loop() {
		count += run()
	}
	b.ReportMetric(float64(count)/b.Elapsed().Seconds(), "warp-instr/s")
}

// BenchmarkEvaluate measures runs per second of launches of 32 and of 32768 threads on inputs
// that differ, as a search makes them, on every kind of machine.
func BenchmarkEvaluate(b *testing.B) {
	module, err := fs.ReadFile(kernels.Suite(), "vectorAdd/vectorAdd.ptx")
	if err != nil {
		b.Fatal(err)
	}
	for _, machine := range []string{"fermi-c2050", "predictable-rr", "integrated-fermi", "gcn3-split"} {
		for _, threads := range []int{32, 1 << 15} {
			buffer := `{name = "%s", type = "f32", count = %d, init = "uniform(-1, 1)"}, `
			text := fmt.Sprintf("module = 'vectorAdd.ptx'\ngrid = [%d]\nblock = [%d]\nparam = [", max(threads/256, 1), min(threads, 256))
			for _, name := range []string{"a", "b", "c"} {
				text += fmt.Sprintf(buffer, name, threads)
			}
			text += fmt.Sprintf("{name = 'n', type = 'u32', value = %d}]\n", threads)
			files := fstest.MapFS{"vectorAdd.ptx": {Data: module}, "job.toml": {Data: []byte(text)}}
			j, err := platform.LoadFS(files, "job.toml", machine)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%d", machine, threads), func(b *testing.B) { benchmarkEvaluate(b, j) })
		}
	}
}

func benchmarkEvaluate(b *testing.B, j *platform.Job) {
	r, err := j.Platform.Open(j.Workload, runner.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	inputs := []*job.Inputs{j.First().Bound.Inputs(0), j.First().Bound.Inputs(1)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := r.Run(context.Background(), inputs[i%2], nil); err != nil {
			b.Fatal(err)
		}
	}
}
