package splitting

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// region is what lanes pass from a branch to the reconvergence point.
type region struct {
	branch     int          // the block that ends in it
	reconverge int          // the block at which the branch reconverges
	inside     map[int]bool // the blocks on the way, neither of the two among them
}

// within reports whether the edges from a block to where the branch reconverges end the region.
func (r *region) within(b int) bool { return b == r.branch || r.inside[b] }

// Splittable returns nil if wavefronts can split at the last instruction of block b. It must
// be a branch with a predicate that has two successors, and for the region between it and the
// point r where the branch reconverges must hold:
//
//   - there is such a point, and the branch is not in the region: lanes do not come back to
//     it before they have reconverged;
//   - no thread ends or waits for other warps in the region;
//   - r can be reached from every block of the region;
//   - only the branch leads into the region.
//
// So every lane that passes the branch comes to r, and the regions of two branches that
// can be split are disjoint or one is in the other. Otherwise the error says what is in the
// way, with the position.
func Splittable(g *cfg.Graph, b int) error {
	if _, err := regionOf(g, b); err != nil {
		return err
	}
	return nil
}

// regionOf returns the region of the branch at the end of a block, or why it cannot be split.
func regionOf(g *cfg.Graph, b int) (*region, *diag.Error) {
	in := g.Last(b)
	reconverge := g.Reconverge(b)
	switch {
	case in.Op == isa.BrxIdx:
		return nil, diag.Errorf(in.Pos, "an indexed branch has too many successors for a wavefront to split in two")
	case in.Op != isa.Bra || !in.Guard.Set:
		return nil, diag.Errorf(in.Pos, "block %s ends in no branch with a predicate; wavefronts split only there", g.Name(b))
	case !g.Reachable(b):
		return nil, diag.Errorf(in.Pos, "the branch cannot be reached, so no wavefront splits there")
	case len(g.Succ(b)) < 2:
		return nil, diag.Errorf(in.Pos, "the branch has one successor only, so no wavefront splits there")
	case reconverge == g.Exit():
		if bar := barrierBehind(g, b); bar != nil {
			return nil, diag.Errorf(bar.Pos, "a barrier on a path of the branch at %v, which does not reconverge before it: wavefronts cannot wait for others while they are split", in.Pos)
		}
		return nil, diag.Errorf(in.Pos, "the branch never reconverges, so a wavefront that splits there cannot merge")
	case reconverge == b:
		return nil, diag.Errorf(in.Pos, "the lanes of the branch reconverge only when they come back to it, so a wavefront that splits there cannot merge before")
	}
	r := &region{branch: b, reconverge: reconverge, inside: make(map[int]bool)}
	for work := []int{b}; len(work) > 0; {
		from := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range g.Succ(from) {
			switch {
			case to == b:
				return nil, diag.Errorf(in.Pos, "lanes come back to the branch from %s before it reconverges at %s; a wavefront cannot split at it again and again",
					place(g, from), place(g, reconverge))
			case to != g.Exit() && to != reconverge && !r.inside[to]:
				r.inside[to] = true
				work = append(work, to)
			}
		}
	}
	if err := r.check(g); err != nil {
		return nil, err
	}
	return r, nil
}

// barrierBehind returns the first barrier, in the order of the program, that can be reached
// from the end of a block, nil if there is none.
func barrierBehind(g *cfg.Graph, b int) *isa.Instr {
	after := g.Flow.Graph().Reachable(g.Succ(b)...)
	for c := range g.Blocks {
		for i := g.Blocks[c].Start; after[c] && i < g.Blocks[c].End; i++ {
			if in := &g.Kernel.Instrs[i]; in.Op.Info().Effect&isa.Barriers != 0 {
				return in
			}
		}
	}
	return nil
}

// check returns what is wrong in the blocks of the region, nil if nothing is.
func (r *region) check(g *cfg.Graph) *diag.Error {
	comes := r.comes(g)
	for _, b := range r.blocks() {
		for i := g.Blocks[b].Start; i < g.Blocks[b].End; i++ {
			in := &g.Kernel.Instrs[i]
			switch effect := in.Op.Info().Effect; {
			case effect&isa.Barriers != 0:
				return diag.Errorf(in.Pos, "a barrier on a path of the branch at %v, before it reconverges at %s: wavefronts cannot wait for others while they are split",
					r.pos(g), place(g, r.reconverge))
			case effect&isa.Exits != 0 && slices.Contains(g.Succ(b), g.Exit()):
				return diag.Errorf(in.Pos, "threads end on a path of the branch at %v, before it reconverges at %s: wavefronts that split there could not merge",
					r.pos(g), place(g, r.reconverge))
			}
		}
		if !comes[b] {
			return diag.Errorf(g.Blocks[b].Pos, "lanes do not come from here to %s, where the branch at %v reconverges", place(g, r.reconverge), r.pos(g))
		}
		if b == g.Entry() {
			return diag.Errorf(g.Blocks[b].Pos, "unstructured control flow: the kernel starts here on a path of the branch at %v; wavefronts split only at branches through which all ways to their paths lead", r.pos(g))
		}
		for _, from := range g.Pred(b) {
			if !r.within(from) && g.Reachable(from) {
				return diag.Errorf(g.Last(from).Pos, "unstructured control flow: this leads to %s on a path of the branch at %v, past that branch; wavefronts split only at branches through which all ways to their paths lead",
					place(g, b), r.pos(g))
			}
		}
	}
	return nil
}

// comes tells from which blocks of the region the reconvergence point can be reached.
func (r *region) comes(g *cfg.Graph) map[int]bool {
	found := make(map[int]bool)
	for work := []int{r.reconverge}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, from := range g.Pred(b) {
			if r.inside[from] && !found[from] {
				found[from] = true
				work = append(work, from)
			}
		}
	}
	return found
}

// blocks returns the blocks of the region in order.
func (r *region) blocks() []int {
	var list []int
	for b := range r.inside {
		list = append(list, b)
	}
	slices.Sort(list)
	return list
}

// pos is the position of the branch.
func (r *region) pos(g *cfg.Graph) diag.Pos { return g.Last(r.branch).Pos }

// place names a block with its position.
func place(g *cfg.Graph, b int) string {
	if pos := g.Blocks[b].Pos; pos.Known() {
		return g.Name(b) + " (" + pos.String() + ")"
	}
	return g.Name(b)
}
