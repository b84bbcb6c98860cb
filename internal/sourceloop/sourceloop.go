// Package sourceloop finds where the iterations of a loop of the source are executed in a kernel that a compiler has made
// of it: it unrolls loops, peels iterations off, moves instructions, and says of each instruction from which line it is.
//
// sourceloop must not import analyses, methods or what runs kernels.
package sourceloop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// Copy is a block in which a line of a loop's body is executed.
type Copy struct {
	Block int
	Times int64 // how often for one execution of the block, at least
	// Loop is the index of the loop of the flow graph that makes iterations of that of the source, which executes the block
	// before each return to its header. Of Copies it is -1.
	Loop int
	// Exact reports that the block is executed in no iteration that the loop does not complete: it is behind the test, or
	// the test is at the end. Last reports the latter: so it is executed once more than the loop returns to its header.
	Exact, Last bool
}

// Loop is what the kernel has of a loop of the source, of each call of its function that was inlined.
type Loop struct {
	Copies []Copy // one of each loop of the kernel
	// Entry is a block that is executed before each entry of the source's loop, once for each; -1 if none is known. Then all
	// copies together make the iterations of one entry. An unrolled loop and those for what is left over have different
	// Times; loops that have the same may be entered one after the other, where a loop around was unrolled.
	Entry int
	// Region are the blocks from Entry to the copies, and those of the loops, whose branches decide how often each copy is
	// executed. Lanes of a warp that go different ways there may make different iterations in different copies.
	Region []int
}

// distinct reports whether each copy stands for another number of iterations, and is exact.
func (l *Loop) distinct() bool {
	seen := make(map[int64]bool)
	for _, c := range l.Copies {
		if seen[c.Times] || !c.Exact {
			return false
		}
		seen[c.Times] = true
	}
	return true
}

// Back returns how often control returns to the header of the loop of a copy for one entry, at most, if the source's loop
// makes so many iterations.
func (c *Copy) Back(iterations int64) int64 {
	n := iterations / c.Times
	if c.Last {
		n = max(n-1, 0)
	}
	return n
}

// signature tells instructions of a line from each other, but not its copies.
type signature struct {
	inlined diag.Pos
	column  int32
	op      isa.Op
	typ     isa.Type
	space   isa.Space
}

// Matches reports whether a file that a compiler names is meant by what a job says: the same path or the end of it.
func Matches(file, said string) bool {
	slashes := func(path string) string { return strings.ReplaceAll(path, `\`, "/") }
	return file == said || strings.HasSuffix(slashes(file), "/"+slashes(said))
}

// finder finds the copies of one line.
type finder struct {
	g      *cfg.Graph
	dom    *graph.DomTree
	loops  *graph.LoopForest
	line   string
	counts map[int]map[signature]int64 // by block
}

// Copies returns where a line of the source is executed: each group is of one place at which its function was inlined. It is
// an error if nothing is, or if the file is several.
func Copies(g *cfg.Graph, file string, line int) ([][]Copy, error) {
	f, err := newFinder(g, file, line)
	if err != nil {
		return nil, err
	}
	var all [][]Copy
	for _, at := range f.places() {
		all = append(all, f.copies(at))
	}
	return all, nil
}

// Find returns what a kernel has of the loop of the source around a line. The errors say why the line does not tell.
func Find(g *cfg.Graph, file string, line int) ([]Loop, error) {
	f, err := newFinder(g, file, line)
	if err != nil {
		return nil, err
	}
	var all []Loop
	for _, at := range f.places() {
		found, err := f.loop(at)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	return all, nil
}

func newFinder(g *cfg.Graph, file string, line int) (*finder, error) {
	f := &finder{
		g: g, dom: graph.Dominators(g.Flow.Graph(), g.Entry()), loops: g.Loops(), line: fmt.Sprintf("%s:%d", file, line),
		counts: make(map[int]map[signature]int64),
	}
	named := ""
	for i := range g.Kernel.Instrs {
		in := &g.Kernel.Instrs[i]
		b := g.BlockOf(i)
		if int(in.Loc.Line) != line || !Matches(in.Loc.File, file) || !f.dom.Contains(b) || in.Op == isa.Bra {
			continue
		}
		if named != "" && in.Loc.File != named {
			return nil, fmt.Errorf("%s may be in %s or in %s: write more of the path", f.line, named, in.Loc.File)
		}
		named = in.Loc.File
		if f.counts[b] == nil {
			f.counts[b] = make(map[signature]int64)
		}
		f.counts[b][signature{in.Inlined, in.Loc.Col, in.Op, in.Type, in.Space}]++
	}
	f.heavy()
	if named == "" {
		return nil, fmt.Errorf("no instruction of kernel %s is from %s: the compiler has left nothing of the line, or moved it to others; name another line of the loop's body, or a label", g.Kernel.Readable(), f.line)
	}
	return f, nil
}

// heavy drops what compilers move and share most, unless a loop has nothing else of the line: anything but accesses to memory
// and floating-point arithmetic.
func (f *finder) heavy() {
	light := func(s signature) bool {
		return !s.typ.IsFloat() && s.op.Info().Effect&(isa.ReadsMem|isa.WritesMem) == 0
	}
	has := make(map[int]bool) // by loop, or -1: something that is not light
	for b, counts := range f.counts {
		l := f.loops.Innermost(b)
		for s := range counts {
			has[l] = has[l] || !light(s)
		}
	}
	for l, other := range has {
		if !other && (l >= 0 || len(has) == 1) {
			return
		}
	}
	for _, counts := range f.counts {
		maps.DeleteFunc(counts, func(s signature, _ int64) bool { return light(s) })
	}
}

// places returns where the function of the line was inlined, the first in the kernel first.
func (f *finder) places() []diag.Pos {
	var all []diag.Pos
	for i := range f.g.Kernel.Instrs {
		in := &f.g.Kernel.Instrs[i]
		counts := f.counts[f.g.BlockOf(i)]
		if _, ok := counts[signature{in.Inlined, in.Loc.Col, in.Op, in.Type, in.Space}]; ok && !slices.Contains(all, in.Inlined) {
			all = append(all, in.Inlined)
		}
	}
	return all
}

// of returns what a block has of the line as it was inlined at a place.
func (f *finder) of(block int, at diag.Pos) map[signature]int64 {
	own := make(map[signature]int64)
	for s, n := range f.counts[block] {
		if s.inlined == at {
			own[s] = n
		}
	}
	return own
}

// blocks returns the blocks that have something of the line as it was inlined at a place.
func (f *finder) blocks(at diag.Pos) []int {
	var all []int
	for b := range f.g.Blocks {
		if len(f.of(b, at)) > 0 {
			all = append(all, b)
		}
	}
	return all
}

// single returns the block that has one copy of the line, as far as can be told: of those with most different instructions of
// it the one that has fewest, of blocks for which choose is true. It is -1 if there is none.
func (f *finder) single(at diag.Pos, choose func(b int) bool) int {
	best, kinds, fewest := -1, 0, int64(0)
	for _, b := range f.blocks(at) {
		own, total := f.of(b, at), int64(0)
		for _, n := range own {
			total += n
		}
		if choose(b) && (len(own) > kinds || len(own) == kinds && total < fewest) {
			best, kinds, fewest = b, len(own), total
		}
	}
	return best
}

// times returns how many copies of the line a block holds, each like that of another block: what is missing was moved or
// shared, so that it is no copy, or one is all that is sure.
func (f *finder) times(block int, like map[signature]int64, at diag.Pos) int64 {
	own := f.of(block, at)
	times := int64(-1)
	for s, n := range like {
		if times < 0 || own[s]/n < times {
			times = own[s] / n
		}
	}
	return max(times, 0)
}

// copies returns the copies of a line that need not be in a loop.
func (f *finder) copies(at diag.Pos) []Copy {
	like := f.of(f.single(at, func(int) bool { return true }), at)
	var all []Copy
	for _, b := range f.blocks(at) {
		if n := f.times(b, like, at); n > 0 {
			all = append(all, Copy{Block: b, Times: n, Loop: -1})
		}
	}
	return all
}

// loop returns the copies of a line in loops, and in blocks beside them.
func (f *finder) loop(at diag.Pos) (Loop, error) {
	var inner []int // loops that have something of the line, but none inside that has
	outside := true
	for _, b := range f.blocks(at) {
		if l := f.loops.Innermost(b); l >= 0 {
			outside = false
			if !slices.Contains(inner, l) {
				inner = append(inner, l)
			}
		}
	}
	if outside {
		return Loop{}, fmt.Errorf("%s is in no loop of kernel %s: it was unrolled completely, or the line is before the loop", f.line, f.g.Kernel.Readable())
	}
	inner = slices.DeleteFunc(inner, func(l int) bool {
		return slices.ContainsFunc(inner, func(other int) bool { return other != l && f.inside(other, l) })
	})
	like := f.of(f.single(at, func(b int) bool {
		l := f.loops.Innermost(b)
		return l == f.loops.Loops[inner[0]].Parent || slices.Contains(inner, l) && f.returning(b)
	}), at)
	var found Loop
	for _, l := range inner {
		if f.loops.Loops[l].Parent != f.loops.Loops[inner[0]].Parent {
			return Loop{}, fmt.Errorf("%s is in the loops at %s and %s, which are in different loops around: give the bound of each by its label",
				f.line, f.header(inner[0]), f.header(l))
		}
		c, err := f.copy(l, like, at)
		if err != nil {
			return Loop{}, err
		}
		found.Copies = append(found.Copies, c)
	}
	if slices.ContainsFunc(inner, func(l int) bool { return len(f.loops.Loops[l].Entries) > 1 }) {
		return Loop{}, fmt.Errorf("%s is in a loop with several entries (irreducible): give the bound by its label", f.line)
	}
	found.Entry = -1
	if len(inner) > 1 && !at.Known() && found.distinct() {
		f.enter(&found, f.loops.Loops[inner[0]].Parent)
	}
	return found, nil
}

// copy returns the copy of a line that a loop executes before it returns to its header.
func (f *finder) copy(l int, like map[signature]int64, at diag.Pos) (Copy, error) {
	best := Copy{Loop: l, Block: -1}
	for _, b := range f.blocks(at) {
		if f.loops.Innermost(b) != l || !f.returning(b) {
			continue
		}
		if n := f.times(b, like, at); n > best.Times {
			best.Block, best.Times = b, n
		}
	}
	if best.Block < 0 {
		for _, b := range f.blocks(at) {
			if f.loops.Innermost(b) == l && f.returning(b) {
				best.Block, best.Times = b, 1 // something of the line was moved away, so that no more is sure
			}
		}
	}
	if best.Block < 0 {
		return best, fmt.Errorf("the loop at %s executes %s only on some paths: name a line of its body that every iteration executes", f.header(l), f.line)
	}
	for _, n := range like {
		if n > 1 { // the others may have been folded or shared, as the first product of 1 and a factor is
			return best, fmt.Errorf("the loop at %s has instructions of %s several times, so that it may make several iterations at a time: name another line of the body, or give the bound by its label", f.header(l), f.line)
		}
	}
	own := &f.loops.Loops[l]
	best.Exact, best.Last = true, true
	for _, b := range own.Body {
		if !slices.ContainsFunc(f.g.Succ(b), func(s int) bool { return !own.Contains(s) }) {
			continue
		}
		end := f.ends(own, b)
		best.Last = best.Last && end
		best.Exact = best.Exact && (end || !f.dom.Dominates(best.Block, b))
	}
	return best, nil
}

// ends reports whether control that stays in a loop at the end of a block returns to its header at once.
func (f *finder) ends(l *graph.Loop, b int) bool {
	return len(l.Back) == 1 && !slices.ContainsFunc(f.g.Succ(b), func(s int) bool {
		if !l.Contains(s) || s == l.Header {
			return false
		}
		jump := &f.g.Blocks[s]
		return l.Back[0].From != s || jump.End-jump.Start > 1 || f.g.Last(s).Op != isa.Bra
	})
}

// returning reports whether a block is executed before each return to the header of the innermost loop around it.
func (f *finder) returning(b int) bool {
	l := f.loops.Innermost(b)
	return l >= 0 && !slices.ContainsFunc(f.loops.Loops[l].Back, func(e graph.Edge) bool { return !f.dom.Dominates(b, e.From) })
}

// inside reports whether a loop is in another one.
func (f *finder) inside(l, other int) bool {
	for l = f.loops.Loops[l].Parent; l >= 0; l = f.loops.Loops[l].Parent {
		if l == other {
			return true
		}
	}
	return false
}

func (f *finder) header(l int) string { return f.g.Name(f.loops.Loops[l].Header) }

// enter finds a block that is executed once for each entry of the loop: the nearest one in the loop around that control
// passes on every way to a copy. No way leads from a copy to another entry without passing it.
func (f *finder) enter(found *Loop, parent int) {
	entry := found.Copies[0].Block
	for _, c := range found.Copies {
		for !f.dom.Dominates(entry, c.Block) {
			entry = f.dom.IDom(entry)
		}
	}
	for f.loops.Innermost(entry) != parent {
		if entry == f.g.Entry() {
			return
		}
		entry = f.dom.IDom(entry)
	}
	found.Entry = entry
	// From here to the copies, without a return to the header of the loop around.
	from := f.reach([]int{entry}, parent, func(b int) []int { return f.g.Succ(b) })
	var ends []int
	for _, c := range found.Copies {
		ends = append(ends, c.Block)
	}
	to := f.reach(ends, parent, func(b int) []int { return f.g.Flow.Graph().Pred(b) })
	for b := range f.g.Blocks {
		if from[b] && to[b] {
			found.Region = append(found.Region, b)
		}
	}
}

// reach returns the blocks to which ways lead that do not pass the header of the loop around, but may begin there.
func (f *finder) reach(from []int, around int, next func(int) []int) []bool {
	seen := make([]bool, f.g.Flow.Graph().Len())
	work := slices.Clone(from)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		for _, s := range next(b) {
			if around < 0 || s != f.loops.Loops[around].Header {
				work = append(work, s)
			}
		}
	}
	return seen
}
