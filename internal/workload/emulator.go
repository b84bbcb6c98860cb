package workload

import (
	"context"

	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/machine"
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
func (k *Kernel) NewEmulator() *Emulator {
	code := k.Code
	if k.Machine.IndependentThreads() {
		path, wait := k.Machine.Turns()
		code = code.WithThreads(emu.Turns{Path: path, Wait: wait, Swap: k.Machine.SM.SwapPaths.Value == machine.On})
	}
	return &Emulator{memory: k.NewMemory(), code: code, width: k.width()}
}

// Run executes the kernel on in and returns what was counted.
func (e *Emulator) Run(ctx context.Context, in *job.Inputs) (emu.Counters, error) {
	launch, err := e.memory.Fill(in)
	if err != nil {
		return emu.Counters{}, err
	}
	if e.grid == nil {
		e.grid, err = emu.NewGrid(e.code, launch, e.memory.mem, e.width)
	} else {
		err = e.grid.Restart(launch, e.memory.mem)
	}
	if err != nil {
		return emu.Counters{}, err
	}
	return emu.Run(ctx, e.grid)
}

// Buffers returns the contents of the buffers after the last Run, by parameter; nil for what is no buffer.
// They are valid until the next Run.
func (e *Emulator) Buffers() [][]byte { return e.memory.buffers }
