package reproduce

import (
	"context"
	"fmt"
	"path"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/campaign/store"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/method/phases"
	"warpbound/internal/platform"
	"warpbound/kernels"
)

// hybridTitle is the paper.
const hybridTitle = "Betts and Donaldson, Estimating the WCET of GPU-Accelerated Applications using Hybrid Analysis, ECRTS 2013"

// Hybrid reproduces Betts and Donaldson: the worked examples of Figs. 1, 2, 4 and
// 6, and their Tables I and II for kernels that do the same as theirs.
func Hybrid(ctx context.Context, opts Options) (*estimate.Reproduction, error) {
	r := &estimate.Reproduction{
		Paper:  hybridTitle,
		Tables: []estimate.Table{},
	}
	examples, err := hybrid.Examples(ctx)
	if err != nil {
		return nil, err
	}
	r.Examples = append(examples, paperAverages()...)
	if opts.ExamplesOnly {
		return r, nil
	}
	rows, err := analyseTableII(ctx, opts)
	r.Tables = append(r.Tables, tableI())
	if len(rows) > 0 {
		r.Tables = append(r.Tables, hybridTableII(rows, opts), heldOutTable(rows, opts), ingredientTable(rows), hybridLaunches(rows))
		if err == nil {
			r.Examples = append(r.Examples, boundsHold(rows))
		}
	}
	return r, err
}

// hybridRow is what was found of a kernel of Table II.
type hybridRow struct {
	kernel    kernels.SDKKernel
	paper     hybridFigures
	ctas      int
	threads   int // of a CTA
	runs      int // from which the estimates were learned
	invariant bool
	observed  int64                         // the longest of them: the high-water mark
	estimates map[string]*estimate.Estimate // by ID
}

// bounds are the estimates that bound a kernel, in the order of their columns. A method that the analysis does not have
// is left out of the table. hybrid/warp is not among them: it is one warp's.
var hybridBounds = []string{"hybrid/dynamic", "hybrid/waves", "hybrid/list", "hybrid/placements", "hybrid/phases"}

// cycles is an estimate; 0 if there is none.
func (r *hybridRow) cycles(id string) int64 {
	if e := r.estimates[id]; e != nil {
		return e.Cycles
	}
	return 0
}

// equation2 is the paper's second equation as published, with waves as traces show them and with those that its authors count
// from the launch. Neither is a bound.
func (r *hybridRow) equation2() (traces, launch int64) {
	if e := r.estimates["hybrid/waves"]; e != nil {
		if d, ok := e.Detail.(*estimate.HybridWaves); ok {
			traces = d.Published
			if d.Geometry != nil {
				launch = d.Geometry.Cycles
			}
		}
	}
	return traces, launch
}

// below returns the bounds that are below the high-water mark.
func (r *hybridRow) below() []string {
	var ids []string
	for _, id := range hybridBounds {
		if e := r.estimates[id]; e != nil && e.Cycles < r.observed {
			ids = append(ids, id)
		}
	}
	return ids
}

// hybridVectors is how many random inputs a kernel is run on. A tenth does where a run takes more than a fifth of a
// second: which kernels these are is stated in their list, so that tables do not depend on the computer.
func hybridVectors(k kernels.SDKKernel, opts Options) int {
	if k.Long && !opts.Quick {
		return max(opts.Vectors/10, 1)
	}
	return opts.Vectors
}

// hybridHeldOut is how many further inputs try the estimates of a kernel: as many as it is trained on where a run takes long.
func hybridHeldOut(k kernels.SDKKernel, opts Options) int {
	vectors := hybridVectors(k, opts)
	if k.Long && !opts.Quick {
		return vectors * min(opts.HeldOut, 1)
	}
	return vectors * opts.HeldOut
}

// withouts are the variants of hybrid/phases in which an ingredient is left out.
func withouts() []phases.Method {
	return []phases.Method{
		{Without: phases.Ingredients{CTAs: true}}, {Without: phases.Ingredients{Barriers: true}}, {Without: phases.Ingredients{Iterations: true}},
		{Without: phases.Ingredients{Milestones: true}}, {Without: phases.Ingredients{Windows: true}},
	}
}

// hybridMethods are the measured methods and the variants of hybrid/phases.
func hybridMethods() analysis.List {
	list := analysis.List{{Method: hybrid.Method{}}, {Method: hybrid.Placements{}}, {Method: phases.Method{}}}
	for _, m := range withouts() {
		list = append(list, analysis.Method{Method: m})
	}
	return list
}

// analyseTableII analyses the kernels of Table II. After an error it returns those before.
func analyseTableII(ctx context.Context, opts Options) ([]hybridRow, error) {
	file := "paper.toml"
	if opts.Quick {
		file = "job.toml"
	}
	var rows []hybridRow
	for i, k := range kernels.SDK() {
		job, err := platform.LoadFS(k.Files(), file, "")
		if err != nil {
			return rows, err
		}
		a, err := analyseSDK(ctx, k, job, opts)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", k.Program, err)
		}
		r := hybridRow{
			kernel: k, paper: paperTableIIOfHybrid[i], ctas: volume(a.Launch.Grid), threads: volume(a.Launch.Block), runs: a.Runs,
			invariant: !job.Workload.Spec.Varies() || a.Convergence != nil && a.Convergence.Stopped == estimate.StoppedInvariant,
			observed:  a.Observed.Max, estimates: make(map[string]*estimate.Estimate),
		}
		for i, e := range a.Estimates {
			r.estimates[e.Method] = &a.Estimates[i]
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// analyseSDK analyses a kernel of Table II.
func analyseSDK(ctx context.Context, k kernels.SDKKernel, job *platform.Job, opts Options) (*analysis.Answer, error) {
	vectors, methods := hybridVectors(k, opts), hybridMethods()
	ask := analysis.Request{Methods: methods.IDs(), Unwatched: true, Campaign: campaign.Spec{Vectors: vectors}, Holdout: hybridHeldOut(k, opts)}
	if opts.Campaign != "" {
		keep, err := store.Open(path.Join(opts.Campaign, k.Program))
		if err != nil {
			return nil, err
		}
		defer keep.Close()
		ask.Campaign.Keep = keep
	}
	if opts.Progress != nil {
		ask.Campaign.Progress = func(done, total int) { opts.Progress(k.Program, done, total) }
	}
	return methods.Analyze(ctx, job.Platform, job.Workload, ask)
}

func volume(dims [3]int) int { return dims[0] * dims[1] * dims[2] }

// boundsHold counts the bounds below the high-water marks, of which there must be none.
func boundsHold(rows []hybridRow) estimate.Example {
	bounds, below := 0, 0
	for _, r := range rows {
		for _, id := range hybridBounds {
			if r.estimates[id] != nil {
				bounds++
			}
		}
		below += len(r.below())
	}
	return example(fmt.Sprintf("Table II: bounds below the high-water mark, of %d", bounds), "0", fmt.Sprint(below))
}
