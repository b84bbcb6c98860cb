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
	parts bool       // elements make a word together
}

func (op *store) exec(w *Warp, mask uint64, eff *Effect) error {
	if op.whole(w, op.elems[0], mask, eff) {
		return nil
	}
	op.begin(eff)
	if r := op.common(w, mask); r != nil && op.everywhere(w, mask, r, &eff.Access) {
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
	op.parts = op.total == 4 && len(op.elems) > 1
	for _, s := range op.elems {
		op.parts = op.parts && s != alu.SlotSink && !s.Wide()
	}
	if d.in.Space == isa.Const || d.in.Space == isa.Param {
		d.fail("%s space cannot be written", d.in.Space)
	}
	return op
}

// everywhere stores all elements of the lanes of mask, and is false if one of them lies outside of
// the region or is not aligned. Then some lanes may have been stored.
func (op *store) everywhere(w *Warp, mask uint64, r *region, acc *Access) bool {
	if op.simple {
		return op.together(w, op.elems[0], mask, r, acc)
	}
	if !op.reachAll(w, mask, r, acc) {
		return false
	}
	for k := range w.regs.Chunks {
		set, addr, skip := alu.Half(mask, k), acc.chunk(k), uint64(k*lanes)*r.stride
		if op.parts {
			op.join(w, k, addr, set, r, skip)
			continue
		}
		for i, s := range op.elems {
			skip := skip + uint64(i*op.bytes)
			switch {
			case s == alu.SlotSink && len(op.elems) > 1:
			case s.Wide():
				op.scatterWide(w.regs.Vector(s, k), addr, set, r, skip)
			default:
				scatterWords(w.regs.Words[k][s], addr, set, r, skip, op.bytes)
			}
		}
	}
	return true
}

// join stores two or four elements that make a word together as one.
func (op *store) join(w *Warp, k int, addr *vec.Vector, mask uint32, r *region, skip uint64) {
	var low, high vec.Words
	elem := func(i int) *vec.Words { return w.regs.Words[k][op.elems[i]] }
	vec.Join(&low, elem(0), elem(1), 8*op.bytes)
	if len(op.elems) > 2 {
		vec.Join(&high, elem(2), elem(3), 8*op.bytes)
		vec.Join(&low, &low, &high, 16*op.bytes)
	}
	scatterWords(&low, addr, mask, r, skip, op.total)
}

// scatterWords stores an element of up to 4 bytes of each lane of mask at its address and skip bytes on.
func scatterWords(x *vec.Words, addr *vec.Vector, mask uint32, r *region, skip uint64, bytes int) {
	if mask != 1<<lanes-1 || r.stride != 0 || !vec.Scatter(x, addr, &r.data[skip], r.base, bytes) {
		scatterEach(x, addr, mask, r, skip, bytes)
	}
}

// scatterWide is scatterWords for wide registers.
func (op *store) scatterWide(x, addr *vec.Vector, mask uint32, r *region, skip uint64) {
	if mask != 1<<lanes-1 || r.stride != 0 || op.bytes < 8 || !vec.ScatterWide(x, addr, &r.data[skip], r.base) {
		scatterEach(x, addr, mask, r, skip, op.bytes)
	}
}

// scatterEach stores an element of so many bytes of each lane of mask at its address and skip bytes on.
//
//go:noinline
func scatterEach[L vec.Lane](x *vec.Of[L], addr *vec.Vector, mask uint32, r *region, skip uint64, bytes int) {
	_, _ = *x, *addr
	data, start, stride := r.data, r.base-skip, r.stride
	switch bytes {
	case 1:
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask) % lanes
			data[addr[i]-start+uint64(i)*stride] = uint8(x[i])
		}
	case 2:
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask) % lanes
			at := addr[i] - start + uint64(i)*stride
			binary.LittleEndian.PutUint16(data[at:at+2:at+2], uint16(x[i]))
		}
	case 4:
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask) % lanes
			at := addr[i] - start + uint64(i)*stride
			binary.LittleEndian.PutUint32(data[at:at+4:at+4], uint32(x[i]))
		}
	case 8:
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask) % lanes
			at := addr[i] - start + uint64(i)*stride
			binary.LittleEndian.PutUint64(data[at:at+8:at+8], uint64(x[i]))
		}
	}
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
