package transfer

import (
	"iter"
	"slices"

	"warpbound/internal/isa"
)

// State is what is known of registers at a place, nil where control never comes: a value for each
// register of which something is known. Copies share the pages of values in which they do not
// differ, so that a copy costs little, and the registers in which two copies differ are found
// without looking at the others.
type State struct {
	pages []*page
	own   []bool // the pages that no copy shares; nil if all may be shared
}

const pageSize = 32

type page [pageSize]*Value

// NewState returns a state of so many registers, of which nothing is known.
func NewState(count int) *State {
	return &State{pages: make([]*page, (count+pageSize-1)/pageSize)}
}

// Clone returns a copy. Either may then be changed.
func (st *State) Clone() *State {
	if st.own != nil {
		st.own = nil
	}
	return &State{pages: slices.Clone(st.pages)}
}

// Cost returns what a clone costs, in steps.
func (st *State) Cost() int { return len(st.pages) }

// Get returns the value of a register, nil if nothing is known of it.
func (st *State) Get(r isa.Reg) *Value {
	if p := st.pages[r/pageSize]; p != nil {
		return p[r%pageSize]
	}
	return nil
}

// Set notes what is known of a register; nil if nothing is.
func (st *State) Set(r isa.Reg, v *Value) {
	i := int(r) / pageSize
	if st.Get(r) == v {
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

// All calls for each register of which something is known, in the order of their numbers.
func (st *State) All() iter.Seq2[isa.Reg, *Value] {
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

// FindDiffering returns the registers that do not have the very same value in all states, in the
// order of their numbers.
func FindDiffering(states []*State) []isa.Reg {
	var regs []isa.Reg
	first := states[0].pages
	for _, st := range states[1:] {
		for i, p := range st.pages {
			if p != first[i] {
				regs = first[i].appendDiffering(p, isa.Reg(i*pageSize), regs)
			}
		}
	}
	if len(states) > 2 {
		slices.Sort(regs)
		regs = slices.Compact(regs)
	}
	return regs
}

// appendDiffering appends the registers in which two pages differ, the first of which holds a given
// one.
func (p *page) appendDiffering(q *page, first isa.Reg, regs []isa.Reg) []isa.Reg {
	for k := range isa.Reg(pageSize) {
		if p.get(k) != q.get(k) {
			regs = append(regs, first+k)
		}
	}
	return regs
}

func (p *page) get(k isa.Reg) *Value {
	if p == nil {
		return nil
	}
	return p[k]
}
