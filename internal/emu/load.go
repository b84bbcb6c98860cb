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
	parts  bool // elements make a word at most together
}

// element is a destination of a load.
type element struct {
	slot  alu.Slot
	width uint64 // the bits that the register has
}

func (op *load) exec(w *Warp, mask uint64, eff *Effect) error {
	if op.whole(w, op.elems[0].slot, mask, eff) {
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
	op.parts = op.total <= 4 && len(op.elems) > 1 && !op.signed
	for _, e := range op.elems {
		op.parts = op.parts && !e.slot.Wide()
	}
	d.parameter(op)
	return op
}

// everywhere loads all elements for the lanes of mask, and is false if one of them lies outside of
// the region or is not aligned. Then some lanes may have been loaded.
func (op *load) everywhere(w *Warp, mask uint64, r *region, acc *Access) bool {
	if op.simple {
		return op.together(w, op.elems[0].slot, mask, r, acc)
	}
	if !op.reachAll(w, mask, r, acc) {
		return false
	}
	if acc.AddrDiff == 0 && r.stride == 0 {
		op.broadcast(w, mask, r.data[acc.Addr[alu.First(mask)]-r.base:])
		return true
	}
	for k := range w.regs.Chunks {
		set, addr, skip := alu.Half(mask, k), acc.chunk(k), uint64(k*lanes)*r.stride
		if op.parts {
			op.split(w, k, addr, set, r, skip)
			continue
		}
		for i, e := range op.elems {
			skip := skip + uint64(i*op.bytes)
			if e.slot.Wide() {
				op.gatherWide(w.regs.Vector(e.slot, k), addr, set, r, skip)
				if op.signed {
					extendEach(w.regs.Vector(e.slot, k), set, op.bytes, e.width)
				}
				continue
			}
			gatherWords(w.regs.Words[k][e.slot], addr, set, r, skip, op.bytes)
			if op.signed {
				extendEach(w.regs.Words[k][e.slot], set, op.bytes, uint32(e.width))
			}
		}
	}
	return true
}

// gatherWords loads an element of up to 4 bytes for each lane of mask from its address and skip bytes on.
func gatherWords(d *vec.Words, addr *vec.Vector, mask uint32, r *region, skip uint64, bytes int) {
	if mask != 1<<lanes-1 || r.stride != 0 || !vec.Gather(d, addr, &r.data[skip], r.base, bytes) {
		gatherEach(d, addr, mask, r, skip, bytes)
	}
}

// gatherWide is gatherWords for wide registers.
func (op *load) gatherWide(d, addr *vec.Vector, mask uint32, r *region, skip uint64) {
	if mask != 1<<lanes-1 || r.stride != 0 || op.bytes < 8 || !vec.GatherWide(d, addr, &r.data[skip], r.base) {
		gatherEach(d, addr, mask, r, skip, op.bytes)
	}
}

// broadcast gives the lanes of mask the same elements.
func (op *load) broadcast(w *Warp, mask uint64, data []byte) {
	for i, e := range op.elems {
		x := op.extend(get(data[i*op.bytes:], op.bytes), e.width)
		if mask != w.regs.Full {
			w.regs.Broadcast(e.slot, x, mask)
			continue
		}
		for k := range w.regs.Chunks {
			w.regs.Fill(e.slot, k, x)
		}
	}
}

// split loads elements that make a word at most together as one, and takes it apart.
func (op *load) split(w *Warp, k int, addr *vec.Vector, mask uint32, r *region, skip uint64) {
	var word vec.Words
	gatherWords(&word, addr, mask, r, skip, op.total)
	for i, e := range op.elems {
		d, shift := w.regs.Words[k][e.slot], 8*i*op.bytes
		if mask == 1<<lanes-1 {
			vec.Part(d, &word, shift, 8*op.bytes)
			continue
		}
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) % lanes
			d[lane] = word[lane] >> shift & (1<<(8*op.bytes) - 1)
		}
	}
}

// gatherEach loads an element of so many bytes for each lane of mask from its address and skip bytes on.
//
//go:noinline
func gatherEach[L vec.Lane](d *vec.Of[L], addr *vec.Vector, mask uint32, r *region, skip uint64, bytes int) {
	_, _ = *d, *addr
	data, start, stride := r.data, r.base-skip, r.stride
	switch bytes {
	case 1:
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask) % lanes
			d[i] = L(data[addr[i]-start+uint64(i)*stride])
		}
	case 2:
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask) % lanes
			at := addr[i] - start + uint64(i)*stride
			d[i] = L(binary.LittleEndian.Uint16(data[at : at+2 : at+2]))
		}
	case 4:
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask) % lanes
			at := addr[i] - start + uint64(i)*stride
			d[i] = L(binary.LittleEndian.Uint32(data[at : at+4 : at+4]))
		}
	case 8:
		for ; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask) % lanes
			at := addr[i] - start + uint64(i)*stride
			d[i] = L(binary.LittleEndian.Uint64(data[at : at+8 : at+8]))
		}
	}
}

// extendEach extends the lanes of mask as elements of so many bytes by their sign, to the bits of width.
//
//go:noinline
func extendEach[L vec.Lane](d *vec.Of[L], mask uint32, bytes int, width L) {
	_ = *d
	shift := 64 - 8*bytes
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask) % lanes
		d[i] = L(int64(uint64(d[i])<<shift)>>shift) & width
	}
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
