package emu

import (
	"encoding/binary"
	"fmt"
	"math/bits"

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
	if r == nil {
		return op.each(w, mask, eff)
	}
	for k := range w.chunks() {
		addr := eff.Access.chunk(k)
		start := uint64(k*lanes)*r.stride - r.base
		for i, s := range op.elems {
			x, data, m := w.vecs[k][s], r.data[i*op.bytes:], half(mask, k)
			switch op.bytes {
			case 1:
				store8(x, addr, data, start, r.stride, m)
			case 2:
				store16(x, addr, data, start, r.stride, m)
			case 4:
				store32(x, addr, data, start, r.stride, m)
			default:
				store64(x, addr, data, start, r.stride, m)
			}
		}
	}
	return nil
}

// each stores lane by lane, for lanes in several regions.
func (op *store) each(w *Warp, mask uint64, eff *Effect) error {
	for m := mask; m != 0; m &= m - 1 {
		lane := first(m)
		data, err := op.bytesOf(w, lane, eff)
		if err != nil {
			return err
		}
		for i, s := range op.elems {
			put(data[i*op.bytes:], op.bytes, w.at(s, lane))
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
	lane := first(mask)
	lead := op.address(w, lane)
	r := w.region(lead)
	if r == nil || !op.permits(r) {
		acc.Addr[lane] = lead
		return nil, op.fault(w, lane, eff)
	}
	last := r.size - uint64(op.total)
	var at, left uint64
	for k := range w.chunks() {
		addr, base := acc.chunk(k), w.vecs[k][op.base]
		if op.indexed {
			add[uint64](addr, base, w.vecs[k][op.index], nil)
			base = addr
		}
		if m := half(mask, k); ^m != 0 {
			for i, a := range base {
				if m>>i&1 == 0 {
					a = lead - op.offset
				}
				addr[i] = a
			}
			base = addr
		}
		o, l := addresses(addr, base, op.offset, op.wrap, r.base, last)
		at |= o
		left |= l
	}
	if int64(at|left) < 0 || at&uint64(op.total-1) != 0 {
		return nil, op.resolve(w, mask, eff)
	}
	acc.Space = r.space
	acc.Lanes[r.space] = mask
	return r, nil
}

// addresses computes addresses. In the union of their distances from the start
// of the region, and in that of the distances that are left to the last address
// that is allowed, the top bit tells whether one lies outside; the low bits of the
// former tell whether one is misaligned, since regions are aligned.
func addresses(addr, base *vector, offset, wrap, start, last uint64) (at, left uint64) {
	_, _ = *addr, *base
	for i := range addr {
		a := (base[i] + offset) & wrap
		addr[i] = a
		a -= start
		at |= a
		left |= last - a
	}
	return at, left
}

// address returns the address that a lane accesses.
func (op *access) address(w *Warp, lane int) uint64 {
	a := w.at(op.base, lane) + op.offset
	if op.indexed {
		a += w.at(op.index, lane)
	}
	return a & op.wrap
}

// permits reports whether the access may be one to a region as a whole.
func (op *access) permits(r *region) bool {
	return r.size >= uint64(op.total) && (op.space == isa.Generic || op.space == r.space) && (op.kind == Load || !r.readOnly())
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
	if r == nil || !op.permits(r) || addr-r.base > r.size-uint64(op.total) || addr%uint64(op.total) != 0 {
		return nil, op.fault(w, lane, eff)
	}
	return r.data[addr-r.base+uint64(lane)*r.stride:], nil
}

// fault returns the error that a lane's access is.
func (op *access) fault(w *Warp, lane int, eff *Effect) error {
	addr := eff.Access.Addr[lane]
	fail := func(cause error, format string, args ...any) error {
		return w.fault(int32(eff.PC), lane, fmt.Errorf("%w: %d bytes at 0x%x%s", cause, op.total, addr, fmt.Sprintf(format, args...)))
	}
	switch r := w.region(addr); {
	case r == nil:
		return fail(ErrOutOfBounds, "; %s", w.cta.grid.mem.nearest(addr))
	case op.space != isa.Generic && r.space != op.space:
		return fail(ErrOutOfBounds, " in %s space; the address lies in %s space (%s)", op.space, r.space, r.name)
	case addr-r.base+uint64(op.total) > r.size:
		return fail(ErrOutOfBounds, "; %s is [0x%x, 0x%x)", r.name, r.base, r.end())
	case op.kind != Load && r.readOnly():
		return fail(ErrReadOnly, " in %s", r.name)
	default:
		return fail(ErrMisaligned, " in %s at [0x%x, 0x%x)", r.name, r.base, r.end())
	}
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
	_, _ = *d, *addr
	for i := range d {
		d[i] = uint64(data[start+addr[i]])
		start += stride
	}
}

func load16(d, addr *vector, data []byte, start, stride uint64) {
	_, _ = *d, *addr
	for i := range d {
		at := start + addr[i]
		d[i] = uint64(binary.LittleEndian.Uint16(data[at : at+2 : at+2]))
		start += stride
	}
}

func load32(d, addr *vector, data []byte, start, stride uint64) {
	_, _ = *d, *addr
	for i := range d {
		at := start + addr[i]
		d[i] = uint64(binary.LittleEndian.Uint32(data[at : at+4 : at+4]))
		start += stride
	}
}

func load64(d, addr *vector, data []byte, start, stride uint64) {
	_, _ = *d, *addr
	for i := range d {
		at := start + addr[i]
		d[i] = binary.LittleEndian.Uint64(data[at : at+8 : at+8])
		start += stride
	}
}

// The stores of one element for the lanes of mask in ascending order: that of
// lane i goes to data at start + addr[i] + i strides.

func store8(x, addr *vector, data []byte, start, stride uint64, mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask) % lanes
		data[start+addr[i]+uint64(i)*stride] = byte(x[i])
	}
}

func store16(x, addr *vector, data []byte, start, stride uint64, mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask) % lanes
		at := start + addr[i] + uint64(i)*stride
		binary.LittleEndian.PutUint16(data[at:at+2:at+2], uint16(x[i]))
	}
}

func store32(x, addr *vector, data []byte, start, stride uint64, mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask) % lanes
		at := start + addr[i] + uint64(i)*stride
		binary.LittleEndian.PutUint32(data[at:at+4:at+4], uint32(x[i]))
	}
}

func store64(x, addr *vector, data []byte, start, stride uint64, mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask) % lanes
		at := start + addr[i] + uint64(i)*stride
		binary.LittleEndian.PutUint64(data[at:at+8:at+8], x[i])
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
