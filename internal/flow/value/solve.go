package value

import (
	"fmt"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// How many passes over a kernel go by before loops are widened, before symbols are, and
// before registers whose forms changed keep a symbol, before
// everything is widened; and how many narrow.
const (
	widenLoops   = 3
	widenSymbols = 12
	settleForms  = 20
	widenAll     = 40
	narrowings   = 3
)

// Result is what is known of the values in a kernel.
type Result struct {
	Graph  *cfg.Graph
	Launch Launch
	Kept   []bool // of Launch.Buffers: it was taken into account what they hold, since the kernel does not write to them

	machine machine
	in      []state // at the beginning of each block; nil where control never comes
	agreed  *agreement
	along   [][]state // along the edges of each block; nil if control never passes
}

// maxWork limits the blocks times blocks and registers of kernels that are analysed.
const maxWork = 1 << 20

// Analyze finds the values of the registers of a kernel. It is an error if the kernel is
// too large.
func Analyze(g *cfg.Graph, launch Launch) (*Result, error) {
	r, err := analyze(g, launch, nil)
	if err != nil || len(launch.Buffers) == 0 {
		return r, err
	}
	return withContents(r)
}

// analyze finds the values of registers if instructions load what is given.
func analyze(g *cfg.Graph, launch Launch, known loads) (*Result, error) {
	if blocks, regs := len(g.Blocks), len(g.Kernel.Regs); blocks*(blocks+regs) > maxWork {
		return nil, fmt.Errorf("value analysis was skipped: %d registers in %d blocks exceed its limit", regs, blocks)
	}
	s := newSolver(g, launch)
	s.machine.loads, s.machine.syms.sums, s.machine.syms.buffers = known, launch.Sums, launch.Buffers
	s.machine.syms.ordered = slices.ContainsFunc(launch.Buffers, func(b Buffer) bool { return b.Contents.Ascends != nil })
	for s.pass = 0; s.round(); s.pass++ {
		s.machine.widen = s.pass >= widenSymbols
	}
	s.machine.widen, s.machine.narrow = false, true
	for range narrowings {
		s.round()
	}
	s.limit()
	s.agreed = agree(s.Result)
	return s.Result, nil
}

// solver makes a Result.
type solver struct {
	*Result
	live       *cfg.Live
	order      []int // blocks, in reverse post-order of all edges
	heads      []bool
	preds      [][]edgeRef
	rank       []int            // of each block: its place in the order
	thresholds map[int][]uint64 // by width
	reducible  bool
	pass       int
	dom        *graph.DomTree
	limits     map[place]Strided // of counters
}

// edgeRef names an edge: by its block and its index there.
type edgeRef struct{ block, index int }

func newSolver(g *cfg.Graph, launch Launch) *solver {
	n := len(g.Blocks)
	s := &solver{
		Result: &Result{Graph: g, Launch: launch, in: make([]state, n), along: make([][]state, n)},
		live:   cfg.Liveness(g), heads: make([]bool, n), preds: make([][]edgeRef, n),
		reducible: g.Loops().Irreducible() == nil, dom: graph.Dominators(g.Flow.Graph(), g.Entry()), limits: make(map[place]Strided),
	}
	s.machine = machine{kernel: g.Kernel, launch: &s.Launch, syms: newSymbols()}
	all := graph.New(n + 1)
	for b := range g.Blocks {
		s.along[b] = make([]state, len(g.Blocks[b].Edges))
		for i, e := range g.Blocks[b].Edges {
			all.AddEdge(b, e.To)
			if e.To < n {
				s.preds[e.To] = append(s.preds[e.To], edgeRef{b, i})
			}
		}
	}
	s.order = slices.DeleteFunc(graph.ReversePostOrder(all, g.Entry()), func(b int) bool { return b == n })
	s.rank = make([]int, n)
	for i, b := range s.order {
		s.rank[b] = i
	}
	for _, b := range s.order {
		for _, e := range g.Blocks[b].Edges {
			if e.To < n && s.back(b, e.To) {
				s.heads[e.To] = true
			}
		}
	}
	s.thresholds = thresholds(g.Kernel, &s.Launch)
	for b := range s.preds {
		slices.SortStableFunc(s.preds[b], func(d, e edgeRef) int { return s.rank[d.block] - s.rank[e.block] })
	}
	return s
}

// back reports whether an edge leads back in the order of the blocks, so that what is known
// along it is that of the pass before.
func (s *solver) back(from, to int) bool { return s.rank[to] <= s.rank[from] }

// thresholds returns where sets are widened to, for each width: the limits of types, and
// the constants of the kernel and the ends of what its launch tells with their neighbours.
func thresholds(k *isa.Kernel, l *Launch) map[int][]uint64 {
	var constants []uint64
	for i := range k.Instrs {
		for _, o := range k.Instrs[i].Src {
			if o.Kind == isa.KindImm {
				constants = append(constants, o.Imm)
			}
		}
	}
	for _, p := range l.Params {
		if p.Bits() > 0 {
			lo, hi := p.Unsigned()
			constants = append(constants, lo, hi)
		}
	}
	for axis := range l.Block {
		constants = append(constants, uint64(l.Block[axis]), uint64(l.Grid[axis]), uint64(l.Block[axis]*l.Grid[axis]))
	}
	found := make(map[int][]uint64)
	for _, width := range []int{1, 8, 16, 32, 64} {
		m := mask(uint8(width))
		// One before the largest: a counter goes on to it if it is less than any limit.
		list := []uint64{0, m, m - 1, m / 2, m/2 - 1, m/2 + 1, 1<<31 - 1, 1 << 31, 1<<32 - 1}
		for _, c := range constants {
			list = append(list, c-1, c, c+1)
		}
		for i := range list {
			list[i] &= m
		}
		slices.Sort(list)
		found[width] = slices.Compact(list)
	}
	return found
}

// round analyses every block once, and reports whether anything changed.
func (s *solver) round() bool {
	changed := false
	before := make([]Strided, len(s.machine.syms.all))
	for i := range before {
		before[i] = s.machine.syms.all[i].set
	}
	for _, b := range s.order {
		if in, ok := s.enter(b); ok {
			changed = changed || s.in[b] == nil || !same(s.in[b], in)
			s.in[b] = in
			s.leave(b)
		}
	}
	for i := range s.machine.syms.all {
		changed = changed || i >= len(before) || before[i] != s.machine.syms.all[i].set
	}
	return changed
}

func same(a, b state) bool {
	for r := range a {
		if (a[r] == nil) != (b[r] == nil) || a[r] != nil && (a[r].Strided != b[r].Strided || !a[r].form.equal(b[r].form) || !a[r].cond.equal(b[r].cond)) {
			return false
		}
	}
	return true
}

// enter returns what is known at the beginning of a block, false if control has not been
// found to come there.
func (s *solver) enter(b int) (state, bool) {
	from := make([]state, 0, len(s.preds[b]))
	ahead := 0 // values of this pass
	for _, e := range s.preds[b] {
		if st := s.along[e.block][e.index]; st != nil {
			from = append(from, st)
			if !s.back(e.block, b) {
				ahead++
			}
		}
	}
	start := b == s.Graph.Entry()
	if start {
		ahead++
	}
	if len(from) == 0 && !start {
		return nil, false
	}
	in := make(state, len(s.Graph.Kernel.Regs))
	values := make([]*Value, 0, len(from)+1)
	for _, r := range s.live.In(b) {
		values = values[:0]
		if start {
			values = append(values, unknown(s.machine.width(r)))
		}
		for _, st := range from {
			values = append(values, s.machine.register(st, r))
		}
		var old *Value
		if s.in[b] != nil {
			old = s.in[b][r]
		}
		in[r] = s.merge(b, r, old, values, ahead)
	}
	return in, true
}

// merge joins the values that a register has on the ways to a block. It keeps its form if
// that is the same on all ways; else it gets a symbol for its value here. A way along which
// the register only comes back as it left the block does not count, as with phi functions
// of the form x = phi(y, x): in a reducible graph, control cannot have passed the place
// where y got its value and come back without entering the block anew. Nor does a way back
// along which it has the form that it had here in the pass before: when nothing changes any
// more, that is the form that it has here.
func (s *solver) merge(b int, r isa.Reg, old *Value, values []*Value, ahead int) *Value {
	m := &s.machine
	here := func(y Symbol) bool { e := &m.syms.all[y]; return e.origin == merged && e.block == b }
	v := &Value{Strided: values[0].Strided, cond: values[0].cond}
	if v.cond.mentions(here) {
		v.cond = nil
	}
	keep := true
	for i, w := range values {
		v.Strided = v.Strided.Join(w.Strided)
		if !v.cond.equal(w.cond) {
			v.cond = nil
		}
		switch y, own := w.form.symbol(); {
		case own && here(y) && m.syms.all[y].reg == r && s.reducible:
			// It comes back as it was.
		case !w.form.known() || w.form.mentions(here):
			keep = false
		case i >= ahead && old != nil && w.form.equal(old.form):
			// It comes back as it was in the pass before.
		case v.form.known() && !v.form.equal(w.form):
			keep = false
		default:
			v.form = w.form
		}
	}
	keep = keep && v.form.known()
	if old != nil {
		v.Strided = s.accumulate(b, old.Strided, v.Strided)
		if m.narrow || s.pass >= settleForms {
			keep = keep && v.form.equal(old.form) || m.narrow && !old.form.mentions(here)
			v.form = old.form
		}
	}
	if limit, ok := s.limits[place{merged, b, r}]; ok {
		v.Strided = v.Strided.narrowed(limit)
	}
	if keep {
		w := *m.value(v.Strided, v.form)
		w.cond = v.cond
		return &w
	}
	y := m.syms.at(place{merged, b, r}, b, m.kernel.Regs[r].Name, v.Strided.Bits())
	m.syms.all[y].set, m.syms.all[y].assigned = v.Strided, true
	v.form = symbolForm(v.Strided.bits, y)
	return v
}

// accumulate joins what was found in passes before with what is found now, or narrows it
// to that.
func (s *solver) accumulate(b int, old, now Strided) Strided {
	if s.machine.narrow {
		if both, ok := old.Meet(now); ok {
			return both
		}
		return old
	}
	if s.pass >= widenLoops && s.heads[b] || s.pass >= widenAll {
		t := s.thresholds[old.Bits()]
		if s.pass >= widenAll {
			t = nil
		}
		return old.Widen(now, t)
	}
	return old.Join(now)
}

// leave executes a block and finds what is known along its edges.
func (s *solver) leave(b int) {
	block := &s.Graph.Blocks[b]
	st := slices.Clone(s.in[b])
	for pc := block.Start; pc < block.End; pc++ {
		s.machine.step(st, pc)
	}
	for i, e := range block.Edges {
		s.along[b][i] = nil
		if out, ok := s.machine.follow(s.Graph, st, b, e.Kind); ok {
			s.along[b][i] = out
		}
	}
}

// follow returns what is known along an edge; false if control never passes.
func (m *machine) follow(g *cfg.Graph, st state, b int, kind cfg.EdgeKind) (state, bool) {
	last := g.Last(b)
	if !last.Guard.Set || len(g.Blocks[b].Edges) < 2 {
		return st, true
	}
	holds := (kind != cfg.FallThrough) != last.Guard.Not
	p := m.register(st, last.Guard.Reg)
	if c, ok := p.Strided.IsConst(); ok && (c != 0) != holds {
		return nil, false
	}
	return m.refined(st, p.cond, holds)
}
