package value

import (
	"slices"

	"warpbound/internal/isa"
)

// alike lists the registers that have had forms of each shape, and those whose forms have had
// each symbol: a fact about a form restricts only registers that have a multiple of it, which
// has the same shape, and those in which a symbol occurs of which it leaves less.
type alike struct {
	syms   *symbols
	shaped map[shape][]isa.Reg
	of     map[Symbol][]isa.Reg
	listed map[shapedRegister]bool
	made   map[madeRegister]bool
}

// shape is the width of a form and its symbols.
type shape struct {
	bits  int
	count uint8
	syms  [maxTerms]Symbol
}

type shapedRegister struct {
	shape shape
	reg   isa.Reg
}

type madeRegister struct {
	of  Symbol
	reg isa.Reg
}

func newAlike(syms *symbols) *alike {
	return &alike{
		syms: syms, shaped: make(map[shape][]isa.Reg), of: make(map[Symbol][]isa.Reg),
		listed: make(map[shapedRegister]bool), made: make(map[madeRegister]bool),
	}
}

func (f Form) shape() shape {
	s := shape{bits: f.bits, count: uint8(len(f.terms))}
	for i, t := range f.terms {
		s.syms[i] = t.sym
	}
	return s
}

// add notes that a register has a form. Constants have none that matters.
func (a *alike) add(f Form, r isa.Reg) {
	if len(f.terms) == 0 {
		return
	}
	key := shapedRegister{f.shape(), r}
	if a.listed[key] {
		return
	}
	a.listed[key] = true
	a.shaped[key.shape] = append(a.shaped[key.shape], r)
	a.addSymbols(f, r)
}

// addSymbols notes that a register is made of the symbols of a form, and of what these are made of.
func (a *alike) addSymbols(f Form, r isa.Reg) {
	for _, t := range f.terms {
		key := madeRegister{t.sym, r}
		if a.made[key] {
			continue
		}
		a.made[key] = true
		a.of[t.sym] = append(a.of[t.sym], r)
		if y := &a.syms.all[t.sym]; y.origin == fixed && y.in != nil {
			for _, arg := range y.args {
				a.addSymbols(arg, r)
			}
		}
	}
}

// under returns the registers of which something more may be known where some facts hold.
func (a *alike) under(k *knowledge) []isa.Reg {
	var regs []isa.Reg
	for _, f := range k.facts {
		if len(f.form.terms) > 0 {
			regs = append(regs, a.shaped[f.form.shape()]...)
		}
	}
	for s := range k.left {
		regs = append(regs, a.of[s]...)
	}
	slices.Sort(regs)
	return slices.Compact(regs)
}
