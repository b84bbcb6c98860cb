package emu

import (
	"slices"

	"warpbound/internal/alu"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// A compiler's virtual registers are many, and most live for a few instructions.
// Registers that are never live at the same time share a vector, so that what the
// warps of a GPU work with fits into a cache. That two lanes are at different
// places does no harm: a lane's value is only changed by an instruction that the
// lane itself executes.

// span is where a register is live, in the order of the instructions: from the
// first to the last of such positions. Instruction i reads at position 2i and
// writes at 2i+1.
type span struct {
	reg         isa.Reg
	first, last int
}

// allocate gives every register but predicates a place, the same to registers of the same
// kind, Words or Vector, whose spans do not overlap. It returns the slot of each register and
// how many Words and Vectors there are. A register that is read before it is written keeps its
// place from the start of the kernel and is zero.
func allocate(k *isa.Kernel, g *cfg.Graph) (slots []alu.Slot, words, vectors int) {
	slots = make([]alu.Slot, len(k.Regs))
	var narrow, wide places
	for _, s := range spans(k, g) {
		if k.Regs[s.reg].Type.Bits() > 32 {
			slots[s.reg] = alu.WideSlot(alu.RegsBase + wide.take(s))
		} else {
			slots[s.reg] = alu.Slot(alu.RegsBase + narrow.take(s))
		}
	}
	return slots, len(narrow), len(wide)
}

// places are the last positions of the registers that have places of one kind.
type places []int

// take finds a place for a register, and returns its number.
func (p *places) take(s span) int {
	at := slices.IndexFunc(*p, func(last int) bool { return last < s.first })
	if at < 0 {
		at = len(*p)
		*p = append(*p, 0)
	}
	(*p)[at] = s.last
	return at
}

// spans returns the spans of all registers but predicates, by their beginning.
func spans(k *isa.Kernel, g *cfg.Graph) []span {
	live := cfg.Liveness(g)
	all := make([]span, len(k.Regs))
	for r := range all {
		all[r] = span{reg: isa.Reg(r), first: -1}
	}
	extend := func(r isa.Reg, position int) {
		if k.Regs[r].Type == isa.Pred {
			return
		}
		s := &all[r]
		if s.first < 0 {
			s.first = position
		}
		s.first, s.last = min(s.first, position), max(s.last, position)
	}
	for b, block := range g.Blocks {
		for _, r := range live.In(b) {
			extend(r, 2*block.Start)
		}
		for _, r := range live.Out(b) {
			extend(r, 2*block.End-1)
		}
	}
	for i := range k.Instrs {
		in := &k.Instrs[i]
		read := 2 * i
		if in.Op == isa.Ld {
			read++ // the fast path writes lane by lane while it reads addresses
		}
		in.Reads(func(r isa.Reg) { extend(r, read) })
		if in.Guard.Set { // its results keep their values in the other lanes
			in.Writes(func(r isa.Reg) { extend(r, read) })
		}
		in.Writes(func(r isa.Reg) { extend(r, 2*i+1) })
	}
	all = slices.DeleteFunc(all, func(s span) bool { return s.first < 0 })
	slices.SortStableFunc(all, func(s, t span) int { return s.first - t.first })
	return all
}
