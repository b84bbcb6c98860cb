package workload

import (
	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/stream"
)

// Memory lays the arguments of a kernel out in memory, run after run in the same storage. It may be
// used by one goroutine at a time.
type Memory struct {
	job       *job.Bound
	mem       *emu.Memory
	dynamic   int      // bytes of dynamic shared memory
	shared    []uint64 // addresses of shared pointers, by parameter of the launch
	addresses []uint64 // of buffers, by parameter of the whole job
	buffers   [][]byte // likewise; nil for what is no buffer
	params    []byte   // the parameter block

	gaps []uint64 // Kernel.Gaps

	define []isa.Var // variables that have the same place in all launches of a run
	vars   map[diag.Pos]uint64
}

// NewMemory prepares the memory of a kernel. Shared pointers follow the dynamic shared memory that the
// job asks for.
func (k *Kernel) NewMemory() *Memory {
	params, whole := k.Bound.Job.Params, k.Bound.Job.Whole().Params
	m := &Memory{
		job: k.Bound, mem: new(emu.Memory), dynamic: k.Bound.Job.Shared,
		shared:    make([]uint64, len(params)),
		addresses: make([]uint64, len(whole)),
		buffers:   make([][]byte, len(whole)),
		gaps:      k.Gaps,
		define:    k.Vars,
	}
	base := k.Code.DynamicSharedOffset()
	for i, p := range params {
		if p.Kind == job.SharedPtr && p.Arg != job.NoArg {
			at := abi.AlignUp(base+uint64(m.dynamic), abi.BufferAlign)
			m.shared[i] = at
			m.dynamic = int(at-base) + p.Bytes
		}
	}
	return m
}

// Fill puts the buffers of in into memory and returns the launch on them.
func (m *Memory) Fill(in *job.Inputs) (emu.Launch, error) {
	if err := m.placeBuffers(in, m.mem.Alloc); err != nil {
		return emu.Launch{}, err
	}
	for i := range m.buffers {
		if p := &m.job.Job.Whole().Params[i]; p.Kind == job.Buffer {
			m.buffers[i] = m.mem.Bytes(m.addresses[i])
			in.Write(i, m.buffers[i])
			m.permit(p, m.addresses[i])
		}
	}
	for i, data := range m.buffers {
		if data != nil {
			m.job.Job.Relocate(i, data, m.Address)
		}
	}
	return m.launchOn(in)
}

// reserveBuffers is Fill without the contents of buffers: they have places alone.
func (m *Memory) reserveBuffers(in *job.Inputs) (emu.Launch, error) {
	if err := m.placeBuffers(in, m.mem.Reserve); err != nil {
		return emu.Launch{}, err
	}
	return m.launchOn(in)
}

// placeBuffers finds the addresses of the buffers of in, in memory that was empty.
func (m *Memory) placeBuffers(in *job.Inputs, alloc func(name string, size int) (uint64, error)) error {
	m.mem.Reset()
	for i, p := range m.job.Job.Whole().Params {
		if p.Kind != job.Buffer {
			continue
		}
		if m.gaps != nil {
			m.mem.Skip(m.gaps[i])
		}
		var err error
		if m.addresses[i], err = alloc(p.Name, in.Size(i)); err != nil {
			return diag.Errorf(p.Pos, "%w", err)
		}
	}
	return nil
}

// launchOn returns the launch on the buffers that are in memory, behind which variables may lie.
func (m *Memory) launchOn(in *job.Inputs) (emu.Launch, error) {
	if m.define != nil {
		var err error
		if m.vars, err = m.mem.Define(m.define); err != nil {
			return emu.Launch{}, err
		}
	}
	return m.Launch(in), nil
}

// permit tells memory what the job says of a buffer.
func (m *Memory) permit(p *job.Param, addr uint64) {
	switch p.Access {
	case job.ReadOnly:
		m.mem.ReadOnly(addr)
	case job.WriteOnly:
		m.mem.WriteOnly(addr)
	}
	if p.Content.Kind == job.Unset {
		m.mem.Unset(addr)
	}
}

// Launch returns the launch on what is in memory, with the numbers of in.
func (m *Memory) Launch(in *job.Inputs) emu.Launch {
	m.params = m.job.ParamBlock(m.params, in, m.argument)
	launch := m.shape()
	launch.Params, launch.Vars = m.params, m.vars
	return launch
}

// argument returns the address that a parameter of the launch is.
func (m *Memory) argument(param int) uint64 {
	spec := m.job.Job
	if spec.Params[param].Kind == job.SharedPtr {
		return m.shared[param]
	}
	return m.addresses[spec.InWhole(param)]
}

// shape is the launch without its arguments.
func (m *Memory) shape() emu.Launch {
	return emu.Launch{Grid: m.job.Job.Grid, Block: m.job.Job.Block, DynamicShared: m.dynamic}
}

// Share makes the memory that of another launch of the same job.
func (m *Memory) Share(other *Memory) {
	m.mem, m.buffers, m.addresses, m.vars = other.mem, other.buffers, other.addresses, other.vars
}

// Memory returns the memory that holds the buffers.
func (m *Memory) Memory() *emu.Memory { return m.mem }

// Buffers returns the contents of the buffers by parameter of the whole job, nil for what is no buffer. They are valid until
// memory is filled again.
func (m *Memory) Buffers() [][]byte { return m.buffers }

// Address returns the address of a buffer, by parameter of the whole job.
func (m *Memory) Address(param int) uint64 { return m.addresses[param] }

// Occupancy returns how many CTAs of the kernel an SM holds at a time. It is an error if the launch does not
// fit the machine.
func (k *Kernel) Occupancy() (machine.Occupancy, error) {
	launch := k.NewMemory().shape()
	occ, err := k.Machine.Fit(machine.Launch{
		Grid: launch.Grid, Block: launch.Block, Registers: k.Registers,
		StaticShared: k.Code.SharedBytes(), DynamicShared: launch.DynamicShared, Local: k.Code.LocalBytes(),
	})
	if err != nil {
		return occ, diag.Errorf(k.Bound.Job.Pos.Block, "%w", err)
	}
	return occ, nil
}

// CPUStream is what the CPU of a job does, at addresses of memory.
type CPUStream struct {
	*stream.Cursor
	memory *Memory
}

// CPU returns what the job's CPU does, nil if it does nothing.
func (m *Memory) CPU() *CPUStream {
	c := m.job.Job.Cursor()
	if c == nil {
		return nil
	}
	return &CPUStream{c, m}
}

// Next returns the next access with its address, or false if there is none.
func (c *CPUStream) Next() (a stream.Access, address uint64, ok bool, err error) {
	a, ok, err = c.Cursor.Next()
	if !ok || err != nil {
		return a, 0, ok, err
	}
	return a, CPUAddress(c.memory.job.Job, c.memory.Address, a), true, nil
}

// CPUAddress returns where an access of a job's CPU goes, with its buffers at the given addresses.
func CPUAddress(j *job.Job, address func(param int) uint64, a stream.Access) uint64 {
	base := uint64(abi.CPUBase)
	if a.Buffer != stream.Own {
		base = address(j.CPU.Buffers[a.Buffer])
	}
	return base + uint64(a.Offset)
}

// Accounts returns the numbers of a machine that may decide how long kernels take; nil if it does not say what any rests on.
func Accounts(m *machine.Machine, kernels ...*Kernel) []machine.Account {
	return m.Accounts(programsOf(kernels)...)
}

// Alternatives returns the machines on which one number or word that decides how long kernels take, and that is assumed, is another.
func Alternatives(m *machine.Machine, kernels ...*Kernel) []machine.Alternative {
	return m.Alternatives(programsOf(kernels)...)
}

func programsOf(kernels []*Kernel) []*isa.Kernel {
	var all []*isa.Kernel
	for _, k := range kernels {
		all = append(all, k.Graph.Kernel)
	}
	return all
}
