package emu

import "warpbound/internal/isa"

// A host may say of a buffer that kernels only read or only write it, or that it has no contents. These
// are promises about a program, which its execution checks.

// forbid returns the bits of kinds of accesses.
func forbid(kinds ...AccessKind) uint8 {
	set := uint8(0)
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// ReadOnly makes it a fault to write the buffer that begins at addr.
func (m *Memory) ReadOnly(addr uint64) { m.find(addr).forbids |= forbid(Store, Atomic) }

// WriteOnly makes it a fault to read the buffer that begins at addr, which atomic operations do, too.
func (m *Memory) WriteOnly(addr uint64) { m.find(addr).forbids |= forbid(Load, Atomic) }

// Filled yields the buffers in global memory that have contents, in the order in which they were made: the address of
// each and its bytes.
func (m *Memory) Filled(yield func(addr, bytes uint64) bool) {
	for i := range m.buffers {
		b := &m.buffers[i]
		if b.space == isa.Global && b.written == nil && !yield(b.base, b.size) {
			return
		}
	}
}

// Unset says that the buffer that begins at addr has no contents: checked code tells of reads of
// what has not been written since (Grid.UninitialisedReads).
func (m *Memory) Unset(addr uint64) {
	r := m.find(addr)
	r.written = new(written)
	r.written.reset(len(r.data))
	m.unset = true
}

// permission says for a message what the host allows.
func (r *region) permission() string {
	if r.forbids == forbid(Load, Atomic) {
		return ", which is only to be written"
	}
	return ", which is only to be read"
}
