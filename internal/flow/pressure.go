package flow

import (
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// Registers estimates how many registers of 32 bits a thread of the kernel
// needs: the most that hold live values at one place. Values of 64 and 128 bits
// take two and four, narrower ones one, and predicates none, as GPUs have
// registers of their own for them.
//
// It is an estimate. A compiler for the GPU itself may need fewer, since it
// reorders instructions and recomputes values, or more, since it must align
// pairs, keeps addresses and copies of its own, and rounds up.
func Registers(g *cfg.Graph) int {
	p := pressure{g: g, live: cfg.Liveness(g), at: make([]bool, len(g.Kernel.Regs))}
	before := -1 // the block that was walked last, at whose start p stands
	for b := range g.Blocks {
		if g.Blocks[b].Reachable {
			p.block(before, b)
			before = b
		}
	}
	return p.maximum
}

// Allocated estimates how many registers of 32 bits a thread of the kernel gets: as many
// as it needs, but no more than it is limited to.
func Allocated(g *cfg.Graph) int {
	if limit := g.Kernel.Bounds.MaxRegs; limit > 0 {
		return min(limit, Registers(g))
	}
	return Registers(g)
}

// pressure walks backward through blocks and keeps count of what is live.
type pressure struct {
	g       *cfg.Graph
	live    *cfg.Live
	at      []bool // by register: whether it is live here
	now     int    // registers of 32 bits that are live here
	maximum int
}

// block goes on from the start of the block walked before to the end of block b and walks
// back to its start, where just the registers in live.In(b) are live.
func (p *pressure) block(before, b int) {
	p.live.Between(before, b, func(r isa.Reg, live bool) {
		if !live {
			p.remove(r)
		}
	})
	p.live.Between(before, b, func(r isa.Reg, live bool) {
		if live {
			p.add(r)
		}
	})
	block := p.g.Blocks[b]
	for i := block.End - 1; i >= block.Start; i-- {
		in := &p.g.Kernel.Instrs[i]
		var unread []isa.Reg // results that nobody reads, which yet take up registers
		in.Writes(func(r isa.Reg) {
			if !p.at[r] {
				unread = append(unread, r)
				p.add(r)
			}
		})
		for _, r := range unread {
			p.remove(r)
		}
		if !in.Guard.Set {
			in.Writes(p.remove)
		}
		in.Reads(p.add)
	}
}

func (p *pressure) add(r isa.Reg) {
	if !p.at[r] {
		p.at[r] = true
		p.now += units(p.g.Kernel.Regs[r].Type)
		p.maximum = max(p.maximum, p.now)
	}
}

func (p *pressure) remove(r isa.Reg) {
	if p.at[r] {
		p.at[r] = false
		p.now -= units(p.g.Kernel.Regs[r].Type)
	}
}

// units is how many registers of 32 bits a value takes up.
func units(t isa.Type) int {
	if t == isa.Pred {
		return 0
	}
	return (t.Bits() + 31) / 32
}
