// Package scalar executes kernels in the obvious way: thread after thread, each until it
// waits at a barrier or ends, with one number for each register. It is a second opinion
// on what package emu makes of them with masks and reconvergence, and shares nothing
// with it.
//
// It knows the instructions that package kernelgen uses, mbarriers and bulk copies, takes memory to be zero that
// nothing wrote, and is for kernels whose results do not depend on the order of threads between
// two barriers. It must not import emu, sim, semantics, a machine or a method.
package scalar

import (
	"encoding/binary"
	"fmt"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/job"
)

// Execute executes the kernel of a job on in and returns its buffers by parameter, nil
// for what is no buffer. It raises trips, by loop of g, to the back edges that any
// thread takes between two entries of the loop; trips may be nil.
//
// Instructions that it does not know, accesses outside of buffers, barriers that threads of
// a CTA reach diverged, and more than maxSteps instructions are errors.
func Execute(g *cfg.Graph, b *job.Bound, in *job.Inputs, trips []int64) (buffers [][]byte, err error) {
	if err := known(b.Kernel, b.Job.Block); err != nil {
		return nil, err
	}
	m := &machine{job: b.Job, kernel: b.Kernel, grid: b.Job.Grid, block: b.Job.Block, memory: map[uint64][]byte{}, graph: g, trips: trips, window: 1 << 32}
	if b.Kernel.AddressBits == 32 {
		m.window = 1 << 24
	}
	for i, contents := range in.Buffers {
		if uint64(len(contents)) > m.window {
			return nil, fmt.Errorf("the execution thread by thread knows no buffers of more than %d bytes", m.window)
		}
		data := slices.Clone(contents)
		buffers = append(buffers, data)
		m.memory[m.address(i)/m.window] = data
		if data != nil {
			b.Job.Relocate(i, data, m.address)
		}
	}
	m.params = b.ParamBlock(nil, in, m.address)
	m.memory[m.variable(isa.ParamVar)/m.window] = m.params
	for cta := range m.grid[0] * m.grid[1] * m.grid[2] {
		if err := m.executeCTA(coordinates(cta, m.grid)); err != nil {
			return nil, err
		}
	}
	return buffers, nil
}

type machine struct {
	job    *job.Job
	kernel *isa.Kernel
	grid   [3]int
	block  [3]int
	params []byte
	steps  int

	// The memories by address divided by window, which is the distance of the addresses of
	// two of them: nothing at 0, then the buffers, then the variables of the kernel, all in shared memory, then
	// the parameters.
	memory map[uint64][]byte
	window uint64

	mbarriers map[uint64]*mbarrier // of a CTA, by address

	graph *cfg.Graph
	trips []int64 // by loop; negative for one that was not entered
}

func (m *machine) address(param int) uint64 { return uint64(1+param) * m.window }

// variable returns the address of a variable, or of the parameters, which lie behind all of them.
func (m *machine) variable(v int32) uint64 {
	if v == isa.ParamVar {
		v = int32(len(m.kernel.Vars))
	}
	return m.address(len(m.job.Params) + int(v))
}

// permits reports whether the job allows an access to a memory.
func (m *machine) permits(in *isa.Instr, memory uint64) bool {
	if memory < 1 || memory > uint64(len(m.job.Params)) {
		return memory != m.variable(isa.ParamVar)/m.window || in.Op == isa.Ld
	}
	switch m.job.Params[memory-1].Access {
	case job.ReadOnly:
		return in.Op == isa.Ld
	case job.WriteOnly:
		return in.Op == isa.St
	}
	return true
}

type thread struct {
	m              *machine
	tid, ctaid     [3]int
	regs           []uint64
	since          []int64 // by loop, the back edges taken since it was entered
	pc             int
	ended, waiting bool
	polled         bool // it has found a phase that is not complete
}

func (m *machine) executeCTA(ctaid [3]int) error {
	block := m.block
	for i, v := range m.kernel.Vars {
		m.memory[m.variable(int32(i))/m.window] = make([]byte, v.Bytes)
	}
	threads := make([]thread, block[0]*block[1]*block[2])
	for i := range threads {
		threads[i] = thread{
			m: m, tid: coordinates(i, block), ctaid: ctaid,
			regs: make([]uint64, len(m.kernel.Regs)), since: make([]int64, len(m.trips)),
		}
	}
	m.mbarriers = map[uint64]*mbarrier{}
	for live := true; live; {
		live = false
		at := -1 // the barrier of this phase
		for i := range threads {
			threads[i].waiting = false
		}
		for polled := true; polled; {
			polled = false
			for i := range threads {
				if err := threads[i].turn(); err != nil {
					return fmt.Errorf("thread %v of CTA %v: %w", threads[i].tid, ctaid, err)
				}
				polled = polled || threads[i].polled
			}
		}
		for i := range threads {
			t := &threads[i]
			if t.ended {
				continue
			}
			if live && at != t.pc {
				return fmt.Errorf("threads of CTA %v wait at different barriers", ctaid)
			}
			live, at = true, t.pc
		}
	}
	return nil
}

// turn executes a thread until it ends, waits at a barrier or has to ask again whether a phase is complete.
func (t *thread) turn() error {
	for t.polled = false; !t.ended && !t.waiting && !t.polled; {
		pc := t.pc
		if err := t.step(); err != nil {
			return err
		}
		t.count(pc)
	}
	return nil
}

func coordinates(i int, shape [3]int) [3]int {
	return [3]int{i % shape[0], i / shape[0] % shape[1], i / shape[0] / shape[1]}
}

// maxSteps bounds the instructions of all threads together.
const maxSteps = 20_000_000

func (t *thread) step() error {
	if t.m.steps++; t.m.steps > maxSteps {
		return fmt.Errorf("more than %d instructions", maxSteps)
	}
	in := &t.m.kernel.Instrs[t.pc]
	t.pc++
	if in.Guard.Set && (t.regs[in.Guard.Reg] != 0) == in.Guard.Not {
		return nil
	}
	switch in.Op {
	case isa.Bra:
		t.pc = in.Target
	case isa.BrxIdx:
		t.pc = in.Targets[t.value(in.Src[0], isa.U32)]
	case isa.Ret, isa.Exit:
		t.ended = true
	case isa.Bar:
		t.waiting = true
	case isa.Mbarrier:
		return t.mbarrier(in)
	case isa.BulkCopy:
		return t.bulkCopy(in)
	case isa.BulkDrain, isa.BulkCommit, isa.BulkWait, isa.BulkWaitRead: // copies are done at once
	case isa.Reconverge, isa.Split, isa.Merge: // of no concern to a thread alone
	case isa.Ld, isa.St, isa.Atom, isa.Red:
		return t.access(in)
	case isa.Unpack:
		x, width := t.value(in.Src[0], in.Type), in.Type.Bits()/len(in.Dst)
		for i, d := range in.Dst {
			t.regs[d.Reg] = truncate(x>>(i*width), width)
		}
	default:
		x, known := t.compute(in)
		if !known {
			return unknown(in)
		}
		d := in.Dst[0].Reg
		t.regs[d] = truncate(x, t.m.kernel.Regs[d].Type.Bits())
	}
	return nil
}

// count counts the edge of the flow graph, if any, that led from an instruction to
// the next one.
func (t *thread) count(pc int) {
	g := t.m.graph
	from := g.BlockOf(pc)
	if t.ended || pc != g.Blocks[from].End-1 {
		return
	}
	to := g.BlockOf(t.pc)
	if t.m.trips == nil {
		return
	}
	for l, loop := range g.Loops().Loops {
		switch {
		case !loop.Contains(to):
			continue
		case !loop.Contains(from):
			t.since[l] = 0
		case to == loop.Header:
			t.since[l]++
		}
		t.m.trips[l] = max(t.m.trips[l], t.since[l])
	}
}

func truncate(x uint64, width int) uint64 { return x & (1<<width - 1) }

func signed(x uint64, width int) int64 { return int64(x<<(64-width)) >> (64 - width) }

// value reads a source of a type; integers are sign- or zero-extended to 64 bits.
func (t *thread) value(o isa.Operand, typ isa.Type) uint64 {
	var x uint64
	switch o.Kind {
	case isa.KindReg:
		x = t.regs[o.Reg]
		if o.Not {
			x ^= 1
		}
	case isa.KindImm:
		x = o.Imm
	case isa.KindVar:
		x = t.m.variable(o.Var) + o.Imm
	case isa.KindParam:
		p := &t.m.kernel.Params[o.Var]
		var word [8]byte
		copy(word[:], t.m.params[p.Offset:p.Offset+p.Bytes])
		x = binary.LittleEndian.Uint64(word[:])
	case isa.KindSpecial:
		x = uint64(t.special(o.Special))
	}
	if x = truncate(x, typ.Bits()); typ.IsSigned() {
		x = uint64(signed(x, typ.Bits()))
	}
	return x
}

// special returns an index or the size of a launch; see plain.
func (t *thread) special(s isa.Special) int {
	switch {
	case s <= isa.TidZ:
		return t.tid[s-isa.TidX]
	case s <= isa.NtidZ:
		return t.m.block[s-isa.NtidX]
	case s <= isa.CtaidZ:
		return t.ctaid[s-isa.CtaidX]
	}
	return t.m.grid[s-isa.NctaidX]
}

// access loads, stores or updates memory.
func (t *thread) access(in *isa.Instr) error {
	at := in.Src[0]
	addr, size := t.address(at), in.Type.Bytes()
	memory, offset := t.m.memory[addr/t.m.window], int(addr%t.m.window)
	count := max(len(in.Dst), len(in.Src)-1)
	if in.Op == isa.Atom || in.Op == isa.Red {
		count = 1
	}
	if offset+size*count > len(memory) || offset%(size*count) != 0 {
		return fmt.Errorf("%s: %s accesses byte %d of a memory of %d", in.Pos, in, offset, len(memory))
	}
	if !t.m.permits(in, addr/t.m.window) {
		return fmt.Errorf("%s: %s is an access that the job does not allow", in.Pos, in)
	}
	var word [8]byte
	switch in.Op {
	case isa.Ld:
		for i, d := range in.Dst {
			copy(word[:], memory[offset+i*size:][:size])
			x := binary.LittleEndian.Uint64(word[:])
			if in.Type.IsSigned() {
				x = uint64(signed(x, in.Type.Bits()))
			}
			t.regs[d.Reg] = truncate(x, t.m.kernel.Regs[d.Reg].Type.Bits())
		}
	case isa.St:
		for i, s := range in.Src[1:] {
			binary.LittleEndian.PutUint64(word[:], t.value(s, in.Type))
			copy(memory[offset+i*size:], word[:size])
		}
	default:
		old := binary.LittleEndian.Uint32(memory[offset:])
		for _, d := range in.Dst {
			if d.Kind == isa.KindReg {
				t.regs[d.Reg] = uint64(old)
			}
		}
		binary.LittleEndian.PutUint32(memory[offset:], update(in, old, uint32(t.value(in.Src[1], in.Type))))
	}
	return nil
}

// update is what an atomic operation on 32 bits makes of a word.
func update(in *isa.Instr, old, x uint32) uint32 {
	less := x < old
	if in.Type.IsSigned() {
		less = int32(x) < int32(old)
	}
	switch in.Atom {
	case isa.AtomAdd:
		return old + x
	case isa.AtomMin:
		if less {
			return x
		}
		return old
	case isa.AtomMax:
		if less {
			return old
		}
		return x
	case isa.AtomAnd:
		return old & x
	case isa.AtomOr:
		return old | x
	}
	return old ^ x
}
