// Package untested finds what inputs of a launch reach and runs of it have not exercised, so that
// runs with other inputs may take longer than those from which an estimate was made. It proves
// nothing: it says where to doubt.
//
// untested must not know runs but for what they have exercised.
package untested

import (
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/influence"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/method"
)

// How far above the longest run an estimate is to be, in thousandths: inputs that mix the paths of
// others may take longer than each, and more so if they decide which lines of caches accesses
// share.
const (
	mixedPaths = 15
	mixedLines = 100
)

// Reserve returns how far above the longest run an estimate is to be, in thousandths, and whether
// less is enough if several runs take as long as that.
func Reserve(g *cfg.Graph, reached *influence.Result) (thousandths int64, alike bool) {
	for i := range g.Kernel.Instrs {
		if address, _ := reached.Access(i); address > influence.Counted && isCached(&g.Kernel.Instrs[i]) {
			return mixedLines, false
		}
	}
	return mixedPaths, true
}

// doubting finds ways that branches were never sent, iterations that loops never made, and
// accesses.
type doubting struct {
	problem  *method.Problem
	covered  *estimate.Coverage
	reached  *influence.Result
	never    map[graph.Edge]bool // that no input takes
	doubts   []string
	attacked bool
}

// Find returns what inputs reach and runs have not exercised, each with its place; nil if there is
// nothing. attacked says that inputs were run that somebody or an adversary made.
func Find(p *method.Problem, reached *influence.Result, covered *estimate.Coverage, attacked bool) []string {
	d := &doubting{problem: p, covered: covered, reached: reached, attacked: attacked, never: p.Values.Infeasible()}
	d.doubtBranches()
	d.doubtChoices()
	d.doubtLoops()
	d.doubtAccesses()
	return d.doubts
}

// addDoubt notes a reason.
func (d *doubting) addDoubt(in *isa.Instr, text string, args ...any) {
	pos := in.Pos
	if in.Loc.Known() {
		pos = in.Loc
	}
	if reason := pos.String() + ": " + fmt.Sprintf(text, args...); !slices.Contains(d.doubts, reason) {
		d.doubts = append(d.doubts, reason)
	}
}

// doubtBranches notes ways that inputs may send lanes and that no run has shown.
func (d *doubting) doubtBranches() {
	g := d.problem.Graph
	blocks := map[string]int{}
	reachable := 0
	for b := range g.Blocks {
		blocks[g.Blocks[b].Name] = b
		if g.Reachable(b) {
			reachable++
		}
	}
	if d.covered.Blocks.Possible < reachable {
		d.doubts = append(d.doubts, fmt.Sprintf("runs record %d of %d blocks alone", d.covered.Blocks.Possible, reachable))
	}
	for _, u := range d.covered.Never {
		if u.To == "" {
			continue // some way that leads there was never taken
		}
		from, to := blocks[u.Block], g.Exit()
		if b, ok := blocks[u.To]; ok {
			to = b
		}
		if d.reached.Branch(from) > influence.None && !d.never[graph.Edge{From: from, To: to}] {
			d.addDoubt(g.Last(from), "inputs decide a branch that was never taken to %s", d.place(g, to, u.To))
		}
	}
}

// maxChoices is how many branches with accesses behind them inputs may decide one after the other:
// of more there are too many combinations for runs.
const maxChoices = 3

// doubtChoices notes if inputs decide more branches than that, none of which depends on another, and
// accesses depend on each: then runs in which many lanes take all of them at once are rare.
func (d *doubting) doubtChoices() {
	g := d.problem.Graph
	var separate [][]int
	first := -1
	for b := range g.Blocks {
		region := d.reached.Region(b)
		if !g.Reachable(b) || d.reached.Decides(b) == influence.None || !slices.ContainsFunc(region, d.accessed) || d.leaves(b) {
			continue
		}
		shares := func(other []int) bool {
			return slices.Contains(other, b) || slices.ContainsFunc(other, func(x int) bool { return slices.Contains(region, x) })
		}
		if !slices.ContainsFunc(separate, shares) {
			if first < 0 {
				first = b
			}
			separate = append(separate, region)
		}
	}
	if len(separate) > maxChoices {
		d.addDoubt(g.Last(first), "inputs decide %d branches one after the other, from here on, of which runs have shown few combinations", len(separate))
	}
}

// accessed reports whether a block accesses memory.
func (d *doubting) accessed(block int) bool {
	b := &d.problem.Graph.Blocks[block]
	return slices.ContainsFunc(d.problem.Graph.Kernel.Instrs[b.Start:b.End], func(in isa.Instr) bool {
		return in.Op.Info().Effect&(isa.ReadsMem|isa.WritesMem) != 0 && in.Space != isa.Param
	})
}

// leaves reports whether a block leaves a loop.
func (d *doubting) leaves(block int) bool {
	g := d.problem.Graph
	for l := range g.Loops().Loops {
		loop := &g.Loops().Loops[l]
		if loop.Contains(block) && slices.ContainsFunc(g.Succ(block), func(to int) bool { return !loop.Contains(to) }) {
			return true
		}
	}
	return false
}

// place says where a block is.
func (d *doubting) place(g *cfg.Graph, block int, name string) string {
	if block == g.Exit() {
		return "the " + name
	}
	return g.Blocks[block].Source().String()
}

// doubtLoops notes those of which inputs decide how often they iterate, and which have not iterated as
// often as they may.
func (d *doubting) doubtLoops() {
	g := d.problem.Graph
	for l := range g.Loops().Loops {
		loop := &g.Loops().Loops[l]
		decided := slices.ContainsFunc(loop.Body, func(b int) bool {
			leaves := slices.ContainsFunc(g.Succ(b), func(to int) bool { return !loop.Contains(to) })
			return leaves && d.reached.Decides(b) > influence.None
		})
		if !decided {
			continue
		}
		maximum, _, known := d.problem.LoopBound(loop.Header)
		header := &g.Kernel.Instrs[g.Blocks[loop.Header].Start]
		switch observed := d.covered.Loops[l].Observed; {
		case !known:
			d.addDoubt(header, "inputs decide how often a loop iterates, and no bound of it is known that runs may reach")
		case observed < int64(maximum):
			d.addDoubt(header, "inputs decide how often a loop iterates: %d times in runs, and up to %d in others", observed, maximum)
		}
	}
}

// doubtAccesses notes those whose addresses inputs decide otherwise than adversarial inputs exercise,
// and those that inputs leave out.
func (d *doubting) doubtAccesses() {
	g := d.problem.Graph
	for b := range g.Blocks {
		if !g.Reachable(b) {
			continue
		}
		for i := g.Blocks[b].Start; i < g.Blocks[b].End; i++ {
			in := &g.Kernel.Instrs[i]
			address, guard := d.reached.Access(i)
			switch {
			case address == influence.Indirect:
				d.addDoubt(in, "an address depends on what lies where inputs decide")
			case address > influence.None && !d.attacked:
				d.addDoubt(in, "an address depends on inputs, and no adversarial ones were run")
			}
			if guard > influence.None {
				d.addDoubt(in, "inputs decide whether an access is made")
			}
		}
	}
}

// isCached reports whether an access may find in a cache what others left there, so that not only the
// addresses of one warp at a time matter. It is no atomic, of which the worst is that all have the
// same address.
func isCached(in *isa.Instr) bool {
	const atomic = isa.ReadsMem | isa.WritesMem
	return (in.Space == isa.Global || in.Space == isa.Generic) && in.Op.Info().Effect&atomic != atomic
}
