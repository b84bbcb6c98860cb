package workload

import (
	"context"

	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/semantics"
)

// Emulator executes a kernel without time, run after run in the same storage. It may be used by one
// goroutine at a time.
type Emulator struct {
	memory *Memory
	code   *emu.Code
	width  int
	grid   *emu.Grid // nil before the first run
}

// NewEmulator prepares an emulator of a kernel.
func (k *Kernel) NewEmulator() *Emulator { return newEmulator(k, k.Code) }

// newEmulator prepares an emulator of code of a kernel for threads that are not yet scheduled independently.
func newEmulator(k *Kernel, code *emu.Code) *Emulator {
	if k.Machine.IndependentThreads() {
		path, wait := k.Machine.Turns()
		code = code.WithThreads(emu.Turns{Path: path, Wait: wait, Swap: k.Machine.SM.SwapPaths.Value == machine.On})
	}
	return &Emulator{memory: k.NewMemory(), code: code, width: k.width()}
}

// Run executes the kernel on in and returns what was counted.
func (e *Emulator) Run(ctx context.Context, in *job.Inputs) (emu.Counters, error) {
	launch, err := e.memory.Fill(in)
	if err == nil {
		err = e.begin(launch)
	}
	if err != nil {
		return emu.Counters{}, err
	}
	return emu.Run(ctx, e.grid)
}

// begin prepares a launch on what is in memory.
func (e *Emulator) begin(launch emu.Launch) (err error) {
	if e.grid == nil {
		e.grid, err = emu.NewGrid(e.code, launch, e.memory.mem, e.width)
		return err
	}
	return e.grid.Restart(launch, e.memory.mem)
}

// Races returns the data races of the launch so far; none unless Emulation.Races asks for them.
func (e *Emulator) Races() []emu.Race { return e.grid.Races() }

// Image returns what is known of the launch that begins, and the addresses of buffers by parameter of the whole job. It holds
// until the launch is executed.
func (e *Emulator) Image() (*semantics.Launch, []uint64, error) {
	launch, err := semantics.New(e.grid)
	return launch, e.memory.addresses, err
}

// Buffers returns the contents of the buffers after the last Run or before the launch that begins, by parameter; nil for what is
// no buffer. They are valid until the next Run.
func (e *Emulator) Buffers() [][]byte { return e.memory.buffers }
