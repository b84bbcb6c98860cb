package absexec

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// unfollowed returns the error of an instruction that abstract execution does not follow; nil for others. How often
// warps look at an mbarrier depends on when others, and copies, arrive there, and a bulk copy accesses as much as
// its operand says.
func (x *execution) unfollowed(pc int) error {
	in := x.instr(pc)
	if in.Op != isa.Mbarrier && in.Op != isa.BulkCopy {
		return nil
	}
	return diag.Errorf(in.Pos, "kernel %s: %s waits or makes others wait for as long as warps and copies take%s: abstract execution does not follow mbarriers and bulk copies; the method hybrid and the simulators do",
		x.kernel.Name, x.kernel.Format(in), x.spinning())
}

// spinning names the first loop that looks at an mbarrier.
func (x *execution) spinning() string {
	for pc := range x.kernel.Instrs {
		if in := x.instr(pc); !in.Mbarrier.Tests() {
			continue
		}
		if l := x.graph.Loops().Innermost(x.graph.BlockOf(pc)); l >= 0 {
			head := x.graph.Loops().Loops[l].Header
			return fmt.Sprintf(", and no annotation bounds the time of the loop at %s (%s)", x.graph.Name(head), x.graph.Blocks[head].Pos)
		}
	}
	return ""
}
