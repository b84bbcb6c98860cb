package warpbound

import (
	"context"
	"testing"

	"warpbound/internal/job"
	"warpbound/internal/target"
	"warpbound/kernels"
)

// BenchmarkKernels measures simulated warp instructions per second for every
// kernel of the suite: functional is the emulator alone, cycle the cycle-level
// simulator. `make bench` prints one line for each.
func BenchmarkKernels(b *testing.B) {
	for _, name := range kernels.Names() {
		j, err := LoadFS(kernels.Suite(), name+"/job.toml", LoadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		in := j.bound.Inputs(0)
		b.Run(name+"/functional", func(b *testing.B) { benchmarkFunctional(b, j, in) })
		b.Run(name+"/cycle", func(b *testing.B) { benchmarkCycle(b, j, in) })
	}
}

func benchmarkCycle(b *testing.B, j *Job, in *job.Inputs) {
	ipg, err := j.ipg(nil, false, nil)
	if err != nil {
		b.Fatal(err)
	}
	t, err := j.target(asIs, ipg, SimulateOptions{})
	if err != nil {
		b.Fatal(err)
	}
	run := func() int64 {
		out, err := t.Run(context.Background(), in, nil)
		if err != nil {
			b.Fatal(err)
		}
		return out.Counters.WarpInstrs
	}
	report(b, run)
}

func benchmarkFunctional(b *testing.B, j *Job, in *job.Inputs) {
	e := target.NewEmulator(j.bound, j.code, int(j.machine.SM.WarpSize.Value))
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
