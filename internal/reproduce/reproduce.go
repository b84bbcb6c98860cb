// Package reproduce puts the worked examples and tables of the papers beside
// what this implementation gives.
//
// Its examples are computed by the packages that the analysis uses, from the
// papers' inputs. It prints nothing and must not import the command line.
package reproduce

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/provenance"
	"warpbound/internal/suggest"
	"warpbound/kernels"
)

// Options say how much to reproduce.
type Options struct {
	ExamplesOnly bool
	Quick        bool                                 // leave out of the figures of machines what takes long
	Vectors      int                                  // runs for each kernel of a table
	SplitRuns    int                                  // runs for each kernel and mode of wavefront splitting
	Iterations   int                                  // of synthetic benchmarks
	SearchRuns   int                                  // of each strategy of a search
	SmallRuns    int                                  // the same where a launch has few threads
	SearchOwn    bool                                 // search also in kernels that the paper does not have
	SearchSeeds  int                                  // of searches whose true worst case is known
	Quotas       []int64                              // of regulated accesses, beside that of the machine; ascending
	Progress     func(kernel string, done, total int) // may be nil
}

// Hybrid reproduces Betts and Donaldson: the worked examples of Figs. 1, 2, 4 and
// 6, and their Table II for our kernels.
func Hybrid(ctx context.Context, opts Options) (*estimate.Reproduction, error) {
	r := &estimate.Reproduction{
		Paper:  "Betts and Donaldson, Estimating the WCET of GPU-Accelerated Applications using Hybrid Analysis, ECRTS 2013",
		Tables: []estimate.Table{},
	}
	examples, err := hybrid.Examples(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range examples {
		r.Examples = append(r.Examples, estimate.Example(e))
	}
	if opts.ExamplesOnly {
		return r, nil
	}
	table, err := tableII(ctx, opts)
	if table != nil {
		r.Tables = append(r.Tables, *table)
	}
	return r, err
}

// paperTable is the paper's row for the kernel that does what ours does; the
// programs, sizes and machine differ, so only the ratios can be compared.
var paperTable = map[string][2]string{
	"vectorAdd":   {"VectorAdd: < 1 %", "< 1 %"},
	"matrixMul":   {"MatrixMultiply: 29 %", "29 %"},
	"reduction":   {"Reduction-1: 111 %", "111 %"},
	"bitonicSort": {"BitonicSort-1: 14 %", "563 %"},
	"histogram64": {"Histogram-1: 603 %", "603 %"},
	"bfs":         {"-", "-"},
}

// tableII runs every kernel of the suite and sets the overestimation of the
// high-water mark beside that of the paper's Table II. After an error it has the kernels before.
func tableII(ctx context.Context, opts Options) (*estimate.Table, error) {
	t := &estimate.Table{
		Name: fmt.Sprintf("Table II, %d random inputs for each kernel (the paper: 1000)", opts.Vectors),
		Columns: []string{
			"kernel", "Z_HWM", "Z_warp", "Z_dynamic (Eq. 1)", "difference", "paper",
			"Z_hybrid (Eq. 2)", "difference", "paper", "hybrid/waves", "difference",
		},
	}
	suite := kernels.Suite()
	for _, name := range kernels.Names() {
		job, err := warpbound.LoadFS(suite, name+"/job.toml", warpbound.LoadOptions{})
		if err != nil {
			return nil, err
		}
		analyze := warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: opts.Vectors}}
		if opts.Progress != nil {
			analyze.Runs.Progress = func(done, total int) { opts.Progress(name, done, total) }
		}
		a, err := job.Analyze(ctx, analyze)
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, tableRow(name, a))
	}
	return t, nil
}

func tableRow(name string, a *estimate.Analysis) []string {
	cycles := map[string]int64{}
	var eq2 int64
	for _, e := range a.Estimates {
		cycles[e.Method] = e.Cycles
		if d, ok := e.Detail.(*estimate.HybridWaves); ok {
			eq2 = d.Published
		}
	}
	over := func(bound int64) string {
		return fmt.Sprintf("%.0f %%", 100*(float64(bound)/float64(a.Observed.Max)-1))
	}
	paper := paperTable[name]
	return []string{
		name, fmt.Sprint(a.Observed.Max), fmt.Sprint(cycles["hybrid/warp"]),
		fmt.Sprint(cycles["hybrid/dynamic"]), over(cycles["hybrid/dynamic"]), paper[0],
		fmt.Sprint(eq2), over(eq2), paper[1],
		fmt.Sprint(cycles["hybrid/waves"]), over(cycles["hybrid/waves"]),
	}
}

// papers are the papers that can be reproduced.
var papers = map[string]func(context.Context, Options) (*estimate.Reproduction, error){
	"hybrid":   Hybrid,
	"cta":      CTA,
	"split":    Split,
	"llc":      LLC,
	"search":   Search,
	"machines": Machines,
}

// plotted are the papers that are reproduced with figures.
var plotted = []string{"llc", "search", "split"}

// Papers returns the names of the papers that can be reproduced.
func Papers() []string { return slices.Sorted(maps.Keys(papers)) }

// HasFigures reports whether the paper of the given name is reproduced with figures.
func HasFigures(name string) bool { return slices.Contains(plotted, name) }

// Paper reproduces the paper of the given name. If ctx ends, the error is that of ctx, and the result, unless nil, has
// the examples and tables until then.
func Paper(ctx context.Context, name string, opts Options) (*estimate.Reproduction, error) {
	reproduce, ok := papers[name]
	if !ok {
		return nil, fmt.Errorf("no paper %q%s", name, suggest.Hint(name, Papers()))
	}
	r, err := reproduce(ctx, opts)
	switch {
	case err == nil:
	case r != nil && halt.Ended(ctx, err):
		r.Interrupted = &estimate.Interruption{Reason: halt.Reason(ctx), Missing: []string{"tables"}}
		r.Tables = append([]estimate.Table{}, r.Tables...)
	default:
		return nil, err
	}
	r.Provenance = provenance.Of()
	return r, err
}
