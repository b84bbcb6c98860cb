// Package abi is the address map of a launch: where its memories lie, how large they may be
// and how buffers are aligned in them.
//
// Generic addresses lie in one space of numbers:
//
//	0x0100_0000  window of the shared memory of the CTA
//	0x0400_0000  window of the local memory of the thread
//	0x0700_0000  window of the kernel parameters
//	0x1000_0000  global and constant memory, upward
//
// An address in shared memory, local memory or the parameters is the offset in its window,
// which begins at 0; to convert it to a generic address is to add where the window begins (PTX
// ISA, "Generic Addressing" and "cvta"). Addresses in global and constant memory are the same
// numbers as generic ones. The bases are chosen so that no two of them, added, lead into a
// window or to global memory: an address that is converted twice, or of which an instruction
// takes the wrong space, lies nowhere. On devices constant memory is a window, too.
//
// Caches see two ranges besides, in which no address of a kernel lies: the local memory of
// all threads of a machine, and what a CPU does not share with the kernel.
//
// abi imports nothing of the project.
package abi

// Where the windows of the address map begin.
const (
	SharedBase = 0x0100_0000
	LocalBase  = 0x0400_0000
	ParamBase  = 0x0700_0000
	GlobalBase = 0x1000_0000
)

// WindowBytes is the size of each window.
const WindowBytes = 16 << 20

// The sizes of the memories in bytes.
const (
	MaxShared = WindowBytes // of a CTA
	MaxLocal  = 512 << 10   // of a thread, which is what devices have
	MaxGlobal = 16 << 30    // of one run, global and constant memory with the gaps between buffers
)

// How buffers lie in global memory, in bytes.
const (
	BufferAlign = 256      // the alignment of buffers, and of pointers to shared memory that a job passes
	BufferGap   = 16 << 10 // between buffers at least, so that an access beyond one hits none
)

// Where the ranges begin that only caches see.
const (
	CachedLocalBase = 1 << 44 // the local memory of all threads of a machine
	CPUBase         = 1 << 45 // the memory of a CPU that it does not share with the kernel
)

// Region is a range of addresses.
type Region struct{ Addr, Bytes uint64 }

// InWindow reports whether a generic address lies in the window that begins at a base.
func InWindow(base, addr uint64) bool { return addr-base < WindowBytes }

// ParamAddress returns the generic address of a byte of the parameter block.
func ParamAddress(offset int) uint64 { return ParamBase + uint64(offset) }

// AlignUp returns the lowest multiple of align that is not below x.
func AlignUp(x, align uint64) uint64 { return (x + align - 1) / align * align }
