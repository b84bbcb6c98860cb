package warpbound

import (
	"context"
	"errors"
	"slices"
	"strings"

	"warpbound/internal/absexec"
	"warpbound/internal/diag"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
	"warpbound/internal/flow/value"
	"warpbound/internal/fold"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/method/cta"
	"warpbound/internal/target"
)

// wants reports whether the estimate of a method is asked for.
func (o *AnalyzeOptions) wants(method string) bool {
	return o.Methods == nil || slices.Contains(o.Methods, method)
}

// measured reports whether a method is asked for that needs runs.
func (o *AnalyzeOptions) measured() bool {
	return o.Methods == nil || o.Traces != nil || o.LP != nil ||
		slices.ContainsFunc(o.Methods, func(m string) bool { return !strings.HasPrefix(m, "static/") })
}

// static returns the estimates of static methods that are asked for. A method that is
// not asked for by name is left out where the machine does not allow it, and with a
// warning where the job does not.
func (j *Job) static(ctx context.Context, opts *AnalyzeOptions) ([]Estimate, []diag.Warning, error) {
	named := slices.Contains(opts.Methods, cta.Method)
	if !opts.wants(cta.Method) || !named && j.machine.Core != machine.Barrel {
		return nil, nil, nil
	}
	e, err := j.boundCTA(ctx)
	if err == nil {
		return []Estimate{*e}, nil, nil
	}
	if named || ctx.Err() != nil {
		return nil, nil, err
	}
	w := diag.Warning{Pos: j.bound.Job.Pos.Kernel, ID: "no-static-bound", Text: cta.Method + " has no bound: " + err.Error()}
	var at *diag.Error
	var loop *absexec.UnboundedLoop
	switch {
	case errors.As(err, &loop):
		w.Pos = loop.Pos
	case errors.As(err, &at):
		w.Pos = at.Pos
	}
	return nil, []diag.Warning{w}, nil
}

// boundCTA is the estimate of static/cta.
func (j *Job) boundCTA(ctx context.Context) (*Estimate, error) {
	c, err := j.abstract()
	if err != nil {
		return nil, err
	}
	return cta.Analyze(ctx, *c)
}

// abstract returns what static/cta knows of the job.
func (j *Job) abstract() (*cta.Config, error) {
	bounds, err := j.annotated()
	if err != nil {
		return nil, err
	}
	occupancy, err := target.Occupancy(j.bound, j.code, j.machine, j.registers)
	if err != nil {
		return nil, err
	}
	grid, addresses, err := target.Prepare(j.bound, j.code, j.bound.Inputs(0), int(j.machine.SM.WarpSize.Value))
	if err != nil {
		return nil, err
	}
	launch, err := fold.New(grid)
	if err != nil {
		return nil, err
	}
	c := &cta.Config{
		Launch: launch, Graph: j.graph, Machine: j.machine, CTAs: occupancy.CTAs,
		Inputs: j.drawn(), Fixed: j.fixed(addresses), Bounds: bounds, Counted: j.counted(),
	}
	if d, err := j.divergence(); err == nil {
		c.Uniform = d.Uniform
	}
	return c, nil
}

// divergence returns the verdicts on the job's branches. It is an error if its control
// flow is not reducible, or if it has syncs that do not fit its branches.
func (j *Job) divergence() (*divergence.Result, error) {
	form, err := gated.New(j.graph)
	if err != nil {
		return nil, err
	}
	spec := j.bound.Job
	return divergence.Analyze(form, divergence.Launch{
		Grid: spec.Grid, Block: spec.Block, Width: int(j.machine.SM.WarpSize.Value),
	})
}

// drawn returns where the parameters lie that are drawn anew for every test vector.
func (j *Job) drawn() []absexec.Range {
	var ranges []absexec.Range
	for i, p := range j.bound.Job.Params {
		if p.Kind != job.Buffer && p.Content.Kind == job.Uniform {
			at := j.graph.Kernel.Params[i]
			ranges = append(ranges, absexec.Range{Addr: fold.ParamAddress(at.Offset), Bytes: at.Bytes})
		}
	}
	return ranges
}

// fixed returns the buffers that hold the same in every test vector when the kernel starts.
func (j *Job) fixed(addresses []uint64) []cta.Buffer {
	var buffers []cta.Buffer
	for i, p := range j.bound.Job.Params {
		if p.Kind == job.Buffer && p.Content.Kind != job.Uniform && p.Bytes > 0 {
			buffers = append(buffers, cta.Buffer{Name: p.Name, Range: absexec.Range{Addr: addresses[i], Bytes: p.Bytes}})
		}
	}
	return buffers
}

// counted returns the bounds of loops that follow from their counters, by header: none if
// the kernel is too large.
func (j *Job) counted() map[int]int64 {
	r, err := value.Analyze(j.graph, j.launch())
	if err != nil {
		return nil
	}
	bounds := make(map[int]int64)
	for _, b := range r.Loops() {
		if b.Known {
			bounds[b.Header] = b.Iterations
		}
	}
	return bounds
}
