package emu

import (
	"encoding/binary"
	"math/bits"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// store writes one or more elements. Where lanes write to the same place, the
// highest lane's value stays.
type store struct {
	access
	elems []alu.Slot // alu.SlotSink for those that are not written
}

func (op *store) exec(w *Warp, mask uint64, eff *Effect) error {
	op.begin(eff)
	if r := op.common(w, mask); r != nil && op.together(w, op.elems[0], mask, r, &eff.Access) {
		op.all(r, mask, eff)
		return nil
	}
	c := cursor{access: &op.access, w: w, eff: eff}
	for k := range w.regs.Chunks {
		vecs := w.regs.Vecs[k]
		base := vecs[op.base]
		for m := alu.Half(mask, k); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes
			data, err := c.locate(k*lanes+lane, base[lane])
			if err != nil {
				return err
			}
			for i, s := range op.elems {
				if s == alu.SlotSink {
					continue
				}
				put(data[i*op.bytes:], op.bytes, vecs[s][lane])
			}
		}
	}
	c.end(mask)
	return nil
}

func (d *decoder) store() operation {
	op := &store{access: d.access(Store, len(d.in.Src)-1)}
	for i := 1; i < len(d.in.Src); i++ {
		s := alu.SlotSink
		if d.in.Src[i].Kind != isa.KindSink || len(d.in.Src) == 2 {
			s = d.source(i)
		}
		op.elems = append(op.elems, s)
	}
	op.plain, op.fast = scatter32, vec.FastAccess(vec.Store32)
	if op.bytes == 8 {
		op.plain, op.fast = scatter64, vec.FastAccess(vec.Store64)
	}
	if d.in.Space == isa.Const || d.in.Space == isa.Param {
		d.fail("%s space cannot be written", d.in.Space)
	}
	return op
}

// scatter32 computes addresses and stores a word of each lane of mask, of which there must
// be one. It stops and is not ok if an address lies outside of the region or is not
// aligned. addrDiff is as Access.AddrDiff.
//
//go:noinline
func scatter32(x, addr, base *vec.Vector, mask uint32, offset uint64, r *region) (addrDiff uint64, ok bool) {
	_, _, _ = *x, *addr, *base
	data, start, last, stride := r.data, r.base, r.size-4, r.stride
	one := base[bits.TrailingZeros32(mask)%lanes] + offset
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		a := base[i] + offset
		addr[i] = a
		addrDiff |= a ^ one
		at := a - start
		if at > last || at%4 != 0 {
			return addrDiff, false
		}
		at += uint64(i) * stride
		binary.LittleEndian.PutUint32(data[at:at+4:at+4], uint32(x[i]))
	}
	return addrDiff, true
}

// scatter64 is scatter32 for elements of 8 bytes.
//
//go:noinline
func scatter64(x, addr, base *vec.Vector, mask uint32, offset uint64, r *region) (addrDiff uint64, ok bool) {
	_, _, _ = *x, *addr, *base
	data, start, last, stride := r.data, r.base, r.size-8, r.stride
	one := base[bits.TrailingZeros32(mask)%lanes] + offset
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		a := base[i] + offset
		addr[i] = a
		addrDiff |= a ^ one
		at := a - start
		if at > last || at%8 != 0 {
			return addrDiff, false
		}
		at += uint64(i) * stride
		binary.LittleEndian.PutUint64(data[at:at+8:at+8], x[i])
	}
	return addrDiff, true
}

// put writes an element of 1, 2, 4 or 8 bytes.
func put(data []byte, bytes int, x uint64) {
	switch bytes {
	case 1:
		data[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(data, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(data, uint32(x))
	default:
		binary.LittleEndian.PutUint64(data, x)
	}
}
