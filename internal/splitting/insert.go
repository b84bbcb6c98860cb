package splitting

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// Result is a rewritten kernel.
type Result struct {
	Graph *cfg.Graph // of the new kernel, which is Graph.Kernel
	Index []int      // for each instruction of the old kernel, the new one that is executed in its place
}

// Insert returns the kernel of g with wavefronts splitting at the branches that end the
// given blocks, in any order, and at no others: splits and merges that the kernel has are
// removed first. In the new kernel
//
//   - a Split stands directly before each of these branches and is executed whenever the
//     branch is;
//   - the block at which the branch reconverges (cfg.Flow.Reconverge) begins with a
//     Merge that belongs to this branch alone.
//
// Both have the position of the branch. A merge stands before the point where the paths
// met, and control falls through to it, unless lanes that have not split fall through to
// that point; then it stands at the end of the kernel and a branch follows it. All other
// instructions stay in their order, with their positions.
//
// The error lists what keeps branches from being split (see Splittable), with positions.
func Insert(g *cfg.Graph, branches []int) (*Result, error) {
	if err := g.CheckSyncs(); err != nil {
		return nil, err
	}
	bare, err := Remove(g)
	if err != nil {
		return nil, err
	}
	regions := make(map[int]*region)
	var errs diag.List
	for _, b := range branches {
		at := bare.Graph.BlockOf(bare.Index[g.Blocks[b].End-1])
		r, wrong := regionOf(bare.Graph, at)
		if wrong != nil {
			errs.Add(wrong)
		}
		regions[at] = r
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	w := newWriter(bare.Graph, regions)
	w.write()
	graph, err := cfg.Build(w.out)
	if err != nil {
		return nil, err
	}
	if err := w.verify(graph); err != nil {
		return nil, err
	}
	index := make([]int, len(bare.Index))
	for i, at := range bare.Index {
		index[i] = w.index[at]
	}
	return &Result{Graph: graph, Index: index}, nil
}

// writer makes a kernel with splits of one without.
type writer struct {
	*nesting
	of      map[int]*region // by block of the branch
	out     *isa.Kernel
	index   []int           // of the old instructions, in the new kernel
	start   []int           // the same, with the splits before them
	mergeAt map[*region]int // where the merges are in the new kernel
	jumps   []jump
}

// jump is a branch behind a merge at the end of the kernel, which leads to where the
// control flow goes on behind the merge of a region.
type jump struct {
	at int
	r  *region
}

func newWriter(g *cfg.Graph, regions map[int]*region) *writer {
	out := *g.Kernel
	out.Instrs, out.Labels = nil, slices.Clone(out.Labels)
	return &writer{
		nesting: nest(g, regions), of: regions, out: &out,
		index: make([]int, len(g.Kernel.Instrs)), start: make([]int, len(g.Kernel.Instrs)),
		mergeAt: make(map[*region]int),
	}
}

// write fills the new kernel.
func (w *writer) write() {
	for b, block := range w.g.Blocks {
		w.merges(w.before(b))
		for i := block.Start; i < block.End; i++ {
			in := w.g.Kernel.Instrs[i]
			w.start[i] = len(w.out.Instrs)
			if i == block.End-1 && w.of[b] != nil {
				w.emit(isa.Instr{Op: isa.Split}, &in)
			}
			w.index[i] = len(w.out.Instrs)
			w.out.Instrs = append(w.out.Instrs, in)
		}
	}
	for _, r := range w.regions {
		w.placeMerge(r)
	}
	w.retarget()
}

// emit appends an instruction at the position of another one.
func (w *writer) emit(in isa.Instr, at *isa.Instr) {
	in.Pos, in.Loc = at.Pos, at.Loc
	w.out.Instrs = append(w.out.Instrs, in)
}

// merges appends the merges of regions.
func (w *writer) merges(chain []*region) {
	for _, r := range chain {
		w.mergeAt[r] = len(w.out.Instrs)
		w.emit(isa.Instr{Op: isa.Merge}, w.g.Last(r.branch))
	}
}

// placeMerge appends the merge of a region, and of those around it, that stand nowhere yet, with
// merges of regions inside before it as far as control can fall through from them.
func (w *writer) placeMerge(r *region) {
	if _, done := w.mergeAt[r]; done {
		return
	}
	if o := w.outer[r]; o != nil {
		if _, done := w.mergeAt[o]; !done {
			w.placeMerge(o) // places r or a sibling with it
			w.placeMerge(r)
			return
		}
	}
	w.merges(w.chainTo(r))
	w.jumps = append(w.jumps, jump{at: len(w.out.Instrs), r: r})
	w.emit(isa.Instr{Op: isa.Bra}, w.g.Last(r.branch))
}

// retarget gives branches and labels their places in the new kernel.
func (w *writer) retarget() {
	k := w.g.Kernel
	for b := range w.g.Blocks {
		old := w.g.Last(b)
		in := &w.out.Instrs[w.index[w.g.Blocks[b].End-1]]
		switch old.Op {
		case isa.Bra:
			in.Target = w.entry(b, old.Target)
		case isa.BrxIdx:
			in.Targets = slices.Clone(old.Targets)
			for i, target := range old.Targets {
				in.Targets[i] = w.entry(b, target)
			}
		}
	}
	for _, j := range w.jumps {
		w.out.Instrs[j.at].Target = w.start[w.g.Blocks[j.r.reconverge].Start]
		if o := w.outer[j.r]; o != nil {
			w.out.Instrs[j.at].Target = w.mergeAt[o]
		}
	}
	for i := range w.out.Labels {
		l := &w.out.Labels[i]
		if l.Index == len(k.Instrs) {
			l.Index = len(w.out.Instrs)
			continue
		}
		b := w.g.BlockOf(l.Index)
		chain := w.before(b)
		if l.Index == w.g.Blocks[b].Start && len(chain) > 0 && w.entered(b) {
			l.Index = w.mergeAt[chain[len(chain)-1]]
		} else {
			l.Index = w.start[l.Index]
		}
	}
}

// entry returns the instruction of the new kernel to which control passes from a block to
// the old instruction at which another one starts.
func (w *writer) entry(from, target int) int {
	if r := w.leaves[edge{from, w.g.BlockOf(target)}]; r != nil {
		return w.mergeAt[r]
	}
	return w.start[target]
}

// verify checks that every branch that was split reconverges at its merge.
func (w *writer) verify(g *cfg.Graph) error {
	if err := g.CheckSyncs(); err != nil {
		return err
	}
	for _, r := range w.regions {
		at := g.BlockOf(w.index[w.g.Blocks[r.branch].End-1])
		if reconverge := g.Reconverge(at); reconverge == g.Exit() || g.Blocks[reconverge].Start != w.mergeAt[r] {
			return diag.Errorf(w.g.Last(r.branch).Pos, "wavefronts cannot split at the branch: it would reconverge at %s and not at its merge", g.Name(reconverge))
		}
	}
	return nil
}
