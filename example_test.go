package warpbound_test

import (
	"context"
	"fmt"
	"log"

	"warpbound"
	"warpbound/kernels"
)

// A job is loaded, run on ten random inputs and bounded. Load reads a job from a
// file in the same way.
func Example() {
	job, err := warpbound.LoadFS(kernels.Demo(), "job.toml", warpbound.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	analysis, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Vectors: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(analysis.Kernel, "on", analysis.Machine)
	for _, e := range analysis.Estimates {
		fmt.Printf("%s rests on %s facts; above the longest run: %t\n",
			e.Method, e.Evidence, e.Cycles >= analysis.Observed.Max)
	}
	// Output:
	// bfs on fermi-c2050
	// hybrid/warp rests on observed facts; above the longest run: true
	// hybrid/dynamic rests on observed facts; above the longest run: true
	// hybrid/waves rests on observed facts; above the longest run: true
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
