package analysis

import (
	"context"
	"maps"
	"slices"

	"warpbound/internal/flow/divergence"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/runner"
	"warpbound/internal/stream"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Problem returns what static methods are told of a workload. If ctx ends, the error is that of ctx.
func Problem(ctx context.Context, w *workload.Workload) (*method.Problem, error) {
	return ProblemOn(ctx, w, w.First().Machine, w.First().Splits)
}

// ProblemOn is Problem on another machine, with the branches of some blocks split.
func ProblemOn(
	ctx context.Context, w *workload.Workload, m *machine.Machine, splits []int,
) (*method.Problem, error) {
	k := *w.First()
	k.Machine = m
	bounds, facts, err := annotations(ctx, &k)
	if err != nil {
		return nil, err
	}
	occupancy, err := k.Occupancy()
	if err != nil {
		return nil, err
	}
	launch, addresses, err := k.Image()
	if err != nil {
		return nil, err
	}
	p := &method.Problem{
		Launch: launch, Graph: k.Graph, Machine: m, Resident: occupancy.CTAs, Ways: occupancy.Ways,
		Inputs: k.Sampled(), Fixed: k.Fixed(addresses), Bounds: bounds, Facts: facts, Splits: splits, Effort: k.Bound.Job.Effort,
	}
	if m.Core == machine.Integrated {
		if p.CPU, err = cpu(&k, addresses); err != nil {
			return nil, err
		}
	}
	d, err := k.Divergence(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if p.NoUniform = err; err == nil {
		p.Uniform, p.LimitedUniform = d.Uniform, d.Limited()
		p.Together = func(block int) bool { return d.Branch(block) <= divergence.CTA }
	}
	if p.Values, err = k.Values(ctx); err != nil {
		return nil, err
	}
	p.Count(k.Bound.Job.AllowAbsurd)
	return p, trust(ctx, &k, p)
}

// solve adds the bounds of loops that a solver proves, where neither counters nor the job give one. It reports whether
// there are any. The error is that of ctx.
func solve(ctx context.Context, k *workload.Kernel, p *method.Problem) (bool, error) {
	found, err := workload.RanksOf(ctx, k, func(header int) bool {
		_, stated := p.Annotated(header)
		return !stated
	})
	if err != nil {
		return false, err
	}
	p.NoSolver = found.Err
	var solved []method.Solved
	for _, header := range slices.Sorted(maps.Keys(found.Of)) {
		if _, counted := p.Counted[header]; !counted {
			r := found.Of[header]
			solved = append(solved, method.Solved{Header: header, Max: r.Iterations, Function: r.Function})
		}
	}
	if solved != nil {
		p.Solve(found.Solver+" "+found.Version, solved)
	}
	return solved != nil, nil
}

// trust adds the bounds of loops that hold only if no run writes to the buffers that are read-only by what the job says.
// The error is that of ctx.
func trust(ctx context.Context, k *workload.Kernel, p *method.Problem) error {
	launch, ok := k.Trusting()
	if !ok {
		return nil
	}
	var trusted []string
	for i, b := range launch.Buffers {
		if b.ReadOnly && b.Contents.Each > 0 && !p.Values.Kept[i] {
			trusted = append(trusted, b.Name)
		}
	}
	if trusted == nil {
		return nil
	}
	values, err := k.TrustedValues(ctx)
	if err != nil {
		return err
	}
	counted, typed := method.Counts(values)
	for _, header := range slices.Sorted(maps.Keys(counted)) {
		if n, known := p.Counted[header]; typed[header] == "" && (!known || counted[header] < n) {
			p.Stated = append(p.Stated, method.LoopBound{Header: header, Max: counted[header], Pos: k.Bound.Job.Pos.Kernel})
		}
	}
	if p.Stated != nil {
		p.Trusted = trusted
	}
	return nil
}

// graphProblem is what measured methods are told of a workload. How many CTAs a device holds at a time it does not say.
// If ctx ends, the error is that of ctx.
func graphProblem(ctx context.Context, p runner.Platform, w *workload.Workload) (*method.Problem, error) {
	k := w.First()
	bounds, facts, err := annotations(ctx, k)
	if err != nil {
		return nil, err
	}
	var occupancy machine.Occupancy
	if p.Clocks() == trace.Common {
		if occupancy, err = k.Occupancy(); err != nil {
			return nil, err
		}
	}
	grid := k.Bound.Job.Grid
	problem := &method.Problem{
		Graph: k.Graph, Machine: k.Machine, Resident: occupancy.CTAs, Warps: occupancy.Warps, CTAs: grid[0] * grid[1] * grid[2],
		Varies: w.Spec.Varies(), Bounds: bounds, Facts: facts,
	}
	if len(bounds) > 0 { // what the values of registers bound may be less
		if problem.Values, err = k.Values(ctx); err != nil {
			return nil, err
		}
		problem.Count(false)
	}
	return problem, nil
}

// Of a longer stream of the CPU only so many accesses are followed; endless is more than one makes in any run.
const (
	maxFollowed = 1 << 20
	endless     = 1 << 39
)

// cpu returns what the job's CPU does, with its buffers at the given addresses.
func cpu(k *workload.Kernel, addresses []uint64) (method.CPU, error) {
	var out method.CPU
	cursor := k.Bound.Job.Cursor()
	if cursor == nil {
		return out, nil
	}
	for {
		a, ok, err := cursor.Next()
		if !ok || err != nil {
			return out, err
		}
		if len(out.Accesses) == maxFollowed {
			out.More = endless
			return out, nil
		}
		out.Accesses = append(out.Accesses, method.CPUAccess{Address: address(k, addresses, a), Store: a.Store})
	}
}

// address returns where an access of the CPU goes.
func address(k *workload.Kernel, addresses []uint64, a stream.Access) uint64 {
	return workload.CPUAddress(k.Bound.Job, func(param int) uint64 { return addresses[param] }, a)
}
