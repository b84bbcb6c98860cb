package warpbound

import (
	"context"
	"io"
	"time"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/budget"
	"warpbound/internal/provenance"
	"warpbound/internal/workload"
)

// InspectOptions say what to show of a module.
type InspectOptions struct {
	Kernel         string // only this kernel, unless empty
	PublishedEdges bool   // as in AnalyzeOptions
	Job            *Job   // a job of the module, whose launch is taken into account; nil if none

	Effort float64 // as in LoadOptions
}

// Inspect describes the kernels of a module, whose language its name, file, tells. It is an error if there
// is no such kernel. If ctx ends, its error comes with the flow graphs, and warnings of what is missing.
func Inspect(ctx context.Context, file string, src []byte, opts InspectOptions) (*estimate.Module, error) {
	effort := budget.Effort(opts.Effort)
	r := analysis.InspectRequest{Kernel: opts.Kernel, PublishedEdges: opts.PublishedEdges, Effort: effort}
	if opts.Job != nil {
		r.Workload = opts.Job.on.Workload
	}
	return analysis.Inspect(ctx, file, src, r)
}

// Stage is a step of the pipeline from the text of a module to decoded kernels.
type Stage struct {
	Name string
	What string // it does, in a line
}

// Stages returns the steps of the pipeline in their order.
func Stages() []Stage {
	var all []Stage
	for _, s := range workload.Stages() {
		all = append(all, Stage{s.Name, s.What})
	}
	return all
}

// DumpOptions say what DumpStage shows.
type DumpOptions struct {
	Stage  string                                 // the last stage to run, whose result is shown
	Kernel string                                 // only this kernel, unless empty; of a job its own
	Job    *Job                                   // whose stages are run, too; nil for those of the module alone
	Took   func(stage string, took time.Duration) // is told the time of every stage; may be nil
}

// DumpStage runs the pipeline on a module up to a stage and writes what that made as text. It is an
// error if there is no such stage, or if it needs a job and there is none.
func DumpStage(w io.Writer, file string, src []byte, opts DumpOptions) error {
	d := workload.DumpOptions{Stage: opts.Stage, Kernel: opts.Kernel, Took: opts.Took}
	if opts.Job != nil {
		d.Job, d.Target = opts.Job.on.Spec, opts.Job.on.Platform
	}
	return workload.Dump(w, file, src, d)
}

// ReadModule reads the text of a module. Only regular files are read.
func ReadModule(name string) ([]byte, error) { return workload.ReadFile(name) }

// Version tells which build of the tool this is.
func Version() estimate.Provenance { return provenance.Of() }
