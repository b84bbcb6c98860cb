package emu

import (
	"encoding/binary"
	"math/bits"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// load reads one or more elements into as many registers.
type load struct {
	access
	elems  []element
	signed bool // elements are extended by their sign
}

// element is a destination of a load.
type element struct {
	slot  alu.Slot
	width uint64 // the bits that the register has
}

func (op *load) exec(w *Warp, mask uint64, eff *Effect) error {
	op.begin(eff)
	if r := op.common(w, mask); r != nil && op.together(w, op.elems[0].slot, mask, r, &eff.Access) {
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
			for i, e := range op.elems {
				w.regs.Set(e.slot, lane, op.extend(get(data[i*op.bytes:], op.bytes), e.width))
			}
		}
	}
	c.end(mask)
	return nil
}

func (d *decoder) load() operation {
	in := d.in
	op := &load{access: d.access(Load, len(in.Dst))}
	for i, o := range in.Dst {
		e := element{slot: d.dest(i, in.Type.Bits()), width: ^uint64(0)}
		if o.Kind == isa.KindReg {
			bits := d.kernel.Regs[o.Reg].Type.Bits()
			e.width = alu.LowBits(bits)
			op.signed = op.signed || in.Type.IsSigned() && bits > in.Type.Bits()
		}
		op.elems = append(op.elems, e)
	}
	op.simple = op.simple && op.elems[0].slot != op.base && !op.signed
	op.moves(op.elems[0].slot, false)
	return op
}

// extend gives an element as its register holds it.
func (op *load) extend(x, width uint64) uint64 {
	if !op.signed {
		return x
	}
	shift := 64 - 8*uint(op.bytes)
	return uint64(int64(x<<shift)>>shift) & width
}

// loadEach computes addresses and loads an element for each lane of mask, of which there must
// be one. It stops and is not ok if an address lies outside of the region or is not
// aligned. addrDiff is as Access.AddrDiff. Like other loops over lanes it is not inlined, so that
// it has the registers for itself.
//
//go:noinline
func loadEach[L vec.Lane](d *vec.Of[L], addr, base *vec.Vector, mask uint32, offset uint64, r *region) (addrDiff uint64, ok bool) {
	_, _, _ = *d, *addr, *base
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
			d[i] = L(binary.LittleEndian.Uint32(data[at : at+4 : at+4]))
		} else {
			d[i] = L(binary.LittleEndian.Uint64(data[at : at+8 : at+8]))
		}
	}
	return addrDiff, true
}

// get reads an element of 1, 2, 4 or 8 bytes.
func get(data []byte, bytes int) uint64 {
	switch bytes {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}
