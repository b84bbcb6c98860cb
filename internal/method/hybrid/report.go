package hybrid

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/ipet"
	"warpbound/internal/premise"
	"warpbound/internal/saturating"
	"warpbound/internal/trace"
)

// reporter turns a solved model into estimates.
type reporter struct {
	p        *Profile
	m        *model
	solution *ipet.Solution
	loops    []boundedLoop
}

func (r *reporter) result() (*Result, error) {
	all := new(smProfile) // the largest figures of any multiprocessor
	for _, sm := range r.p.sms {
		all.merge(sm)
	}
	warp := r.warp()
	dynamic, err := r.dynamic(warp, all)
	if err != nil {
		return nil, err
	}
	waves, err := r.waves(warp, all)
	if err != nil {
		return nil, err
	}
	list, err := r.list(warp)
	if err != nil {
		return nil, err
	}
	return &Result{
		Observed: *r.p.Observed(),
		Warp:     warp, Dynamic: dynamic, Waves: waves, List: list,
		Model: r.m.Model, Solution: r.solution,
	}, nil
}

func (r *reporter) warp() estimate.Estimate {
	return estimate.Estimate{
		Method:      Warp,
		Cycles:      r.solution.Cycles,
		Evidence:    estimate.Observed,
		Assumptions: append(r.assumptions(), "one warp alone, from its dispatch to its exit"),
		Detail:      r.warpDetail(),
		Breakdown:   r.shares(1),
	}
}

// maximum names what the times of edges are.
func (r *reporter) maximum() string {
	if r.p.runs == 1 {
		return "in the one run"
	}
	return fmt.Sprintf("its maximum over %d runs", r.p.runs)
}

// dynamic is Eq. 1 with jitter counted from the launch. A run ends with the exit of a
// warp that started at most jitter after the launch and ran for at most Z_warp.
func (r *reporter) dynamic(warp estimate.Estimate, all *smProfile) (estimate.Estimate, error) {
	path, jitter := saturating.Of(warp.Cycles), saturating.Of(all.jitter)
	cycles, published := path.Add(jitter), path.Add(saturating.Of(all.spread))
	if cycles == saturating.Max || published == saturating.Max {
		return estimate.Estimate{}, overflow(Dynamic)
	}
	detail := &estimate.HybridDynamic{
		Warp:      warp.Cycles,
		Jitter:    all.jitter,
		Published: estimate.HybridPublished{Jitter: all.spread, Cycles: published.Int64()},
	}
	for _, id := range slices.Sorted(maps.Keys(r.p.sms)) {
		sm := r.p.sms[id]
		detail.SMs = append(detail.SMs, estimate.HybridSM{
			SM: id, Jitter: sm.jitter, Spread: sm.spread,
			Waves: sm.waves, WarpsPerWave: sm.warps, Delta: sm.delta,
		})
	}
	return estimate.Estimate{
		Method:   Dynamic,
		Cycles:   cycles.Int64(),
		Evidence: estimate.Observed,
		Assumptions: append(r.assumptions(),
			fmt.Sprintf("no warp starts later than %s after the %s (observed)", plural(all.jitter, "cycle"), r.origin())),
		Detail:    detail,
		Breakdown: ordered(append(r.shares(1), estimate.Share{Name: "release jitter", Count: 1, Cycles: all.jitter})),
	}, nil
}

// waves is Eq. 2 and, beyond it, the first start and the gaps between waves.
func (r *reporter) waves(warp estimate.Estimate, all *smProfile) (estimate.Estimate, error) {
	waves := saturating.Of(all.waves)
	stalls := waves.Mul(saturating.Of(all.warps - 1).Mul(saturating.Of(all.delta)))
	gaps := saturating.Of(all.waves - 1).Mul(saturating.Of(all.gap))
	published := stalls.AddMul(waves, saturating.Of(warp.Cycles))
	total := saturating.Sum(published, gaps, saturating.Of(all.firstStart))
	if total == saturating.Max {
		return estimate.Estimate{}, overflow(Waves)
	}
	geometry, err := r.geometry(warp, all.delta)
	if err != nil {
		return estimate.Estimate{}, err
	}
	later := fmt.Sprintf("a wave starts at most %s after the last exit before it", plural(all.gap, "cycle"))
	if !r.perSM() {
		later += fmt.Sprintf(", the first at most %d after the launch", all.firstStart)
	}
	return estimate.Estimate{
		Method:   Waves,
		Cycles:   total.Int64(),
		Evidence: estimate.Observed,
		Assumptions: append(r.assumptions(),
			fmt.Sprintf("a multiprocessor runs at most %s of at most %s (observed)", plural(all.waves, "wave"), plural(all.warps, "warp")),
			fmt.Sprintf("within a wave a warp starts at most %s after its predecessor (observed)", plural(all.delta, "cycle")),
			later+" (observed)"),
		Detail: &estimate.HybridWaves{
			Warp: warp.Cycles, Waves: all.waves, WarpsPerWave: all.warps, Delta: all.delta,
			FirstStart: all.firstStart, Gap: all.gap, Published: published.Int64(), Geometry: geometry,
		},
		Breakdown: ordered(append(r.shares(all.waves),
			estimate.Share{Name: "first start", Count: 1, Cycles: all.firstStart},
			estimate.Share{Name: "delay of starts in waves", Count: all.waves, Cycles: stalls.Int64()},
			estimate.Share{Name: "gaps between waves", Count: all.waves - 1, Cycles: gaps.Int64()})),
	}, nil
}

// assumptions returns what all estimates of the method rest on.
func (r *reporter) assumptions() []string {
	list := []string{
		fmt.Sprintf("no path between two Ipoints takes longer than %s (observed)", r.maximum()),
	}
	for _, l := range r.loops {
		list = append(list, fmt.Sprintf("loop bound of %s: at most %s per entry (%s)",
			r.p.ipg.Loops[l.loop].Name, plural(l.bound.Max, "back edge"), l.bound.Evidence))
		if l.refuted != nil {
			list = append(list, fmt.Sprintf("the bound %d (%s) of loop %s does not hold for warps: it is wrong, or the paths of a branch were interleaved",
				l.refuted.Max, l.refuted.Evidence, r.p.ipg.Loops[l.loop].Name))
		}
	}
	for _, f := range r.p.ipg.facts {
		list = append(list, fmt.Sprintf("fact %s holds for every warp (%s)", f.Name, f.Evidence))
	}
	if n := r.unobserved(); n > 0 {
		list = append(list, r.uncovered(n))
	}
	if n := r.p.unknownTraversals(); n > 0 {
		list = append(list, fmt.Sprintf("edges that are not in the CFG were taken %s; no warp takes them more often than any observed one (observed)", plural(n, "time")))
	}
	if n := countIf(r.m.Edges, func(e ipet.Edge) bool { return e.Limit != nil }); n > 0 {
		list = append(list, fmt.Sprintf("%s: taken no more often than in any observed warp (observed)", plural(int64(n), "edge")))
	}
	if r.perSM() {
		list = append(list,
			"cycles are counted from the first warp start on each SM, since SM clocks are not synchronised: time before it is not included",
			"a warp's time is from its first instruction to its exit: dispatch and the draining of writes are not included",
			"the code executed is what the driver compiled from the instrumented kernel")
	} else {
		list = append(list, "the traced PTX instructions are those executed (a device executes the SASS that ptxas generates)")
	}
	if r.p.options.Turns {
		list = append(list, "paths of a branch take turns, and lanes go on without others of their warp, no otherwise than in the observed runs (observed)")
	}
	if r.p.options.Copies {
		list = append(list, premise.WarmCopies)
	}
	return append(list,
		premise.Alone,
		premise.NoHost)
}

func (r *reporter) perSM() bool { return r.p.options.Clocks == trace.PerSM }

// origin says from where cycles count.
func (r *reporter) origin() string {
	if r.perSM() {
		return "first start of its multiprocessor"
	}
	return "launch"
}

func (r *reporter) unobserved() int { return r.p.known() - (len(r.p.seen) - len(r.p.unknown)) }

// uncovered is the assumption about edges that no warp took. They are edges of the flow graph where every block
// has an Ipoint, and otherwise stand for paths of it.
func (r *reporter) uncovered(n int) string {
	edges, verbs := "CFG edges", "were not covered and are"
	if !r.p.ipg.whole {
		edges = "edges between Ipoints"
	}
	if n == 1 {
		verbs = "was not covered and is"
	}
	return fmt.Sprintf("%d of %d %s %s assumed infeasible (observed)", n, len(r.p.ipg.Edges), edges, verbs)
}

// plural renders a number of things.
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func countIf[T any](list []T, is func(T) bool) int {
	n := 0
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}

func (r *reporter) warpDetail() *estimate.HybridWarp {
	d := &estimate.HybridWarp{
		Loops:      []estimate.HybridLoop{},
		Unobserved: r.unobserved(),
		Exact:      r.solution.Exact,
		Solver:     r.solution.Method,
	}
	spent := r.solution.Contributions(r.m.Model)
	for i, e := range r.m.edge {
		edge, seen := r.p.edgeOf(e), r.p.edge(e)
		row := estimate.HybridEdge{
			From: r.p.ipg.Name(edge.From), To: r.p.ipg.Name(edge.To), Divergent: edge.Divergent,
			Best: seen.best, Average: seen.sum.Float64() / float64(seen.count),
			Worst: seen.worst.value, WorstAt: seen.worst.at,
			Observed: seen.count, Max: seen.maximum, Limited: r.m.Edges[i].Limit != nil, Unknown: e >= r.p.known(),
		}
		if spent != nil {
			row.Count, row.Cycles = r.solution.Counts[i], spent[i]
		}
		d.Edges = append(d.Edges, row)
	}
	for _, l := range r.loops {
		loop := &r.p.ipg.Loops[l.loop]
		d.Loops = append(d.Loops, estimate.HybridLoop{
			Header: loop.Name, Pos: loop.Pos, Bound: l.bound.Max, Evidence: l.bound.Evidence,
			Observed: l.observed.value, ObservedAt: l.observed.at,
		})
	}
	return d
}

// shares says which blocks carry the time of the worst path, taken times over: a
// transition's time is that of the block where it begins.
func (r *reporter) shares(times int64) []estimate.Share {
	spent := r.solution.Contributions(r.m.Model)
	if spent == nil {
		return nil
	}
	g := r.p.ipg
	counts, cycles := make([]saturating.Int, g.Exit()), make([]saturating.Int, g.Exit())
	for i, e := range r.m.edge {
		node, n := r.p.edgeOf(e).From, saturating.Of(times)
		counts[node] = counts[node].AddMul(saturating.Of(r.solution.Counts[i]), n)
		cycles[node] = cycles[node].AddMul(saturating.Of(spent[i]), n)
	}
	byNode := make([]estimate.Share, g.Exit())
	for node := range byNode {
		byNode[node] = estimate.Share{Name: g.Name(node), Count: counts[node].Int64(), Cycles: cycles[node].Int64()}
		if node < g.Len() {
			byNode[node].Pos = g.Ipoints[node].Pos
		}
	}
	return ordered(byNode)
}

// ordered sorts shares by falling time, and drops those of none.
func ordered(shares []estimate.Share) []estimate.Share {
	shares = slices.DeleteFunc(shares, func(s estimate.Share) bool { return s.Cycles == 0 })
	slices.SortStableFunc(shares, func(a, b estimate.Share) int { return cmp.Compare(b.Cycles, a.Cycles) })
	return shares
}

// overflow is the error of a method whose bound does not fit.
func overflow(method string) error { return fmt.Errorf("%s: %w", method, ipet.ErrOverflow) }
