package warpbound_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"

	"warpbound"
	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/jobs"
	"warpbound/kernels"
)

// A job is loaded, run on ten random inputs and bounded. Load reads a job from a
// file in the same way.
func Example() {
	job, err := warpbound.LoadFS(kernels.Suite(), "bfs/job.toml", warpbound.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	analysis, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: 10}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(analysis.Kernel, "on", analysis.Machine)
	for _, e := range analysis.Estimates {
		fmt.Printf("%s: evidence: %s; above the longest run: %t\n",
			e.Method, e.Evidence, e.Cycles >= analysis.Observed.Max)
	}
	// Output:
	// bfs on fermi-c2050
	// hybrid/phases: evidence: observed; above the longest run: true
	// hybrid/warp: evidence: observed; above the longest run: true
	// hybrid/dynamic: evidence: observed; above the longest run: true
	// hybrid/waves: evidence: observed; above the longest run: true
	// hybrid/list: evidence: observed; above the longest run: true
	// hybrid/placements: evidence: observed; above the longest run: true
	// static/greedy: evidence: proven; above the longest run: true
}

// One run gives cycles, counters and the contents of the buffers.
func ExampleJob_Simulate() {
	job, err := warpbound.LoadFS(kernels.Suite(), "histogram64/job.toml", warpbound.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("bins:", len(run.Buffer("histogram"))/4)
	fmt.Println("more cycles than the longest instruction takes:", run.Cycles > 1000)
	// Output:
	// bins: 64
	// more cycles than the longest instruction takes: true
}

// A static method bounds all inputs without a run, where the machine allows it.
func ExampleJob_Analyze_static() {
	job, err := warpbound.LoadFS(kernels.Suite(), "reduction/job.toml", warpbound.LoadOptions{Machine: "predictable-rr"})
	if err != nil {
		log.Fatal(err)
	}
	analysis, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})
	if err != nil {
		log.Fatal(err)
	}
	bound := analysis.Estimates[0]
	fmt.Println(bound.Method, bound.Cycles, bound.Evidence)
	waves := bound.Detail.(*estimate.CTA).Waves
	fmt.Println("kinds of waves on the SM that needs longest:", len(waves), "exact:", waves[0].Exact)
	// Output:
	// static/cta 5907 proven
	// kinds of waves on the SM that needs longest: 1 exact: true
}

// A certificate proves that no path of a warp is longer; Verify checks it without a solver.
func ExampleVerify() {
	job, err := warpbound.LoadFS(kernels.Suite(), "bfs/job.toml", warpbound.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	var certificate bytes.Buffer
	analysis, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{
		Methods: []string{"hybrid/warp"},
		Runs:    warpbound.Runs{Vectors: 5}, Write: warpbound.Artifacts{Certificate: &certificate},
	})
	if err != nil {
		log.Fatal(err)
	}
	proof, err := warpbound.Verify(&certificate)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the proof is of the estimate:", proof.Cycles == analysis.Estimates[0].Cycles)
	// Output:
	// the proof is of the estimate: true
}

// Search finds inputs with which a kernel takes long. It is held against the bounds of all methods.
func ExampleJob_Search() {
	job, err := warpbound.LoadFS(kernels.Suite(), "insertionSort/tiny.toml", warpbound.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	settings := warpbound.DefaultSearchSettings()
	settings.Runs = 50
	found, err := job.Search(context.Background(), warpbound.SearchOptions{Strategies: []string{"random"}, Settings: settings})
	if err != nil {
		log.Fatal(err)
	}
	worst := found.Analysis.Estimates[0]
	fmt.Println(worst.Method, worst.Evidence)
	fmt.Println("runs:", found.Search.Strategies[0].Runs, "longest:", worst.Cycles == found.Search.Strategies[0].Cycles)
	// Output:
	// search observed
	// runs: 50 longest: true
}

// On a machine that splits wavefronts a job can be bounded in every mode.
func ExampleJob_Split() {
	job, err := warpbound.LoadFS(kernels.Suite(), "ludPerimeter/job.toml", warpbound.LoadOptions{Machine: "gcn3-split"})
	if err != nil {
		log.Fatal(err)
	}
	for _, mode := range job.Modes() {
		split, err := job.Split(warpbound.SplitOptions{Mode: mode})
		if err != nil {
			log.Fatal(err)
		}
		method := "split/" + mode
		analysis, err := split.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{method}})
		if err != nil {
			log.Fatal(err)
		}
		run, err := split.Simulate(context.Background(), warpbound.SimulateOptions{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(method, analysis.Estimates[0].Evidence, analysis.Estimates[0].Cycles >= run.Cycles)
	}
	// Output:
	// split/none proven true
	// split/dws proven true
	// split/pws proven true
}

// The quota of regulated accesses to a shared cache decides how tight its bounds are.
func ExampleBestQuota() {
	job, err := warpbound.LoadFS(kernels.Suite(), "gaussianFactor/job.toml", warpbound.LoadOptions{Machine: "integrated-fermi"})
	if err != nil {
		log.Fatal(err)
	}
	best, err := warpbound.BestQuota(context.Background(), []*warpbound.Job{job}, warpbound.QuotaOptions{First: 1, Last: 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best.Method, "tried:", len(best.Tried))
	// Output:
	// static/llc-interval tried: 4
}

// Inspect describes a module without running it.
func ExampleInspect() {
	text, err := fs.ReadFile(kernels.Suite(), "reduction/reduction.ptx")
	if err != nil {
		log.Fatal(err)
	}
	module, err := warpbound.Inspect(context.Background(), "reduction.ptx", text, warpbound.InspectOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range module.Kernels {
		fmt.Println(k.Name, "blocks:", len(k.Blocks), "loops:", len(k.Loops))
	}
	// Output:
	// reduction blocks: 13 loops: 2
}

// Errors can be told apart by their kinds.
func Example_errors() {
	job, err := warpbound.LoadFS(kernels.Suite(), "bfs/job.toml", warpbound.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})
	if unsupported := (*diag.UnsupportedError)(nil); errors.As(err, &unsupported) {
		fmt.Println("the machine has no bound by", unsupported.Methods)
	}
	_, err = job.Simulate(context.Background(), warpbound.SimulateOptions{MaxCycles: 100})
	if limit := (*diag.LimitError)(nil); errors.As(err, &limit) {
		fmt.Println("given up:", limit.Kernel)
	}
	// Output:
	// the machine has no bound by [static/cta]
	// given up: bfs
}

// A job can be made in Go, without a file.
func ExampleNew() {
	const module = `
.version 6.3
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 factor)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<4>;
	.reg .f32 %f<4>;
	ld.param.u64 %rd1, [x];
	ld.param.f32 %f1, [factor];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r1, %r2, %r3;
	mul.wide.u32 %rd2, %r4, 4;
	add.u64 %rd3, %rd1, %rd2;
	ld.global.f32 %f2, [%rd3];
	mul.f32 %f3, %f2, %f1;
	st.global.f32 [%rd3], %f3;
	ret;
}`
	job, err := warpbound.New(jobs.Job{
		Name: "scale", Module: jobs.Text("scale.ptx", module), Machine: "predictable-rr",
		Grid: jobs.Dim(4), Block: jobs.Dim(64),
		Params: []jobs.Param{
			jobs.Buffer("x", jobs.F32, 256, jobs.Uniform(-1, 1)),
			jobs.Scalar("factor", jobs.F32, 2),
		},
	}, warpbound.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	analysis, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})
	if err != nil {
		log.Fatal(err)
	}
	run, err := job.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	bound := analysis.Estimates[0]
	fmt.Println(bound.Method, bound.Evidence, "at least the run:", bound.Cycles >= run.Cycles)
	// Output:
	// static/cta proven at least the run: true
}
