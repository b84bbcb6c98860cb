package warpbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
	"warpbound/internal/flow/value"
	"warpbound/internal/fold"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/method/cta"
	"warpbound/internal/method/llc"
	"warpbound/internal/method/split"
	"warpbound/internal/target"
)

// wants reports whether the estimate of a method is asked for.
func (o *AnalyzeOptions) wants(method string) bool {
	return o.Methods == nil || slices.Contains(o.Methods, method)
}

// measured reports whether a method is asked for that needs runs, or runs themselves.
func (o *AnalyzeOptions) measured() bool {
	return o.Methods == nil || o.Observe || o.Traces != nil || o.LP != nil || o.Proof != nil || slices.ContainsFunc(o.Methods, measures)
}

// measures reports whether a method needs runs.
func measures(method string) bool { return strings.HasPrefix(method, "hybrid/") }

// static returns the estimates of static methods that are asked for. A method that is
// not asked for by name is left out where the machine does not allow it, and with a
// warning where the job does not.
func (j *Job) static(ctx context.Context, opts *AnalyzeOptions) ([]Estimate, []diag.Warning, error) {
	var estimates []Estimate
	var warnings []diag.Warning
	for _, method := range Methods() {
		named := slices.Contains(opts.Methods, method)
		if named && j.device != nil && !measures(method) {
			return nil, nil, fmt.Errorf("%s has no bound on %s: a static method needs the description of a machine", method, j.device.name)
		}
		if measures(method) || !opts.wants(method) || !named && !j.Supports(method) {
			continue
		}
		var e *Estimate
		var err error
		mode, splits := strings.CutPrefix(method, "split/")
		switch {
		case splits:
			e, err = j.inMode(ctx, opts, machine.SplitMode(mode))
		case method == cta.Method:
			e, err = j.boundCTA(ctx)
		default:
			e, err = j.boundShared(ctx, method)
		}
		switch {
		case err == nil:
			estimates = append(estimates, *e)
		case named || ctx.Err() != nil:
			return nil, nil, err
		default:
			warnings = append(warnings, j.noBound(method, err))
		}
	}
	return estimates, warnings, nil
}

// Supports reports whether a method is one for the job's machine, in its mode: some kernels
// may have no estimate all the same.
func (j *Job) Supports(method string) bool {
	if mode, splits := strings.CutPrefix(method, "split/"); splits {
		return slices.Contains(j.Modes(), mode)
	}
	switch method {
	case cta.Method:
		return j.machine.Core == machine.Barrel
	case llc.Simple:
		return j.machine.Core == machine.Integrated
	case llc.Interval:
		return j.machine.Core == machine.Integrated && j.machine.Regulated()
	}
	return j.division == nil || j.machine.Split.Mode.Value == machine.SplitNone
}

// noBound is the warning of a static method that has none.
func (j *Job) noBound(method string, err error) diag.Warning {
	w := diag.Warning{Pos: j.bound.Job.Pos.Kernel, ID: "no-static-bound", Text: method + " has no bound: " + err.Error()}
	var at *diag.Error
	var loop *absexec.UnboundedLoop
	switch {
	case errors.As(err, &loop):
		w.Pos = loop.Pos
	case errors.As(err, &at):
		w.Pos = at.Pos
	}
	return w
}

// inMode is the estimate of split/none, split/dws or split/pws, with what runs in that mode
// take, if there are any in the job's own.
func (j *Job) inMode(ctx context.Context, opts *AnalyzeOptions, mode machine.SplitMode) (*Estimate, error) {
	if j.division == nil {
		return nil, fmt.Errorf("%s: %w", j.machine.Name, split.ErrMachine)
	}
	other, err := j.in(mode)
	if err != nil {
		return nil, err
	}
	e, err := other.boundSplit(ctx)
	if err != nil {
		return nil, err
	}
	if opts.measured() && opts.Traces == nil {
		_, e.Detail.(*estimate.Split).Observed, _, err = other.observe(ctx, opts)
	}
	return e, err
}

// boundCTA is the estimate of static/cta.
func (j *Job) boundCTA(ctx context.Context) (*Estimate, error) {
	c, err := j.abstract()
	if err != nil {
		return nil, err
	}
	return cta.Analyze(ctx, *c)
}

// abstract returns what the methods that execute abstractly know of the job.
func (j *Job) abstract() (*cta.Config, error) {
	bounds, err := j.annotated()
	if err != nil {
		return nil, err
	}
	occupancy, err := target.Occupancy(j.bound, j.code, j.machine, j.registers)
	if err != nil {
		return nil, err
	}
	launch, addresses, err := j.fold()
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

// fold returns what is known of the launch before it runs, and the addresses of buffers by
// parameter.
func (j *Job) fold() (*fold.Launch, []uint64, error) {
	grid, addresses, err := target.Prepare(j.bound, j.code, j.bound.Inputs(0), j.width())
	if err != nil {
		return nil, nil, err
	}
	launch, err := fold.New(grid)
	return launch, addresses, err
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
			ranges = append(ranges, absexec.Range{Addr: abi.ParamAddress(at.Offset), Bytes: at.Bytes})
		}
	}
	return ranges
}

// fixed returns the buffers that hold the same in every test vector when the kernel starts.
func (j *Job) fixed(addresses []uint64) []absexec.Buffer {
	var buffers []absexec.Buffer
	for i, p := range j.bound.Job.Params {
		if p.Kind == job.Buffer && p.Content.Kind != job.Uniform && p.Bytes > 0 {
			buffers = append(buffers, absexec.Buffer{Name: p.Name, Range: absexec.Range{Addr: addresses[i], Bytes: p.Bytes}})
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
