package fixpoint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// dense looks at every register at every place: the slow and obvious twin of solver. States of its
// own have all values, and share none.
type dense struct{ *Solver }

func settledDense(g *cfg.Graph, launch launchfacts.Launch) *Solver {
	d := dense{NewSolver(g, launch, nil, nil)}
	d.Machine.DropResults()
	for d.pass = 0; d.round(); d.pass++ {
		d.Machine.Widen = d.pass >= widenSymbols
	}
	return d.Solver
}

func (d dense) round() bool {
	d.changed = false
	before := make([]strided.Interval, len(d.Machine.Syms.Symbols))
	for i := range before {
		before[i] = d.Machine.Syms.Symbols[i].Set
	}
	for _, b := range d.order {
		if in := d.enter(b); in != nil {
			d.changed = d.changed || d.In[b] == nil || !d.same(b, d.In[b], in)
			d.In[b] = in
			d.Along[b] = d.passing(b)
		}
	}
	for i := range d.Machine.Syms.Symbols {
		d.changed = d.changed || i >= len(before) || before[i] != d.Machine.Syms.Symbols[i].Set
	}
	return d.changed
}

func (d dense) enter(b int) *transfer.State {
	var from []*transfer.State
	ahead := 0
	if b == d.Graph.Entry() {
		from, ahead = append(from, transfer.NewState(len(d.Graph.Kernel.Regs))), 1
	}
	for _, e := range d.preds[b] {
		if st := d.Along[e.Block][e.Index]; st != nil {
			from = append(from, st)
			if !d.leadsBack(e.Block, b) {
				ahead++
			}
		}
	}
	if len(from) == 0 {
		return nil
	}
	in := transfer.NewState(len(d.Graph.Kernel.Regs))
	for _, r := range d.live.In(b) {
		var values []*transfer.Value
		for _, st := range from {
			values = append(values, d.Machine.ReadRegister(st, r))
		}
		var old *transfer.Value
		if d.In[b] != nil {
			old = d.In[b].Get(r)
		}
		in.Set(r, d.mergeValues(b, r, old, values, ahead))
	}
	return in
}

// passing returns what is known along the edges of a block, from what is known at its beginning.
func (s *Solver) passing(b int) []*transfer.State {
	st := s.In[b].Clone()
	for pc := s.Graph.Blocks[b].Start; pc < s.Graph.Blocks[b].End; pc++ {
		s.Machine.Execute(st, pc)
	}
	edges := s.Graph.Blocks[b].Edges
	along := make([]*transfer.State, len(edges))
	for i, e := range edges {
		along[i] = s.refinedAll(st, b, e.Kind, len(edges) > 1)
	}
	return along
}

// refinedAll is Machine.FollowEdge for all registers.
func (s *Solver) refinedAll(st *transfer.State, b int, kind cfg.EdgeKind, branches bool) *transfer.State {
	m := s.Machine
	last := s.Graph.Last(b)
	if !last.Guard.Set || !branches {
		return st
	}
	p, holds := m.ReadRegister(st, last.Guard.Reg), (kind != cfg.FallThrough) != last.Guard.Not
	if c, ok := p.Set.IsConst(); ok && (c != 0) != holds {
		return nil
	}
	facts, ok := m.DeriveFacts(p.Cond, holds)
	if !ok {
		return nil
	}
	k, ok := m.DeriveKnowledge(facts)
	if !ok {
		return nil
	}
	out := transfer.NewState(len(s.Graph.Kernel.Regs))
	for r, v := range st.All() {
		v, ok := m.RestrictValue(v, &k)
		if !ok {
			return nil
		}
		out.Set(r, v)
	}
	return out
}

// same reports whether two states say the same of the registers that are live at the beginning of a
// block.
func (s *Solver) same(b int, x, y *transfer.State) bool {
	for _, r := range s.live.In(b) {
		v, w := x.Get(r), y.Get(r)
		if (v == nil) != (w == nil) || v != nil && !v.Equal(w) {
			return false
		}
	}
	return true
}

// checkSettled checks that what a solver has found solves the equations of all registers at all
// blocks.
func checkSettled(t *testing.T, s *Solver) {
	t.Helper()
	for b := range s.Graph.Blocks {
		if s.In[b] == nil {
			continue
		}
		for i, st := range s.passing(b) {
			found, to := s.Along[b][i], s.Graph.Blocks[b].Edges[i].To
			if (st == nil) != (found == nil) {
				t.Fatalf("control passes edge %d of %s: %v, want %v", i, s.Graph.Name(b), found != nil, st != nil)
			}
			if st == nil || to == s.Graph.Exit() {
				continue
			}
			if !s.same(to, st, found) {
				t.Fatalf("along edge %d of %s other values are known than looking at all registers tells", i, s.Graph.Name(b))
			}
		}
		in := dense{s}.enter(b)
		for _, r := range s.live.In(b) {
			v, w := s.Machine.ReadRegister(s.In[b], r), in.Get(r)
			if _, c := w.Set.IsConst(); c && v.Set == w.Set {
				continue // whatever its form
			}
			if !v.Equal(w) {
				t.Fatalf("at the beginning of %s %s is %s, %s; looking at all registers tells %s, %s",
					s.Graph.Name(b), s.Graph.Kernel.Regs[r].Name,
					v.Set, s.Machine.Syms.Format(v.Form), w.Set, s.Machine.Syms.Format(w.Form))
			}
		}
	}
}

// otherSolutions are kernels whose equations have several solutions, since loops are widened: the
// solver settles on another one than a solver that looks at all registers.
var otherSolutions = []uint64{289, 361, 493, 705}

// What the solver finds solves the equations of all registers at all blocks, though it looks at few
// of them, and it finds no less than a solver that looks at all, unless there are several
// solutions.
func TestSparseSolverAgainstDense(t *testing.T) {
	for _, seed := range effort.Draw(t, 1200) {
		l := flowtest.RandomMixed(t, seed)
		launch := l.Known(seed%3 == 2)
		launch.Buffers, launch.Pointers = nil, nil
		s, d := NewSolver(l.Graph, launch, nil, nil), settledDense(l.Graph, launch)
		settle(t, s)
		checkSettled(t, s)
		less := findsLess(s, d)
		if other := slices.Contains(otherSolutions, seed); (less != "") != other {
			t.Errorf("seed %d, whose solution is another one: %t; %s", seed, other, less)
		}
	}
}

func settle(t *testing.T, s *Solver) {
	t.Helper()
	if err := s.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// findsLess says where a solver finds less than another one of the same kernel, or that control
// comes elsewhere; it is empty if it does nowhere.
func findsLess(s, d *Solver) string {
	for b := range s.Graph.Blocks {
		if (s.In[b] == nil) != (d.In[b] == nil) {
			return fmt.Sprintf("control comes to %s: %t, want %t", s.Graph.Name(b), s.In[b] != nil, d.In[b] != nil)
		}
		if s.In[b] == nil {
			continue
		}
		for _, r := range s.live.In(b) {
			x, y := s.Machine.ReadRegister(s.In[b], r).Set, d.Machine.ReadRegister(d.In[b], r).Set
			if x.Join(y) != y {
				return fmt.Sprintf("at the beginning of %s, %s is in %s, want %s",
					s.Graph.Name(b), s.Graph.Kernel.Regs[r].Name, x, y)
			}
		}
	}
	return ""
}

// steps counts what the passes over a kernel cost: instructions, registers that are joined at the
// beginnings of blocks, and those that conditions may narrow.
func (s *Solver) steps() int {
	n := 0
	for b := range s.Graph.Blocks {
		block := &s.Graph.Blocks[b]
		n += block.End - block.Start
		var from []*transfer.State
		for _, e := range s.preds[b] {
			from = append(from, s.Along[e.Block][e.Index])
		}
		if from != nil {
			n += len(s.findJoined(b, from))
		}
		for _, e := range block.Edges {
			if last := s.Graph.Last(b); last.Guard.Set && len(block.Edges) > 1 {
				cond := s.Machine.ReadRegister(s.Along[b][0], last.Guard.Reg).Cond
				facts, _ := s.Machine.DeriveFacts(cond, (e.Kind != cfg.FallThrough) != last.Guard.Not)
				k, _ := s.Machine.DeriveKnowledge(facts)
				n += len(s.Machine.FindRestricted(&k))
			}
		}
	}
	return n * (s.pass + 1)
}

// TestSparseWork: a kernel of as many times the blocks and as many times the registers costs about
// as many times the work.
func TestSparseWork(t *testing.T) {
	work := func(n int) int {
		var b strings.Builder
		each := func(line string) {
			for i := range n {
				b.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i)) + "\n")
			}
		}
		b.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 p)\n{\n")
		fmt.Fprintf(&b, ".reg .pred %%p; .reg .b32 %%r<%d>; .reg .b64 %%d;\nld.param.u64 %%d, [p];\n", n)
		each("ld.global.u32 %r#, [%d+4*#];")
		each("setp.lt.u32 %p, %r#, 7; @%p bra L#; add.u32 %r#, %r#, 1;\nL#:")
		each("M#: add.u32 %r#, %r#, 3; setp.lt.u32 %p, %r#, 900; @%p bra M#; st.global.u32 [%d], %r#;")
		s := NewSolver(flowtest.Graph(t, "k.ptx", b.String()+"ret;\n}\n"), launchfacts.Launch{}, nil, nil)
		settle(t, s)
		return s.steps()
	}
	const n, times = 32, 8
	if one, many := work(n), work(times*n); many > 2*times*one {
		t.Errorf("a kernel takes %d steps, one %d times as large %d", one, times, many)
	}
}
