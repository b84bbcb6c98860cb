package emu

import (
	"errors"

	"warpbound/internal/abi"
	"warpbound/internal/isa"
)

// HeapBytes is the size of the heap from which kernels allocate: what CUDA has
// unless a host asks for more.
const HeapBytes = 8 << 20

// heapName is the name of the buffers of the heap, and freedName that of those
// that were given back. Their addresses are not used again.
const (
	heapName  = "an object of the heap"
	freedName = "an object of the heap that was freed"
)

// malloc makes a buffer of the heap, aligned like all buffers. It returns 0 if
// the heap has not so many bytes left.
func (m *Memory) malloc(size uint64) uint64 {
	if size == 0 || size > HeapBytes-m.heap {
		return 0
	}
	b, err := m.allocBuffer(heapName, isa.Global, int(size), abi.BufferAlign)
	if err != nil {
		return 0
	}
	m.next -= abi.BufferGap - abi.BufferAlign // objects may be small and many
	m.heap += size
	return b.base
}

// free gives a buffer of the heap back. Later accesses to it are out of bounds.
func (m *Memory) free(addr uint64) error {
	if addr == 0 {
		return nil
	}
	var b *region
	if addr >= abi.GlobalBase {
		b = m.find(addr)
	}
	switch {
	case b != nil && b.name == freedName:
		return errors.New("the object of the heap is freed a second time")
	case b == nil || b.name != heapName || b.base != addr:
		return errors.New("the address is none that malloc returned")
	}
	m.heap -= b.size
	b.name, b.size = freedName, 0
	return nil
}
