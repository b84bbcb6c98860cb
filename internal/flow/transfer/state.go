package transfer

import (
	"iter"
	"slices"

	"warpbound/internal/isa"
)

// State is what is known of registers at a place, nil where control never comes: a value for each
// register of which something is known. It is a tree, whose parts copies share in which they do not
// differ, so that a copy costs little, and the registers in which two copies differ are found
// without looking at the others.
type State struct {
	chunks []*chunk
	owner  *owner // of the parts that no copy shares; nil if all may be shared
}

// owner tells the parts that a state alone has from others. Each has an address of its own.
type owner struct{ _ byte }

const (
	pageSize  = 32 // registers
	chunkSize = 8  // pages
)

// chunk is a part of the states that share it.
type chunk struct {
	pages [chunkSize]*page
	owner *owner
	own   uint8 // the pages that its owner alone has
}

type page [pageSize]*Value

// NewState returns a state of so many registers, of which nothing is known.
func NewState(count int) *State {
	const size = pageSize * chunkSize
	return &State{chunks: make([]*chunk, (count+size-1)/size)}
}

// Clone returns a copy. Either may then be changed.
func (st *State) Clone() *State {
	if st.owner != nil {
		st.owner = nil
	}
	return &State{chunks: slices.Clone(st.chunks)}
}

// Cost returns what a clone costs, in steps.
func (st *State) Cost() int { return len(st.chunks) }

// Get returns the value of a register, nil if nothing is known of it.
func (st *State) Get(r isa.Reg) *Value {
	if c := st.chunks[r/(pageSize*chunkSize)]; c != nil {
		return c.pages[r/pageSize%chunkSize].get(r % pageSize)
	}
	return nil
}

// Set notes what is known of a register; nil if nothing is.
func (st *State) Set(r isa.Reg, v *Value) {
	if st.Get(r) != v {
		st.ownPage(r)[r%pageSize] = v
	}
}

// ownPage returns the page of a register, as one that no other state shares.
func (st *State) ownPage(r isa.Reg) *page {
	if st.owner == nil {
		st.owner = new(owner)
	}
	at := &st.chunks[r/(pageSize*chunkSize)]
	if *at == nil || (*at).owner != st.owner {
		c := &chunk{owner: st.owner}
		if *at != nil {
			c.pages = (*at).pages
		}
		*at = c
	}
	c, i := *at, r/pageSize%chunkSize
	if c.own>>i&1 == 0 {
		p := new(page)
		if old := c.pages[i]; old != nil {
			*p = *old
		}
		c.pages[i], c.own = p, c.own|1<<i
	}
	return c.pages[i]
}

// All calls for each register of which something is known, in the order of their numbers.
func (st *State) All() iter.Seq2[isa.Reg, *Value] {
	return func(yield func(isa.Reg, *Value) bool) {
		for i, c := range st.chunks {
			if c == nil {
				continue
			}
			for k, p := range c.pages {
				if p == nil {
					continue
				}
				for n, v := range p {
					if v != nil && !yield(isa.Reg((i*chunkSize+k)*pageSize+n), v) {
						return
					}
				}
			}
		}
	}
}

// FindDiffering returns the registers that do not have the very same value in all states, in the
// order of their numbers.
func FindDiffering(states []*State) []isa.Reg {
	var regs []isa.Reg
	first := states[0].chunks
	for _, st := range states[1:] {
		for i, c := range st.chunks {
			if c != first[i] {
				regs = first[i].appendDiffering(c, isa.Reg(i*chunkSize*pageSize), regs)
			}
		}
	}
	if len(states) > 2 {
		slices.Sort(regs)
		regs = slices.Compact(regs)
	}
	return regs
}

// appendDiffering appends the registers in which two chunks differ, the first of which holds a
// given one.
func (c *chunk) appendDiffering(d *chunk, first isa.Reg, regs []isa.Reg) []isa.Reg {
	for k := range isa.Reg(chunkSize) {
		if p, q := c.pageAt(k), d.pageAt(k); p != q {
			regs = p.appendDiffering(q, first+k*pageSize, regs)
		}
	}
	return regs
}

func (c *chunk) pageAt(k isa.Reg) *page {
	if c == nil {
		return nil
	}
	return c.pages[k]
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
