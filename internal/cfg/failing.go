package cfg

import "warpbound/internal/isa"

// failing returns the blocks from which every run ends with an error: at a trap
// or at an assertion that does not hold, or because all of their successors are
// such blocks.
func (g *Graph) failing() []bool {
	failing := make([]bool, len(g.Blocks)+1) // the virtual exit last
	for b, block := range g.Blocks {
		for i := block.Start; i < block.End; i++ {
			failing[b] = failing[b] || fails(&g.Kernel.Instrs[i])
		}
	}
	for changed := true; changed; {
		changed = false
		for b := len(g.Blocks) - 1; b >= 0; b-- {
			if !failing[b] && allFailing(g.Blocks[b].Edges, failing) {
				failing[b], changed = true, true
			}
		}
	}
	return failing
}

func allFailing(edges []Edge, failing []bool) bool {
	for _, e := range edges {
		if !failing[e.To] {
			return false
		}
	}
	return len(edges) > 0
}

// fails reports whether an instruction ends every run that executes it.
func fails(in *isa.Instr) bool {
	return !in.Guard.Set &&
		(in.Op == isa.Trap || in.Op == isa.RunSystem && (in.System == isa.SysAssert || in.System == isa.SysStop))
}
