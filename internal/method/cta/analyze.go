package cta

import (
	"cmp"
	"context"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/cfg"
	"warpbound/internal/method"
	"warpbound/internal/method/cells"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
	"warpbound/internal/semantics"
)

// analysis is the state of one bound.
type analysis struct {
	launch  *semantics.Launch
	graph   *cfg.Graph
	costs   []cost.Instr
	counter *cost.Counter
	overlap overlap
	ranges  *ranges
	threads uint64 // of a CTA
	once    []bool // by block: a thread executes it at most once

	barrier  int64          // cycles from the last arrival at a barrier until its warps are ready
	release  saturating.Int // delay of a warp by a barrier, at most
	dispatch saturating.Int // cycles from the begin of a wave until its warps are ready
	sms      int
	slots    int // CTAs that an SM holds

	paths   map[[3]int64][]*path // that are different, by key
	cells   *cells.Grid
	classOf []int32 // by cell and residue of the CTA modulo the period, both x fastest
	classes []class

	waves   []wave         // kinds of them
	kinds   map[string]int // by the classes of the slots
	slotted []int32        // scratch

	warnings []diag.Warning
}

// maxCells limits the cells of a grid; beyond it, boxes are told apart less finely.
const maxCells = 1 << 20

// bound bounds the launch with what its fixed buffers hold.
func bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	return newAnalysis(ctx, p).bound(ctx, p)
}

func (a *analysis) bound(ctx context.Context, p *method.Problem) (*method.Answer, error) {
	var err error
	var warps [][]absexec.Result
	for boxes := absexec.DefaultBoxes; ; boxes /= 4 {
		if warps, err = a.execute(ctx, p, boxes); err != nil {
			return nil, err
		}
		if a.cells = cells.New(p.Launch.Grid(), period(warps), warps); a.cells.Len()*a.cells.Residues() <= maxCells {
			break
		}
	}
	loops := make([]absexec.LoopFact, len(p.Graph.Loops().Loops))
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
	longest := slices.MaxFunc(tallies, func(s, t tally) int { return cmp.Compare(s.cycles, t.cycles) })
	if longest.cycles == saturating.Max {
		return nil, ErrOverflow
	}
	return &method.Answer{Estimates: []estimate.Estimate{*a.result(p, tallies, loops)}, Warnings: a.warnings}, nil
}

// Iterations returns how often control of each warp of a CTA returns to the header of
// each loop of the flow graph's forest for one entry of the loop, at most, by loop and
// warp, whatever the buffers hold. Errors are those of Method.Bound.
func Iterations(ctx context.Context, p *method.Problem) ([][]int, error) {
	if err := (Method{}).Applies(p.Machine); err != nil {
		return nil, err
	}
	warps, err := newAnalysis(ctx, p).execute(ctx, p.WithFixed(nil), absexec.DefaultBoxes)
	if err != nil {
		return nil, err
	}
	counts := make([][]int, len(p.Graph.Loops().Loops))
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

func newAnalysis(ctx context.Context, p *method.Problem) *analysis {
	m := p.Machine
	a := &analysis{
		launch: p.Launch, graph: p.Graph, costs: cost.Of(p.Graph.Kernel, m), counter: cost.NewCounter(m), ranges: newRanges(ctx, p),
		barrier: m.SM.Barrier.Value, dispatch: saturating.Of(m.SM.Dispatch.Value),
		sms: int(m.SM.Count.Value), slots: p.Resident,
		threads: cost.Threads(p.Launch), once: once(p.Graph.Flow.Graph()), paths: make(map[[3]int64][]*path), kinds: make(map[string]int),
	}
	a.overlap = newOverlap(p.Graph.Kernel, a.costs, a.slots*p.Launch.Warps())
	a.release = saturating.Of(a.barrier - min(m.Classes["sync"].Initiation, m.Classes["control"].Initiation))
	return a
}

// execute executes every warp of a CTA.
func (a *analysis) execute(ctx context.Context, p *method.Problem, boxes int) ([][]absexec.Result, error) {
	x := p.Executor(boxes)
	var warps [][]absexec.Result
	for w := range p.Launch.Warps() {
		results, err := x.Warp(ctx, w, func(absexec.Box) absexec.Visitor { return a.record(w) })
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
	a.warnings = p.Summarised(x)
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

// period returns the CTAs after which all paths repeat along each axis.
func period(warps [][]absexec.Result) [3]int {
	period := [3]int{1, 1, 1}
	for _, boxes := range warps {
		for _, r := range boxes {
			for axis, n := range r.Visitor.(*recorder).path.period {
				period[axis] = max(period[axis], n)
			}
		}
	}
	return period
}

// classify finds the classes of the cells.
func (a *analysis) classify(warps [][]absexec.Result) {
	known := make(map[string]int32)
	numbers := make(map[*path]int32)
	for cell := range a.cells.Len() {
		first := a.cells.First(cell)
		executions := make([]*absexec.Result, len(warps))
		for w := range warps {
			i := slices.IndexFunc(warps[w], func(r absexec.Result) bool { return r.Box.Contains(first) })
			executions[w] = &warps[w][i]
		}
		cost.EachOf(a.cells.Period, func(residue [3]int) {
			paths := make([]*path, len(warps))
			key := make([]byte, 0, 4*len(warps))
			for w, r := range executions {
				at := residue // steps from the first CTA of the box, modulo the period
				for axis, n := range a.cells.Period {
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
			a.classOf = append(a.classOf, number)
		})
	}
}

func (a *analysis) class(paths []*path) class {
	c := class{warps: paths, certain: true, delay: a.compose(paths)}
	for _, p := range paths {
		c.certain = c.certain && p.certain && !p.partial
		c.service = c.service.Add(p.service)
	}
	return c
}
