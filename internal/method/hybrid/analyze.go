package hybrid

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/ipet"
)

// LoopBound states how many back edges of a loop are taken at most per entry of the
// loop, by every thread or by every warp: both are used soundly.
type LoopBound struct {
	Max      int64
	Evidence estimate.Evidence
	Pos      diag.Pos // where it is stated
}

// Bounds holds loop bounds by the block that heads the loop.
type Bounds map[int]LoopBound

// Result is what the method says of a kernel.
type Result struct {
	Observed estimate.Observation
	Warp     estimate.Estimate // hybrid/warp: one warp, from its start to its exit
	Dynamic  estimate.Estimate // hybrid/dynamic: Eq. 1
	Waves    estimate.Estimate // hybrid/waves: Eq. 2 with first start and gaps
	List     estimate.Estimate // hybrid/list: the end of a list schedule

	Model    *ipet.Model // of which Solution is the optimum
	Solution *ipet.Solution
}

// Estimates returns the estimates in the order of their names in the manual.
func (r *Result) Estimates() []estimate.Estimate {
	return []estimate.Estimate{r.Warp, r.Dynamic, r.Waves, r.List}
}

// Analyze bounds the time of a kernel from the profile of its runs. The given bounds
// replace those observed.
//
// It is an error if there is no run, if a bound is for a block that heads no loop, or if
// a warp of the profile contradicts a given bound or fact; where paths of a branch may have taken turns (Options.Unknown) a contradicted
// bound is replaced instead. The error is that of ctx where it ended first.
func Analyze(ctx context.Context, p *Profile, bounds Bounds) (*Result, error) {
	if p.run != nil {
		return nil, fmt.Errorf("run %d is not complete", p.run.number)
	}
	if p.runs == 0 {
		return nil, errors.New("no run was observed")
	}
	loops, err := p.boundLoops(bounds)
	if err != nil {
		return nil, err
	}
	if err := p.checkFacts(); err != nil {
		return nil, err
	}
	m := p.newModel(loops)
	solution, err := ipet.Solve(ctx, m.Model, ipet.Options{})
	if err != nil {
		return nil, fmt.Errorf(Warp+": %w", err)
	}
	r := &reporter{p: p, m: m, solution: solution, loops: loops}
	return r.result()
}

// boundedLoop is a loop of the IPG that some warp entered.
type boundedLoop struct {
	loop     int // index in IPG.Loops
	bound    LoopBound
	observed peak
	// refuted is a given bound that a warp contradicts. Where the paths of a branch run by
	// turns it may still hold for threads.
	refuted *LoopBound
}

// boundLoops decides the bound of every loop.
func (p *Profile) boundLoops(bounds Bounds) ([]boundedLoop, error) {
	heads := map[int]bool{}
	var loops []boundedLoop
	for l := range p.ipg.Loops {
		loop := &p.ipg.Loops[l]
		heads[loop.Header] = true
		observed := p.loops[l]
		bound, given := bounds[loop.Header]
		var refuted *LoopBound
		switch {
		case given && bound.Max < 0:
			return nil, fmt.Errorf("loop %s: bound %d is negative", loop.Name, bound.Max)
		case given && observed.known && observed.value > bound.Max && p.mayInterleave():
			wrong := bound
			refuted, bound = &wrong, LoopBound{Max: observed.value, Evidence: estimate.Observed}
		case given && observed.known && observed.value > bound.Max && bound.Evidence == estimate.Proven:
			return nil, diag.Errorf(bound.Pos, "%w", &diag.VoidBoundError{Err: fmt.Errorf(
				"loop %s is proven to take %d back edges per entry at most, and %v takes %d: "+
					"this is a bug of the tool, please report it with the job", loop.Name, bound.Max, observed.at, observed.value)})
		case given && observed.known && observed.value > bound.Max:
			return nil, diag.Errorf(bound.Pos, "%w", &diag.ContradictionError{Err: fmt.Errorf(
				"loop %s: its bound %d (%s) is wrong: %v takes %d back edges per entry",
				loop.Name, bound.Max, bound.Evidence, observed.at, observed.value)})
		case !given:
			bound = LoopBound{Max: observed.value, Evidence: estimate.Observed}
		}
		if observed.known {
			loops = append(loops, boundedLoop{l, bound, observed, refuted})
		}
	}
	for header := range bounds {
		if !heads[header] {
			return nil, fmt.Errorf("a loop bound is given for block %d, which heads no loop", header)
		}
	}
	return loops, nil
}

// model is the flow problem over those transitions that were observed.
type model struct {
	*ipet.Model
	edge []int // IPG edge of every model edge
}

// upTo returns the numbers below n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// extended reports whether a given bound lets warps take an edge more often than they did in runs: it is in a loop
// that may iterate more often.
func (p *Profile) extended(e Edge, loops []boundedLoop) bool {
	return slices.ContainsFunc(loops, func(l boundedLoop) bool {
		return l.bound.Max > l.observed.value && (slices.Contains(p.ipg.around[e.From], int32(l.loop)) || slices.Contains(p.ipg.around[e.To], int32(l.loop)))
	})
}

// newModel builds the problem of which every observed warp is a solution. As in the paper, an edge is taken no more often than in
// any of them, unless a given bound allows more.
func (p *Profile) newModel(loops []boundedLoop) *model {
	m := &model{Model: &ipet.Model{Name: Warp, Source: p.ipg.Start(), Sink: p.ipg.Exit()}}
	for node := range p.ipg.Len() + 2 {
		m.AddNode(p.ipg.Name(node))
	}
	of := make([]int, p.known()+len(p.unknown)) // model edge of every edge
	unknown := p.sortedUnknown()
	for _, e := range slices.Concat(upTo(p.known()), unknown) {
		edge, seen := p.edgeOf(e), p.edge(e)
		if of[e] = -1; seen == nil {
			continue
		}
		of[e] = m.AddEdge(edge.From, edge.To, seen.worst.value)
		m.edge = append(m.edge, e)
		if edge.Limited || !p.extended(edge, loops) {
			m.Edges[of[e]].Limit = &ipet.Limit{Max: seen.maximum, Evidence: string(estimate.Observed)}
		}
	}
	observed := func(edges []int) []int {
		var kept []int
		for _, e := range edges {
			if of[e] >= 0 {
				kept = append(kept, of[e])
			}
		}
		return kept
	}
	for _, l := range loops {
		loop := &p.ipg.Loops[l.loop]
		entries := slices.Clone(loop.Entries)
		for _, e := range unknown {
			if slices.Contains(p.membershipOf(e).entry, int32(l.loop)) {
				entries = append(entries, e)
			}
		}
		if iter := observed(loop.Iter); iter != nil {
			m.Loops = append(m.Loops, ipet.Loop{
				Name: loop.Name, Iter: iter, Entries: observed(entries),
				Bound: l.bound.Max, Evidence: string(l.bound.Evidence),
			})
		}
	}
	m.addFacts(p.ipg)
	return m
}
