package ifconvert

import (
	"iter"
	"maps"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
)

func keys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// region returns the blocks between a branch and the block where its paths reconverge, each behind those from which it is
// reached. It is an error if that is no region without loops that is entered at the branch alone.
func (c *converter) region(branch, join int) ([]*part, error) {
	g := c.graph
	pos := g.Last(branch).Pos
	in := map[int]bool{}
	queue := []int{branch}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		for _, e := range g.Blocks[b].Edges {
			switch {
			case e.To == join && join != g.Exit() || in[e.To]:
			case e.To == branch:
				return nil, diag.Errorf(pos, "the branch decides whether a loop goes on")
			case e.To == g.Exit():
				return nil, diag.Errorf(g.Last(b).Pos, "threads end here, on a path of the branch at %v", pos)
			default:
				in[e.To] = true
				queue = append(queue, e.To)
			}
		}
	}
	var blocks []int
	for len(blocks) < len(in) {
		next := -1
		for _, b := range slices.Sorted(maps.Keys(in)) {
			ready := !slices.Contains(blocks, b)
			for from := range g.Blocks {
				for _, e := range g.Blocks[from].Edges {
					if e.To == b && g.Blocks[from].Reachable && from != branch && !slices.Contains(blocks, from) {
						if !in[from] {
							return nil, diag.Errorf(g.Last(from).Pos, "this branch leads into a path of the branch at %v", pos)
						}
						ready = false
					}
				}
			}
			if ready {
				next = b
				break
			}
		}
		if next < 0 {
			for _, b := range slices.Sorted(maps.Keys(in)) {
				if !slices.Contains(blocks, b) {
					return nil, diag.Errorf(g.Blocks[b].Pos, "a loop is on a path of the branch at %v", pos)
				}
			}
		}
		blocks = append(blocks, next)
	}
	var parts []*part
	for _, b := range blocks {
		p, err := c.part(b, pos)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// part is a block as a part of what a branch at a position decides.
func (c *converter) part(b int, pos diag.Pos) (*part, error) {
	p := &part{block: b}
	for i := c.graph.Blocks[b].Start; i < c.graph.Blocks[b].End; i++ {
		in := &c.kernel.Instrs[i]
		s := c.stmts[position(in.Pos)]
		switch {
		case s == nil || in.Pos.File != c.module.File:
			return nil, diag.Errorf(in.Pos, "a path of the branch at %v calls a function", pos)
		case s.nested:
			return nil, diag.Errorf(in.Pos, "a path of the branch at %v leads through a block of the text with names of its own", pos)
		}
		if len(p.stmts) == 0 || p.stmts[len(p.stmts)-1] != s {
			p.stmts = append(p.stmts, s)
		}
	}
	return p, nil
}

// check finds what a part writes, and whether all of it can be executed by lanes that the branch is not for.
func (c *converter) check(p *part) error {
	p.writes = map[string]isa.Reg{}
	for _, s := range p.stmts {
		words := names(s.Operands)
		for _, i := range s.code {
			in := &c.kernel.Instrs[i]
			if err := c.speculated(in, s); err != nil {
				return err
			}
			var wrong error
			in.Writes(func(r isa.Reg) {
				name := c.kernel.Regs[r].Name
				base := vectorOf(name)
				switch {
				case base != "" && words[base]:
					wrong = c.refuse(in, "%s is a vector or has 128 bits, of which there is no selection", base)
				case !words[name]: // of this instruction alone
				case len(c.named[name]) > 1:
					wrong = c.refuse(in, "several registers are called %s", name)
				case selected(c.kernel.Regs[r].Type) == "":
					wrong = c.refuse(in, "there is no selection of a .%v register", c.kernel.Regs[r].Type)
				default:
					p.writes[name] = r
				}
			})
			if wrong != nil {
				return wrong
			}
		}
	}
	return nil
}

// vectorOf returns the vector of registers of which a register is an element, empty if it is none.
func vectorOf(name string) string {
	for i := range name {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return ""
}

func (c *converter) refuse(in *isa.Instr, format string, args ...any) error {
	return diag.Errorf(in.Pos, "%s: "+format, append([]any{c.kernel.Format(in)}, args...)...)
}

// speculated returns an error if lanes for which a branch is not cannot execute an instruction without an effect.
func (c *converter) speculated(in *isa.Instr, s *stmt) error {
	order, _ := in.Strength()
	info := in.Op.Info()
	switch in.Op {
	case isa.Bra, isa.Nop:
		return nil
	case isa.Ld:
		if order != isa.OrderWeak {
			return c.refuse(in, "a strong load cannot be executed by lanes that the branch is not for")
		}
		return nil
	case isa.St:
		switch {
		case order != isa.OrderWeak:
			return c.refuse(in, "a strong store cannot be replaced by one of what was there before")
		case len(s.code) > 1 || stored(s.Instr) == nil || in.Type.Bits() > 64:
			return c.refuse(in, "there is no selection of what is stored in this form")
		}
		return nil
	case isa.Atom, isa.Red:
		if len(s.code) > 1 || neutral(in) == "" {
			return c.refuse(in, "there is no operand with which this atomic operation changes nothing")
		}
		return nil
	case isa.AddCarry, isa.SubCarry, isa.MadCarry, isa.MadHiCarry:
		return c.refuse(in, "there is no selection of the carry flag")
	}
	switch info.Unit {
	case isa.UnitAdd, isa.UnitMinMax, isa.UnitMul, isa.UnitMad, isa.UnitDiv, isa.UnitSFU:
		if info.Effect == 0 {
			return nil
		}
	}
	return c.refuse(in, "lanes that the branch is not for cannot execute it without an effect")
}

// selected returns the type with which a register is selected, without its dot; empty if there is none.
func selected(t isa.Type) string {
	if t == isa.Pred {
		return "pred"
	}
	switch t.Bits() {
	case 16:
		return "b16"
	case 32:
		return "b32"
	case 64:
		return "b64"
	}
	return ""
}
