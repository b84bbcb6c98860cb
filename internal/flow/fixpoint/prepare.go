package fixpoint

import (
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// NewSolver returns a solver for a kernel. Of memory it knows what some instructions load; in
// divergedOps are the operations of a warp in which lanes may take part that are at other
// instructions.
func NewSolver(
	g *cfg.Graph, launch launchfacts.Launch, known transfer.Loads, divergedOps map[isa.Op]bool,
) *Solver {
	n := len(g.Blocks)
	s := &Solver{
		Solution: &Solution{
			Graph: g, Launch: launch, Dom: graph.Dominators(g.Flow.Graph(), g.Entry()),
			In: make([]*transfer.State, n), Along: make([][]*transfer.State, n), Into: make([][]Edge, n),
			Changes: findChanges(g), irregular: findIrregular(g),
		},
		live: cfg.Liveness(g), heads: make([]bool, n), preds: make([][]Edge, n),
		joined: make([]map[isa.Reg]bool, n), dead: make([][]isa.Reg, n),
		limits: make(map[affine.Place]strided.Interval),
	}
	s.Machine = transfer.NewMachine(g, s.Dom, &s.Launch, known, divergedOps)
	all := graph.New(n + 1)
	for b := range g.Blocks {
		s.Along[b] = make([]*transfer.State, len(g.Blocks[b].Edges))
		for i, e := range g.Blocks[b].Edges {
			all.AddEdge(b, e.To)
			if e.To < n {
				s.Into[e.To] = append(s.Into[e.To], Edge{b, i})
			}
		}
	}
	s.order = slices.DeleteFunc(graph.ReversePostOrder(all, g.Entry()), func(b int) bool { return b == n })
	s.rank = make([]int, n)
	for i, b := range s.order {
		s.rank[b] = i
	}
	for _, b := range s.order {
		for _, e := range g.Blocks[b].Edges {
			if e.To < n && s.leadsBack(b, e.To) {
				s.heads[e.To] = true
			}
		}
	}
	s.components = findComponents(all, s.order)
	s.thresholds = findThresholds(g.Kernel, &s.Launch)
	for b := range s.preds {
		s.preds[b] = slices.Clone(s.Into[b])
		s.dead[b] = s.findDead(b)
		slices.SortStableFunc(s.preds[b], func(d, e Edge) int { return s.rank[d.Block] - s.rank[e.Block] })
	}
	return s
}

// findComponents returns the strongly connected components of a graph that have nodes in an order,
// such that edges between them lead forward, and in each the nodes in that order.
func findComponents(g *graph.Graph, order []int) [][]int {
	of := make([]int, g.Len())
	all := graph.SCC(g)
	list := make([][]int, len(all))
	for i, nodes := range all {
		for _, v := range nodes {
			of[v] = len(all) - 1 - i // no component can be reached from one that stands before it in all
		}
	}
	for _, v := range order {
		list[of[v]] = append(list[of[v]], v)
	}
	return slices.DeleteFunc(list, func(nodes []int) bool { return nodes == nil })
}

// findChanges returns the registers that the instructions of each loop write.
func findChanges(g *cfg.Graph) [][]isa.Reg {
	loops := g.Loops()
	regs := make([][]isa.Reg, len(loops.Loops))
	for b := range g.Blocks {
		if i := loops.Innermost(b); i >= 0 {
			for pc := g.Blocks[b].Start; pc < g.Blocks[b].End; pc++ {
				g.Kernel.Instrs[pc].Writes(func(r isa.Reg) { regs[i] = append(regs[i], r) })
			}
		}
	}
	for i := len(regs) - 1; i >= 0; i-- { // loops inside come behind the loop around them
		slices.Sort(regs[i])
		regs[i] = slices.Compact(regs[i])
		if p := loops.Loops[i].Parent; p >= 0 {
			regs[p] = append(regs[p], regs[i]...)
		}
	}
	return regs
}

// findIrregular finds the blocks of loops that have several entries.
func findIrregular(g *cfg.Graph) []bool {
	found := make([]bool, len(g.Blocks))
	for _, l := range g.Loops().Loops {
		if len(l.Entries) > 1 {
			for _, b := range l.Body {
				found[b] = true
			}
		}
	}
	return found
}

// findDead returns the registers that may have values where control comes to a block, and are
// not live there.
func (s *Solver) findDead(b int) []isa.Reg {
	var regs []isa.Reg
	for _, e := range s.Into[b] {
		s.live.Ending(e.Block, b, func(r isa.Reg) { regs = append(regs, r) })
		block := &s.Graph.Blocks[e.Block]
		for pc := block.Start; pc < block.End; pc++ {
			s.Graph.Kernel.Instrs[pc].Writes(func(r isa.Reg) {
				if !s.live.At(b, r) {
					regs = append(regs, r)
				}
			})
		}
	}
	slices.Sort(regs)
	return slices.Compact(regs)
}

// findThresholds returns where sets are widened to, for each width: the limits of types, and
// the constants of the kernel and the ends of what its launch tells with their neighbours.
func findThresholds(k *isa.Kernel, l *launchfacts.Launch) map[int][]uint64 {
	var constants []uint64
	for i := range k.Instrs {
		for _, o := range k.Instrs[i].Src {
			if o.Kind == isa.KindImm {
				constants = append(constants, o.Imm)
			}
		}
	}
	for _, p := range l.Params {
		if p.Bits() > 0 {
			lo, hi := p.Unsigned()
			constants = append(constants, lo, hi)
		}
	}
	for axis := range l.Block {
		constants = append(constants, uint64(l.Block[axis]), uint64(l.Grid[axis]), uint64(l.Block[axis]*l.Grid[axis]))
	}
	found := make(map[int][]uint64)
	for _, width := range []int{1, 8, 16, 32, 64} {
		m := strided.Mask(width)
		// One before the largest: a counter goes on to it if it is less than any limit.
		list := []uint64{0, m, m - 1, m / 2, m/2 - 1, m/2 + 1, 1<<31 - 1, 1 << 31, 1<<32 - 1}
		for _, c := range constants {
			list = append(list, c-1, c, c+1)
		}
		for i := range list {
			list[i] &= m
		}
		slices.Sort(list)
		found[width] = slices.Compact(list)
	}
	return found
}
