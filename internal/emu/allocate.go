package emu

import (
	"slices"

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

// allocate gives every register but predicates a vector, the same to registers
// whose spans do not meet. It returns the slot of each register and the number of
// slots. A register that is read before it is written keeps its vector from the
// start of the kernel and is zero.
func allocate(k *isa.Kernel, g *cfg.Graph) ([]slot, slot) {
	slots := make([]slot, len(k.Regs))
	var taken []int // of each slot from slotRegs on: the last position of its register
	for _, s := range spans(k, g) {
		at := slices.IndexFunc(taken, func(last int) bool { return last < s.first })
		if at < 0 {
			at = len(taken)
			taken = append(taken, 0)
		}
		taken[at] = s.last
		slots[s.reg] = slotRegs + slot(at)
	}
	return slots, slotRegs + slot(len(taken))
}

// spans returns the spans of all registers but predicates, by their beginning.
func spans(k *isa.Kernel, g *cfg.Graph) []span {
	live := liveness(k, g)
	all := make([]span, len(k.Regs))
	for r := range all {
		all[r] = span{reg: isa.Reg(r), first: -1}
	}
	extend := func(r isa.Reg, position int) {
		s := &all[r]
		if s.first < 0 {
			s.first = position
		}
		s.first, s.last = min(s.first, position), max(s.last, position)
	}
	for b, block := range g.Blocks {
		live[b].in.each(func(r isa.Reg) { extend(r, 2*block.Start) })
		live[b].out.each(func(r isa.Reg) { extend(r, 2*block.End-1) })
	}
	for i := range k.Instrs {
		in := &k.Instrs[i]
		read := 2 * i
		if in.Op == isa.Ld {
			read++ // the fast path writes lane by lane while it reads addresses
		}
		reads(k, in, func(r isa.Reg) { extend(r, read) })
		writes(k, in, func(r isa.Reg) { extend(r, 2*i+1) })
	}
	all = slices.DeleteFunc(all, func(s span) bool { return s.first < 0 })
	slices.SortStableFunc(all, func(s, t span) int { return s.first - t.first })
	return all
}

// reads calls f for the registers but predicates that an instruction reads. Those
// that a guarded one writes count too, because they keep their value in the lanes
// whose guard does not hold.
func reads(k *isa.Kernel, in *isa.Instr, f func(isa.Reg)) {
	for _, o := range in.Src {
		if o.Kind == isa.KindReg || o.Kind == isa.KindAddr || o.Kind == isa.KindVarAddr {
			vectorReg(k, o.Reg, f)
		}
	}
	if in.Guard.Set {
		writes(k, in, f)
	}
}

// writes calls f for the registers but predicates that an instruction writes.
func writes(k *isa.Kernel, in *isa.Instr, f func(isa.Reg)) {
	for _, o := range in.Dst {
		if o.Kind == isa.KindReg {
			vectorReg(k, o.Reg, f)
		}
	}
}

func vectorReg(k *isa.Kernel, r isa.Reg, f func(isa.Reg)) {
	if r >= 0 && int(r) < len(k.Regs) && k.Regs[r].Type != isa.Pred {
		f(r)
	}
}

// regSet is a set of registers.
type regSet []uint64

func (s regSet) add(r isa.Reg)      { s[r/64] |= 1 << (r % 64) }
func (s regSet) remove(r isa.Reg)   { s[r/64] &^= 1 << (r % 64) }
func (s regSet) has(r isa.Reg) bool { return s[r/64]>>(r%64)&1 != 0 }

// each calls f for every element.
func (s regSet) each(f func(isa.Reg)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			f(isa.Reg(64*i + first(word)))
		}
	}
}

// liveSets are the registers that are live at the start and at the end of a
// block: that some path from there reads before it writes them.
type liveSets struct{ in, out regSet }

// liveness solves the equations out = union of the successors' in, and in = what
// the block reads first, and what is in out that it does not write.
func liveness(k *isa.Kernel, g *cfg.Graph) []liveSets {
	words := (len(k.Regs) + 63) / 64
	live := make([]liveSets, len(g.Blocks))
	exposed := make([]regSet, len(g.Blocks))
	killed := make([]regSet, len(g.Blocks))
	for b, block := range g.Blocks {
		live[b] = liveSets{make(regSet, words), make(regSet, words)}
		exposed[b], killed[b] = make(regSet, words), make(regSet, words)
		for i := block.End - 1; i >= block.Start; i-- {
			in := &k.Instrs[i]
			writes(k, in, func(r isa.Reg) {
				killed[b].add(r)
				exposed[b].remove(r)
			})
			reads(k, in, exposed[b].add)
		}
	}
	for changed := true; changed; {
		changed = false
		for b := len(g.Blocks) - 1; b >= 0; b-- {
			l := live[b]
			for _, e := range g.Blocks[b].Edges {
				if e.To == len(g.Blocks) {
					continue
				}
				for i, word := range live[e.To].in {
					l.out[i] |= word
				}
			}
			for i := range l.in {
				in := exposed[b][i] | l.out[i]&^killed[b][i]
				changed = changed || in != l.in[i]
				l.in[i] = in
			}
		}
	}
	return live
}
