package fixpoint

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/constraint"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// How many passes over a kernel go by before loops are widened, before symbols are, before
// registers whose forms changed keep a symbol, and before everything is widened; and how many
// narrow.
const (
	widenLoops   = 3
	widenSymbols = 12
	settleForms  = 20
	widenAll     = 40
	narrowings   = 3
)

// Solver makes a Solution.
//
// It goes over the blocks in rounds until nothing changes. At the beginning of a block it looks at
// registers only where they can have different values on the ways that lead there: those whose
// values are not the very same ones, and those that once were not. All others keep the value that
// they had where they were last written, so that a round costs what the instructions cost and those
// that are joined somewhere, not the registers times the blocks.
//
// A register of which this is looked at again in every round accumulates its values at the
// beginnings of loops, and is widened there. Each change goes back to one of these registers or to
// a symbol, which accumulates as well, so that the rounds end.
type Solver struct {
	*Solution
	live       *cfg.Live
	order      []int   // blocks, in reverse post-order of all edges
	components [][]int // strongly connected ones, such that edges between them lead forward, in the same order
	heads      []bool
	preds      [][]Edge
	rank       []int              // of each block: its place in the order
	thresholds map[int][]uint64   // by width
	joined     []map[isa.Reg]bool // of each block: the registers whose values were joined there
	dead       [][]isa.Reg        // of each block: the registers that some way leads there for the last time
	pass       int
	changed    bool // in this pass
	trace      constraint.Trace
	limits     map[affine.Place]strided.Interval // of counters
}

// leadsBack reports whether an edge leads back in the order of the blocks, so that what is known
// along it is that of the pass before.
func (s *Solver) leadsBack(from, to int) bool { return s.rank[to] <= s.rank[from] }

// Solve finds the solution: a post-fixpoint, which is narrowed. If ctx ends, the error is that of ctx,
// and there is no solution.
func (s *Solver) Solve(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	if !s.Launch.Doubted { // else symbols hold less than what they are assigned
		if err := s.checkPostFixpoint(); err != nil {
			panic(fmt.Sprintf("internal error: %s: kernel %s: %v", s.Graph.Kernel.Pos, s.Graph.Kernel.Name, err))
		}
	}
	s.Machine.Narrow = true
	return s.NarrowTo(ctx, nil)
}

// NarrowTo narrows the solution to limits of what registers hold at the beginnings of blocks, and
// to those that it was given before. The error is that of ctx.
func (s *Solver) NarrowTo(ctx context.Context, limits map[affine.Place]strided.Interval) error {
	maps.Copy(s.limits, limits)
	for i := range narrowings {
		changed, err := s.runRound(ctx, s.order, 0)
		if err != nil {
			return err
		}
		if !changed && i > 0 { // the round before was under the same limits, so that a further one finds the same
			break
		}
	}
	return nil
}

// Finish returns the solution, which does not change any more.
func (s *Solver) Finish() *Solution {
	s.Machine.DropResults()
	return s.Solution
}

// settle analyses all blocks until nothing changes any more: the strongly connected components of
// the flow graph one after the other, each as it depends on those before alone, and then all blocks
// together.
func (s *Solver) settle(ctx context.Context) error {
	for _, component := range s.components {
		symbols := len(s.Machine.Syms.Symbols)
		if len(component) == 1 && !s.precedesItself(component[0]) {
			s.pass = 0
			if _, err := s.runRound(ctx, component, symbols); err != nil { // another round would find the same
				return err
			}
			continue
		}
		if err := s.repeatRounds(ctx, component, symbols); err != nil {
			return err
		}
	}
	return s.repeatRounds(ctx, s.order, 0)
}

// precedesItself reports whether an edge leads from a block to itself.
func (s *Solver) precedesItself(b int) bool {
	return slices.ContainsFunc(s.preds[b], func(e Edge) bool { return e.Block == b })
}

// repeatRounds analyses some blocks until nothing changes any more, symbols from one on included.
func (s *Solver) repeatRounds(ctx context.Context, blocks []int, symbols int) (err error) {
	constraint.Iterate(constraint.Unbounded, func(pass int) (grown bool) {
		s.pass, s.Machine.Widen = pass, pass > widenSymbols
		grown, err = s.runRound(ctx, blocks, symbols)
		return grown
	})
	s.Machine.Widen = false
	return err
}

// runRound analyses some blocks once, and reports whether anything changed, symbols from one on
// included.
func (s *Solver) runRound(ctx context.Context, blocks []int, symbols int) (bool, error) {
	s.changed = false
	before := make([]strided.Interval, len(s.Machine.Syms.Symbols)-symbols)
	for i := range before {
		before[i] = s.Machine.Syms.Symbols[symbols+i].Set
	}
	for _, b := range blocks {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if in, ok := s.enterBlock(b); ok {
			s.changed = s.changed || s.In[b] == nil
			s.In[b] = in
			s.leaveBlock(b)
		}
	}
	for i, y := range s.Machine.Syms.Symbols[symbols:] {
		if i >= len(before) || before[i] != y.Set {
			s.changed = true
			s.traceSymbol(affine.Symbol(symbols+i), before[min(i, len(before)):])
		}
	}
	return s.changed, nil
}

// enterBlock returns what is known at the beginning of a block, false if control has not been
// found to come there.
func (s *Solver) enterBlock(b int) (*transfer.State, bool) {
	from := make([]*transfer.State, 0, len(s.preds[b])+1)
	ahead := 0 // states of this pass
	if b == s.Graph.Entry() {
		from = append(from, transfer.NewState(len(s.Graph.Kernel.Regs)))
		ahead++
	}
	for _, e := range s.preds[b] {
		if st := s.Along[e.Block][e.Index]; st != nil {
			from = append(from, st)
			if !s.leadsBack(e.Block, b) {
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
	for _, r := range s.findJoined(b, from) {
		for i, st := range from {
			values[i] = s.Machine.ReadRegister(st, r)
		}
		var old *transfer.Value
		if s.In[b] != nil {
			old = s.In[b].Get(r)
		}
		v := s.mergeValues(b, r, old, values, ahead)
		s.Machine.NoteForm(v.Form, r)
		if old != nil && old.Equal(v) {
			v = old
		} else {
			s.changed = true
			s.traceRegister(b, r, old, v)
		}
		if values[0].Equal(v) && from[0].Get(r) != nil {
			v = values[0]
		}
		in.Set(r, v)
	}
	return in, true
}

// findJoined returns the registers that are live at the beginning of a block and must be looked at
// there.
func (s *Solver) findJoined(b int, from []*transfer.State) []isa.Reg {
	if b == s.Graph.Entry() || s.irregular[b] {
		return s.live.In(b)
	}
	for _, r := range transfer.FindDiffering(from) {
		if s.live.At(b, r) {
			s.noteJoined(b, r)
		}
	}
	return slices.Sorted(maps.Keys(s.joined[b]))
}

// noteJoined notes that a register must be looked at at the beginning of a block from now on.
func (s *Solver) noteJoined(b int, r isa.Reg) {
	if s.joined[b] == nil {
		s.joined[b] = make(map[isa.Reg]bool)
	}
	s.joined[b][r] = true
}

// mergeValues joins the values that a register has on the ways to a block. It keeps its form if
// that is the same on all ways; else it gets a symbol for its value here. A way along which
// the register only comes back as it left the block does not count, as with phi functions
// of the form x = phi(y, x): in a reducible graph, control cannot have passed the place
// where y got its value and come back without entering the block anew. Nor does a way back
// along which it has the form that it had here in the pass before: when nothing changes any
// more, that is the form that it has here.
func (s *Solver) mergeValues(
	b int, r isa.Reg, old *transfer.Value, values []*transfer.Value, ahead int,
) *transfer.Value {
	m := s.Machine
	here := func(y affine.Symbol) bool { e := &m.Syms.Symbols[y]; return e.Origin == affine.Merged && e.Block == b }
	v := &transfer.Value{Set: values[0].Set, Cond: values[0].Cond}
	if v.Cond.Mentions(here) {
		v.Cond = nil
	}
	keep := true
	for i, w := range values {
		v.Set = v.Set.Join(w.Set)
		asBefore := i >= ahead && old != nil && w.Cond != nil && s.pass < settleForms && !m.Narrow && w.Cond.Equal(old.Cond)
		if !asBefore {
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
		v.Set = s.accumulateSet(b, old.Set, v.Set)
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

// accumulateSet joins what was found in passes before with what is found now, or narrows it
// to that.
func (s *Solver) accumulateSet(b int, old, now strided.Interval) strided.Interval {
	if s.Machine.Narrow {
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

// leaveBlock executes a block and finds what is known along its edges.
func (s *Solver) leaveBlock(b int) {
	block := &s.Graph.Blocks[b]
	st := s.In[b].Clone()
	for pc := block.Start; pc < block.End; pc++ {
		s.Machine.Execute(st, pc)
		s.Graph.Kernel.Instrs[pc].Writes(func(r isa.Reg) { s.noteFormless(b, r, st.Get(r)) })
	}
	for i, e := range block.Edges {
		out, ok := s.Machine.FollowEdge(s.Graph, st, b, e.Kind)
		if !ok {
			out = nil
		}
		if old := s.Along[b][i]; ok && old != nil && out != st {
			shareValues(out, st, old)
		}
		s.Along[b][i] = out
	}
}

// noteFormless lets a register that has no form behind a block get a symbol where control goes
// next.
func (s *Solver) noteFormless(b int, r isa.Reg, v *transfer.Value) {
	if v != nil && v.Form.IsKnown() {
		return
	}
	for _, e := range s.Graph.Blocks[b].Edges {
		if e.To < len(s.joined) && s.live.At(e.To, r) {
			s.noteJoined(e.To, r)
		}
	}
}

// shareValues makes a state that differs from another in some registers share their values with a
// third one, where they are equal.
func shareValues(st, from, with *transfer.State) {
	for _, r := range transfer.FindDiffering([]*transfer.State{st, from}) {
		if v := with.Get(r); v != nil && v.Equal(st.Get(r)) {
			st.Set(r, v)
		}
	}
}
