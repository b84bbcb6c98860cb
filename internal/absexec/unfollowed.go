package absexec

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// Unfollowed returns the error of a kernel that uses mbarriers or bulk copies, nil for others. How often
// warps look at an mbarrier depends on when others, and copies, arrive there, and a bulk copy accesses as much as
// its operand says: abstract execution follows neither.
func Unfollowed(g *cfg.Graph) error {
	for pc := range g.Kernel.Instrs {
		in := &g.Kernel.Instrs[pc]
		if in.Op == isa.Mbarrier || in.Op == isa.BulkCopy {
			return diag.Errorf(in.Pos, "kernel %s: how long %s makes warps wait depends on others and on copies%s: static methods do not follow mbarriers and bulk copies; the method hybrid and the simulators do",
				g.Kernel.Readable(), g.Kernel.Format(in), spinning(g))
		}
	}
	return nil
}

// spinning names the first loop that looks at an mbarrier.
func spinning(g *cfg.Graph) string {
	for pc := range g.Kernel.Instrs {
		if !g.Kernel.Instrs[pc].Mbarrier.Tests() {
			continue
		}
		if l := g.Loops().Innermost(g.BlockOf(pc)); l >= 0 {
			head := g.Loops().Loops[l].Header
			return fmt.Sprintf(", and no annotation of the loop at %s (%s) says how long", g.Name(head), g.Blocks[head].Pos)
		}
	}
	return ""
}
