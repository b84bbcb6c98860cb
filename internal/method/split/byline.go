package split

import (
	"warpbound/estimate"
	"warpbound/internal/method/charge"
	"warpbound/internal/saturating"
)

// What cycles go to that are not those of blocks, and those of the path of a wavefront.
const (
	pathing     = "path of a wavefront"
	serving     = "service of the memory"
	passing     = "passes of all ports"
	others      = "other wavefronts of the workgroup"
	dispatching = "dispatch of workgroups"
)

// dispatchCycles is how long all dispatches on a chain take.
func (a *analysis) dispatchCycles(l *launch) saturating.Int {
	return l.rounds().Mul(a.timing.dispatch())
}

// byLine says which lines the cycles of a bound are charged to: those of a block to its instructions by what each needs, and what counts
// separately to all instructions that need it, in all wavefronts.
func (a *analysis) byLine(l *launch) *estimate.ByLine {
	book := charge.New(a.Graph)
	onPath := make(charge.Weights)
	rest := l.cycles.Sub(l.service).Sub(l.issue).Sub(a.dispatchCycles(l))
	for g, n := range l.groups {
		price := func(d demand) saturating.Int { return a.price(d, g.sharing) }
		for b, done := range g.done {
			cycles := price(done.demand).Mul(n)
			for pc, part := range charge.Divide(cycles, a.weighBlock(b, g.kind, price)) {
				book.Add(pathing, pc, part)
				onPath.Add(pc, part)
				cycles = cycles.Sub(part)
			}
			book.Remain(pathing, cycles)
		}
		rest = rest.Sub(g.longest.Mul(n))
	}
	book.Share(others, rest, onPath)
	book.Share(serving, l.service, a.weighSharing(l.last.sharing, func(d demand) saturating.Int { return d.service }))
	book.Share(passing, l.issue, a.weighSharing(l.last.sharing, func(d demand) saturating.Int { return d.passes }))
	book.Remain(dispatching, a.dispatchCycles(l))
	book.Follow(l.last.kind.route)
	return book.ByLine(dispatching)
}

// weighBlock weighs the instructions of a block by a part of what each needs.
func (a *analysis) weighBlock(block int, k *kind, of func(demand) saturating.Int) charge.Weights {
	weights := make(charge.Weights)
	at := &a.Graph.Blocks[block]
	for pc := at.Start; pc < at.End; pc++ {
		weights.Add(pc, of(a.timing.instr(&a.Graph.Kernel.Instrs[pc], k.requests[pc])))
	}
	if k.parts[block] && a.mayDivide(block) {
		weights.Add(at.End-1, of(a.dividing()))
	}
	return weights
}

// weighSharing weighs all instructions by a part of what all wavefronts of a launch need: as executions show, or else on their longest path.
func (a *analysis) weighSharing(s sharing, of func(demand) saturating.Int) charge.Weights {
	groups := make([]saturating.Int, len(a.classes)) // of each class
	for _, class := range a.class {
		groups[class] = groups[class].Add(1)
	}
	weights := make(charge.Weights)
	for i, c := range a.classes {
		for w, k := range c.kinds {
			times := c.wavefronts[w].Mul(max(groups[i], 1))
			all := k.done
			if all == nil {
				all = a.on(k, k.paths[s])
			}
			for b, done := range all {
				for pc, part := range charge.Divide(of(done.demand), a.weighBlock(b, k, of)) {
					weights.Add(pc, part.Mul(times))
				}
			}
		}
	}
	return weights
}

// playedByLine says which lines the cycles of a schedule are charged to: each to the instruction that a wavefront on the chain that ends last
// has issued, until it issues the next one.
func (a *analysis) playedByLine(s *schedule, l *launch) *estimate.ByLine {
	book := charge.New(a.Graph)
	book.Follow(l.last.kind.route)
	for pc, i := range s.instrs {
		book.Add(pathing, pc, i.cycles)
	}
	book.Remain(dispatching, s.rounds.Mul(a.timing.dispatch()))
	return book.ByLine(dispatching)
}
