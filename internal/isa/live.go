package isa

import (
	"slices"

	"warpbound/internal/constraint"
)

// maxLive bounds the sets of live registers of a function, in words.
const maxLive = 1 << 22

// liveWords is the size of these sets.
func liveWords(f *Func) int { return (len(f.Instrs) + 1) * ((len(f.Regs) + 63) / 64) }

// liveAcrossCalls returns for each call of a function the registers, results of
// the call excepted, that some path from behind the call reads before it surely
// writes them.
func liveAcrossCalls(f *Func) map[int][]Reg {
	n := len(f.Instrs)
	words := (len(f.Regs) + 63) / 64
	in := make([]uint64, liveWords(f)) // what is live before each instruction
	before := func(i int) []uint64 { return in[i*words:][:words] }
	set := func(s []uint64, r Reg) { s[r/64] |= 1 << (r % 64) }
	for _, r := range f.ResultRegs {
		set(before(n), r)
	}
	now := make([]uint64, words)
	system := constraint.System{
		Variables: n + 1, Order: constraint.Descending(n), Height: n * len(f.Regs),
		Uses: func(i int, visit func(int)) { followers(f, i, visit) },
		Update: func(i int) bool {
			liveBehind(f, i, now, before)
			inst := &f.Instrs[i]
			if !inst.Guard.Set {
				inst.Writes(func(r Reg) { now[r/64] &^= 1 << (r % 64) })
			}
			inst.Reads(func(r Reg) { set(now, r) })
			if slices.Equal(now, before(i)) {
				return false
			}
			copy(before(i), now)
			return true
		},
	}
	system.Solve()
	live := make(map[int][]Reg)
	for i := range f.Instrs {
		inst := &f.Instrs[i]
		if inst.Op != Call {
			continue
		}
		liveBehind(f, i, now, before)
		for r := range Reg(len(f.Regs)) {
			result := slices.ContainsFunc(inst.Dst, func(o Operand) bool { return o.Kind == KindReg && o.Reg == r })
			if now[r/64]>>(r%64)&1 != 0 && !result {
				live[i] = append(live[i], r)
			}
		}
	}
	return live
}

// liveBehind sets now to what is live behind the i-th instruction.
func liveBehind(f *Func, i int, now []uint64, before func(int) []uint64) {
	clear(now)
	followers(f, i, func(at int) {
		for w, word := range before(at) {
			now[w] |= word
		}
	})
}

// followers calls visit for the instructions that may be executed next behind the i-th one. Behind
// the last one are the function's results, to which a return leads.
func followers(f *Func, i int, visit func(int)) {
	in := &f.Instrs[i]
	switch in.Op {
	case Bra:
		visit(in.Target)
	case BrxIdx:
		for _, t := range in.Targets {
			visit(t)
		}
	case Ret:
		visit(len(f.Instrs))
	}
	if !exitsFlow(in) {
		visit(i + 1)
	}
}
