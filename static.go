package warpbound

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/flow/divergence"
	"warpbound/internal/flow/gated"
	"warpbound/internal/flow/value"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/cta"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/method/llc"
	"warpbound/internal/method/split"
	"warpbound/internal/semantics"
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

// methods are the methods that Analyze knows, in the order of their estimates.
func methods() []method.Method {
	return []method.Method{
		hybrid.Method{}, cta.Method{}, llc.Simple, llc.Interval,
		split.Method(machine.SplitNone), split.Method(machine.DWS), split.Method(machine.PWS),
	}
}

// measures reports whether a method needs runs.
func measures(id string) bool {
	return slices.ContainsFunc(methods(), func(m method.Method) bool {
		_, runs := m.(method.Measured)
		return runs && names(m, id)
	})
}

// names reports whether an estimate is one that a method makes.
func names(m method.Method, id string) bool {
	return slices.ContainsFunc(m.Names(), func(n method.Name) bool { return n.ID == id })
}

// explain adds to estimates in one line each what their methods say that they are bounds of.
func explain(estimates []Estimate) {
	for i := range estimates {
		for _, m := range methods() {
			for _, n := range m.Names() {
				if n.ID == estimates[i].Method {
					estimates[i].Explain = n.Explain
				}
			}
		}
	}
}

// static returns the estimates of static methods that are asked for. A method that is
// not asked for by name is left out where the machine does not allow it, and with a
// warning where the job does not.
func (j *Job) static(ctx context.Context, opts *AnalyzeOptions) ([]Estimate, []diag.Warning, error) {
	var estimates []Estimate
	var warnings []diag.Warning
	for _, m := range methods() {
		s, static := m.(method.Static)
		if !static {
			continue
		}
		id := m.Names()[0].ID
		named := slices.Contains(opts.Methods, id)
		if named && j.device != nil {
			return nil, nil, &diag.UnsupportedError{Methods: []string{id}, Err: fmt.Errorf(
				"%s has no bound on %s: a static method needs the description of a machine", id, j.device.name)}
		}
		if !opts.wants(id) || !named && m.Applies(j.machine) != nil {
			continue
		}
		answer, err := j.bounded(ctx, opts, s)
		switch {
		case err == nil:
			estimates = append(estimates, answer.Estimates...)
			for _, w := range answer.Warnings {
				if !slices.Contains(warnings, w) { // several methods may have the same reason
					warnings = append(warnings, w)
				}
			}
		case named || ctx.Err() != nil:
			return nil, nil, err
		default:
			warnings = append(warnings, j.noBound(id, err))
		}
	}
	return estimates, warnings, nil
}

// Supports reports whether a method is one for the job's machine, in its mode: some kernels
// may have no estimate all the same.
func (j *Job) Supports(id string) bool {
	return slices.ContainsFunc(methods(), func(m method.Method) bool { return names(m, id) && m.Applies(j.machine) == nil })
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

// bounded is what a static method answers of the job; a method for another mode of splitting, of the job
// in that mode, with what runs in it take if there are any in the job's own.
func (j *Job) bounded(ctx context.Context, opts *AnalyzeOptions, m method.Static) (*method.Answer, error) {
	mode, splits := m.(split.Method)
	if !splits || j.division == nil {
		return j.boundAsIs(ctx, m)
	}
	other, err := j.in(machine.SplitMode(mode))
	if err != nil {
		return nil, err
	}
	answer, err := other.boundAsIs(ctx, m)
	if err != nil {
		return nil, err
	}
	if opts.measured() && opts.Traces == nil {
		_, answer.Estimates[0].Detail.(*estimate.Split).Observed, _, err = other.observe(ctx, opts)
	}
	return answer, err
}

// boundAsIs is what a static method answers of the job as it is.
func (j *Job) boundAsIs(ctx context.Context, m method.Static) (*method.Answer, error) {
	if err := m.Applies(j.machine); err != nil {
		return nil, err
	}
	p, err := j.problem()
	if err != nil {
		return nil, err
	}
	return m.Bound(ctx, p)
}

// estimateBy is the estimate of a static method that makes one.
func (j *Job) estimateBy(ctx context.Context, m method.Static) (*Estimate, error) {
	answer, err := j.boundAsIs(ctx, m)
	if err != nil {
		return nil, err
	}
	return &answer.Estimates[0], nil
}

// problem returns what static methods are told of the job.
func (j *Job) problem() (*method.Problem, error) {
	bounds, err := j.annotations()
	if err != nil {
		return nil, err
	}
	occupancy, err := target.Occupancy(j.bound, j.code, j.hardware(), j.registers)
	if err != nil {
		return nil, err
	}
	launch, addresses, err := j.fold()
	if err != nil {
		return nil, err
	}
	p := &method.Problem{
		Launch: launch, Graph: j.graph, Machine: j.hardware(), Resident: occupancy.CTAs,
		Inputs: j.drawn(), Fixed: j.fixed(addresses), Bounds: bounds, Facts: j.flowFacts(),
	}
	if j.division != nil {
		p.Splits = j.division.splits
	}
	if j.machine.Core == machine.Integrated {
		if p.CPU, err = j.cpu(addresses); err != nil {
			return nil, err
		}
	}
	d, err := j.divergence()
	if p.NoUniform = err; err == nil {
		p.Uniform = d.Uniform
		p.Together = func(block int) bool { return d.Branch(block) <= divergence.CTA }
	}
	p.Values, p.NoValues = value.Analyze(j.graph, j.launch())
	p.Counted = method.Counts(p.Values)
	return p, nil
}

// fold returns what is known of the launch before it runs, and the addresses of buffers by
// parameter.
func (j *Job) fold() (*semantics.Launch, []uint64, error) {
	grid, addresses, err := target.Prepare(j.bound, j.code, j.bound.Inputs(0), j.width())
	if err != nil {
		return nil, nil, err
	}
	launch, err := semantics.New(grid)
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
