package transfer

import (
	"slices"

	"warpbound/internal/flow/affine"
	"warpbound/internal/isa"
)

// alike lists the registers that have had forms of each shape, and those whose forms have had
// each symbol: a fact about a form restricts only registers that have a multiple of it, which
// has the same shape, and those in which a symbol occurs of which it leaves less.
type alike struct {
	syms   *affine.Table
	shaped map[shape][]isa.Reg
	of     map[affine.Symbol][]isa.Reg
	listed map[shapedRegister]bool
	made   map[madeRegister]bool
}

// shape is the width of a form and its symbols.
type shape struct {
	bits  int
	count uint8
	syms  [affine.MaxTerms]affine.Symbol
}

type shapedRegister struct {
	shape shape
	reg   isa.Reg
}

type madeRegister struct {
	of  affine.Symbol
	reg isa.Reg
}

func newAlike(syms *affine.Table) *alike {
	return &alike{
		syms: syms, shaped: make(map[shape][]isa.Reg), of: make(map[affine.Symbol][]isa.Reg),
		listed: make(map[shapedRegister]bool), made: make(map[madeRegister]bool),
	}
}

// shapeOf returns what forms that differ by their numbers alone have in common.
func shapeOf(f affine.Form) shape {
	s := shape{bits: f.Bits, count: uint8(len(f.Terms))}
	for i, t := range f.Terms {
		s.syms[i] = t.Symbol
	}
	return s
}

// addForm notes that a register has a form. Constants have none that matters.
func (a *alike) addForm(f affine.Form, r isa.Reg) {
	if len(f.Terms) == 0 {
		return
	}
	key := shapedRegister{shapeOf(f), r}
	if a.listed[key] {
		return
	}
	a.listed[key] = true
	a.shaped[key.shape] = append(a.shaped[key.shape], r)
	a.addSymbols(f, r)
}

// addSymbols notes that a register is made of the symbols of a form, and of what these are made of.
func (a *alike) addSymbols(f affine.Form, r isa.Reg) {
	for _, t := range f.Terms {
		key := madeRegister{t.Symbol, r}
		if a.made[key] {
			continue
		}
		a.made[key] = true
		a.of[t.Symbol] = append(a.of[t.Symbol], r)
		if y := &a.syms.Symbols[t.Symbol]; y.Origin == affine.Fixed && y.Operation != nil {
			for _, arg := range y.Args {
				a.addSymbols(arg, r)
			}
		}
	}
}

// registersUnder returns the registers of which something more may be known where some facts hold.
func (a *alike) registersUnder(k *Knowledge) []isa.Reg {
	var regs []isa.Reg
	for _, f := range k.facts {
		if len(f.Form.Terms) > 0 {
			regs = append(regs, a.shaped[shapeOf(f.Form)]...)
		}
	}
	for s := range k.left {
		regs = append(regs, a.of[s]...)
	}
	slices.Sort(regs)
	return slices.Compact(regs)
}

// FindRestricted returns the registers of which something more may be known where something holds.
func (m *Machine) FindRestricted(k *Knowledge) []isa.Reg { return m.alike.registersUnder(k) }

// NoteForm notes that a register has a form, so that facts about it are used for the register.
func (m *Machine) NoteForm(f affine.Form, r isa.Reg) { m.alike.addForm(f, r) }
