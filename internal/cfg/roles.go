package cfg

import "warpbound/internal/isa"

// roles returns what reconvergence must know of the blocks.
func (g *Graph) roles() []Role {
	roles := make([]Role, len(g.Blocks))
	for b, block := range g.Blocks {
		for i := block.Start; i < block.End; i++ {
			if g.Kernel.Instrs[i].Op.Info().Effect&isa.Barriers != 0 {
				roles[b] = Awaits
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for b := range g.Blocks {
			if roles[b] == Plain && g.leaves(b, roles) {
				roles[b], changed = Leaves, true
			}
		}
	}
	return roles
}

// leaves reports whether a block only ends its lanes, or branches to a block of which
// that is known.
func (g *Graph) leaves(b int, roles []Role) bool {
	block, last := &g.Blocks[b], g.Last(b)
	if block.End-block.Start > 1 || last.Guard.Set {
		return false
	}
	switch last.Op {
	case isa.Ret, isa.Exit:
		return true
	case isa.Bra:
		return roles[block.Edges[0].To] == Leaves
	}
	return false
}
