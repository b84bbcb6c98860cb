package emu

import (
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// Checked returns code that does the same and besides finds reads of shared memory,
// local memory and the heap that nothing wrote before, which a Grid of it lists
// (see UninitialisedReads). Only the instructions that access memory are slower, and
// the code that it was made of is not changed.
func (c *Code) Checked() *Code {
	out := *c
	out.checked = true
	out.instrs = slices.Clone(c.instrs)
	for pc := range out.instrs {
		if op := checkedAccess(c.Instr(pc), out.instrs[pc].op); op != nil {
			out.instrs[pc].op = op
		}
	}
	return &out
}

// UninitialisedReads lists the reads of memory without contents that the launch has
// made so far, each instruction of the module once, in the order of the kernel. The
// arguments of vprintf are not watched. There are none unless the code is checked.
func (g *Grid) UninitialisedReads() []UninitialisedRead {
	var list []UninitialisedRead
	known := map[diag.Pos]int{} // of copies of one instruction
	for _, r := range g.reads {
		if r.Count == 0 {
			continue
		}
		if i, ok := known[r.Instr.Pos]; ok && r.Instr.Pos.Known() {
			list[i].Count += r.Count
			continue
		}
		known[r.Instr.Pos] = len(list)
		list = append(list, r)
	}
	return list
}

// checked executes an access and then notes what it wrote and what it read that
// nothing had written.
type checked struct {
	operation
	reads, writes bool
	pieces        []piece
	copies        *asyncCopy // nil of what is none
}

// piece is a range of the bytes that a lane accesses, within 16 of them.
type piece struct{ offset, bytes int }

// checkedAccess wraps an operation that accesses memory; nil if it does not.
func checkedAccess(in *isa.Instr, op operation) operation {
	effect := in.Op.Info().Effect
	c := &checked{operation: op, reads: effect&isa.ReadsMem != 0, writes: effect&isa.WritesMem != 0}
	switch op := op.(type) {
	case *asyncCopy:
		c.writes, c.copies = false, op
		c.reads = !op.counted
		c.pieces = []piece{{0, op.bytes}}
		return c
	case *bulkCopy:
		return &checkedBulk{op, op}
	case *load:
		c.pieces = pieces(in.Dst, op.bytes)
	case *store:
		c.pieces = pieces(in.Src[1:], op.bytes)
	case *atomic:
		dropped := !slices.ContainsFunc(in.Dst, func(o isa.Operand) bool { return o.Kind != isa.KindSink })
		c.reads = !(dropped && in.Atom == isa.AtomExch)
		c.pieces = pieces(make([]isa.Operand, op.total/op.bytes), op.bytes)
	case *matrixAccess:
		c.pieces = []piece{{0, op.total}}
	case *wideSwap:
		c.pieces = []piece{{0, op.total}}
	default:
		return nil
	}
	return c
}

// pieces returns where the elements lie that are not dropped.
func pieces(elements []isa.Operand, bytes int) []piece {
	var list []piece
	for i, o := range elements {
		if o.Kind != isa.KindSink || len(elements) == 1 {
			list = append(list, piece{i * bytes, bytes})
		}
	}
	if total := len(elements) * bytes; len(list) == len(elements) && total <= 16 {
		return []piece{{0, total}}
	}
	return list
}

func (op *checked) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := op.operation.exec(w, mask, eff); err != nil {
		return err
	}
	if eff.Access.Kind != NoAccess {
		if err := op.watch(w, eff); err != nil {
			return err
		}
	}
	if op.copies != nil {
		op.copied(w, mask, eff)
	}
	return nil
}

// watch goes through the lanes of an access to memory that is watched. It is an error if there is
// something to note and parties share the notes.
func (op *checked) watch(w *Warp, eff *Effect) error {
	acc := &eff.Access
	set := uint64(0)
	if s := w.cta.shared.written; s != nil && s.left > 0 {
		set = acc.Lanes[isa.Shared]
	}
	if w.cta.grid.objects {
		set |= acc.Lanes[isa.Global]
	}
	if own := acc.Lanes[isa.Local]; own != 0 && w.own.left > 0 {
		if set == 0 && acc.AddrDiff == 0 && op.together(w, own, acc.Addr[alu.First(own)]-w.local.base) {
			return nil
		}
		set |= own
	}
	r := &w.local
	for ; set != 0; set &= set - 1 {
		lane := alu.First(set)
		if acc.Addr[lane]-r.base >= r.size {
			r = w.region(acc.Addr[lane])
		}
		if lacking := op.lane(w, lane, r, acc.Addr[lane]-r.base); lacking > 0 {
			if w.cta.Party != nil {
				return notWritten
			}
			w.note(eff.PC, lane, lacking, r, acc.Addr[lane])
		}
	}
	return nil
}

// together notes what lanes wrote of local memory, all at the same place. It is false, and nothing is
// noted, if one of them reads what it has not written.
func (op *checked) together(w *Warp, lanes, at uint64) bool {
	for _, p := range op.pieces {
		if op.reads && !w.own.has(at+uint64(p.offset), p.bytes, lanes) {
			return false
		}
	}
	for _, p := range op.pieces {
		if op.writes {
			w.own.add(at+uint64(p.offset), p.bytes, lanes)
		}
	}
	return true
}

// lane notes what a lane wrote of a region, and returns how many of the bytes that it reads nothing
// had written.
func (op *checked) lane(w *Warp, lane int, r *region, at uint64) (lacking int) {
	own := r == &w.local
	if !own && (r.written == nil || r.written.left == 0) {
		return 0
	}
	for _, p := range op.pieces {
		from := at + uint64(p.offset)
		if op.reads && own {
			lacking += w.own.lacks(from, p.bytes, lane)
		} else if op.reads {
			lacking += r.written.lacks(from, p.bytes)
		}
		if op.writes && own {
			w.own.add(from, p.bytes, 1<<lane)
		} else if op.writes {
			r.written.add(from, p.bytes)
		}
	}
	return lacking
}

// copied notes what an asynchronous copy wrote to shared memory, and which of the bytes that are counted nothing had written.
func (op *checked) copied(w *Warp, mask uint64, eff *Effect) {
	r, c := &w.cta.shared, op.copies
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		r.written.add(c.to.address(w, lane)-r.base, c.bytes)
		if n := min(uint64(c.bytes), w.regs.At(c.count, lane)); c.counted && n > 0 {
			addr := c.address(w, lane)
			from := w.region(addr)
			if lacking := from.lacks(addr, int(n)); lacking > 0 {
				w.note(eff.PC, lane, lacking, from, addr)
			}
		}
	}
}

// lacks returns how many of n bytes from an address on, which lie in one group of 64, nothing has written, as far as that is watched.
func (r *region) lacks(addr uint64, n int) int {
	if r.written == nil {
		return 0
	}
	return r.written.lacks(addr-r.base, n)
}

// watch begins to watch an object of the heap.
func (g *Grid) watch(object *region) {
	g.objects = true
	object.written = new(written)
	object.written.reset(len(object.data))
}

// note counts a read of bytes that nothing had written.
func (w *Warp) note(pc, lane, bytes int, r *region, addr uint64) {
	g := w.cta.grid
	found := &g.reads[pc]
	found.Count++
	if found.Count > 1 {
		return
	}
	found.Kernel, found.Instr = g.code.kernel, g.code.Instr(pc)
	found.CTA, found.Thread = unflatten(w.cta.Index, g.launch.Grid), w.thread(lane)
	found.Bytes = bytes
	own := addr // as the program has it
	if s := found.Instr.Space; s == r.space {
		own -= windowOf(s)
	}
	found.Place = fmt.Sprintf("0x%x%s", own, g.place(r, addr))
}
