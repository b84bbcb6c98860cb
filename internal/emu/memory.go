package emu

import (
	"fmt"
	"sort"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// granule is the number of bytes for which Memory notes an owner: no two buffers share one.
const granule = abi.BufferAlign

// Memory is the global and constant memory of one run: buffers with names, far
// enough apart that an access beyond one hits none. The zero Memory is empty and
// ready to use. It may be used by one goroutine at a time.
type Memory struct {
	buffers []region // by ascending address
	next    uint64   // offset from GlobalBase of the next buffer
	heap    uint64   // bytes that kernels have allocated
	unset   bool     // there are buffers without contents
	owner   []int32  // of each granule from GlobalBase: index of its buffer plus one

	reserved bool // there are buffers without bytes: granules from the first of them on have no owner
}

// region is a range of addresses of one space with the bytes behind it. For
// local memory the same addresses stand for other bytes in each lane: those of
// lane i begin i strides into data.
type region struct {
	name    string
	space   isa.Space
	base    uint64
	size    uint64 // bytes, of one lane
	stride  uint64 // bytes
	data    []byte
	forbids uint8 // a bit for each AccessKind that is a fault

	written *written // nil where that is not watched
}

// Alloc makes a buffer of size zero bytes, aligned to 256 bytes, and returns its
// address. The name is for messages and need not be unique.
func (m *Memory) Alloc(name string, size int) (uint64, error) {
	b, err := m.allocBuffer(name, isa.Global, size, abi.BufferAlign)
	if err != nil {
		return 0, err
	}
	return b.base, nil
}

// Reserve is Alloc of a buffer that has a place and no bytes. It takes no memory, whatever the size, and no
// kernel can run.
func (m *Memory) Reserve(name string, size int) (uint64, error) {
	m.reserved = true
	b, err := m.reserveBuffer(name, isa.Global, size, abi.BufferAlign)
	if err != nil {
		return 0, err
	}
	b.data = nil
	return b.base, nil
}

// allocBuffer makes a buffer of zero bytes.
func (m *Memory) allocBuffer(name string, space isa.Space, size, align int) (*region, error) {
	b, err := m.reserveBuffer(name, space, size, align)
	if err != nil {
		return nil, err
	}
	b.data = sized(b.data, size)
	clear(b.data)
	return b, nil
}

// reserveBuffer finds a place for a buffer. It has the storage of the run before.
func (m *Memory) reserveBuffer(name string, space isa.Space, size, align int) (*region, error) {
	start := abi.AlignUp(m.next, uint64(max(align, abi.BufferAlign)))
	if size < 0 || uint64(size) > abi.MaxGlobal || start+uint64(size) > abi.MaxGlobal {
		return nil, fmt.Errorf("buffer %s of %d bytes does not fit into %d bytes of global memory", name, size, int64(abi.MaxGlobal))
	}
	i := len(m.buffers)
	if i < cap(m.buffers) {
		m.buffers = m.buffers[:i+1] // with the storage of the run before
	} else {
		m.buffers = append(m.buffers, region{})
	}
	b := &m.buffers[i]
	*b = region{name: name, space: space, base: abi.GlobalBase + start, size: uint64(size), data: b.data}
	if b.readOnly() {
		b.forbids = forbid(Store, Atomic)
	}
	end := abi.AlignUp(start+uint64(max(size, 1)), granule)
	m.next = end + abi.BufferGap
	if m.reserved {
		return b, nil
	}
	for uint64(len(m.owner))*granule < start {
		m.owner = append(m.owner, 0)
	}
	for uint64(len(m.owner))*granule < end {
		m.owner = append(m.owner, int32(i+1))
	}
	return b, nil
}

// Skip leaves so many bytes free before the next buffer, beyond the gap that there is between buffers.
func (m *Memory) Skip(bytes uint64) { m.next += bytes }

// Free removes the buffer that begins at addr. Its address is not used again before the
// next Reset. It reports whether there is such a buffer.
func (m *Memory) Free(addr uint64) bool {
	b := m.find(addr)
	if b == nil || b.base != addr || b.data == nil {
		return false
	}
	b.name, b.size, b.data = "a buffer that was freed", 0, nil
	return true
}

// Bytes returns the contents of the buffer that begins at addr, nil if there is
// none. They may be read and written until the next Reset.
func (m *Memory) Bytes(addr uint64) []byte {
	if b := m.findReserved(addr); b != nil && b.base == addr {
		return b.data
	}
	return nil
}

// Contents returns n bytes from addr, which need not be the beginning of a buffer; nil if
// they do not lie in one that has bytes. They are valid as those of Bytes.
func (m *Memory) Contents(addr uint64, n int) []byte {
	r := m.findReserved(addr)
	if r == nil || addr-r.base > uint64(len(r.data)) || uint64(len(r.data))-(addr-r.base) < uint64(n) {
		return nil
	}
	return r.data[addr-r.base:][:n]
}

// Reset removes all buffers. Their storage is used again by later ones, so that
// runs with buffers of equal sizes allocate nothing.
func (m *Memory) Reset() {
	m.buffers = m.buffers[:0]
	m.owner = m.owner[:0]
	m.next, m.heap, m.unset, m.reserved = 0, 0, false, false
}

// find returns the buffer whose granules hold addr, nil if there is none. The
// address may lie between the buffer's end and that of its last granule.
func (m *Memory) find(addr uint64) *region {
	g := (addr - abi.GlobalBase) / granule
	if g >= uint64(len(m.owner)) || m.owner[g] == 0 {
		return nil
	}
	return &m.buffers[m.owner[g]-1]
}

// findReserved is find in memory that may have reserved buffers.
func (m *Memory) findReserved(addr uint64) *region {
	if !m.reserved {
		return m.find(addr)
	}
	i := sort.Search(len(m.buffers), func(i int) bool { return m.buffers[i].base > addr }) - 1
	if i < 0 || addr-m.buffers[i].base >= abi.AlignUp(max(m.buffers[i].size, 1), granule) {
		return nil
	}
	return &m.buffers[i]
}

// nearest returns the buffer closest to addr, nil if there is none.
func (m *Memory) nearest(addr uint64) *region {
	n := len(m.buffers)
	if n == 0 {
		return nil
	}
	i := sort.Search(n, func(i int) bool { return m.buffers[i].base > addr })
	best := &m.buffers[min(i, n-1)]
	if i > 0 {
		if below := &m.buffers[i-1]; i == n || addr-below.end() < best.base-addr || addr < below.end() {
			best = below
		}
	}
	return best
}

func (r *region) end() uint64 { return r.base + r.size }
