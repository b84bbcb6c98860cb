package emu

import (
	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// StartCTA puts CTA number index of the grid into the slot: all warps at the
// kernel's first instruction; registers that are read before they are written,
// local and shared memory zero. A slot is used again without allocation if the
// CTA before it was one of the same grid and shape.
func (g *Grid) StartCTA(c *CTA, index int) {
	if c.grid != g || c.shape != g.shape {
		g.bind(c)
	}
	c.Index = index
	c.live = len(c.Warps)
	c.stalled = 0
	c.barriers = [barriers]barrier{}
	c.cluster = cluster{}
	c.mbarriers, c.changes = c.mbarriers[:0], 0
	clear(c.words)
	clear(c.vectors)
	clear(c.shared.data)
	clear(c.local)
	places := c.places
	for _, k := range g.code.constants {
		if specialScope(k.special) == ofCTA {
			places[0].fill(g.value(k, index, 0, 0))
			places = places[1:]
		}
	}
	if g.code.checked {
		c.unwritten()
	}
	if g.races != nil {
		g.races.Start(&c.races, index, len(c.Warps))
		c.absent = 0
	}
	threads := g.Threads()
	for i := range c.Warps {
		w := &c.Warps[i]
		n := min(threads-i*g.width, g.width)
		w.alive = ^uint64(0) >> (alu.MaxWidth - n)
		w.regs.Full, w.out = w.alive, 0
		w.waiting = false
		w.passed, w.phase = 0, 0
		w.polls, w.seen, w.polled = 0, 0, false
		w.stack = append(w.stack[:0], entry{pc: 0, rpc: none, lanes: w.alive})
		w.syncs = w.syncs[:0]
		w.since, w.spent, w.parked, w.spin = 0, 0, 0, spin{}
		w.branches = 0
		w.recurrence.restart(g.epoch)
		clear(w.regs.Preds)
		w.regs.Preds[alu.MaskTrue] = ^uint64(0)
	}
}

// unwritten notes that nothing has written shared and local memory.
func (c *CTA) unwritten() {
	c.shared.written.reset(len(c.shared.data))
	for i := range c.Warps {
		w := &c.Warps[i]
		w.own.reset(int(w.local.size), w.regs.Chunks*lanes)
	}
}

// bind lays out the slot for the CTAs of g.
func (g *Grid) bind(c *CTA) {
	code := g.code
	warps, shared := g.shape.warps, g.shape.shared
	c.grid, c.shape = g, g.shape
	c.words = sized(c.words, warps*code.words*g.chunks)
	c.vectors = sized(c.vectors, warps*code.vectors*g.chunks)
	c.places = c.places[:0]
	for _, k := range code.constants {
		if specialScope(k.special) == ofCTA {
			c.places = append(c.places, newPlace(k.wide))
		}
	}
	c.masks = sized(c.masks, warps*code.masks)
	localBytes := g.chunks * lanes * code.localBytes // also for lanes without a thread
	c.local = sized(c.local, warps*localBytes)
	c.shared = region{name: "shared memory", space: isa.Shared, base: abi.SharedBase, size: uint64(shared), data: sized(c.shared.data, shared)}
	if code.checked {
		c.shared.written = new(written)
	}
	c.Warps = sized(c.Warps, warps)
	for i := range c.Warps {
		w := &c.Warps[i]
		w.cta, w.index, w.code = c, i, code
		w.regs.Chunks, w.regs.Scratch = g.chunks, &c.scratch
		w.stack = w.room[:0]
		w.regs.Preds = c.masks[i*code.masks:][:code.masks]
		w.local = region{
			name: "local memory", space: isa.Local, base: abi.LocalBase,
			size: uint64(code.localBytes), stride: uint64(code.localBytes),
			data: c.local[i*localBytes:][:localBytes],
		}
		if code.checked {
			w.own = new(ownWritten)
		}
		for k := range g.chunks {
			g.table(c, w, k)
		}
	}
}

// table makes the tables of the places of a warp's registers and constants.
func (g *Grid) table(c *CTA, w *Warp, chunk int) {
	code := g.code
	words := c.scratch.Words(chunk, code.words+len(code.constants))
	vecs := c.scratch.Vecs(chunk, code.vectors+len(code.constants))
	for i := range code.words {
		words = append(words, &c.words[(w.index*code.words+i)*g.chunks+chunk])
	}
	for i := range code.vectors {
		vecs = append(vecs, &c.vectors[(w.index*code.vectors+i)*g.chunks+chunk])
	}
	places := c.places
	for i, k := range code.constants {
		var p place
		if specialScope(k.special) == ofCTA {
			p, places = places[0], places[1:]
		} else {
			p = g.fixed[g.fixedIndex(i, w.index, chunk)]
		}
		if k.wide {
			vecs = append(vecs, p.vector)
		} else {
			words = append(words, p.words)
		}
	}
	w.regs.Words[chunk], w.regs.Vecs[chunk] = words, vecs
}

// Done reports whether all warps have exited.
func (c *CTA) Done() bool { return c.live == 0 }
