package value

import (
	"warpbound/internal/flow/strided"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// At returns what a register can hold whenever a thread comes to a block; false if nothing is known, or if control never
// comes there.
func (r *Result) At(block int, reg isa.Reg) (strided.Interval, bool) {
	if r.in[block] == nil || r.in[block].Get(reg) == nil {
		return strided.Interval{}, false
	}
	set := r.in[block].Get(reg).Set
	return set, !set.IsAny()
}

// Infeasible returns the edges of the flow graph along which control never passes, although it may come to the block
// where they begin.
func (r *Result) Infeasible() []graph.Edge {
	var edges []graph.Edge
	for b := range r.Graph.Blocks {
		if r.in[b] == nil {
			continue
		}
		for i, e := range r.Graph.Blocks[b].Edges {
			if r.along[b][i] == nil {
				edges = append(edges, graph.Edge{From: b, To: e.To})
			}
		}
	}
	return edges
}

// Entering returns what a register can hold whenever a thread enters a loop of the flow graph's forest; false if nothing is known,
// or if control never comes there.
func (r *Result) Entering(loop int, reg isa.Reg) (strided.Interval, bool) {
	l := &r.Graph.Loops().Loops[loop]
	var all strided.Interval
	found := false
	for _, e := range r.into[l.Header] {
		st := r.along[e.block][e.index]
		if st == nil || l.Contains(e.block) {
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
