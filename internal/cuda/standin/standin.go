// Package standin stands in for the driver of a GPU: a cuda.Driver with one device, which
// compiles PTX as the analyses do and runs it on the simulator of a machine. What is built
// on package cuda can so be used and tested without a GPU.
//
// Times are those of the machine: cycles at its clock. The clock that a kernel reads
// begins at another number on each SM, as those of GPUs do. What a kernel prints is
// dropped. PTX of every version and target is accepted.
//
// standin must not import the methods or the runners of jobs.
package standin

import (
	"fmt"

	"warpbound/internal/cuda"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// MemoryBytes is the global memory of a device in bytes.
const MemoryBytes = 1 << 30

// Driver is a driver with one device that a machine stands for.
type Driver struct {
	machine *machine.Machine
	limit   int64 // of a launch in cycles
}

// New returns a driver. The machine must have a scoreboard and warps of 32 threads, as
// PTX means them.
func New(m *machine.Machine) (*Driver, error) {
	if m.Core != machine.Scoreboard {
		return nil, fmt.Errorf("%s has %s: only machines with a scoreboard can stand in for a GPU", m.Name, m.Core.Named())
	}
	if n := m.SM.WarpSize.Value; n != warpSize {
		return nil, fmt.Errorf("%s has warps of %d threads: only machines with %d can stand in for a GPU", m.Name, n, warpSize)
	}
	return &Driver{machine: m, limit: sim.DefaultCycles}, nil
}

// WithLimit returns a driver on whose device a launch that takes more cycles has not ended in
// time. Without it that is the simulator's own limit.
func (d *Driver) WithLimit(cycles int64) cuda.Driver {
	return &Driver{machine: d.machine, limit: cycles}
}

// warpSize is the number of threads of a warp that PTX means.
const warpSize = 32

// Version implements cuda.Driver: it is no version of CUDA.
func (d *Driver) Version() cuda.Version { return cuda.Version{} }

// Devices implements cuda.Driver.
func (d *Driver) Devices() (int, error) { return 1, nil }

// Open implements cuda.Driver.
func (d *Driver) Open(device int) (cuda.Device, error) {
	if device != 0 {
		return nil, fmt.Errorf("%w: number %d of 1", cuda.ErrNoDevice, device)
	}
	return &gpu{machine: d.machine, limit: d.limit, allocated: make(map[cuda.Pointer]int)}, nil
}

// gpu is a device.
type gpu struct {
	machine   *machine.Machine
	limit     int64 // of a launch in cycles
	memory    emu.Memory
	allocated map[cuda.Pointer]int // bytes of what Alloc returned
	used      int                  // of MemoryBytes
	lost      error                // why the device cannot be used any more
}

// Attributes implements cuda.Device. The capability is zero.
func (g *gpu) Attributes() cuda.Attributes {
	m := g.machine
	sm := &m.SM
	khz := func(hz int64) int { return int(hz / 1000) }
	threads := int(sm.CTAThreads.Value)
	const maximum = 1<<31 - 1
	return cuda.Attributes{
		Name: m.Name, MemoryBytes: MemoryBytes, SMs: int(sm.Count.Value), WarpSize: warpSize,
		ClockKHz: khz(m.Clock.Core.Value), MemoryKHz: khz(m.Clock.DRAM.Value),
		L2Bytes:    int(m.L2.Partitions.Value * m.L2.Sets.Value * m.L2.Ways.Value * m.L2.Line.Value),
		CTAThreads: threads, CTAShared: int(sm.Shared.Value), CTARegisters: int(sm.Registers.Value),
		SMThreads: int(min(sm.Threads.Value, sm.Warps.Value*warpSize)), SMCTAs: int(sm.CTAs.Value),
		SMShared: int(sm.Shared.Value), SMRegisters: int(sm.Registers.Value),
		MaxBlock: [3]int{threads, threads, threads}, MaxGrid: [3]int{maximum, maximum, maximum},
	}
}

// Alloc implements cuda.Device.
func (g *gpu) Alloc(bytes int) (cuda.Pointer, error) {
	if g.lost != nil {
		return 0, g.lost
	}
	if bytes < 1 {
		return 0, fmt.Errorf("an allocation of %d bytes", bytes)
	}
	if bytes > MemoryBytes-g.used {
		return 0, fmt.Errorf("%w: %d bytes asked for, %d of %d in use", cuda.ErrMemory, bytes, g.used, MemoryBytes)
	}
	at, err := g.memory.Alloc("allocated", bytes)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", cuda.ErrMemory, err)
	}
	g.allocated[cuda.Pointer(at)] = bytes
	g.used += bytes
	return cuda.Pointer(at), nil
}

// Free implements cuda.Device.
func (g *gpu) Free(p cuda.Pointer) error {
	if g.lost != nil {
		return g.lost
	}
	bytes, ok := g.allocated[p]
	if !ok {
		return fmt.Errorf("0x%x is not the address of an allocation", uint64(p))
	}
	g.memory.Free(uint64(p))
	g.used -= bytes
	delete(g.allocated, p)
	return nil
}

// Write implements cuda.Device.
func (g *gpu) Write(p cuda.Pointer, data []byte) error {
	to, err := g.contents(p, len(data))
	if err != nil {
		return err
	}
	copy(to, data)
	return nil
}

// Read implements cuda.Device.
func (g *gpu) Read(p cuda.Pointer, data []byte) error {
	from, err := g.contents(p, len(data))
	if err != nil {
		return err
	}
	copy(data, from)
	return nil
}

// contents returns bytes of global memory.
func (g *gpu) contents(p cuda.Pointer, n int) ([]byte, error) {
	if g.lost != nil {
		return nil, g.lost
	}
	data := g.memory.Contents(uint64(p), n)
	if data == nil {
		return nil, fmt.Errorf("%d bytes at 0x%x are not all in one allocation", n, uint64(p))
	}
	return data, nil
}

// Conditions implements cuda.Device: clocks are steady and nobody else is there.
func (g *gpu) Conditions() cuda.Conditions {
	a := g.Attributes()
	return cuda.Conditions{ClockKHz: a.ClockKHz, MemoryKHz: a.MemoryKHz}
}

// Close implements cuda.Device.
func (g *gpu) Close() error {
	g.memory.Reset()
	g.lost = fmt.Errorf("%w: it was closed", cuda.ErrLost)
	return nil
}
