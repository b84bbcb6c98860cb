package standin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warpbound/internal/cuda"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/sim/scoreboard"
)

// function is a kernel of a loaded module.
type function struct {
	module    *module
	code      *emu.Code
	sim       *scoreboard.Sim
	registers int // per thread
}

// Attributes implements cuda.Function.
func (f *function) Attributes() cuda.FunctionAttributes {
	maximum := int(f.module.gpu.machine.SM.CTAThreads.Value)
	for maximum > 0 {
		if n, err := f.Occupancy(maximum, 0); err == nil && n > 0 {
			break
		}
		maximum -= warpSize
	}
	return cuda.FunctionAttributes{
		Registers: f.registers, SharedBytes: f.code.SharedBytes(), LocalBytes: f.code.LocalBytes(), MaxThreads: max(maximum, 0),
	}
}

// Occupancy implements cuda.Function.
func (f *function) Occupancy(threads, dynamicShared int) (int, error) {
	if threads < 1 || dynamicShared < 0 {
		return 0, fmt.Errorf("CTAs of %d threads with %d bytes of dynamic shared memory", threads, dynamicShared)
	}
	occ, err := f.fit(cuda.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, DynamicShared: dynamicShared})
	if err != nil {
		return 0, nil // what does not fit is held no time
	}
	return occ.CTAs, nil
}

func (f *function) fit(l cuda.Launch) (machine.Occupancy, error) {
	return f.module.gpu.machine.Fit(machine.Launch{
		Grid: l.Grid, Block: l.Block, Registers: f.registers,
		StaticShared: f.code.SharedBytes(), DynamicShared: l.DynamicShared, Local: f.code.LocalBytes(),
	})
}

// Launch implements cuda.Function. The time is that of the kernel alone.
func (f *function) Launch(ctx context.Context, l cuda.Launch) (time.Duration, error) {
	g, name := f.module.gpu, f.code.Kernel().Name
	if g.lost != nil {
		return 0, g.lost
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if _, err := f.fit(l); err != nil {
		return 0, fmt.Errorf("%w: kernel %s: %w", cuda.ErrLaunch, name, err)
	}
	result, err := f.sim.Run(ctx, emu.Launch{
		Grid: l.Grid, Block: l.Block, DynamicShared: l.DynamicShared, Params: l.Params, Vars: f.module.vars,
	}, &g.memory, nil)
	if err == nil {
		return time.Duration(g.machine.Nanoseconds(result.Cycles)), nil
	}
	if fault, ok := errors.AsType[*emu.Fault](err); ok {
		g.lost = fmt.Errorf("%w: a kernel faulted", cuda.ErrLost)
		at, thread := fault.CTA, fault.Thread
		return 0, &cuda.Fault{Kernel: name, Line: int(fault.Instr.Pos.Line), Err: fmt.Errorf("CTA (%d,%d,%d), thread (%d,%d,%d): %s: %w",
			at[0], at[1], at[2], thread[0], thread[1], thread[2], fault.Kernel.Format(fault.Instr), fault.Err)}
	}
	stuck, ok := errors.AsType[*sim.StuckError](err)
	if ok { // where its warps were is in the lines of a text that the user does not see
		err = fmt.Errorf("cycle %d: %w; %d of %d CTAs have started, %d have ended", stuck.Cycle, stuck.Err, stuck.Started, stuck.CTAs, stuck.Done)
	}
	if ok || ctx.Err() != nil {
		g.lost = fmt.Errorf("%w: a kernel did not terminate", cuda.ErrLost)
		return 0, fmt.Errorf("kernel %s: %w: %w", name, cuda.ErrTimeout, err)
	}
	return 0, fmt.Errorf("%w: %w", cuda.ErrLaunch, err)
}
