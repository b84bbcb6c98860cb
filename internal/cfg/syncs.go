package cfg

import (
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// CheckSyncs returns nil if every branch of a kernel whose lanes reconverge AtSyncs has its
// sync, so that no run of the kernel fails for the want of one: on every path through the
// flow graph each sync finds a branch that waits for it, no thread ends and no branch but
// that of a loop is executed again while one waits, all successors of a branch reconverge at the
// same sync, and lanes that take a branch do not come back to it before. Otherwise the
// error lists what is wrong, with positions. For other kernels it returns nil.
func (g *Graph) CheckSyncs() error { return g.syncs }

// matchSyncs finds the sync of every branch, and makes it the reconvergence point.
func (g *Graph) matchSyncs() {
	m := &matcher{Graph: g, sync: slices.Repeat([]int{unmatched}, len(g.Blocks)), reported: make(map[int]bool)}
	m.walk()
	f, exit := g.Flow, g.Exit()
	f.later = slices.Repeat([]int{-1}, f.Len())
	for b := range g.Blocks {
		f.points[b], f.parted[b] = exit, false
		succ := f.Succ(b)
		switch at := m.sync[b]; {
		case !m.splits(b):
			if len(succ) > 0 {
				f.points[b] = succ[0]
			}
		case at == unmatched:
			f.parted[b] = true
		default:
			f.points[b], f.later[b] = at+1, g.blockOf[g.Last(b).Target]
			m.checkReturn(b)
		}
	}
	g.syncs = m.errs.Err()
}

// unmatched stands where a branch has no sync.
const unmatched = -1

// matcher matches branches and syncs.
type matcher struct {
	*Graph
	sync     []int // by block that ends in a branch: the block that ends in its sync
	frames   []waiting
	reported map[int]bool // blocks of which an error is noted
	errs     diag.List
}

// waiting is a branch that waits for its sync, and what waits outside of it: an element
// of frames, of which the first stands for none. Equal stacks are one element.
type waiting struct {
	branch, below int
}

// config is a place that control can be at, and the stack there.
type config struct {
	block, top int
}

// maxConfigs bounds the places and stacks that walk follows.
const maxConfigs = 1 << 16

// splits reports whether a block ends in a branch that pushes a frame.
func (m *matcher) splits(b int) bool {
	in := m.Last(b)
	return in.Op == isa.Bra && in.Guard.Set
}

// walk follows all paths with the branches that wait on them.
func (m *matcher) walk() {
	m.frames = []waiting{{unmatched, 0}}
	known := map[waiting]int{m.frames[0]: 0}
	seen := map[config]bool{{0, 0}: true}
	for work := []config{{0, 0}}; len(work) > 0; {
		c := work[0]
		work = work[1:]
		after, err := m.leave(c)
		if err != nil {
			if !m.reported[c.block] {
				m.reported[c.block] = true
				m.errs.Add(err)
			}
			continue
		}
		top, ok := known[after]
		if !ok {
			top = len(m.frames)
			known[after] = top
			m.frames = append(m.frames, after)
		}
		for _, s := range m.Succ(c.block) {
			if next := (config{s, top}); s != m.Exit() && !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
		if len(seen) > maxConfigs {
			m.errs.Add(diag.Errorf(m.Kernel.Pos, "the branches of kernel %s wait for their syncs in more than %d ways", m.Kernel.Readable(), maxConfigs))
			return
		}
	}
}

// leave returns the top of the stack behind a block.
func (m *matcher) leave(c config) (waiting, *diag.Error) {
	in, top := m.Last(c.block), m.frames[c.top]
	switch {
	case m.splits(c.block) && top.branch == c.block:
	case m.splits(c.block):
		for w := top; w.branch != unmatched; w = m.frames[w.below] {
			if w.branch == c.block {
				return top, diag.Errorf(in.Pos, "the branch is executed again while the branch at %v inside of it waits for its sync", m.Last(top.branch).Pos)
			}
		}
		return waiting{c.block, c.top}, nil
	case in.Op == isa.Reconverge && top.branch == unmatched:
		return top, diag.Errorf(in.Pos, "this sync matches no branch")
	case in.Op == isa.Reconverge:
		if other := m.sync[top.branch]; other != unmatched && other != c.block {
			return top, diag.Errorf(in.Pos, "the branch at %v reconverges here and at the sync at %v; they need one sync",
				m.Last(top.branch).Pos, m.Last(other).Pos)
		}
		m.sync[top.branch] = c.block
		return m.frames[top.below], nil
	case in.Op == isa.BrxIdx:
		return top, diag.Errorf(in.Pos, "lanes cannot reconverge behind an indexed branch of a kernel with syncs")
	case in.Op.Info().Effect&isa.Exits != 0 && top.branch != unmatched:
		return top, diag.Errorf(in.Pos, "threads end here before a sync has ended the divergence of the branch at %v", m.Last(top.branch).Pos)
	}
	return top, nil
}

// checkReturn notes an error if lanes that take a branch can come back to it before
// their sync: then the others wait there already.
func (m *matcher) checkReturn(b int) {
	stop := m.sync[b]
	seen := map[int]bool{stop: true}
	for work := []int{m.later[b]}; len(work) > 0; {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == b {
			m.errs.Add(diag.Errorf(m.Last(b).Pos, "lanes that take this branch come back to it before its sync at %v: "+
				"let those take it that leave the loop", m.Last(stop).Pos))
			return
		}
		if x == m.Exit() || seen[x] {
			continue
		}
		seen[x] = true
		work = append(work, m.Succ(x)...)
	}
}
