package flow

import (
	"fmt"
	"iter"
	"slices"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// maxUnwritten bounds the registers of a kernel that are warned of: the search is
// one of the whole kernel for each.
const maxUnwritten = 100

// UninitialisedRegisters warns of the registers that may be read before they are
// written, each at one place. The warnings are in the order of the instructions of
// the module.
func UninitialisedRegisters(g *cfg.Graph) []diag.Warning {
	var warnings []diag.Warning
	for u := range UnwrittenReads(g) {
		in, text := &g.Kernel.Instrs[u.Instr], "register %s may be read uninitialised by %s%s; it is then zero"
		if u.Never {
			text = "register %s is read by %s%s and never written; it is zero"
		}
		loc := ""
		if in.Loc.Known() {
			loc = " (" + in.Loc.String() + ")"
		}
		warnings = append(warnings, diag.Warning{Pos: in.Pos, ID: "uninitialised-read", Text: fmt.Sprintf(text, g.Kernel.Regs[u.Reg].Name, g.Kernel.Format(in), loc)})
		if len(warnings) == maxUnwritten {
			break
		}
	}
	slices.SortStableFunc(warnings, func(a, b diag.Warning) int { return a.Pos.Compare(b.Pos) })
	return warnings
}

// Unwritten is a register that a thread may read before it has written it.
type Unwritten struct {
	Reg   isa.Reg
	Instr int  // the first instruction found that reads it so
	Never bool // nothing in the kernel writes it
}

// UnwrittenReads yields the registers that some path from the entry reads before it
// writes them, in no particular order and each once. Whether a run can take the path
// is not known. What is written under a guard counts as written for instructions
// under the same guard, and behind a branch or an exit that tells that it held, as
// long as the guard's register keeps its value. A branch to where the run ends leads nowhere.
// An instruction that is not modelled counts as one that writes all of its registers and reads
// none but its guard's.
func UnwrittenReads(g *cfg.Graph) iter.Seq[Unwritten] {
	return func(yield func(Unwritten) bool) {
		live := cfg.Liveness(g)
		w := writes{
			g: g, live: live, seen: make([][]isa.Guard, g.Len()),
			touched: make([][]int, len(g.Kernel.Regs)), written: make([][]int, len(g.Kernel.Regs)),
		}
		for i := range g.Kernel.Instrs {
			touch := func(r isa.Reg) {
				if last := len(w.touched[r]) - 1; last < 0 || w.touched[r][last] != i {
					w.touched[r] = append(w.touched[r], i)
				}
			}
			reads(&g.Kernel.Instrs[i], touch)
			wrote(&g.Kernel.Instrs[i], touch)
			wrote(&g.Kernel.Instrs[i], func(r isa.Reg) { w.written[r] = append(w.written[r], i) })
		}
		for _, r := range live.In(g.Entry()) {
			if at, found := w.search(r); found && !yield(Unwritten{Reg: r, Instr: at, Never: len(w.written[r]) == 0}) {
				return
			}
		}
	}
}

// writes follows the paths on which one register after the other is not surely written.
type writes struct {
	g       *cfg.Graph
	live    *cfg.Live
	touched [][]int // by register, the instructions that read or write it
	written [][]int // by register, those that write it

	reg  isa.Reg
	seen [][]isa.Guard // by block, the guards of the places that were visited
	todo []place       // the places visited, of which those from next on are yet to be followed
	next int
}

// place is the start of a block and the guard under which the register was written
// on the way there; the zero guard if it was not.
type place struct {
	block int
	guard isa.Guard
}

// search returns the first instruction found that reads the register too early, one
// with few branches before it.
func (w *writes) search(r isa.Reg) (int, bool) {
	for _, p := range w.todo {
		w.seen[p.block] = w.seen[p.block][:0]
	}
	w.reg, w.todo, w.next = r, w.todo[:0], 0
	w.visit(place{block: w.g.Entry()})
	for w.next < len(w.todo) {
		p := w.todo[w.next]
		w.next++
		if at, found := w.walk(p); found {
			return at, true
		}
	}
	return 0, false
}

// visit enters a place where the register may yet be read before it is written.
func (w *writes) visit(p place) {
	if p.block != w.g.Exit() && w.live.At(p.block, w.reg) && !slices.Contains(w.seen[p.block], p.guard) {
		w.seen[p.block] = append(w.seen[p.block], p.guard)
		w.todo = append(w.todo, p)
	}
}

// following returns the first instruction from i on that reads or writes the register
// or writes that of the guard; the number of instructions if there is none.
func (w *writes) following(i int, under isa.Guard) int {
	first := len(w.g.Kernel.Instrs)
	lists := [2][]int{w.touched[w.reg]}
	if under.Set {
		lists[1] = w.written[under.Reg]
	}
	for _, list := range lists {
		if at, _ := slices.BinarySearch(list, i); at < len(list) {
			first = min(first, list[at])
		}
	}
	return first
}

// walk follows one block, and enters the blocks to go on with.
func (w *writes) walk(p place) (int, bool) {
	block, under := &w.g.Blocks[p.block], p.guard
	for i := w.following(block.Start, under); i < block.End; i = w.following(i+1, under) {
		in := &w.g.Kernel.Instrs[i]
		if w.reads(in) && !(under.Set && in.Guard == under && w.reg != under.Reg) {
			return i, true
		}
		changed := false // the register of the guard under which it is written
		in.Writes(func(r isa.Reg) { changed = changed || under.Set && r == under.Reg })
		if changed {
			under = isa.Guard{}
		}
		if !w.writes(in) {
			continue
		}
		if !in.Guard.Set || under.Set && in.Guard == opposite(under) {
			return 0, false
		}
		under = in.Guard
		in.Writes(func(r isa.Reg) {
			if r == under.Reg {
				under = isa.Guard{}
			}
		})
	}
	decides := w.g.Last(p.block).Guard
	if len(block.Edges) < 2 {
		decides = isa.Guard{}
	}
	for _, e := range block.Edges {
		holds := decides
		if e.Kind == cfg.FallThrough {
			holds = opposite(holds)
		}
		if under.Set && holds == under || w.stops(e.To, holds) {
			continue // written on this way, or nothing is behind it
		}
		w.visit(place{e.To, under})
	}
	return 0, false
}

// stops reports whether a block begins with an instruction that ends the run where the guard holds,
// as behind the last comparison of a call by address.
func (w *writes) stops(block int, holds isa.Guard) bool {
	if !holds.Set || block == w.g.Exit() {
		return false
	}
	in := &w.g.Kernel.Instrs[w.g.Blocks[block].Start]
	return in.Op == isa.RunSystem && in.System == isa.SysStop && in.Guard == holds
}

// opposite is the guard that holds where g does not.
func opposite(g isa.Guard) isa.Guard {
	g.Not = g.Set && !g.Not
	return g
}

func (w *writes) reads(in *isa.Instr) bool {
	found := false
	reads(in, func(r isa.Reg) { found = found || r == w.reg })
	return found
}

func (w *writes) writes(in *isa.Instr) bool {
	found := false
	wrote(in, func(r isa.Reg) { found = found || r == w.reg })
	return found
}

// reads calls visit for the registers that an instruction surely reads.
func reads(in *isa.Instr, visit func(isa.Reg)) {
	if in.Op.Info().Effect&isa.Unmodelled == 0 {
		in.Reads(visit)
	} else if in.Guard.Set {
		visit(in.Guard.Reg)
	}
}

// wrote calls visit for the registers that an instruction has written, or may have if its
// effect is not modelled.
func wrote(in *isa.Instr, visit func(isa.Reg)) {
	in.Writes(visit)
	if in.Op.Info().Effect&isa.Unmodelled != 0 {
		unguarded := *in
		unguarded.Guard.Set = false
		unguarded.Reads(visit)
	}
}
