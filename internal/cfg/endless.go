package cfg

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/graph"
)

// Endless returns, for every part of the kernel that a run can enter and from which
// no path leads to a regular end, an error that names its first block: the loops
// without an exit. Exits to blocks from which every run fails do not count, and
// neither do guards, which may hold.
func (g *Graph) Endless() []*diag.Error {
	var errs []*diag.Error
	exiting := g.runs.Reverse().Reachable(g.Exit()) // if runs that end with an error count
	for _, b := range graph.Endless(g.Graph(), g.Exit()) {
		if !g.Reachable(b) {
			continue
		}
		exits := "has no exit"
		if exiting[b] {
			exits = "has no exit but to code that ends with an error"
		}
		errs = append(errs, diag.Errorf(g.Blocks[b].Pos, "%w", &diag.UnboundedLoopError{
			Kernel: g.Kernel.Name, Loop: g.Name(b), Pos: g.Blocks[b].Pos, Source: g.Blocks[b].Loc,
			Err: fmt.Errorf("kernel %s: the loop at %s%s %s, so a warp that enters it never ends", g.Kernel.Readable(), g.Name(b), inSource(&g.Blocks[b]), exits),
		}))
	}
	return errs
}

// inSource names the place of a block in the compiler's source, if it is known.
func inSource(b *Block) string {
	if b.Loc.Known() {
		return " (" + b.Loc.String() + ")"
	}
	return ""
}
