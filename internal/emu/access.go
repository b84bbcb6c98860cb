package emu

import (
	"fmt"
	"math/bits"

	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// access is what loads, stores and atomics have in common: the addresses.
type access struct {
	kind       AccessKind
	space      isa.Space
	base       alu.Slot // address
	index      alu.Slot // added to it, if indexed
	indexed    bool     // a variable's address plus a register
	offset     uint64   // added too
	wrap       uint64   // the bits that an address has
	bytes      int      // of an element
	total      int      // of all elements of a lane
	plain      bool     // a word in a narrow register, at an address in a wide one
	simple     bool     // all lanes can be accessed by one function:
	words      transfer[uint32]
	vectors    transfer[uint64]
	allWords   vec.WordAccessFunc // and whole vectors with the processor's vector instructions,
	allVectors vec.AccessFunc     // unless nil
	reaches    vec.WordAccessFunc // looks at all addresses, unless nil
}

// transfer accesses one element for each lane of a mask, as a vec.AccessFunc does for all.
type transfer[L vec.Lane] func(x *vec.Of[L], addr, base *vec.Vector, mask uint32, offset uint64, r *region) (addrDiff uint64, ok bool)

// begin makes eff describe the access, without lanes.
func (op *access) begin(eff *Effect) {
	acc := &eff.Access
	acc.Kind, acc.Bytes, acc.Bulk = op.kind, op.total, false
	acc.Space = isa.Generic
	acc.Lanes = [len(acc.Lanes)]uint64{}
}

// cursor goes through the lanes of an access one by one.
type cursor struct {
	*access
	w        *Warp
	eff      *Effect
	r        *region // of the last lane
	mixed    bool    // lanes have accessed several regions
	one      uint64  // the address of the first lane
	addrDiff uint64  // as Access.AddrDiff
}

// locate returns the bytes that a lane with the given base accesses, and what
// follows them in their region.
func (c *cursor) locate(lane int, base uint64) ([]byte, error) {
	addr := base + c.offset
	if c.indexed {
		addr += c.w.regs.At(c.index, lane)
	}
	addr &= c.wrap
	c.eff.Access.Addr[lane] = addr
	if c.r == nil {
		c.one = addr
	}
	c.addrDiff |= addr ^ c.one
	if c.r == nil || addr-c.r.base >= c.r.size {
		r := c.w.region(addr)
		if r == nil || !c.permits(r) {
			return nil, c.fault(c.w, lane, c.eff)
		}
		c.mixed = c.mixed || c.r != nil
		c.r = r
	}
	r := c.r
	at := addr - r.base
	if at > r.size-uint64(c.total) || at&uint64(c.total-1) != 0 {
		return nil, c.fault(c.w, lane, c.eff)
	}
	return r.data[at+uint64(lane)*r.stride:], nil
}

// end notes the spaces of the lanes of mask, which all have been located.
func (c *cursor) end(mask uint64) {
	c.eff.Access.AddrDiff = c.addrDiff
	if !c.mixed {
		c.all(c.r, mask, c.eff)
		return
	}
	acc := &c.eff.Access
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		acc.Space = c.in(c.w.region(acc.Addr[lane]))
		acc.Lanes[acc.Space] |= 1 << lane
	}
	if acc.Lanes[acc.Space] != mask {
		acc.Space = isa.Generic
	}
}

// in returns the space that the access has in a region. Loads of constants may
// read global buffers: an OpenCL kernel takes constant memory by address, and a
// launch does not tell such arguments from others.
func (op *access) in(r *region) isa.Space {
	if op.space == isa.Const && r.space == isa.Global {
		return isa.Const
	}
	return r.space
}

// permits reports whether the access may be one to a region as a whole.
func (op *access) permits(r *region) bool {
	return r.size >= uint64(op.total) && (op.space == isa.Generic || op.space == op.in(r)) && r.forbids>>op.kind&1 == 0
}

// common returns the region of the first lane if it may be that of all. Nil sends the access
// to the path that looks at every lane.
func (op *access) common(w *Warp, mask uint64) *region {
	if op.indexed {
		return nil
	}
	lane := alu.First(mask)
	if r := w.region(w.regs.At(op.base, lane) + op.offset); r != nil && op.permits(r) && r.end()-1 <= op.wrap {
		return r
	}
	return nil
}

// whole accesses the words in the register x at once if the access is plain and all lanes of a warp of one vector take
// part, as in most accesses. It is false if not, or if a lane has no such word; then nothing has been accessed.
func (op *access) whole(w *Warp, x alu.Slot, mask uint64, eff *Effect) bool {
	if !op.plain || mask != 1<<lanes-1 || w.regs.Chunks > 1 {
		return false
	}
	base := w.regs.Vector(op.base, 0)
	r := w.region(base[0] + op.offset)
	if r == nil || r.stride != 0 || !op.permits(r) {
		return false
	}
	acc := &eff.Access
	addrDiff, ok := op.allWords(w.regs.Words[0][x], acc.chunk(0), base, op.offset, &r.data[0], r.base, r.size-4, 3)
	if !ok {
		return false
	}
	op.begin(eff)
	acc.AddrDiff = addrDiff
	op.all(r, mask, eff)
	return true
}

// together accesses an element, in the register x, for every lane of mask, and is false if one of
// them lies outside of the region or is not aligned. Then some lanes may have been accessed.
func (op *access) together(w *Warp, x alu.Slot, mask uint64, r *region, acc *Access) (ok bool) {
	if w.regs.Chunks == 1 {
		acc.AddrDiff, ok = op.vector(w, x, 0, acc.chunk(0), uint32(mask), r)
		return ok
	}
	if r.stride != 0 {
		return false
	}
	one, all := alu.First(mask), uint64(0)
	for k := range w.regs.Chunks {
		set := alu.Half(mask, k)
		if set == 0 {
			continue
		}
		addrDiff, ok := op.vector(w, x, k, acc.chunk(k), set, r)
		if !ok {
			return false
		}
		all |= addrDiff | (acc.Addr[k*lanes+bits.TrailingZeros32(set)] ^ acc.Addr[one])
	}
	acc.AddrDiff = all
	return true
}

// vector is together for chunk k of the lanes; addr are their addresses.
func (op *access) vector(w *Warp, x alu.Slot, k int, addr *vec.Vector, mask uint32, r *region) (addrDiff uint64, ok bool) {
	base := op.bases(w, k, addr)
	whole, bytes := mask == 1<<lanes-1 && r.stride == 0, uint64(op.bytes)
	if bytes == 8 {
		v := w.regs.Vector(x, k)
		if whole && op.allVectors != nil {
			return op.allVectors(v, addr, base, op.offset, &r.data[0], r.base, r.size-bytes, bytes-1)
		}
		return op.vectors(v, addr, base, mask, op.offset, r)
	}
	v := w.regs.Narrow(x, k)
	if whole && op.allWords != nil {
		addrDiff, ok = op.allWords(v, addr, base, op.offset, &r.data[0], r.base, r.size-bytes, bytes-1)
	} else {
		addrDiff, ok = op.words(v, addr, base, mask, op.offset, r)
	}
	if x.Wide() && op.kind == Load && ok {
		w.regs.Widen(x, k, mask)
	}
	return addrDiff, ok
}

// reach computes the address of every lane of mask, and is not ok if one of the accesses lies
// outside of the region or is not aligned.
func (op *access) reach(addr, base *vec.Vector, mask uint32, r *region) (addrDiff uint64, ok bool) {
	last, align := r.size-uint64(op.total), uint64(op.total)-1
	if mask == 1<<lanes-1 && op.reaches != nil {
		return op.reaches(nil, addr, base, op.offset, nil, r.base, last, align)
	}
	wrong, one := uint64(0), base[bits.TrailingZeros32(mask)%lanes]+op.offset
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		addr[i] = base[i] + op.offset
		addrDiff |= addr[i] ^ one
		at := addr[i] - r.base
		beyond := uint64(0)
		if at > last { // compiled without a branch
			beyond = 1
		}
		wrong |= at&align | beyond
	}
	return addrDiff, wrong == 0
}

// reachAll is reach for all lanes of a warp.
func (op *access) reachAll(w *Warp, mask uint64, r *region, acc *Access) bool {
	one, all := alu.First(mask), uint64(0)
	for k := range w.regs.Chunks {
		set, addr := alu.Half(mask, k), acc.chunk(k)
		if set == 0 {
			continue
		}
		addrDiff, ok := op.reach(addr, op.bases(w, k, addr), set, r)
		if !ok {
			return false
		}
		all |= addrDiff | (acc.Addr[k*lanes+bits.TrailingZeros32(set)] ^ acc.Addr[one])
	}
	acc.AddrDiff = all
	return true
}

// bases returns the bases of the addresses in chunk k: those of a register of 32 bits in room.
func (op *access) bases(w *Warp, k int, room *vec.Vector) *vec.Vector {
	if op.base.Wide() {
		return w.regs.Vector(op.base, k)
	}
	vec.Extend(room, w.regs.Words[k][op.base])
	return room
}

// moves sets the functions that move an element between memory and the register x.
func (op *access) moves(x alu.Slot, store bool) {
	op.simple = op.simple && (x.Wide() || op.bytes == 4)
	op.words, op.allWords = loadEach[uint32], vec.WordAccess(store)
	op.vectors, op.allVectors = loadEach[uint64], vec.WideAccess(store)
	if store {
		op.words, op.vectors = storeEach[uint32], storeEach[uint64]
	}
	op.plain = op.simple && op.bytes == 4 && op.base.Wide() && !x.Wide() && op.allWords != nil
}

// all notes that every lane of mask accessed one region.
func (op *access) all(r *region, mask uint64, eff *Effect) {
	eff.Access.Space = op.in(r)
	eff.Access.Lanes[eff.Access.Space] = mask
}

// fault returns the error that a lane's access is.
func (op *access) fault(w *Warp, lane int, eff *Effect) error {
	addr := eff.Access.Addr[lane]
	own := (addr - windowOf(op.space)) & op.wrap // as the program has it
	fail := func(cause error, where string) error {
		return w.fault(int32(eff.PC), lane, fmt.Errorf("%w: %d bytes at 0x%x%s", cause, op.total, own, where))
	}
	switch r := w.region(addr); {
	case windowOf(op.space) != 0 && !abi.InWindow(windowOf(op.space), addr):
		return fail(ErrOutOfBounds, w.cta.grid.beyondWindow(op.space, own))
	case r == nil:
		return fail(ErrOutOfBounds, w.cta.grid.nowhere(op.space, addr))
	case op.space != isa.Generic && op.in(r) != op.space:
		return fail(ErrOutOfBounds, fmt.Sprintf(" in %s space; the address lies in %s space%s", op.space, r.space, w.cta.grid.place(r, addr)))
	case addr-r.base+uint64(op.total) > r.size:
		return fail(ErrOutOfBounds, w.cta.grid.place(r, addr))
	case r.readOnly() && op.kind != Load:
		return fail(ErrReadOnly, w.cta.grid.place(r, addr))
	case r.forbids>>op.kind&1 != 0:
		return fail(ErrForbidden, w.cta.grid.place(r, addr)+r.permission())
	default:
		return fail(ErrMisaligned, fmt.Sprintf(", which is no multiple of %d%s", op.total, w.cta.grid.place(r, addr)))
	}
}

// region returns the region that holds an address, nil if there is none.
func (w *Warp) region(addr uint64) *region {
	if addr >= abi.GlobalBase {
		return w.cta.grid.mem.find(addr)
	}
	switch addr / abi.WindowBytes {
	case abi.SharedBase / abi.WindowBytes:
		return &w.cta.shared
	case abi.LocalBase / abi.WindowBytes:
		return &w.local
	case abi.ParamBase / abi.WindowBytes:
		return &w.cta.grid.params
	}
	return nil
}

func (r *region) readOnly() bool { return r.space == isa.Const || r.space == isa.Param }

// chunk returns the addresses of the k-th vector of lanes.
func (a *Access) chunk(k int) *vec.Vector { return (*vec.Vector)(a.Addr[k*lanes:]) }

// Numbers returns the set of the numbers that the addresses of some lanes have in the bits from shift up that last
// has. Last is below 64.
func (a *Access) Numbers(lanes uint64, shift int, last uint64) uint64 {
	set := vec.Mark(a.chunk(0), uint32(lanes), shift, last)
	if high := alu.Half(lanes, 1); high != 0 {
		set |= vec.Mark(a.chunk(1), high, shift, last)
	}
	return set
}

// access decodes the address operand, the first source, of an access to n
// elements of the instruction's type.
func (d *decoder) access(kind AccessKind, n int) access {
	in := d.in
	a := d.address(in.Src[0])
	a.kind, a.space, a.bytes = kind, in.Space, in.Type.Bytes()
	a.total = n * a.bytes
	if a.bytes < 1 || a.bytes > 8 || a.total&(a.total-1) != 0 || a.total > 32 {
		d.unsupported()
	}
	a.reaches = vec.Reach()
	a.simple = n == 1 && !a.indexed && (a.bytes == 4 || a.bytes == 8)
	return a
}

// address decodes an address operand.
func (d *decoder) address(o isa.Operand) access {
	a := access{wrap: alu.LowBits(d.kernel.AddressWidth(o))}
	switch o.Kind {
	case isa.KindAddr:
		a.offset = o.Imm
		if o.Reg == isa.NoReg {
			a.base = d.constant(constant{wide: true})
		} else {
			a.base = d.register(o)
		}
	case isa.KindVarAddr:
		a.offset = o.Imm
		a.base = d.constant(constant{wide: true, isVar: true, v: o.Var})
		if o.Reg != isa.NoReg {
			a.index, a.indexed = d.register(o), true
		}
	default:
		d.fail("%s is no address", o)
	}
	return a
}
