package value

import (
	"fmt"
	"maps"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
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
	Launch launchfacts.Launch
	Kept   []bool // of Launch.Buffers: it was taken into account what they hold, since the kernel does not write to them

	machine *transfer.Machine
	in      []*transfer.State // at the beginning of each block; nil where control never comes
	agreed  *agreement
	along   [][]*transfer.State // along the edges of each block; nil if control never passes
	into    [][]edgeRef         // the edges that lead to each block, by their blocks
	bounds  []Bound             // of the loops, as plainLoops finds them; nil until it is asked
	changes [][]isa.Reg         // the registers that each loop changes

	irregular []bool // of each block: it is in a loop with several entries
}

// Analyze finds the values of the registers of a kernel.
func Analyze(g *cfg.Graph, launch launchfacts.Launch) *Result {
	r := analyze(g, launch, nil)
	if len(launch.Buffers) == 0 {
		return r
	}
	return withContents(r)
}

// analyze finds the values of registers if instructions load what is given.
//
// It supposes at first that lanes of a warp which take part in a shuffle, a vote or a reduction
// execute the same instruction. That holds unless lanes come apart to an operation of the same
// kind, which follows from the result: up to the first execution to which they do, everything is as
// it says.
func analyze(g *cfg.Graph, launch launchfacts.Launch, known transfer.Loads) *Result {
	divergedOps := make(map[isa.Op]bool)
	for {
		r := solve(g, launch, known, divergedOps)
		news := false
		for op := range r.agreed.findDivergedOps() {
			news = news || !divergedOps[op]
			divergedOps[op] = true
		}
		if !news {
			return r
		}
	}
}

// solve is analyze if lanes execute some operations apart from others that take part.
func solve(g *cfg.Graph, launch launchfacts.Launch, known transfer.Loads, divergedOps map[isa.Op]bool) *Result {
	s := newSolver(g, launch, known, divergedOps)
	s.settle()
	if !launch.Doubted { // else symbols hold less than what they are assigned
		if err := s.checkPostFixpoint(); err != nil {
			panic(fmt.Sprintf("internal error: %s: kernel %s: %v", g.Kernel.Pos, g.Kernel.Name, err))
		}
	}
	s.machine.Narrow = true
	for range narrowings {
		s.round(s.order, 0)
	}
	s.limit()
	s.machine.DropResults()
	s.agreed = agree(s.Result)
	return s.Result
}

// solver makes a Result.
//
// It goes over the blocks in rounds until nothing changes. At the beginning of a block it looks at
// registers only where they can have different values on the ways that lead there: those
// whose values are not the very same ones, and those that once were not. All others keep the
// value that they had where they were last written, so that a round costs what the
// instructions cost and those that are joined somewhere, not the registers times the blocks.
//
// A register of which this is looked at again in every round accumulates its values at the beginnings of
// loops, and is widened there. Each change goes back to one of these registers or to a symbol, which
// accumulates as well, so that the rounds end.
type solver struct {
	*Result
	live       *cfg.Live
	order      []int   // blocks, in reverse post-order of all edges
	components [][]int // strongly connected ones, such that edges between them lead forward, in the same order
	heads      []bool
	preds      [][]edgeRef
	rank       []int              // of each block: its place in the order
	thresholds map[int][]uint64   // by width
	joined     []map[isa.Reg]bool // of each block: the registers whose values were joined there
	dead       [][]isa.Reg        // of each block: the registers that some way leads there for the last time
	pass       int
	changed    bool // in this pass
	dom        *graph.DomTree
	limits     map[affine.Place]strided.Interval // of counters
}

// edgeRef names an edge: by its block and its index there.
type edgeRef struct{ block, index int }

func newSolver(g *cfg.Graph, launch launchfacts.Launch, known transfer.Loads, divergedOps map[isa.Op]bool) *solver {
	n := len(g.Blocks)
	s := &solver{
		Result: &Result{Graph: g, Launch: launch, in: make([]*transfer.State, n), along: make([][]*transfer.State, n), into: make([][]edgeRef, n), changes: changes(g), irregular: irregular(g)},
		live:   cfg.Liveness(g), heads: make([]bool, n), preds: make([][]edgeRef, n),
		joined: make([]map[isa.Reg]bool, n), dead: make([][]isa.Reg, n),
		dom: graph.Dominators(g.Flow.Graph(), g.Entry()), limits: make(map[affine.Place]strided.Interval),
	}
	s.machine = transfer.NewMachine(g.Kernel, &s.Launch, known, divergedOps)
	all := graph.New(n + 1)
	for b := range g.Blocks {
		s.along[b] = make([]*transfer.State, len(g.Blocks[b].Edges))
		for i, e := range g.Blocks[b].Edges {
			all.AddEdge(b, e.To)
			if e.To < n {
				s.into[e.To] = append(s.into[e.To], edgeRef{b, i})
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
	s.components = components(all, s.order)
	s.thresholds = thresholds(g.Kernel, &s.Launch)
	for b := range s.preds {
		s.preds[b] = slices.Clone(s.into[b])
		s.dead[b] = s.ending(b)
		slices.SortStableFunc(s.preds[b], func(d, e edgeRef) int { return s.rank[d.block] - s.rank[e.block] })
	}
	return s
}

// components returns the strongly connected components of a graph that have nodes in an order, such that edges
// between them lead forward, and in each the nodes in that order.
func components(g *graph.Graph, order []int) [][]int {
	of := make([]int, g.Len())
	all := graph.SCC(g)
	list := make([][]int, len(all))
	for i, nodes := range all {
		for _, v := range nodes {
			of[v] = len(all) - 1 - i // no component can be reached from one that stands before it in all
		}
	}
	for _, v := range order {
		list[of[v]] = append(list[of[v]], v)
	}
	return slices.DeleteFunc(list, func(nodes []int) bool { return nodes == nil })
}

// changes returns the registers that the instructions of each loop write.
func changes(g *cfg.Graph) [][]isa.Reg {
	loops := g.Loops()
	regs := make([][]isa.Reg, len(loops.Loops))
	for b := range g.Blocks {
		if i := loops.Innermost(b); i >= 0 {
			for pc := g.Blocks[b].Start; pc < g.Blocks[b].End; pc++ {
				g.Kernel.Instrs[pc].Writes(func(r isa.Reg) { regs[i] = append(regs[i], r) })
			}
		}
	}
	for i := len(regs) - 1; i >= 0; i-- { // loops inside come behind the loop around them
		slices.Sort(regs[i])
		regs[i] = slices.Compact(regs[i])
		if p := loops.Loops[i].Parent; p >= 0 {
			regs[p] = append(regs[p], regs[i]...)
		}
	}
	return regs
}

// irregular finds the blocks of loops that have several entries.
func irregular(g *cfg.Graph) []bool {
	found := make([]bool, len(g.Blocks))
	for _, l := range g.Loops().Loops {
		if len(l.Entries) > 1 {
			for _, b := range l.Body {
				found[b] = true
			}
		}
	}
	return found
}

// regular reports whether a loop neither is one with several entries nor has one inside or around it.
func (r *Result) regular(l *graph.Loop) bool {
	return !slices.ContainsFunc(l.Body, func(b int) bool { return r.irregular[b] })
}

// ending returns the registers that may have values where control comes to a block, and are
// not live there.
func (s *solver) ending(b int) []isa.Reg {
	var regs []isa.Reg
	for _, e := range s.into[b] {
		s.live.Ending(e.block, b, func(r isa.Reg) { regs = append(regs, r) })
		block := &s.Graph.Blocks[e.block]
		for pc := block.Start; pc < block.End; pc++ {
			s.Graph.Kernel.Instrs[pc].Writes(func(r isa.Reg) {
				if !s.live.At(b, r) {
					regs = append(regs, r)
				}
			})
		}
	}
	slices.Sort(regs)
	return slices.Compact(regs)
}

// back reports whether an edge leads back in the order of the blocks, so that what is known
// along it is that of the pass before.
func (s *solver) back(from, to int) bool { return s.rank[to] <= s.rank[from] }

// thresholds returns where sets are widened to, for each width: the limits of types, and
// the constants of the kernel and the ends of what its launch tells with their neighbours.
func thresholds(k *isa.Kernel, l *launchfacts.Launch) map[int][]uint64 {
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
		m := strided.Mask(width)
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

// settle analyses all blocks until nothing changes any more: the strongly connected components of the
// flow graph one after the other, each as it depends on those before alone, and then all blocks together.
func (s *solver) settle() {
	for _, component := range s.components {
		s.repeatRounds(component, len(s.machine.Syms.Symbols))
	}
	s.repeatRounds(s.order, 0)
}

// repeatRounds analyses some blocks until nothing changes any more, symbols from one on included.
func (s *solver) repeatRounds(blocks []int, symbols int) {
	for s.pass = 0; s.round(blocks, symbols); s.pass++ {
		s.machine.Widen = s.pass >= widenSymbols
	}
	s.machine.Widen = false
}

// round analyses some blocks once, and reports whether anything changed, symbols from one on included.
func (s *solver) round(blocks []int, symbols int) bool {
	s.changed = false
	before := make([]strided.Interval, len(s.machine.Syms.Symbols)-symbols)
	for i := range before {
		before[i] = s.machine.Syms.Symbols[symbols+i].Set
	}
	for _, b := range blocks {
		if in, ok := s.enter(b); ok {
			s.changed = s.changed || s.in[b] == nil
			s.in[b] = in
			s.leave(b)
		}
	}
	for i, y := range s.machine.Syms.Symbols[symbols:] {
		s.changed = s.changed || i >= len(before) || before[i] != y.Set
	}
	return s.changed
}

// enter returns what is known at the beginning of a block, false if control has not been
// found to come there.
func (s *solver) enter(b int) (*transfer.State, bool) {
	from := make([]*transfer.State, 0, len(s.preds[b])+1)
	ahead := 0 // states of this pass
	if b == s.Graph.Entry() {
		from = append(from, transfer.NewState(len(s.Graph.Kernel.Regs)))
		ahead++
	}
	for _, e := range s.preds[b] {
		if st := s.along[e.block][e.index]; st != nil {
			from = append(from, st)
			if !s.back(e.block, b) {
				ahead++
			}
		}
	}
	if len(from) == 0 {
		return nil, false
	}
	in := from[0].Clone()
	for _, r := range s.dead[b] {
		in.Set(r, nil)
	}
	values := make([]*transfer.Value, len(from))
	for _, r := range s.joining(b, from) {
		for i, st := range from {
			values[i] = s.machine.ReadRegister(st, r)
		}
		var old *transfer.Value
		if s.in[b] != nil {
			old = s.in[b].Get(r)
		}
		v := s.merge(b, r, old, values, ahead)
		s.machine.NoteForm(v.Form, r)
		if old != nil && old.Equal(v) {
			v = old
		} else {
			s.changed = true
		}
		if values[0].Equal(v) && from[0].Get(r) != nil {
			v = values[0]
		}
		in.Set(r, v)
	}
	return in, true
}

// joining returns the registers that are live at the beginning of a block and must be looked at there.
func (s *solver) joining(b int, from []*transfer.State) []isa.Reg {
	if b == s.Graph.Entry() || s.irregular[b] {
		return s.live.In(b)
	}
	for _, r := range transfer.FindDiffering(from) {
		if s.live.At(b, r) {
			s.joins(b, r)
		}
	}
	return slices.Sorted(maps.Keys(s.joined[b]))
}

// joins notes that a register must be looked at at the beginning of a block from now on.
func (s *solver) joins(b int, r isa.Reg) {
	if s.joined[b] == nil {
		s.joined[b] = make(map[isa.Reg]bool)
	}
	s.joined[b][r] = true
}

// merge joins the values that a register has on the ways to a block. It keeps its form if
// that is the same on all ways; else it gets a symbol for its value here. A way along which
// the register only comes back as it left the block does not count, as with phi functions
// of the form x = phi(y, x): in a reducible graph, control cannot have passed the place
// where y got its value and come back without entering the block anew. Nor does a way back
// along which it has the form that it had here in the pass before: when nothing changes any
// more, that is the form that it has here.
func (s *solver) merge(b int, r isa.Reg, old *transfer.Value, values []*transfer.Value, ahead int) *transfer.Value {
	m := s.machine
	here := func(y affine.Symbol) bool { e := &m.Syms.Symbols[y]; return e.Origin == affine.Merged && e.Block == b }
	v := &transfer.Value{Set: values[0].Set, Cond: values[0].Cond}
	if v.Cond.Mentions(here) {
		v.Cond = nil
	}
	keep := true
	for i, w := range values {
		v.Set = v.Set.Join(w.Set)
		if i < ahead || old == nil || w.Cond == nil || s.pass >= settleForms || m.Narrow || !w.Cond.Equal(old.Cond) { // else it is as in the pass before
			v.Cond = v.Cond.Join(w.Cond)
		}
		switch y, own := w.Form.AsSymbol(); {
		case own && here(y) && m.Syms.Symbols[y].Reg == r && !s.irregular[b]:
			// It comes back as it was.
		case !w.Form.IsKnown() || w.Form.Mentions(here):
			keep = false
		case i >= ahead && old != nil && w.Form.Equal(old.Form):
			// It comes back as it was in the pass before.
		case v.Form.IsKnown() && !v.Form.Equal(w.Form):
			keep = false
		default:
			v.Form = w.Form
		}
	}
	keep = keep && v.Form.IsKnown()
	if old != nil {
		v.Set = s.accumulate(b, old.Set, v.Set)
		if m.Narrow || s.pass >= settleForms {
			keep = keep && v.Form.Equal(old.Form) || m.Narrow && !old.Form.Mentions(here)
			v.Form = old.Form
		}
	}
	if limit, ok := s.limits[affine.Place{Origin: affine.Merged, At: b, Reg: r}]; ok {
		v.Set = v.Set.Narrow(limit)
	}
	if keep {
		w := *m.MakeValue(v.Set, v.Form)
		w.Cond = v.Cond
		return &w
	}
	y := m.Syms.AddAt(affine.Place{Origin: affine.Merged, At: b, Reg: r}, b, s.Graph.Kernel.Regs[r].Name, v.Set.Bits())
	m.Syms.Symbols[y].Set, m.Syms.Symbols[y].Assigned = v.Set, true
	v.Form = affine.OfSymbol(v.Set.Bits(), y)
	return v
}

// accumulate joins what was found in passes before with what is found now, or narrows it
// to that.
func (s *solver) accumulate(b int, old, now strided.Interval) strided.Interval {
	if s.machine.Narrow {
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
	st := s.in[b].Clone()
	for pc := block.Start; pc < block.End; pc++ {
		s.machine.Execute(st, pc)
		s.Graph.Kernel.Instrs[pc].Writes(func(r isa.Reg) { s.name(b, r, st.Get(r)) })
	}
	for i, e := range block.Edges {
		out, ok := s.machine.FollowEdge(s.Graph, st, b, e.Kind)
		if !ok {
			out = nil
		}
		if old := s.along[b][i]; ok && old != nil && out != st {
			share(out, st, old)
		}
		s.along[b][i] = out
	}
}

// name lets a register that has no form behind a block get a symbol where control goes next.
func (s *solver) name(b int, r isa.Reg, v *transfer.Value) {
	if v != nil && v.Form.IsKnown() {
		return
	}
	for _, e := range s.Graph.Blocks[b].Edges {
		if e.To < len(s.joined) && s.live.At(e.To, r) {
			s.joins(e.To, r)
		}
	}
}

// share makes a state that differs from another in some registers share their values with a third one, where they are equal.
func share(st, from, with *transfer.State) {
	for _, r := range transfer.FindDiffering([]*transfer.State{st, from}) {
		if v := with.Get(r); v != nil && v.Equal(st.Get(r)) {
			st.Set(r, v)
		}
	}
}
