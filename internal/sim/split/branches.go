package split

import (
	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/splitting"
)

// branch says what splits at an instruction.
type branch struct {
	// splits is set for a branch that the hardware may split (DWS), and for a split
	// instruction, whose branch follows (PWS).
	splits bool

	// takenGo says that the lanes that take the branch go to the new context: those of the
	// other path are where the branch has reconverged already.
	takenGo bool
}

// findBranches looks for what splits wavefronts in a mode.
func findBranches(code *emu.Code, mode machine.SplitMode) ([]branch, error) {
	k := code.Kernel()
	g, err := cfg.Build(k)
	if err != nil {
		return nil, err
	}
	branches := make([]branch, len(k.Instrs))
	for pc := range k.Instrs {
		in := &k.Instrs[pc]
		switch at := &branches[pc]; {
		case in.Op == isa.Split && mode != machine.PWS, in.Op == isa.Merge && mode != machine.PWS:
			return nil, diag.Errorf(in.Pos, "%s is an instruction of mode %q; the machine's is %q", in.Op, machine.PWS, mode)
		case in.Op == isa.Split:
			next := pc + 1
			if next == len(k.Instrs) || !splittable(g, next) {
				return nil, diag.Errorf(in.Pos, "split is not followed by a branch that can split")
			}
			*at = branch{splits: true, takenGo: takenGo(g, next)}
		case mode.Dynamic() && splittable(g, pc):
			*at = branch{splits: true, takenGo: takenGo(g, pc)}
		}
	}
	return branches, nil
}

// splittable reports whether the instruction is a branch at which lanes can split.
func splittable(g *cfg.Graph, pc int) bool {
	b := g.BlockOf(pc)
	return g.Blocks[b].End == pc+1 && g.Kernel.Instrs[pc].Op == isa.Bra && splitting.Splittable(g, b) == nil
}

// takenGo reports whether the lanes that do not take a branch are where the branch reconverges.
func takenGo(g *cfg.Graph, pc int) bool {
	return g.Blocks[g.Reconverge(g.BlockOf(pc))].Start == pc+1
}
