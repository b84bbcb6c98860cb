package cfg

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"warpbound/internal/constraint"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// Live is where registers are live: where a path leads on to an instruction that
// reads the register, before any that surely overwrites it.
//
// Only registers that are live at the start of some block have a bit in the
// sets (Briggs, Cooper, Harvey and Simpson call these global names), so the sets
// stay small where most values are used up in the block that makes them.
type Live struct {
	g      *Graph
	global []isa.Reg
	index  []int32  // of each register in global, or -1
	words  int      // of one set
	in     []uint64 // the sets of the blocks' starts, one after the other
}

// Liveness computes where the registers of a kernel are live for one thread. A
// write under a guard may not happen, so it leaves its register live before.
// What is read without ever being written is live from the entry on. Runs that end
// with an error count as well. The sets of blocks that cannot be reached mean
// nothing.
func Liveness(g *Graph) *Live { return TraceLiveness(g, nil) }

// TraceLiveness is Liveness with a trace of the registers that are found to be live at the starts
// of blocks, by block; what a block itself reads is live from the first on. trace may be nil.
func TraceLiveness(g *Graph, trace constraint.Trace) *Live {
	l := &Live{g: g, index: make([]int32, len(g.Kernel.Regs))}
	for r := range l.index {
		l.index[r] = -1
	}
	exposed := l.exposed()
	l.words = (len(l.global) + 63) / 64
	l.in = make([]uint64, g.Len()*l.words)
	for b, regs := range exposed {
		for _, r := range regs {
			l.set(l.start(b), r)
		}
	}
	l.solveSystem(trace)
	return l
}

// exposed lists for each block the registers that it reads before it surely
// writes them, and numbers them.
func (l *Live) exposed() [][]isa.Reg {
	exposed := make([][]isa.Reg, l.g.Len())
	writtenIn := make([]int, len(l.index)) // the last block found to write it, plus 1
	for b := range exposed {
		for i := l.g.Blocks[b].Start; i < l.g.Blocks[b].End; i++ {
			in := &l.g.Kernel.Instrs[i]
			in.Reads(func(r isa.Reg) {
				if writtenIn[r] == b+1 {
					return
				}
				exposed[b] = append(exposed[b], r)
				if l.index[r] < 0 {
					l.index[r] = int32(len(l.global))
					l.global = append(l.global, r)
				}
			})
			kills(in, func(r isa.Reg) { writtenIn[r] = b + 1 })
		}
	}
	return exposed
}

// solveSystem extends the sets to the least solution: what is live at the start of a successor and
// not overwritten is live at the start of the block. In post-order, a pass for each level of loop
// nesting and two more suffice where the flow graph is reducible (Kam and Ullman, "Global data flow
// analysis and iterative algorithms", 1976).
func (l *Live) solveSystem(trace constraint.Trace) {
	killed := l.killed()
	order := graph.PostOrder(l.g.runs, l.g.Entry())
	successors := func(b int, visit func(int)) {
		for _, s := range l.g.runs.Succ(b) {
			if s != l.g.Exit() {
				visit(s)
			}
		}
	}
	system := constraint.System{
		Variables: l.g.Len(), Uses: successors, Height: l.g.Len() * len(l.global),
		Order:  slices.DeleteFunc(order, func(b int) bool { return b == l.g.Exit() }),
		Update: func(b int) bool { return l.extendBlock(b, killed[b*l.words:][:l.words]) },
		Trace:  trace, Describe: l.describeBlock,
	}
	system.Solve()
}

// extendBlock joins what is live at the starts of the successors of block b to what is live at its
// own start, killed excepted. It reports whether that is more than before.
func (l *Live) extendBlock(b int, killed []uint64) bool {
	grown, in := false, l.start(b)
	for _, s := range l.g.runs.Succ(b) {
		if s == l.g.Exit() {
			continue
		}
		for w, word := range l.start(s) {
			if add := word &^ (killed[w] | in[w]); add != 0 {
				in[w] |= add
				grown = true
			}
		}
	}
	return grown
}

// describeBlock returns the name of block b with its position, and those of the registers that are
// live at its start.
func (l *Live) describeBlock(b int) (name, fact string) {
	var names []string
	for _, r := range l.In(b) {
		names = append(names, l.g.Kernel.Regs[r].Name)
	}
	return fmt.Sprintf("%v: %s", l.g.Blocks[b].Source(), l.g.Name(b)), "{" + strings.Join(names, " ") + "}"
}

// killed returns the sets of the registers that the blocks surely write.
func (l *Live) killed() []uint64 {
	killed := make([]uint64, len(l.in))
	for b := range l.g.Blocks {
		set := killed[b*l.words : (b+1)*l.words]
		for i := l.g.Blocks[b].Start; i < l.g.Blocks[b].End; i++ {
			kills(&l.g.Kernel.Instrs[i], func(r isa.Reg) {
				if l.index[r] >= 0 {
					l.set(set, r)
				}
			})
		}
	}
	return killed
}

// start is the set of the start of block b.
func (l *Live) start(b int) []uint64 { return l.in[b*l.words : (b+1)*l.words] }

func (l *Live) set(set []uint64, r isa.Reg) {
	set[l.index[r]/64] |= 1 << (l.index[r] % 64)
}

// Between calls visit for the registers that are live either at the start of one block or
// at the end of another and not at both, with whether they are at the latter; a negative
// from is a block without live registers.
func (l *Live) Between(from, to int, visit func(r isa.Reg, live bool)) {
	out := l.out(to)
	for w, word := range out {
		changed := word
		if from >= 0 {
			changed ^= l.start(from)[w]
		}
		for ; changed != 0; changed &= changed - 1 {
			bit := bits.TrailingZeros64(changed)
			visit(l.global[w*64+bit], word>>bit&1 == 1)
		}
	}
}

// Ending calls visit for the registers that are live at the start of one block and not at the
// start of another.
func (l *Live) Ending(from, to int, visit func(isa.Reg)) {
	after := l.start(to)
	for w, word := range l.start(from) {
		for ended := word &^ after[w]; ended != 0; ended &= ended - 1 {
			visit(l.global[w*64+bits.TrailingZeros64(ended)])
		}
	}
}

// At reports whether a register is live at the start of block b.
func (l *Live) At(b int, r isa.Reg) bool {
	i := l.index[r]
	return i >= 0 && l.start(b)[i/64]>>(i%64)&1 == 1
}

// In returns the registers that are live at the start of block b.
func (l *Live) In(b int) []isa.Reg { return l.regs(l.start(b)) }

// Out returns the registers that are live at the end of block b.
func (l *Live) Out(b int) []isa.Reg { return l.regs(l.out(b)) }

// out is the set of the end of block b.
func (l *Live) out(b int) []uint64 {
	set := make([]uint64, l.words)
	for _, s := range l.g.runs.Succ(b) {
		if s == l.g.Exit() {
			continue
		}
		for w, word := range l.start(s) {
			set[w] |= word
		}
	}
	return set
}

func (l *Live) regs(set []uint64) []isa.Reg {
	var regs []isa.Reg
	for w, word := range set {
		for ; word != 0; word &= word - 1 {
			regs = append(regs, l.global[w*64+bits.TrailingZeros64(word)])
		}
	}
	return regs
}

// kills calls visit for every register that the instruction surely writes.
func kills(in *isa.Instr, visit func(isa.Reg)) {
	if !in.Guard.Set {
		in.Writes(visit)
	}
}
