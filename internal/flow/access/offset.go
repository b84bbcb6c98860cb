package access

import (
	"context"

	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// Offset is by how much the address of an access differs from that of a variable.
type Offset struct {
	Instr int
	Set   strided.Interval // of as many bits as an address has
}

// FindOffsets returns the offsets of accesses that control comes to, in the order of the
// instructions. of has the number of a variable for each instruction that it asks for. The error is that
// of ctx.
func FindOffsets(ctx context.Context, r *fixpoint.Solution, of map[int]int32) ([]Offset, error) {
	m := r.Machine
	var all []Offset
	for b, block := range r.Graph.Blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.In[b] == nil {
			continue
		}
		st := r.In[b].Clone()
		for pc := block.Start; pc < block.End; pc++ {
			if v, ok := of[pc]; ok {
				if o, executed := describeOffset(r, st, pc, v); executed {
					all = append(all, o)
				}
			}
			m.Execute(st, pc)
		}
	}
	return all, nil
}

// describeOffset returns the offset of one access; false if it is never executed.
func describeOffset(r *fixpoint.Solution, st *transfer.State, pc int, variable int32) (Offset, bool) {
	m := r.Machine
	in := &r.Graph.Kernel.Instrs[pc]
	if !m.AssumeGuard(st, in) {
		return Offset{}, false
	}
	address := m.ComputeAddress(st, in)
	base := m.ComputeVariableAddress(isa.Operand{Kind: isa.KindVar, Var: variable}, r.Graph.Kernel.AddressBits)
	facts := factsBeside(r, st, &Address{Bits: r.Graph.Kernel.AddressBits})
	m.DropGuard()
	difference := m.MakeValue(strided.Any(r.Graph.Kernel.AddressBits), address.Form.AddMultiple(base.Form, ^uint64(0)))
	if narrower, ok := m.RestrictToFacts(difference, facts); ok {
		difference = narrower
	}
	return Offset{Instr: pc, Set: difference.Set}, true
}
