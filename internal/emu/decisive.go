package emu

import (
	"fmt"
	"strings"

	"warpbound/internal/alu"
	"warpbound/internal/cfg"
	"warpbound/internal/constraint"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// decisive are the registers that are live where a block begins and from which follows where a warp goes, and which memory it
// accesses: in the same place with the same of them it does the same again, until memory changes.
type decisive struct {
	all        []isa.Reg
	registers  []alu.Slot
	predicates []alu.MaskSlot
}

// decisiveOf returns the decisive registers of each block, of those that decide.
func decisiveOf(c *Code, decides []bool) []decisive {
	live := cfg.Liveness(c.graph)
	list := make([]decisive, len(c.graph.Blocks))
	for b := range list {
		d := &list[b]
		for _, r := range live.In(b) {
			if decides[r] {
				d.addRegister(c, r)
			}
		}
	}
	return list
}

// addRegister adds a register.
func (d *decisive) addRegister(c *Code, r isa.Reg) {
	if c.kernel.Regs[r].Type == isa.Pred {
		d.predicates = append(d.predicates, c.slots[r])
	} else {
		d.registers = append(d.registers, c.registers[r])
	}
	d.all = append(d.all, r)
}

// findDeciding finds the registers that are decisive where what atomic operations write in loops
// counts, too. What they write elsewhere is no part of anything that recurs.
func (c *Code) findDeciding() {
	decides := deciding(c.kernel, c.repeats(), nil)
	c.deciding = decisiveOf(c, decides)
	for r := range decides {
		if decides[r] {
			c.everywhere.addRegister(c, isa.Reg(r))
		}
	}
}

// TraceDeciding traces how decisive registers are found, those of all that atomic operations write
// in loops included: by the instruction that reads them.
func (c *Code) TraceDeciding(trace constraint.Trace) { deciding(c.kernel, c.repeats(), trace) }

// repeats returns what tells of instructions whether they are in loops.
func (c *Code) repeats() func(pc int) bool {
	repeated := make([]bool, c.graph.Len())
	for _, component := range graph.SCC(c.graph.Flow.Graph()) {
		for _, b := range component {
			if b < len(repeated) {
				repeated[b] = len(component) > 1 || c.graph.Flow.Graph().HasEdge(b, b)
			}
		}
	}
	return func(pc int) bool { return repeated[c.graph.BlockOf(pc)] }
}

// deciding tells of each register whether a guard, an address, or who takes part in an instruction
// follows from it, by way of other registers or at once; or what an atomic operation does for which
// writes is true. trace may be nil.
func deciding(k *isa.Kernel, writes func(pc int) bool, trace constraint.Trace) []bool {
	decides := make([]bool, len(k.Regs))
	note := func(r isa.Reg) { decides[r] = true }
	for i := range k.Instrs {
		in := &k.Instrs[i]
		if in.Guard.Set {
			note(in.Guard.Reg)
		}
		sources := in.Src
		switch in.Op {
		case isa.Vote, isa.Match, isa.Redux, isa.Shfl: // who takes part, and from whom a lane reads
			sources = sources[1:]
		case isa.St:
			sources = nil
		case isa.Atom, isa.Red:
			if !writes(i) {
				sources = nil
			}
		default:
			if in.Op.Info().Effect == 0 {
				sources = nil
			}
		}
		for _, o := range sources {
			if o.Kind == isa.KindReg {
				note(o.Reg)
			}
		}
		for _, o := range in.Src {
			if (o.Kind == isa.KindAddr || o.Kind == isa.KindVarAddr) && o.Reg != isa.NoReg {
				note(o.Reg)
			}
		}
	}
	system := constraint.System{
		Variables: len(k.Regs), Order: constraint.Descending(len(k.Instrs)), Height: len(k.Regs), Trace: trace,
		Uses:    func(i int, visit func(int)) { k.Instrs[i].Writes(func(r isa.Reg) { visit(int(r)) }) },
		Defines: func(i int, visit func(int)) { k.Instrs[i].Reads(func(r isa.Reg) { visit(int(r)) }) },
		Update: func(i int) (grown bool) {
			in, follows := &k.Instrs[i], false
			in.Writes(func(r isa.Reg) { follows = follows || decides[r] })
			if follows {
				in.Reads(func(r isa.Reg) { grown, decides[r] = grown || !decides[r], true })
			}
			return grown
		},
		Describe: func(i int) (name, fact string) {
			in := &k.Instrs[i]
			in.Reads(func(r isa.Reg) {
				if decides[r] {
					fact += " " + k.Regs[r].Name
				}
			})
			return fmt.Sprintf("%v: %s", in.Pos, k.Format(in)), "{" + strings.TrimSpace(fact) + "}"
		},
	}
	system.Solve()
	return decides
}
