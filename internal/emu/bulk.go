package emu

import (
	"fmt"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// bulkCopy copies bytes between global and shared memory, at once, as an asyncCopy does. The access is that to
// global memory.
type bulkCopy struct {
	to, from access
	size     alu.Slot
	global   bool // to global memory
}

// bulkUnit is of what sizes and addresses of bulk copies are multiples.
const bulkUnit = 16

func (op *bulkCopy) exec(w *Warp, mask uint64, eff *Effect) error {
	acc, pc := &eff.Access, int32(eff.PC)
	size, err := w.uniform(op.size, mask, pc, "bulk copies of different sizes at a time are not modelled: size")
	if err != nil {
		return err
	}
	if size = uint64(uint32(size)); size%bulkUnit != 0 {
		return w.faultf(pc, mask, "%w: a bulk copy of %d bytes, which is no multiple of %d", ErrMisaligned, size, bulkUnit)
	}
	if size == 0 {
		return nil
	}
	near, far := &op.to, &op.from
	if op.global {
		near, far = far, near
	}
	near.begin(eff)
	acc.Kind, acc.Bytes, acc.Bulk = far.kind, int(size), true
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		inner, err := op.locate(w, near, lane, size, eff)
		if err != nil {
			return err
		}
		acc.Near[lane] = acc.Addr[lane]
		outer, err := op.locate(w, far, lane, size, eff) // its addresses stay in eff
		if err != nil {
			return err
		}
		if op.global {
			copy(outer, inner)
		} else {
			copy(inner, outer)
		}
		acc.AddrDiff |= acc.Addr[lane] ^ acc.Addr[alu.First(mask)]
	}
	acc.Space = isa.Global
	acc.Lanes[isa.Global] = mask
	return nil
}

// locate returns the bytes that a lane copies from or to.
func (op *bulkCopy) locate(w *Warp, a *access, lane int, size uint64, eff *Effect) ([]byte, error) {
	at := a.address(w, lane)
	eff.Access.Addr[lane] = at
	r := w.region(at)
	one := *a
	one.total = int(size)
	switch {
	case r == nil, one.in(r) != a.space, at-r.base > r.size, size > r.size-(at-r.base):
		return nil, one.fault(w, lane, eff)
	case at%bulkUnit != 0:
		return nil, w.fault(int32(eff.PC), lane, fmt.Errorf("%w: a bulk copy at 0x%x, which is no multiple of %d%s", ErrMisaligned, at, bulkUnit, w.cta.grid.place(r, at)))
	}
	return r.data[at-r.base:][:size], nil
}

// address returns that of a lane.
func (op *access) address(w *Warp, lane int) uint64 {
	addr := w.regs.At(op.base, lane) + op.offset
	if op.indexed {
		addr += w.regs.At(op.index, lane)
	}
	return addr & op.wrap
}

// checkedBulk notes which memory a copy writes, and that it reads some that nothing has written.
type checkedBulk struct {
	operation
	op *bulkCopy
}

func (c *checkedBulk) exec(w *Warp, mask uint64, eff *Effect) error {
	if err := c.operation.exec(w, mask, eff); err != nil || eff.Access.Kind == NoAccess {
		return err
	}
	for m := mask; m != 0; m &= m - 1 {
		lane, lacking := alu.First(m), 0
		from, to := c.op.from.address(w, lane), c.op.to.address(w, lane)
		source, target := w.region(from), w.region(to)
		for at := uint64(0); at < uint64(eff.Access.Bytes); at += bulkUnit {
			lacking += source.lacks(from+at, bulkUnit)
			if target.written != nil {
				target.written.add(to-target.base+at, bulkUnit)
			}
		}
		if lacking > 0 {
			w.note(eff.PC, lane, lacking, source, from)
		}
	}
	return nil
}

// bulkCopy decodes a copy: the address of the destination, that of the source, and the number of bytes.
func (d *decoder) bulkCopy() operation {
	in := d.in
	op := &bulkCopy{to: d.address(in.Src[0]), from: d.address(in.Src[1]), size: d.source(2, false), global: in.Space == isa.Global}
	op.to.kind, op.to.space, op.from.kind, op.from.space = Store, isa.Shared, Load, isa.Global
	if op.global {
		op.to.space, op.from.space = isa.Global, isa.Shared
	}
	return op
}
