package greedy

import (
	"context"
	"fmt"

	"warpbound/diag"
	"warpbound/internal/absexec"
	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/method"
	"warpbound/internal/method/cells"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
	"warpbound/internal/semantics"
)

// analysis is the state of one bound.
type analysis struct {
	*model
	launch      *semantics.Launch
	graph       *cfg.Graph
	counter     *cost.Counter
	threads     uint64   // of a CTA
	lanes       []uint64 // threads of each warp
	warp        int      // that is executed
	ctas        int
	sms         int
	slots       int // of an SM
	scratch     sums
	accounts    map[account]account
	ccached     bool           // parameters and constants stay in their cache once they are there
	clines      saturating.Int // lines of them
	table       table
	pools       *pools
	pooled      map[int][]int // lines of the table that an instruction can touch
	effort      budget.Effort
	uncounted   bool  // accesses touch too many lines to count how often each is touched
	wild        bool  // nothing is known of what the L1 holds
	inL1        []l1  // by SM, or of all together if CTAs may come to any; none if nothing is known
	takesStores bool  // the L1 takes stores to lines of local memory that were loaded before
	stamps      []int // by line of the table: see waited
	stamp       int
	merged      saturating.Int // how often an access to the L1 finds no room in the entry of its line, on all SMs
	foot        footprint
	loops       []absexec.LoopFact
	shuffled    bool // steps are not told in the order in which warps execute them
	warps       [][]absexec.Result
	warnings    []diag.Warning
}

// maxBoxes limits the boxes of CTAs that are told apart, maxCells the cells of a grid.
const (
	maxBoxes = 1 << 10
	maxCells = 1 << 16
)

func newAnalysis(ctx context.Context, p *method.Problem) (*analysis, error) {
	grid := p.Launch.Grid()
	a := &analysis{
		accounts: make(map[account]account),
		launch:   p.Launch, graph: p.Graph, counter: cost.NewCounter(p.Machine), threads: cost.Threads(p.Launch),
		ctas: grid[0] * grid[1] * grid[2], sms: int(p.Machine.SM.Count.Value), slots: p.Resident,
		loops: make([]absexec.LoopFact, len(p.Graph.Loops().Loops)), effort: p.Effort,
	}
	heads := make(map[int]bool)
	for b := range p.Graph.Len() {
		heads[p.Graph.Blocks[b].Start] = true
	}
	a.model = newModel(p.Machine, p.Graph.Kernel, func(pc int) bool { return heads[pc] })
	if a.ways = saturating.Of(p.Ways); p.Ways == 0 {
		a.ways = saturating.Of(a.L1.Ways.Value)
	}
	a.scratch = a.noSums()
	for w := range p.Launch.Warps() {
		a.lanes = append(a.lanes, p.Launch.Threads(w))
	}
	a.findConstants()
	var err error
	a.pools, err = newPools(ctx, p, a.L1.Sets.Value*a.ways.Int64())
	return a, err
}

// execute executes every warp of a CTA.
func (a *analysis) execute(ctx context.Context, p *method.Problem) error {
	x := p.Executor(min(max(absexec.DefaultBoxes, 4*a.ctas), maxBoxes))
	for w := range a.lanes {
		a.warp = w
		results, err := x.Warp(ctx, w, func(absexec.Box) absexec.Visitor { return a.record() })
		if err != nil {
			return err
		}
		for i := range results {
			r := results[i].Visitor.(*recorder)
			r.finish()
			r.path.box = results[i].Box
			for l, f := range results[i].Loops {
				a.loops[l].Iterations = max(a.loops[l].Iterations, f.Iterations)
				a.loops[l].Forced = a.loops[l].Forced || f.Forced
			}
		}
		a.warps = append(a.warps, results)
	}
	a.shuffled = x.Summarises()
	a.warnings = p.Summarised(x)
	if err := a.findTable(ctx); err != nil {
		return err
	}
	if a.uncounted {
		a.warnings = append(a.warnings, p.GaveUp("lines-not-counted", fmt.Sprintf(
			"accesses touch more than %d lines in all CTAs, or a warp more than %d, so that %s does not count how often each "+
				"is touched: the bound is one wherever they lie, and may be many times what the kernel takes; a smaller grid "+
				"has a close one, or a greater --effort",
			p.Effort.Of(maxTouches), p.Effort.Of(maxBases), ID), nil))
	}
	loads := func(u *use) saturating.Int { return u.loads }
	a.merged = a.table.merges(saturating.Of(a.L1.Merge.Value+1), saturating.Max, a.table.loads, loads)
	return nil
}

// class is a class of CTAs in which every warp does the same, and what such a CTA needs at most.
type class struct {
	count    saturating.Int
	warps    []*path
	all      sums   // of all warps
	each     []sums // of the warps of each scheduler, if the number of its warps is a multiple of that of schedulers; else the most of any
	chain    point  // from the dispatch to its end
	via      [lengths]*link
	barriers bool // a chain may go from one warp to another
}

// classes divides the CTAs into classes, and returns them, and the class and the place in the grid of a CTA.
func (a *analysis) classes() ([]class, func(cta int) (*class, [3]int), error) {
	grid := cells.New(a.launch.Grid(), [3]int{1, 1, 1}, a.warps)
	if n := grid.Len(); n > maxCells {
		return nil, nil, fmt.Errorf("kernel %s: CTAs do different things in %d boxes of the grid: too many to add up each", a.graph.Kernel.Readable(), n)
	}
	paths := make([][]*path, grid.Len()) // by cell and warp
	for i := range paths {
		paths[i] = make([]*path, len(a.warps))
	}
	for w, results := range a.warps {
		for i := range results {
			p := &results[i].Visitor.(*recorder).path
			grid.In(results[i].Box, func(cell int) { paths[cell][w] = p })
		}
	}
	all := make([]class, grid.Len())
	for cell := range all {
		all[cell] = a.class(paths[cell])
		all[cell].count = 1
		rest := cell
		for _, cuts := range grid.Cuts {
			k := rest % (len(cuts) - 1)
			rest /= len(cuts) - 1
			all[cell].count = all[cell].count.Mul(saturating.Of(cuts[k+1] - cuts[k]))
		}
	}
	return all, func(cta int) (*class, [3]int) {
		at := grid.At(cta)
		return &all[grid.Cell(at)], at
	}, nil
}

// class adds up what the warps of a CTA need.
func (a *analysis) class(warps []*path) class {
	chain := a.findChain(warps)
	c := class{warps: warps, all: a.noSums(), chain: chain.point, via: chain.via}
	for range a.schedulers {
		c.each = append(c.each, a.noSums())
	}
	for w, p := range warps {
		c.all.plus(p.sums)
		c.each[w%a.schedulers].plus(p.sums)
		c.barriers = c.barriers || p.barriers > 0
	}
	if len(warps)%a.schedulers != 0 { // in another slot the CTA's warps go to other schedulers
		greatest := a.noSums()
		for _, s := range c.each {
			greatest.atLeast(s)
		}
		for i := range c.each {
			c.each[i] = greatest
		}
	}
	return c
}

// unordered reports whether a warp may execute its instructions in another order than its path tells.
func (a *analysis) unordered(p *path) bool {
	return a.shuffled || p.diverged && a.IndependentThreads()
}
