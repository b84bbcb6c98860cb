package cfg

import (
	"strings"

	"warpbound/diag"
)

// CheckReducible returns nil if every loop of the kernel can be entered at its
// header only. Otherwise the error names the blocks at which a loop can be
// entered and, with its position, the branch that enters it elsewhere than at
// the header.
func (g *Graph) CheckReducible() error {
	w := g.loops.Irreducible()
	if w == nil {
		return nil
	}
	names := make([]string, len(w.Loop.Entries))
	for i, b := range w.Loop.Entries {
		names[i] = g.describe(b)
	}
	return diag.Errorf(g.Last(w.Edge.From).Pos,
		"kernel %s has irreducible control flow: a loop of %d blocks can be entered at %s; block %s enters it at %s, but its header is taken to be %s",
		g.Kernel.Readable(), len(w.Loop.Body), strings.Join(names, " and at "),
		g.Name(w.Edge.From), g.Name(w.Edge.To), g.Name(w.Loop.Header))
}

// describe names a block with its position.
func (g *Graph) describe(b int) string {
	if pos := g.Blocks[b].Pos; pos.Known() {
		return g.Name(b) + " (" + pos.String() + ")"
	}
	return g.Name(b)
}
