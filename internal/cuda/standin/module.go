package standin

import (
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/cuda"
	"warpbound/internal/emu"
	"warpbound/internal/flow"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/sim"
	"warpbound/internal/sim/scoreboard"
)

// Load implements cuda.Device. As a GPU's compiler does, it rejects a module for what is
// wrong in any of its kernels.
func (g *gpu) Load(src []byte) (cuda.Module, error) {
	if g.lost != nil {
		return nil, g.lost
	}
	m := &module{gpu: g, functions: make(map[string]*function)}
	if err := m.build(src); err != nil {
		return nil, &cuda.BuildError{Err: errors.New("its PTX is not accepted"), Log: messages(err)}
	}
	vars, err := g.memory.Define(isa.Statics(m.program))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", cuda.ErrMemory, err)
	}
	m.vars = vars
	return m, nil
}

// module is a loaded module.
type module struct {
	gpu       *gpu
	program   *isa.Program
	functions map[string]*function
	vars      map[diag.Pos]uint64 // addresses of variables by the places that declare them
	log       []cuda.Message
}

// build compiles all kernels.
func (m *module) build(src []byte) error {
	const name = "" // the module has no file
	tree, err := ptx.Parse(name, src)
	if err != nil {
		return err
	}
	if m.program, err = ptx.Lower(tree); err != nil {
		return err
	}
	var refused diag.List // a driver builds the whole module or nothing
	for _, w := range m.program.Warnings {
		if w.ID == "refused-statement" {
			refused.Add(diag.Errorf(w.Pos, "%s", w.Text))
		}
	}
	if err := refused.Err(); err != nil {
		return err
	}
	for _, v := range isa.Statics(m.program) {
		if v.Extern {
			return diag.Errorf(v.Pos, "unresolved extern variable %s", v.Name)
		}
	}
	for _, w := range m.program.Warnings {
		m.log = append(m.log, cuda.Message{Severity: cuda.Warning, Line: int(w.Pos.Line), Text: w.Text})
	}
	for _, f := range m.program.Entries() {
		if err := m.compile(f.Name); err != nil {
			return err
		}
	}
	return nil
}

// compile makes a kernel ready for the simulator.
func (m *module) compile(name string) error {
	k, err := isa.Link(m.program, name)
	if err != nil {
		return err
	}
	g, err := cfg.Build(k)
	if err != nil {
		return err
	}
	code, err := emu.Decode(k, g)
	if err != nil {
		return err
	}
	machine := m.gpu.machine
	f := &function{module: m, code: code, registers: flow.Allocated(g)}
	f.sim, err = scoreboard.New(sim.Config{
		Code: code, Machine: machine, RegsPerThread: f.registers,
		MaxCycles: m.gpu.limit, Clocks: clocks(int(machine.SM.Count.Value)),
	})
	if err != nil {
		return err
	}
	m.functions[name] = f
	return nil
}

// clocks returns what the clocks of n SMs show when a kernel begins: numbers that are far
// from each other, in no order.
func clocks(n int) []uint64 {
	origins := make([]uint64, n)
	for i := range origins {
		origins[i] = 1<<40 + uint64(i*7919%n)*0x1_0123_4567
	}
	return origins
}

// messages makes messages of an error of a front end.
func messages(err error) []cuda.Message {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var all []cuda.Message
		for _, e := range list.Unwrap() {
			all = append(all, messages(e)...)
		}
		return all
	}
	if at, ok := errors.AsType[*diag.Error](err); ok {
		return []cuda.Message{{Severity: cuda.Error, Line: int(at.Pos.Line), Text: at.Err.Error()}}
	}
	return []cuda.Message{{Severity: cuda.Error, Text: err.Error()}}
}

// Function implements cuda.Module.
func (m *module) Function(name string) (cuda.Function, error) {
	f := m.functions[name]
	if f == nil {
		return nil, fmt.Errorf("kernel %s: %w", name, cuda.ErrNotFound)
	}
	return f, nil
}

// Global implements cuda.Module.
func (m *module) Global(name string) (cuda.Pointer, int, error) {
	for i := range m.program.Vars {
		v := &m.program.Vars[i]
		if at, ok := m.vars[v.Pos]; ok && v.Name == name {
			return cuda.Pointer(at), v.Bytes, nil
		}
	}
	return 0, 0, fmt.Errorf("variable %s: %w", name, cuda.ErrNotFound)
}

// Log implements cuda.Module.
func (m *module) Log() []cuda.Message { return m.log }

// Unload implements cuda.Module.
func (m *module) Unload() error {
	for _, at := range m.vars {
		m.gpu.memory.Free(at)
	}
	m.vars = nil
	clear(m.functions)
	return nil
}
