// Package warpbound bounds the worst-case execution time of GPU kernels.
//
// A job file names a PTX module, a kernel, its launch, its inputs and a machine
// (docs/formats.md). Load reads it with everything that it names. Simulate runs
// it once on the cycle-level simulator; Analyze runs it on many random inputs, or
// reads traces, and returns estimates of its worst case with what each rests on; Search looks
// for the inputs with which it takes longest:
//
//	job, err := warpbound.Load("kernels/reduction/job.toml", warpbound.LoadOptions{})
//	...
//	analysis, err := job.Analyze(ctx, warpbound.AnalyzeOptions{Vectors: 200})
//
// All times are in cycles of the machine's core clock unless said otherwise.
package warpbound

import (
	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/value"
	"warpbound/internal/graph"
	"warpbound/internal/inspect"
	"warpbound/internal/method"
	"warpbound/internal/provenance"
)

// Analysis is everything that an analysis found out about a job.
type Analysis = estimate.Analysis

// Estimate is the answer of one method: cycles, and what they rest on.
type Estimate = estimate.Estimate

// Warning is a finding that does not stop an analysis.
type Warning = estimate.Warning

// Evidence tells how the facts behind an estimate are known.
type Evidence = estimate.Evidence

// The kinds of evidence, weakest first. An estimate has that of its weakest fact.
const (
	Observed  = estimate.Observed
	Annotated = estimate.Annotated
	Proven    = estimate.Proven
)

// Placement chooses the blocks whose execution is recorded (Ipoints).
type Placement = method.Placement

// ParsePlacement reads "blocks" (every block), "headers" (of loops), "every:N"
// (every N-th block) or "labels:NAME,NAME".
func ParsePlacement(s string) (Placement, error) { return method.ParsePlacement(s) }

// Methods returns the names of the methods that Analyze knows: first those that measure,
// then the static ones.
func Methods() []string {
	var ids []string
	for _, m := range methods() {
		for _, n := range m.Names() {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// InspectOptions say what to show of a module.
type InspectOptions struct {
	Kernel         string // only this kernel, unless empty
	PublishedEdges bool   // as in AnalyzeOptions
	Job            *Job   // a job of the module, whose launch is taken into account; nil if none
}

// Inspect describes the kernels of a module. file is the module's name, which tells its
// language. It is an error if src is not of that language or if there is no such kernel;
// what the simulator would refuse is listed among the warnings.
func Inspect(file string, src []byte, opts InspectOptions) (*estimate.Module, error) {
	p, err := parseModule(file, src)
	if err != nil {
		return nil, err
	}
	launches := make(map[string]value.Launch)
	if j := opts.Job; j != nil {
		if j.module != digest(src) {
			return nil, diag.Errorf(j.bound.Job.Pos.Module, "the job is one of another module than %s", file)
		}
		for _, l := range append([]*Job{j}, j.then...) {
			launches[l.graph.Kernel.Name] = l.launch()
		}
	}
	m, err := inspect.Inspect(p, opts.Kernel, func(g *cfg.Graph) ([]graph.Edge, error) {
		return divergentEdges(g, opts.PublishedEdges)
	}, launches)
	if err != nil {
		return nil, err
	}
	m.Provenance, m.ModuleHash = provenance.Of(), digest(src)
	if opts.Job != nil {
		m.JobHash = opts.Job.bound.Job.Hash
	}
	return m, nil
}
