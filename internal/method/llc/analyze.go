package llc

import (
	"context"
	"fmt"
	"math"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/cells"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
	"warpbound/internal/semantics"
)

// analysis is the state of one bound.
type analysis struct {
	launch       *semantics.Launch
	graph        *cfg.Graph
	machine      *machine.Machine
	costs        []cost.Instr
	tails        []saturating.Int // different ones of the costs, in order
	accessTail   saturating.Int   // the longest of an instruction that accesses memory
	counter      *cost.Counter
	layout       layout
	pools        *pools
	threads      uint64 // of a CTA
	perCTA       int    // warps
	distribution distribution
	cpu          *cpu

	warps [][]absexec.Result // by warp of a CTA
	cells *cells.Grid        // in each of which a warp has one result
	boxes [][]int32          // by warp: the result of each cell
	loops []absexec.LoopFact

	warm bool            // launches before may have left something in the shared cache
	held map[uint64]bool // of that, the lines that surely are there and stay

	instructions saturating.Int // of the launch, if their order is known
	limited      bool           // there are too many accesses to tell which lines stay in the caches

	executed func(instructions int64) // Problem.Executed

	warnings []diag.Warning
}

// maxCells limits the cells of a grid.
const maxCells = 1 << 22

// maxBoxes limits the boxes of CTAs that are told apart.
const maxBoxes = 1 << 13

// bound bounds the launch with what its fixed buffers hold.
func (m Method) bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	a, err := newAnalysis(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := a.execute(ctx, p); err != nil {
		return nil, err
	}
	var d *detail
	switch {
	case !a.ordered():
	case !a.short(p.Effort):
		a.warnings = append(a.warnings, p.GaveUp("order-not-followed", fmt.Sprintf(
			"warps issue more than %d instructions or accesses in all, so that the order of those is not followed: the bound is a sum over all of them, and may be many times what the kernel takes; a smaller grid has a close one, or a greater --effort", p.Effort.Of(maxEvents)), nil))
	default:
		if d, err = a.inOrder(ctx, m); err != nil {
			return nil, err
		}
	}
	if d == nil || !d.Exact {
		sum, err := a.coarse()
		switch {
		case err != nil && d == nil:
			return nil, err
		case d == nil || err == nil && sum.cycles < d.cycles:
			d = sum
			if a.limited {
				a.warnings = append(a.warnings, p.GaveUp("lines-not-followed", fmt.Sprintf(
					"warps make more than %d different accesses each, or %d in all, so that it is not followed which lines stay in the caches: all accesses count as misses, and the bound may be many times what the kernel takes; a smaller grid has a closer one", maxPatterns, maxTouches), nil))
			}
		}
	}
	return &method.Answer{Estimates: []estimate.Estimate{*a.estimate(p, m, d)}, Warnings: a.warnings}, nil
}

func newAnalysis(ctx context.Context, p *method.Problem) (*analysis, error) {
	m := p.Machine
	grid := p.Launch.Grid()
	a := &analysis{
		launch: p.Launch, graph: p.Graph, machine: m, costs: cost.Of(p.Graph.Kernel, m), counter: cost.NewCounter(m),
		layout: newLayout(m), threads: cost.Threads(p.Launch), perCTA: p.Launch.Warps(),
		distribution: distribution{sms: int(m.SM.Count.Value), slots: p.Resident},
		loops:        make([]absexec.LoopFact, len(p.Graph.Loops().Loops)), executed: p.Executed,
	}
	for i := range a.costs {
		a.tails = append(a.tails, saturating.Of(a.costs[i].TailLatency()))
	}
	a.accessTail = a.longestAccess()
	slices.Sort(a.tails)
	a.tails = slices.Compact(a.tails)
	a.distribution.ctas = grid[0] * grid[1] * grid[2]
	a.cpu = newCPU(p.CPU, m)
	a.findHeld(p.Warm)
	var err error
	a.pools, err = newPools(ctx, p, &a.layout, int(max(m.LLC.Sets.Value*m.LLC.Ways.Value, m.L1.Sets.Value*m.L1.Ways.Value)))
	return a, err
}

// quota returns the accesses of an interval, which has no end without regulators.
func (a *analysis) quota() int64 {
	if !a.machine.Regulated() {
		return math.MaxInt64
	}
	return a.machine.Regulator.Quota.Value
}

// execute executes every warp of a CTA.
func (a *analysis) execute(ctx context.Context, p *method.Problem) error {
	x := p.Executor(min(max(absexec.DefaultBoxes, 4*a.distribution.ctas), maxBoxes))
	for w := range a.perCTA {
		results, err := x.Warp(ctx, w, func(b absexec.Box) absexec.Visitor { return a.record(b) })
		if err != nil {
			return err
		}
		for _, r := range results {
			for l, f := range r.Loops {
				a.loops[l].Iterations = max(a.loops[l].Iterations, f.Iterations)
				a.loops[l].Forced = a.loops[l].Forced || f.Forced
			}
		}
		a.warps = append(a.warps, results)
	}
	a.warnings = p.Summarised(x)
	grid := cells.New(p.Launch.Grid(), [3]int{1, 1, 1}, a.warps)
	if n := grid.Len(); n > maxCells {
		return fmt.Errorf("kernel %s: CTAs do different things in %d boxes of the grid: too many to follow each", p.Graph.Kernel.Readable(), n)
	}
	a.findCells(grid)
	return nil
}

// findCells finds the result of each warp in each cell.
func (a *analysis) findCells(grid *cells.Grid) {
	a.cells = grid
	for _, results := range a.warps {
		boxes := make([]int32, grid.Len())
		for i, r := range results {
			grid.In(r.Box, func(cell int) { boxes[cell] = int32(i) })
		}
		a.boxes = append(a.boxes, boxes)
	}
}

// pathOf returns what a warp of a CTA executes, and how many steps the CTA is from the first one
// of the path's box.
func (a *analysis) pathOf(cta, warp int) (*path, [3]int) {
	at := a.cells.At(cta)
	r := a.result(a.cells.Cell(at), warp)
	for axis := range at {
		at[axis] -= r.Box.Lo[axis]
	}
	return &r.Visitor.(*recorder).path, at
}

// result returns what a warp executes in the CTAs of a cell.
func (a *analysis) result(cell, warp int) *absexec.Result {
	return &a.warps[warp][a.boxes[warp][cell]]
}

// ordered reports whether it is known exactly which instructions the warps of all CTAs issue.
func (a *analysis) ordered() bool {
	for _, results := range a.warps {
		for i := range results {
			if !results[i].Visitor.(*recorder).path.ordered {
				return false
			}
		}
	}
	return true
}

// short reports whether a launch whose order is known is not too much to follow.
func (a *analysis) short(effort budget.Effort) bool {
	accesses := saturating.Int(0)
	for _, results := range a.warps {
		for i := range results {
			p := &results[i].Visitor.(*recorder).path
			n := saturating.Of(results[i].Box.CTAs())
			a.instructions = a.instructions.AddMul(saturating.Of(len(p.ops)), n)
			accesses = accesses.AddMul(p.sums.accesses, n)
		}
	}
	return max(a.instructions, accesses) <= saturating.Of(effort.Of(maxEvents))
}

// bounded counts the instructions of all paths of which it is not known how many requests they make.
func (a *analysis) bounded() saturating.Int {
	n := saturating.Int(0)
	for _, results := range a.warps {
		for i := range results {
			n = n.Add(results[i].Visitor.(*recorder).path.bounded)
		}
	}
	return n
}

// distribution says which CTAs an SM executes.
type distribution struct{ ctas, sms, slots int }

// wave returns the CTAs of a wave of an SM, by slot; none if it has no such wave.
func (d *distribution) wave(sm, wave int) []int {
	ctas := make([]int, 0, d.slots)
	for slot := range d.slots {
		if cta := (wave*d.slots+slot)*d.sms + sm; cta < d.ctas {
			ctas = append(ctas, cta)
		}
	}
	return ctas
}
