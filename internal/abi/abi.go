// Package abi is the address map of a launch: where its memories lie, how large they may be
// and how buffers are aligned in them.
//
// Generic addresses and the addresses within a space are the same numbers:
//
//	0x0100_0000  shared memory of the CTA, up to 16 MiB
//	0x0200_0000  local memory of the thread, up to 512 KiB
//	0x0300_0000  kernel parameters
//	0x1000_0000  global and constant memory, upward
//
// Caches see two ranges besides, in which no address of a kernel lies: the local memory of
// all threads of a machine, and what a CPU does not share with the kernel.
//
// abi imports nothing of the project.
package abi

// Where the windows of the address map begin.
const (
	SharedBase = 0x0100_0000
	LocalBase  = 0x0200_0000
	ParamBase  = 0x0300_0000
	GlobalBase = 0x1000_0000
)

// The sizes of the windows in bytes.
const (
	MaxShared = LocalBase - SharedBase // of a CTA, which is its window
	MaxLocal  = 512 << 10              // of a thread, which is what devices have
	MaxGlobal = 16 << 30               // of one run, global and constant memory with the gaps between buffers
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

// ParamAddress returns the address of a byte of the parameter block.
func ParamAddress(offset int) uint64 { return ParamBase + uint64(offset) }

// AlignUp returns the lowest multiple of align that is not below x.
func AlignUp(x, align uint64) uint64 { return (x + align - 1) / align * align }
