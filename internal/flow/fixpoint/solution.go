package fixpoint

import (
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

// Solution is what is known of the values in a kernel.
type Solution struct {
	Graph  *cfg.Graph
	Launch launchfacts.Launch

	Machine *transfer.Machine
	In      []*transfer.State   // at the beginning of each block; nil where control never comes
	Along   [][]*transfer.State // along the edges of each block; nil if control never passes
	Into    [][]Edge            // the edges that lead to each block, by their blocks
	Changes [][]isa.Reg         // the registers that each loop changes

	Dom       *graph.DomTree // of the blocks
	irregular []bool         // of each block: it is in a loop with several entries
}

// Edge names an edge: by its block and its index there.
type Edge struct{ Block, Index int }

// IsRegular reports whether a loop neither is one with several entries nor has one inside or around
// it.
func (r *Solution) IsRegular(l *graph.Loop) bool {
	return !slices.ContainsFunc(l.Body, func(b int) bool { return r.irregular[b] })
}

// Incoming is a form that a register has on an edge to a block.
type Incoming struct {
	From int // the block where the edge begins
	Form affine.Form
}

// FindIncoming returns the forms with which a register comes to a block, along the edges that
// control passes.
func (r *Solution) FindIncoming(block int, reg isa.Reg) []Incoming {
	var in []Incoming
	for _, e := range r.Into[block] {
		if st := r.Along[e.Block][e.Index]; st != nil {
			in = append(in, Incoming{e.Block, r.Machine.ReadRegister(st, reg).Form})
		}
	}
	return in
}

// WordsAt returns what a register can hold whenever a thread comes to a block; false if nothing is
// known, or if control never comes there.
func (r *Solution) WordsAt(block int, reg isa.Reg) (strided.Interval, bool) {
	if r.In[block] == nil || r.In[block].Get(reg) == nil {
		return strided.Interval{}, false
	}
	set := r.In[block].Get(reg).Set
	return set, !set.IsAny()
}

// FindInfeasible returns the edges of the flow graph along which control never passes, although it
// may come to the block where they begin. Two blocks have one edge, however many ways a branch has
// from one to the other.
func (r *Solution) FindInfeasible() map[graph.Edge]bool {
	infeasible := make(map[graph.Edge]bool)
	for b := range r.Graph.Blocks {
		if r.In[b] == nil {
			continue
		}
		for i, e := range r.Graph.Blocks[b].Edges {
			edge := graph.Edge{From: b, To: e.To}
			before, seen := infeasible[edge]
			infeasible[edge] = r.Along[b][i] == nil && (before || !seen)
		}
	}
	maps.DeleteFunc(infeasible, func(_ graph.Edge, never bool) bool { return !never })
	return infeasible
}

// WordsEntering returns what a register can hold whenever a thread enters a loop of the flow
// graph's forest; false if nothing is known, or if control never comes there.
func (r *Solution) WordsEntering(loop int, reg isa.Reg) (strided.Interval, bool) {
	l := &r.Graph.Loops().Loops[loop]
	var all strided.Interval
	found := false
	for _, e := range r.Into[l.Header] {
		st := r.Along[e.Block][e.Index]
		if st == nil || l.Contains(e.Block) {
			continue
		}
		v := st.Get(reg)
		switch {
		case v == nil:
			return strided.Interval{}, false
		case !found:
			all, found = v.Set, true
		default:
			all = all.Join(v.Set)
		}
	}
	return all, found
}

// FindEntering returns what a register holds where control enters a loop.
func (r *Solution) FindEntering(l *graph.Loop, reg isa.Reg) *transfer.Value {
	var all *transfer.Value
	m := r.Machine
	for _, e := range r.Into[l.Header] {
		st := r.Along[e.Block][e.Index]
		if st == nil || l.Contains(e.Block) {
			continue
		}
		v := m.ReadRegister(st, reg)
		switch {
		case all == nil:
			all = v
		case all.Form.Equal(v.Form):
			all = &transfer.Value{Set: all.Set.Join(v.Set), Form: v.Form}
		default:
			all = &transfer.Value{Set: all.Set.Join(v.Set)}
		}
	}
	if all == nil {
		return m.UnknownOf(reg)
	}
	return all
}

// FindReturning returns the forms with which a register comes back to the header of a loop.
func (r *Solution) FindReturning(l *graph.Loop, reg isa.Reg) []affine.Form {
	var forms []affine.Form
	for _, e := range r.FindIncoming(l.Header, reg) {
		if l.Contains(e.From) {
			forms = append(forms, e.Form)
		}
	}
	return forms
}
