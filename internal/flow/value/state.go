package value

import (
	"iter"
	"slices"

	"warpbound/internal/isa"
)

// state is what is known of registers at a place, nil where control never comes.
type state = *registers

// registers holds a value for each register of which something is known. Copies share the
// pages of values in which they do not differ, so that a copy costs little, and the registers
// in which two copies differ are found without looking at the others.
type registers struct {
	pages []*page
	own   []bool // the pages that no copy shares; nil if all may be shared
}

const pageSize = 32

type page [pageSize]*Value

// newState returns a state of so many registers, of which nothing is known.
func newState(count int) state {
	return &registers{pages: make([]*page, (count+pageSize-1)/pageSize)}
}

// clone returns a copy. Either may then be changed.
func (st *registers) clone() state {
	if st.own != nil {
		st.own = nil
	}
	return &registers{pages: slices.Clone(st.pages)}
}

// cost returns what a clone costs, in steps.
func (st *registers) cost() int { return len(st.pages) }

// get returns the value of a register, nil if nothing is known of it.
func (st *registers) get(r isa.Reg) *Value {
	if p := st.pages[r/pageSize]; p != nil {
		return p[r%pageSize]
	}
	return nil
}

func (st *registers) set(r isa.Reg, v *Value) {
	i := int(r) / pageSize
	if st.get(r) == v {
		return
	}
	if st.own == nil {
		st.own = make([]bool, len(st.pages))
	}
	if !st.own[i] {
		p := new(page)
		if old := st.pages[i]; old != nil {
			*p = *old
		}
		st.pages[i], st.own[i] = p, true
	}
	st.pages[i][r%pageSize] = v
}

// all calls for each register of which something is known, in the order of their numbers.
func (st *registers) all() iter.Seq2[isa.Reg, *Value] {
	return func(yield func(isa.Reg, *Value) bool) {
		for i, p := range st.pages {
			if p == nil {
				continue
			}
			for k, v := range p {
				if v != nil && !yield(isa.Reg(i*pageSize+k), v) {
					return
				}
			}
		}
	}
}

// different returns the registers that do not have the very same value in all states, in the
// order of their numbers.
func different(states []state) []isa.Reg {
	var regs []isa.Reg
	first := states[0].pages
	for _, st := range states[1:] {
		for i, p := range st.pages {
			if p != first[i] {
				regs = first[i].differing(p, isa.Reg(i*pageSize), regs)
			}
		}
	}
	if len(states) > 2 {
		slices.Sort(regs)
		regs = slices.Compact(regs)
	}
	return regs
}

// differing appends the registers in which two pages differ, the first of which holds a given one.
func (p *page) differing(q *page, first isa.Reg, regs []isa.Reg) []isa.Reg {
	for k := range isa.Reg(pageSize) {
		if p.at(k) != q.at(k) {
			regs = append(regs, first+k)
		}
	}
	return regs
}

func (p *page) at(k isa.Reg) *Value {
	if p == nil {
		return nil
	}
	return p[k]
}
