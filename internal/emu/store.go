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
		for m := alu.Half(mask, k); m != 0; m &= m - 1 {
			lane := k*lanes + bits.TrailingZeros32(m)
			data, err := c.locate(lane, w.regs.At(op.base, lane))
			if err != nil {
				return err
			}
			for i, s := range op.elems {
				if s == alu.SlotSink {
					continue
				}
				put(data[i*op.bytes:], op.bytes, w.regs.At(s, lane))
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
			s = d.source(i, op.bytes == 8)
		}
		op.elems = append(op.elems, s)
	}
	op.moves(op.elems[0], true)
	if d.in.Space == isa.Const || d.in.Space == isa.Param {
		d.fail("%s space cannot be written", d.in.Space)
	}
	return op
}

// storeEach computes addresses and stores an element of each lane of mask, of which there must
// be one. It stops and is not ok if an address lies outside of the region or is not
// aligned. addrDiff is as Access.AddrDiff.
//
//go:noinline
func storeEach[L vec.Lane](x *vec.Of[L], addr, base *vec.Vector, mask uint32, offset uint64, r *region) (addrDiff uint64, ok bool) {
	_, _, _ = *x, *addr, *base
	bytes := uint64(bits.Len64(uint64(^L(0)))) / 8
	data, start, last, stride := r.data, r.base, r.size-bytes, r.stride
	one := base[bits.TrailingZeros32(mask)%lanes] + offset
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) % lanes
		a := base[i] + offset
		addr[i] = a
		addrDiff |= a ^ one
		at := a - start
		if at > last || at%bytes != 0 {
			return addrDiff, false
		}
		at += uint64(i) * stride
		if bytes == 4 {
			binary.LittleEndian.PutUint32(data[at:at+4:at+4], uint32(x[i]))
		} else {
			binary.LittleEndian.PutUint64(data[at:at+8:at+8], uint64(x[i]))
		}
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
