package emu

import (
	"encoding/binary"
	"fmt"

	"warpbound/internal/isa"
)

// access is what loads, stores and atomics have in common: the addresses.
type access struct {
	kind    AccessKind
	space   isa.Space
	base    slot   // address
	index   slot   // added to it, if indexed
	indexed bool   // a variable's address plus a register
	offset  uint64 // added too
	wrap    uint64 // the bits that an address has
	bytes   int    // of an element
	total   int    // of all elements of a lane
}

// load reads one or more elements into as many registers.
type load struct {
	access
	elems  []element
	signed bool
}

// element is a destination of a load.
type element struct {
	slot  slot
	width uint64 // the bits that the register has
}

// store writes one or more elements.
type store struct {
	access
	elems []slot
}

func (op *load) exec(w *Warp, mask uint64, eff *Effect) error {
	r, err := op.locate(w, mask, eff)
	if err != nil {
		return err
	}
	if r == nil {
		return op.each(w, mask, eff)
	}
	all := mask == w.alive
	for k := range w.chunks() {
		addr := eff.Access.chunk(k)
		start := uint64(k*lanes)*r.stride - r.base
		for i, e := range op.elems {
			d := w.vecs[k][e.slot]
			if !all {
				d = &w.cta.grid.scratch
			}
			data := r.data[i*op.bytes:]
			switch op.bytes {
			case 1:
				load8(d, addr, data, start, r.stride)
			case 2:
				load16(d, addr, data, start, r.stride)
			case 4:
				load32(d, addr, data, start, r.stride)
			default:
				load64(d, addr, data, start, r.stride)
			}
			if op.signed {
				d.signExtend(op.bytes, e.width)
			}
			if !all {
				w.vecs[k][e.slot].merge(d, half(mask, k))
			}
		}
	}
	return nil
}

// each loads lane by lane, for lanes in several regions.
func (op *load) each(w *Warp, mask uint64, eff *Effect) error {
	for m := mask; m != 0; m &= m - 1 {
		lane := first(m)
		data, err := op.bytesOf(w, lane, eff)
		if err != nil {
			return err
		}
		for i, e := range op.elems {
			x := get(data[i*op.bytes:], op.bytes)
			if op.signed {
				x = signExtend(x, op.bytes) & e.width
			}
			w.vecs[lane/lanes][e.slot][lane%lanes] = x
		}
	}
	return nil
}

func (op *store) exec(w *Warp, mask uint64, eff *Effect) error {
	r, err := op.locate(w, mask, eff)
	if err != nil {
		return err
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := first(m)
		var data []byte
		if r != nil {
			data = r.data[eff.Access.Addr[lane]-r.base+uint64(lane)*r.stride:]
		} else if data, err = op.bytesOf(w, lane, eff); err != nil {
			return err
		}
		for i, s := range op.elems {
			put(data[i*op.bytes:], op.bytes, w.vecs[lane/lanes][s][lane%lanes])
		}
	}
	return nil
}

// locate computes the addresses of all lanes and describes them in eff. If
// the accesses of all lanes lie in one region it returns that region; nil
// if they are in several or one of them is wrong, so that each must be looked
// at. Lanes that are not in mask are given the address of one that is.
func (op *access) locate(w *Warp, mask uint64, eff *Effect) (*region, error) {
	acc := &eff.Access
	acc.Kind, acc.Bytes = op.kind, op.total
	acc.Lanes = [len(acc.Lanes)]uint64{}
	for k := range w.chunks() {
		addr, base := acc.chunk(k), w.vecs[k][op.base]
		for i := range addr {
			addr[i] = (base[i] + op.offset) & op.wrap
		}
		if op.indexed {
			index := w.vecs[k][op.index]
			for i := range addr {
				addr[i] = (addr[i] + index[i]) & op.wrap
			}
		}
	}
	lead := acc.Addr[first(mask)]
	r := w.region(lead)
	if r == nil || r.size < uint64(op.total) || op.space != isa.Generic && r.space != op.space || op.kind != Load && r.readOnly() {
		_, err := op.bytesOf(w, first(mask), eff)
		return nil, err
	}
	last := r.size - uint64(op.total)
	var outside, low uint64
	for k := range w.chunks() {
		addr := acc.chunk(k)
		if m := half(mask, k); ^m != 0 {
			for i := range addr {
				if m>>i&1 == 0 {
					addr[i] = lead
				}
			}
		}
		for _, a := range addr {
			off := a - r.base
			outside |= off | (last - off)
			low |= a
		}
	}
	if int64(outside) < 0 || low&uint64(op.total-1) != 0 {
		return nil, op.resolve(w, mask, eff)
	}
	acc.Space = r.space
	acc.Lanes[r.space] = mask
	return r, nil
}

// resolve checks every lane's access by itself.
func (op *access) resolve(w *Warp, mask uint64, eff *Effect) error {
	acc := &eff.Access
	spaces := 0
	for m := mask; m != 0; m &= m - 1 {
		lane := first(m)
		if _, err := op.bytesOf(w, lane, eff); err != nil {
			return err
		}
		s := w.region(acc.Addr[lane]).space
		if acc.Lanes[s] == 0 {
			spaces++
			acc.Space = s
		}
		acc.Lanes[s] |= 1 << lane
	}
	if spaces > 1 {
		acc.Space = isa.Generic
	}
	return nil
}

// bytesOf returns the bytes that a lane accesses, and what follows them in their
// region, or the error that the access is.
func (op *access) bytesOf(w *Warp, lane int, eff *Effect) ([]byte, error) {
	addr := eff.Access.Addr[lane]
	r := w.region(addr)
	fail := func(cause error, detail string) ([]byte, error) {
		return nil, w.fault(int32(eff.PC), lane, fmt.Errorf("%w: %d bytes at 0x%x%s", cause, op.total, addr, detail))
	}
	switch {
	case r == nil:
		return fail(ErrOutOfBounds, "; "+w.cta.grid.mem.nearest(addr))
	case op.space != isa.Generic && r.space != op.space:
		return fail(ErrOutOfBounds, fmt.Sprintf(" in %s space; the address is in %s (%s)", op.space, r.name, r.space))
	case addr-r.base+uint64(op.total) > r.size:
		return fail(ErrOutOfBounds, fmt.Sprintf("; %s is [0x%x, 0x%x)", r.name, r.base, r.end()))
	case addr%uint64(op.total) != 0:
		return fail(ErrMisaligned, fmt.Sprintf(" in %s at [0x%x, 0x%x)", r.name, r.base, r.end()))
	case op.kind != Load && r.readOnly():
		return fail(ErrReadOnly, " in "+r.name)
	}
	return r.data[addr-r.base+uint64(lane)*r.stride:], nil
}

// region returns the region that holds an address, nil if there is none.
func (w *Warp) region(addr uint64) *region {
	switch {
	case addr >= GlobalBase:
		return w.cta.grid.mem.find(addr)
	case addr >= ParamBase:
		return &w.cta.grid.params
	case addr >= LocalBase:
		return &w.local
	case addr >= SharedBase:
		return &w.cta.shared
	}
	return nil
}

func (r *region) readOnly() bool { return r.space == isa.Const || r.space == isa.Param }

// chunk returns the addresses of the k-th vector of lanes.
func (a *Access) chunk(k int) *vector { return (*vector)(a.Addr[k*lanes:]) }

// The loads of one element for every lane: that of lane i is in data at
// start + addr[i] + i strides.

func load8(d, addr *vector, data []byte, start, stride uint64) {
	for i := range d {
		d[i] = uint64(data[start+addr[i]])
		start += stride
	}
}

func load16(d, addr *vector, data []byte, start, stride uint64) {
	for i := range d {
		at := start + addr[i]
		d[i] = uint64(binary.LittleEndian.Uint16(data[at:]))
		start += stride
	}
}

func load32(d, addr *vector, data []byte, start, stride uint64) {
	for i := range d {
		at := start + addr[i]
		d[i] = uint64(binary.LittleEndian.Uint32(data[at:]))
		start += stride
	}
}

func load64(d, addr *vector, data []byte, start, stride uint64) {
	for i := range d {
		at := start + addr[i]
		d[i] = binary.LittleEndian.Uint64(data[at:])
		start += stride
	}
}

func (v *vector) signExtend(bytes int, width uint64) {
	for i, x := range v {
		v[i] = signExtend(x, bytes) & width
	}
}

func signExtend(x uint64, bytes int) uint64 {
	shift := 64 - 8*uint(bytes)
	return uint64(int64(x<<shift) >> shift)
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
