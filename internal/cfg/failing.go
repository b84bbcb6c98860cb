package cfg

import "warpbound/internal/isa"

// failing returns the blocks from which every run ends with an error: at a trap
// or at an assertion that does not hold, or because all of their successors are
// such blocks.
func (g *Graph) failing() []bool {
	failing := make([]bool, len(g.Blocks)+1) // the virtual exit last
	before := make([][]int, len(g.Blocks)+1) // for each edge to a block, where it comes from
	good := make([]int, len(g.Blocks))       // edges to blocks that are not known to fail
	var work []int
	for b, block := range g.Blocks {
		good[b] = len(block.Edges)
		for _, e := range block.Edges {
			before[e.To] = append(before[e.To], b)
		}
		for i := block.Start; i < block.End; i++ {
			failing[b] = failing[b] || fails(&g.Kernel.Instrs[i])
		}
		if failing[b] {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range before[b] {
			if good[p]--; good[p] == 0 && !failing[p] {
				failing[p] = true
				work = append(work, p)
			}
		}
	}
	return failing
}

// fails reports whether an instruction ends every run that executes it.
func fails(in *isa.Instr) bool {
	return !in.Guard.Set &&
		(in.Op == isa.Trap || in.Op == isa.RunSystem && (in.System == isa.SysAssert || in.System == isa.SysStop))
}
