// Package target runs launches of a kernel: Target is what the measured methods
// need of whatever executes it, and Simulator is the target that is always there.
//
// It joins job, emu and sim. It must not import the methods or the renderers.
package target

import (
	"context"
	"io"

	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/sim/barrel"
	"warpbound/internal/sim/integrated"
	"warpbound/internal/sim/scoreboard"
	"warpbound/internal/sim/split"
	"warpbound/internal/trace"
)

// Target executes one kernel again and again, each time on other inputs. It may
// be used by one goroutine at a time.
type Target interface {
	// Run executes the kernel on in and fills tr, unless it is nil, with the Ipoint
	// records of the run. The outcome is valid until the next Run.
	Run(ctx context.Context, in *job.Inputs, tr *trace.Run) (*Outcome, error)
}

// Outcome is what a run gave.
type Outcome struct {
	Cycles      int64    // from launch to last retirement, of all launches together
	*sim.Result          // the simulator's figures, likewise; nil if the target is none
	Buffers     [][]byte // contents after the run, by parameter; nil for what is no buffer
	Rounds      int      // of the launches that the job repeats; 1 if it has one launch
	Launches    []Launch // by kernel of a round, in their order
}

// Launch adds up the launches of one of the kernels of a run.
type Launch struct {
	Kernel string
	Cycles int64
}

// Config says what a Simulator executes.
type Config struct {
	Job       *job.Bound
	Code      *emu.Code // of the job's kernel
	Machine   *machine.Machine
	Registers int             // per thread
	Ipoints   []trace.Ipoint  // by instruction; trace.None where there is none
	MaxCycles int64           // limit of one run in cycles; 0 for the simulator's own
	Out       io.Writer       // where what the kernel prints goes; nil for nowhere
	Observe   func(*sim.Step) // as in sim.Config

	Access func(*sim.LLCAccess) // as in sim.Config
}

// memory lays the arguments of a job out in simulated memory, run after run in
// the same storage.
type memory struct {
	job       *job.Bound
	mem       *emu.Memory
	dynamic   int      // bytes of dynamic shared memory
	addresses []uint64 // by parameter
	buffers   [][]byte // by parameter; nil for what is no buffer
	params    []byte   // the parameter block
}

// newMemory prepares the memory of a job. Shared pointers follow the dynamic
// shared memory that the job asks for.
func newMemory(b *job.Bound, code *emu.Code) *memory {
	params := b.Job.Params
	m := &memory{
		job: b, mem: new(emu.Memory), dynamic: b.Job.Shared,
		addresses: make([]uint64, len(params)),
		buffers:   make([][]byte, len(params)),
	}
	base := code.DynamicSharedBase()
	for i, p := range params {
		if p.Kind == job.SharedPtr {
			at := abi.AlignUp(base+uint64(m.dynamic), abi.BufferAlign)
			m.addresses[i] = at
			m.dynamic = int(at-base) + p.Bytes
		}
	}
	return m
}

// fill puts the buffers of in into memory and returns the launch on them.
func (m *memory) fill(in *job.Inputs) (emu.Launch, error) {
	m.mem.Reset()
	for i, p := range m.job.Job.Params {
		if p.Kind != job.Buffer {
			continue
		}
		addr, err := m.mem.Alloc(p.Name, len(in.Buffers[i]))
		if err != nil {
			return emu.Launch{}, diag.Errorf(p.Pos, "%w", err)
		}
		m.addresses[i], m.buffers[i] = addr, m.mem.Bytes(addr)
		copy(m.buffers[i], in.Buffers[i])
	}
	return m.launch(in), nil
}

// launch is the launch on what is in memory, with the numbers of in.
func (m *memory) launch(in *job.Inputs) emu.Launch {
	m.params = m.job.ParamBlock(m.params, in, func(param int) uint64 { return m.addresses[param] })
	launch := m.shape()
	launch.Params = m.params
	return launch
}

// shape is the launch without its arguments.
func (m *memory) shape() emu.Launch {
	return emu.Launch{Grid: m.job.Job.Grid, Block: m.job.Job.Block, DynamicShared: m.dynamic}
}

// simulator is what the simulators of all cores have in common.
type simulator interface {
	Run(context.Context, emu.Launch, *emu.Memory, *trace.Run) (*sim.Result, error)
}

// newSimulator makes the simulator of the machine's core.
func newSimulator(cfg sim.Config) (simulator, error) {
	switch cfg.Machine.Core {
	case machine.Barrel:
		return barrel.New(cfg)
	case machine.Splitting:
		return split.New(cfg)
	case machine.Integrated:
		return integrated.New(cfg)
	}
	return scoreboard.New(cfg)
}

// Simulator is the cycle-level simulator as a target.
type Simulator struct {
	memory  *memory
	sim     simulator
	out     io.Writer
	outcome Outcome
	kernel  [1]Launch
}

// NewSimulator prepares a simulator. It is an error if the launch does not fit the
// machine.
func NewSimulator(cfg Config) (*Simulator, error) {
	if _, err := Occupancy(cfg.Job, cfg.Code, cfg.Machine, cfg.Registers); err != nil {
		return nil, err
	}
	memory := newMemory(cfg.Job, cfg.Code)
	s, err := newSimulator(sim.Config{
		Code: cfg.Code, Machine: cfg.Machine, RegsPerThread: cfg.Registers,
		Ipoints: cfg.Ipoints, MaxCycles: cfg.MaxCycles, Observe: cfg.Observe, Access: cfg.Access,
		CPU: memory.cpu(),
	})
	if err != nil {
		return nil, err
	}
	return &Simulator{memory: memory, sim: s, out: cfg.Out}, nil
}

// Run implements Target.
func (t *Simulator) Run(ctx context.Context, in *job.Inputs, tr *trace.Run) (*Outcome, error) {
	launch, err := t.memory.fill(in)
	if err != nil {
		return nil, err
	}
	result, err := t.execute(ctx, launch, tr)
	if err != nil {
		return nil, err
	}
	t.kernel[0] = Launch{Kernel: t.memory.job.Kernel.Name, Cycles: result.Cycles}
	t.outcome = Outcome{Cycles: result.Cycles, Result: result, Buffers: t.memory.buffers, Rounds: 1, Launches: t.kernel[:]}
	return &t.outcome, nil
}

// execute runs a launch on what is in memory.
func (t *Simulator) execute(ctx context.Context, launch emu.Launch, tr *trace.Run) (*sim.Result, error) {
	launch.Out = t.out
	return t.sim.Run(ctx, launch, t.memory.mem, tr)
}

// Emulator executes the kernel of a job without timing, run after run in the same
// storage. It may be used by one goroutine at a time.
type Emulator struct {
	memory *memory
	code   *emu.Code
	width  int
	grid   *emu.Grid // nil before the first run
}

// NewEmulator prepares an emulator of warps of width lanes.
func NewEmulator(b *job.Bound, code *emu.Code, width int) *Emulator {
	return &Emulator{memory: newMemory(b, code), code: code, width: width}
}

// Run executes the kernel on in and returns what was counted.
func (e *Emulator) Run(ctx context.Context, in *job.Inputs) (emu.Counters, error) {
	launch, err := e.memory.fill(in)
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

// Buffers returns the contents of the buffers after the last Run, by parameter; nil for
// what is no buffer. They are valid until the next Run.
func (e *Emulator) Buffers() [][]byte { return e.memory.buffers }

// Prepare returns the grid of a job on in, ready to run in warps of width lanes, and the
// addresses of its buffers by parameter.
func Prepare(b *job.Bound, code *emu.Code, in *job.Inputs, width int) (*emu.Grid, []uint64, error) {
	memory := newMemory(b, code)
	launch, err := memory.fill(in)
	if err != nil {
		return nil, nil, err
	}
	grid, err := emu.NewGrid(code, launch, memory.mem, width)
	return grid, memory.addresses, err
}

// Occupancy returns how many CTAs of a job an SM of the machine holds at a time. It is
// an error if the launch does not fit.
func Occupancy(b *job.Bound, code *emu.Code, m *machine.Machine, registers int) (machine.Occupancy, error) {
	launch := newMemory(b, code).shape()
	occ, err := m.Fit(machine.Launch{
		Grid: launch.Grid, Block: launch.Block, Registers: registers,
		StaticShared: code.SharedBytes(), DynamicShared: launch.DynamicShared, Local: code.LocalBytes(),
	})
	if err != nil {
		return occ, diag.Errorf(b.Job.Pos.Block, "%w", err)
	}
	return occ, nil
}
