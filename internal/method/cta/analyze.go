package cta

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/cfg"
	"warpbound/internal/fold"
	"warpbound/internal/machine"
	"warpbound/internal/method/cost"
)

// Config is what Analyze bounds.
type Config = cost.Config

// analysis is the state of one bound.
type analysis struct {
	launch  *fold.Launch
	graph   *cfg.Graph
	costs   []cost.Instr
	counter *cost.Counter
	threads uint64 // of a CTA

	barrier  int64 // cycles from the last arrival at a barrier until its warps are ready
	release  int64 // delay of a warp by a barrier, at most
	dispatch int64 // cycles from the begin of a wave until its warps are ready
	sms      int
	slots    int // CTAs that an SM holds

	paths   map[[3]int64][]*path // that are different, by key
	cells   *grid
	classes []class

	waves   []wave         // kinds of them
	kinds   map[string]int // by the classes of the slots
	slotted []int32        // scratch
}

// maxCells limits the cells of a grid; beyond it, boxes are told apart less finely.
const maxCells = 1 << 20

// Analyze bounds the time of every run of the launch, whatever the contents of its inputs
// and of its buffers but the fixed ones. The machine must have barrel cores.
//
// Where not everything is known without them, what fixed buffers hold is taken into
// account as well, as far as the kernel surely does not write to them.
//
// Errors are those of absexec.Executor.Warp.
func Analyze(ctx context.Context, c Config) (*estimate.Estimate, error) {
	fixed := c.Fixed
	c.Fixed = nil
	e, err := bound(ctx, c)
	if len(fixed) == 0 || ctx.Err() != nil || errors.Is(err, ErrMachine) || err == nil && exact(e) {
		return e, err
	}
	better, failed := absexec.Assuming(fixed, func(fixed []absexec.Buffer) (*estimate.Estimate, error) {
		c.Fixed = fixed
		return bound(ctx, c)
	})
	if failed == nil && (err != nil || better.Cycles < e.Cycles) {
		return better, nil
	}
	return e, err
}

// bound bounds the launch with what its fixed buffers hold.
func bound(ctx context.Context, c Config) (*estimate.Estimate, error) {
	a, err := newAnalysis(c)
	if err != nil {
		return nil, err
	}
	var warps [][]absexec.Result
	for boxes := absexec.DefaultBoxes; ; boxes /= 4 {
		if warps, err = a.execute(ctx, c, boxes); err != nil {
			return nil, err
		}
		if a.cells = newGrid(c.Launch.Grid(), warps); a.cells.cells()*a.cells.residues() <= maxCells {
			break
		}
	}
	loops := make([]absexec.LoopFact, len(c.Graph.Loops().Loops))
	for _, boxes := range warps {
		for _, r := range boxes {
			for i, l := range r.Loops {
				loops[i].Iterations = max(loops[i].Iterations, l.Iterations)
				loops[i].Forced = loops[i].Forced || l.Forced
			}
		}
	}
	a.classify(warps)
	tallies, err := a.tallies()
	if err != nil {
		return nil, err
	}
	return a.result(c, tallies, loops), nil
}

// exact reports whether a bound is the time of every run.
func exact(e *estimate.Estimate) bool {
	return !slices.ContainsFunc(e.Detail.(*estimate.CTA).Waves, func(w estimate.CTAWave) bool { return !w.Exact })
}

// Iterations returns how often control of each warp of a CTA returns to the header of
// each loop of the flow graph's forest for one entry of the loop, at most, by loop and
// warp, whatever the buffers hold. Errors are those of Analyze.
func Iterations(ctx context.Context, c Config) ([][]int, error) {
	a, err := newAnalysis(c)
	if err != nil {
		return nil, err
	}
	c.Fixed = nil
	warps, err := a.execute(ctx, c, absexec.DefaultBoxes)
	if err != nil {
		return nil, err
	}
	counts := make([][]int, len(c.Graph.Loops().Loops))
	for i := range counts {
		counts[i] = make([]int, len(warps))
		for w, boxes := range warps {
			for _, r := range boxes {
				counts[i][w] = max(counts[i][w], r.Loops[i].Iterations)
			}
		}
	}
	return counts, nil
}

func newAnalysis(c Config) (*analysis, error) {
	m := c.Machine
	if m.Core != machine.Barrel {
		return nil, fmt.Errorf("%s: %w", m.Name, ErrMachine)
	}
	a := &analysis{
		launch: c.Launch, graph: c.Graph, costs: cost.Of(c.Graph.Kernel, m), counter: cost.NewCounter(m),
		barrier: m.SM.Barrier.Value, dispatch: m.SM.Dispatch.Value,
		sms: int(m.SM.Count.Value), slots: c.CTAs,
		threads: cost.Threads(c.Launch), paths: make(map[[3]int64][]*path), kinds: make(map[string]int),
	}
	a.release = a.barrier - min(m.Classes["sync"].Initiation, m.Classes["control"].Initiation)
	return a, nil
}

// execute executes every warp of a CTA.
func (a *analysis) execute(ctx context.Context, c Config, boxes int) ([][]absexec.Result, error) {
	x := c.Executor(boxes)
	var warps [][]absexec.Result
	for w := range c.Launch.Warps() {
		results, err := x.Warp(ctx, w, func(b absexec.Box) absexec.Visitor { return a.record(b) })
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			rec := r.Visitor.(*recorder)
			if rec.path = rec.finish(); rec.path.variants == nil {
				rec.path = a.unique(rec.path)
			}
		}
		warps = append(warps, results)
	}
	return warps, nil
}

// unique returns the first path that is equal to p.
func (a *analysis) unique(p *path) *path {
	key := p.key()
	for _, q := range a.paths[key] {
		if p.equal(q) {
			return q
		}
	}
	a.paths[key] = append(a.paths[key], p)
	return p
}

// classify finds the classes of the cells.
func (a *analysis) classify(warps [][]absexec.Result) {
	known := make(map[string]int32)
	numbers := make(map[*path]int32)
	for cell := range a.cells.cells() {
		first := a.cells.first(cell)
		executions := make([]*absexec.Result, len(warps))
		for w := range warps {
			i := slices.IndexFunc(warps[w], func(r absexec.Result) bool { return r.Box.Contains(first) })
			executions[w] = &warps[w][i]
		}
		cost.EachOf(a.cells.period, func(residue [3]int) {
			paths := make([]*path, len(warps))
			key := make([]byte, 0, 4*len(warps))
			for w, r := range executions {
				at := residue // steps from the first CTA of the box, modulo the period
				for axis, n := range a.cells.period {
					at[axis] = (at[axis] + n - r.Box.Lo[axis]%n) % n
				}
				paths[w] = r.Visitor.(*recorder).path.in(at)
				n, ok := numbers[paths[w]]
				if !ok {
					n = int32(len(numbers))
					numbers[paths[w]] = n
				}
				key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
			}
			number, ok := known[string(key)]
			if !ok {
				number = int32(len(a.classes))
				known[string(key)] = number
				a.classes = append(a.classes, a.class(paths))
			}
			a.cells.cell = append(a.cells.cell, number)
		})
	}
}

func (a *analysis) class(paths []*path) class {
	c := class{warps: paths, certain: true, delay: a.compose(paths)}
	for _, p := range paths {
		c.certain = c.certain && p.certain && !p.partial
		c.service += p.service
	}
	return c
}
