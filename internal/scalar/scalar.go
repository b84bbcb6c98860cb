// Package scalar executes kernels in the obvious way: thread after thread, each until it
// waits at a barrier or ends, with one number for each register. It is a second opinion
// on what package emu makes of them with masks and reconvergence, and shares nothing
// with it. Threads meet where lanes of a warp exchange something, as at a barrier.
//
// It knows the instructions that package kernelgen uses, mbarriers and bulk copies, takes memory to be zero that
// nothing wrote, copies at once what is copied while others go on, and is for kernels whose results do not depend on the order of threads between
// two barriers. It must not import emu, sim, semantics, a machine or a method.
package scalar

import (
	"encoding/binary"
	"fmt"
	"math"
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
	for i := range b.Kernel.Vars {
		if v := &b.Kernel.Vars[i]; v.Space == isa.Const || v.Space == isa.Global {
			data := make([]byte, v.Bytes)
			copy(data, v.Init)
			m.memory[m.variable(int32(i))/m.window] = data
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
	// two of them: nothing at 0, then the buffers, then the variables of the kernel, then
	// the parameters. Those in local memory are the threads' own.
	memory map[uint64][]byte
	window uint64

	mbarriers map[uint64]*mbarrier // of a CTA, by address
	arrived   map[uint64]int       // threads of a CTA that do not wait at a barrier for others, by its number

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
	local          map[uint64][]byte // variables by address divided by window
	ended, waiting bool
	polled         bool // it has found a phase that is not complete
	joining        bool // it waits for lanes of its warp

	at     uint64 // number of the barrier that it waits at
	expect int    // threads for which that is; 0 for all
	vote   bool   // what it says there
}

func (m *machine) executeCTA(ctaid [3]int) error {
	block := m.block
	for i, v := range m.kernel.Vars {
		if v.Space == isa.Shared {
			m.memory[m.variable(int32(i))/m.window] = make([]byte, m.size(&v))
		}
	}
	threads := make([]thread, block[0]*block[1]*block[2])
	for i := range threads {
		threads[i] = thread{
			m: m, tid: coordinates(i, block), ctaid: ctaid,
			regs: make([]uint64, len(m.kernel.Regs)), since: make([]int64, len(m.trips)), local: map[uint64][]byte{},
		}
		for j, v := range m.kernel.Vars {
			if v.Space == isa.Local {
				threads[i].local[m.variable(int32(j))/m.window] = make([]byte, v.Bytes)
			}
		}
	}
	m.mbarriers, m.arrived = map[uint64]*mbarrier{}, map[uint64]int{}
	for {
		for polled := true; polled; {
			polled = false
			for i := range threads {
				if err := threads[i].turn(); err != nil {
					return fmt.Errorf("thread %v of CTA %v: %w", threads[i].tid, ctaid, err)
				}
				polled = polled || threads[i].polled
			}
		}
		on, err := m.exchange(threads)
		if err == nil && !on {
			on, err = m.release(threads)
		}
		if err != nil || !on {
			return err
		}
	}
}

// size returns the bytes of a variable in shared memory, of which the launch says one.
func (m *machine) size(v *isa.Var) int {
	if v.Extern {
		return m.job.Shared
	}
	return v.Bytes
}

// contents returns the memory of an address and the place in it, nil if there is none.
func (t *thread) contents(addr uint64) ([]byte, int) {
	at := addr / t.m.window
	if own, ok := t.local[at]; ok {
		return own, int(addr % t.m.window)
	}
	return t.m.memory[at], int(addr % t.m.window)
}

// space returns the memory in which an address lies.
func (m *machine) space(addr uint64) isa.Space {
	if v := int(addr/m.window) - 1 - len(m.job.Params); v >= 0 && v < len(m.kernel.Vars) {
		return m.kernel.Vars[v].Space
	}
	return isa.Global
}

// turn executes a thread until it ends, waits for others or has to ask again whether a phase is complete.
func (t *thread) turn() error {
	for t.polled = false; !t.ended && !t.waiting && !t.joining && !t.polled; {
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
		t.arrive(in)
	case isa.Vote, isa.Match, isa.Redux, isa.Shfl, isa.BarWarp:
		t.joining = true
	case isa.CpAsync:
		return t.asyncCopy(in)
	case isa.Fence, isa.AsyncCommit, isa.AsyncWait: // what it orders happens in order
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
	memory, offset := t.contents(addr)
	count := max(len(in.Dst), len(in.Src)-1)
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
		for i, s := range in.Src[1:] {
			copy(word[:], memory[offset+i*size:][:size])
			old := binary.LittleEndian.Uint64(word[:])
			if i < len(in.Dst) && in.Dst[i].Kind == isa.KindReg {
				t.regs[in.Dst[i].Reg] = truncate(old, t.m.kernel.Regs[in.Dst[i].Reg].Type.Bits())
			}
			binary.LittleEndian.PutUint64(word[:], update(in, truncate(old, in.Type.Bits()), truncate(t.value(s, in.Type), in.Type.Bits())))
			copy(memory[offset+i*size:], word[:size])
		}
	}
	return nil
}

// asyncCopy copies at once.
func (t *thread) asyncCopy(in *isa.Instr) error {
	to, at := t.contents(t.address(in.Src[0]))
	from, source := t.contents(t.address(in.Src[1]))
	n := int(t.value(in.Src[2], isa.U32))
	take := n
	if len(in.Src) > 3 {
		take = int(t.value(in.Src[3], isa.U32))
	}
	if at+n > len(to) || source+take > len(from) || at%n != 0 || source%n != 0 {
		return fmt.Errorf("%s: %s accesses byte %d of a memory of %d, and byte %d of one of %d", in.Pos, in, source, len(from), at, len(to))
	}
	clear(to[at : at+n])
	copy(to[at:at+n], from[source:source+take])
	return nil
}

// update is what an atomic operation makes of a number, and of the bits of a float.
func update(in *isa.Instr, old, x uint64) uint64 {
	width := in.Type.Bits()
	switch in.Type {
	case isa.F32:
		return asBits(asFloat(old) + asFloat(x))
	case isa.F64:
		return math.Float64bits(math.Float64frombits(old) + math.Float64frombits(x))
	}
	less := x < old
	if in.Type.IsSigned() {
		less = signed(x, width) < signed(old, width)
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
	case isa.AtomInc:
		if old >= x {
			return 0
		}
		return old + 1
	}
	return old ^ x
}
