package split

import (
	"cmp"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/machine"
)

// Detail is the detail of split/none, split/dws and split/pws. Times are in cycles.
type Detail struct {
	SplitSIMDs int64         `json:"split_simds"` // S, of each SIMD; those in use at the same time in mode PWS, none if nothing splits
	SIMDs      int64         `json:"simds"`       // of a CU: N_SIMD of Eq. 2
	Splits     []SplitDetail `json:"splits"`      // SB: branches that split, or may
	Wavefronts int64         `json:"wavefronts"`  // of a workgroup
	Groups     int64         `json:"groups"`      // of the CU that has the most
	Slots      int64         `json:"slots"`       // workgroups that a CU holds at a time
	Rounds     int64         `json:"rounds"`      // DS, of workgroups on a CU
	Dispatch   int64         `json:"dispatch"`    // d, of each round

	Apart    string                `json:"apart"` // "nothing", "memory" or "memory and ports": what is counted apart, whichever gives the least of
	Bounds   Bounds                `json:"bounds"`
	Full     *GroupDetail          `json:"full"`     // a workgroup in all rounds but the last; nil if there is one round
	Last     *GroupDetail          `json:"last"`     // a workgroup in the last round
	Service  int64                 `json:"service"`  // of all accesses of the CU, if it is counted apart
	Passes   int64                 `json:"passes"`   // cycles of all passes of the ports of the CU, if they are counted apart
	Barriers string                `json:"barriers"` // "none", "common" or "any": what is known of those of a workgroup
	Loops    []LoopDetail          `json:"loops"`    // that may be entered
	Observed *estimate.Observation `json:"observed"` // runs in the mode; nil where nothing ran
}

// Runs returns the observed runs (estimate.Watched).
func (d *Detail) Runs() *estimate.Observation { return d.Observed }

// Bounds are the bounds of the ways to count.
type Bounds struct {
	Nothing int64 `json:"nothing"` // apart
	Memory  int64 `json:"memory"`
	Both    int64 `json:"both"` // memory and ports
}

// GroupDetail is the bound of a workgroup. Issue, Memory, Splitting and Own add up to the
// time of its wavefront.
type GroupDetail struct {
	Cycles    int64 `json:"cycles"`    // of the workgroup
	Wavefront int64 `json:"wavefront"` // E_WF: its wavefront that takes longest
	Contexts  int64 `json:"contexts"`  // wavefronts that share its SIMD
	Strands   int64 `json:"strands"`   // parts of wavefronts that share the memory
	Issue     int64 `json:"issue"`     // in which it waits for its port
	Memory    int64 `json:"memory"`    // in which it waits for other accesses
	Splitting int64 `json:"splitting"` // that it takes to split and to merge
	Own       int64 `json:"own"`       // of its instructions
}

// SplitDetail is a branch that splits.
type SplitDetail struct {
	Name string `json:"name"` // of its block
	Pos  string `json:"pos"`
}

// LoopDetail is a loop that may be entered.
type LoopDetail struct {
	Name       string            `json:"name"`
	Pos        string            `json:"pos"`
	Iterations int64             `json:"iterations"` // for one entry, at most
	Evidence   estimate.Evidence `json:"evidence"`
	// Apart says that work-items may execute its iterations apart from each other (a
	// Tangle), so that what it takes counts for each of them.
	Apart bool `json:"apart,omitempty"`
}

// assumptions are what every estimate rests on.
var assumptions = []string{
	"the machine executes PTX instructions as its file says (a device executes what its assembler makes of them)",
	"the kernel is alone on the GPU",
	"the time of the launch on the host is not included",
	"buffers begin at multiples of 256 bytes",
	"the kernel ends without fault, whatever its inputs",
}

// raceFree is what estimates rest on too where wavefronts split.
const raceFree = "what work-items compute does not depend on the order in which the sides of a branch execute"

// estimate makes the estimate of the rule that gives less.
func (a *analysis) estimate() (*estimate.Estimate, error) {
	var launches [rules]*launch
	best := countAll
	for r := range launches {
		var err error
		if launches[r], err = a.launch(rule(r)); err != nil {
			return nil, err
		}
		if launches[r].cycles < launches[best].cycles {
			best = rule(r)
		}
	}
	l := launches[best]
	r, sm := &a.resident, &a.Machine.SM
	d := &Detail{
		SplitSIMDs: r.parts - 1, SIMDs: sm.Schedulers.Value, Splits: []SplitDetail{},
		Wavefronts: r.wavefronts, Groups: r.groups, Slots: r.slots, Rounds: r.rounds(), Dispatch: sm.Dispatch.Value,
		Apart: best.String(), Bounds: Bounds{launches[countAll].cycles, launches[countPorts].cycles, launches[countNeither].cycles},
		Service: l.service, Passes: l.issue,
		Barriers: [...]string{noBarrier: "none", jointly: "common", anyhow: "any"}[a.barriers], Loops: []LoopDetail{},
	}
	d.Last = a.groupDetail(l.last)
	if l.full != nil {
		d.Full = a.groupDetail(l.full)
	}
	mode := a.Machine.Split.Mode.Value
	e := &estimate.Estimate{
		Method: Method(mode), Cycles: l.cycles, Evidence: estimate.Proven, Detail: d,
		Assumptions: slices.Clone(assumptions), Breakdown: a.shares(l),
	}
	for _, b := range a.Fixed {
		e.Assumptions = append(e.Assumptions, fmt.Sprintf("buffer %s holds what the job gives it (nothing writes to it)", b.Name))
	}
	if mode != machine.SplitNone {
		e.Assumptions = append(e.Assumptions, raceFree)
	}
	for _, b := range a.Splits {
		d.Splits = append(d.Splits, SplitDetail{a.Graph.Name(b), a.Graph.Blocks[b].Source().String()})
	}
	for i, loop := range a.Graph.Loops().Loops {
		if !a.joint.reached[loop.Header] {
			continue
		}
		limit := a.joint.loops[i]
		detail := LoopDetail{
			Name: a.Graph.Name(loop.Header), Pos: a.Graph.Blocks[loop.Header].Source().String(),
			Iterations: limit.most, Evidence: limit.evidence,
			Apart: slices.ContainsFunc(l.last.kind.form.Tangles, func(t Tangle) bool { return t.Header == loop.Header }),
		}
		d.Loops = append(d.Loops, detail)
		if limit.evidence != estimate.Proven {
			e.Evidence = estimate.Weakest(e.Evidence, limit.evidence)
			e.Assumptions = append(e.Assumptions, fmt.Sprintf("loop %s goes back to its head at most %d times for each entry (annotated)",
				detail.Name, detail.Iterations))
		}
	}
	return e, nil
}

func (a *analysis) groupDetail(g *group) *GroupDetail {
	d := &GroupDetail{
		Cycles: g.cycles, Wavefront: g.path.Cycles, Contexts: g.contexts, Strands: a.resident.strands(g.groups),
	}
	for b, n := range g.path.Executions {
		need := g.kind.demands[b]
		if g.rule != countNeither {
			d.Issue += n * need.passes * (a.pass(g.sharing) - a.Machine.Split.Pass.Value)
		}
		if g.rule == countAll {
			d.Memory += n * need.accesses * g.wait
		}
	}
	d.Splitting = a.splitting(g)
	d.Own = d.Wavefront - d.Issue - d.Memory - d.Splitting
	return d
}

// splitting returns the cycles that splitting and merging take on the path of a workgroup's
// bound, when they need not wait.
func (a *analysis) splitting(g *group) int64 {
	sum := int64(0)
	pass := a.Machine.Split.Pass.Value
	for b, n := range g.path.Executions {
		if !g.kind.reached[b] {
			continue
		}
		need := demand{}
		switch a.Machine.Split.Mode.Value {
		case machine.PWS:
			need = a.timing.splitting(&a.Graph.Blocks[b])
		case machine.DWS:
			if g.kind.parts[b] && a.mayDivide(b) {
				need = a.dividing()
			}
		}
		sum += n * need.delay
		if g.rule != countNeither {
			sum += n * need.passes * pass
		}
	}
	return sum
}

// shares says where the cycles of a bound go: per block, those of the path of one wavefront
// in each round.
func (a *analysis) shares(l *launch) []estimate.Share {
	blocks := make([]estimate.Share, a.Graph.Len())
	count := func(g *group, times int64) {
		for b, n := range g.path.Executions {
			blocks[b].Count += n * times
			blocks[b].Cycles += n * times * a.price(g.kind.demands[b], g.sharing)
		}
	}
	count(l.last, 1)
	rest := l.cycles - l.service - l.issue - l.last.path.Cycles - a.resident.rounds()*a.Machine.SM.Dispatch.Value
	if l.full != nil {
		count(l.full, a.resident.rounds()-1)
		rest -= (a.resident.rounds() - 1) * l.full.path.Cycles
	}
	var shares []estimate.Share
	for b, s := range blocks {
		if s.Cycles > 0 {
			s.Name, s.Pos = a.Graph.Name(b), a.Graph.Blocks[b].Source().String()
			shares = append(shares, s)
		}
	}
	for _, s := range []estimate.Share{
		{Name: "service of the memory", Count: a.resident.groups, Cycles: l.service},
		{Name: "passes of all ports", Count: a.resident.groups, Cycles: l.issue},
		{Name: "other wavefronts of the workgroup", Count: a.resident.rounds(), Cycles: rest},
		{Name: "dispatch of workgroups", Count: a.resident.rounds(), Cycles: a.resident.rounds() * a.Machine.SM.Dispatch.Value},
	} {
		if s.Cycles > 0 {
			shares = append(shares, s)
		}
	}
	slices.SortStableFunc(shares, func(s, t estimate.Share) int { return cmp.Compare(t.Cycles, s.Cycles) })
	return shares
}
