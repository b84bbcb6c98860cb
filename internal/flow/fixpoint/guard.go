package fixpoint

import (
	"fmt"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/transfer"
)

// checkPostFixpoint is a guard: it executes each block once more, and returns an error for the
// first register that can hold something at the end of a block that the solution does not have
// where control goes next. What one more round leaves as it is holds whatever executions do (Cousot
// and Cousot, POPL 1977); narrowing behind it takes away what they cannot do. It looks at all
// registers that differ, not at those alone that the solver follows from round to round.
func (s *Solver) checkPostFixpoint() error {
	m := s.Machine.CopySettled()
	for _, b := range s.order {
		if s.In[b] == nil {
			continue
		}
		block := &s.Graph.Blocks[b]
		st := s.In[b].Clone()
		for pc := block.Start; pc < block.End; pc++ {
			m.Execute(st, pc)
		}
		for _, e := range block.Edges {
			out, passes := m.FollowEdge(s.Graph, st, b, e.Kind)
			if !passes || e.To == len(s.Graph.Blocks) {
				continue
			}
			if err := s.checkEdge(b, e.To, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkEdge returns an error if a register can hold something in the state at the end of a block
// that it is not known to hold at the beginning of the next one. Of the words that two sets have in
// common Meet may say less than either: what comes with a form is judged together with what is
// known already.
func (s *Solver) checkEdge(from, to int, end *transfer.State) error {
	if s.In[to] == nil {
		return fmt.Errorf("control goes from %s to %s, where it was found not to come", s.Graph.Name(from), s.Graph.Name(to))
	}
	merged := func(y affine.Symbol) bool {
		facts := &s.Machine.Syms.Symbols[y]
		return facts.Origin == affine.Merged && facts.Block == to
	}
	for _, r := range transfer.FindDiffering([]*transfer.State{end, s.In[to]}) {
		known := s.In[to].Get(r)
		if known == nil || !s.live.At(to, r) {
			continue
		}
		v := s.Machine.ReadRegister(end, r)
		set := v.Set
		if !known.Form.Mentions(merged) && v.Form.Equal(known.Form) { // its words are those of the form, too
			set = s.Machine.MakeValue(known.Set.Join(set), known.Form).Set
		}
		if !set.Leq(known.Set) {
			return fmt.Errorf("%s is %s where control goes from %s to %s, and was found to be %s there",
				s.Graph.Kernel.Regs[r].Name, v.Set, s.Graph.Name(from), s.Graph.Name(to), known.Set)
		}
	}
	return nil
}
