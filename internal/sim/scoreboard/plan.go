package scoreboard

import (
	"slices"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// kind tells apart how instructions are timed.
type kind uint8

const (
	kindALU     kind = iota // the result is ready after the latency
	kindControl             // the next instruction issues after the latency
	kindBarrier
	kindFence
	kindMemory
	kindCommit // closes a group of asynchronous copies
	kindAwait  // waits for such groups
)

// step is the timing of one instruction. It is small, because those of the
// instructions that warps execute at a time are to stay in the nearest cache.
type step struct {
	kind       kind
	pipe       uint8 // index of the pipeline group
	memory     uint8 // 1 if that is the one of memory instructions
	loads      uint8 // 1 if memory delivers the result
	volatile   bool
	async      bool         // an asynchronous copy
	buffered   bool         // on its way to the load/store unit: the latency is that from there on
	why        sim.Stall    // what the warp waits for during the gap
	ipoint     trace.Ipoint // of the block that it begins; negative if there is none
	results    bool         // it has results
	run        int32        // how many are executed ahead from here on, see emu.Code.Run
	write      uint8        // the register of the result, or noResult
	reads      [4]uint8     // the first registers that it waits for, noSource where there is none
	pc         int32
	gap        int32 // cycles until the next instruction of the warp can issue
	latency    int32 // cycles
	initiation int32 // cycles
	more       *more // nil for most
	follow     *step // of the following instruction; nil for the last
}

// more is what few instructions need.
type more struct {
	reads    []int32  // further registers that it waits for, and those whose numbers have more than 8 bits
	writes   []result // and further results
	keep     int64    // kindAwait: how many groups may stay under way, or allCopies
	constant int32    // number of the line of the constant cache that it loads from, if it names the place, or none
	line     int32    // number of the line of the instruction cache that a warp may come to here, or none
}

// result is a register that an instruction writes, as the instructions of some pipelines read it.
type result struct {
	reg  int32
	late int64 // how much later than others they can use it, as a difference of readyAt
}

// The first numbers of registers stand for none.
const (
	noSource = iota // always ready
	noResult        // not read
	firstReg
)

// short is how many registers have numbers of 8 bits.
const short = 1 << 8

// plan is the timing of a kernel on a machine. It numbers the registers in the
// order in which instructions name them, so that those of one place in the kernel
// lie side by side. A register that instructions read some of which can use it later than
// others has a number for each group of these readers.
type plan struct {
	steps [][]step // by scheduler; those of all are the same if they share the pipelines
	lsu   uint8    // the pipeline group of memory instructions
	pipes []int    // pipelines in each group; a scheduler's own are groups of their own
	regs  int      // those that the kernel uses, and the first ones, which stand for none
}

// makePlan looks every instruction up in the machine, and reports whether one
// reads a clock.
func makePlan(cfg *sim.Config) (plan, bool) {
	code, m := cfg.Code, cfg.Machine
	var names []string
	for name := range m.Pipelines {
		names = append(names, name)
	}
	slices.Sort(names)
	p := plan{}
	steps := make([]step, code.Len())
	named := numberRegisters(code, m)
	p.regs = named.regs
	group := map[string]uint8{}
	for i, name := range names {
		group[name] = uint8(i)
		p.pipes = append(p.pipes, int(m.Pipelines[name].Value))
	}
	p.lsu = group[m.Timing(isa.MemGlobal).Pipeline]
	clocked := false
	for pc := range steps {
		in := code.Instr(pc)
		t := m.InstrTiming(in)
		steps[pc] = step{
			kind: kindOf(in), pipe: group[t.Pipeline], volatile: in.Volatile, async: in.Op == isa.CpAsync || in.Op == isa.BulkCopy,
			write: noResult, results: in.HasResult(), pc: int32(pc), latency: int32(t.Latency), initiation: int32(t.Initiation),
		}
		st := &steps[pc]
		if st.pipe == p.lsu {
			st.memory = 1
		}
		if st.buffered = st.kind == kindMemory && m.LSU.Buffer.Value > 0 && in.Class() != isa.MemParam; st.buffered {
			st.latency -= int32(m.LSU.Latency.Value)
		}
		st.gap, st.why = 1, sim.StallALU
		switch st.kind {
		case kindControl:
			st.gap, st.why = st.latency, sim.StallBranch
		case kindMemory:
			st.loads = 1
		}
		if pc+1 < len(steps) {
			st.follow = &steps[pc+1]
		}
		rest := more{line: none, constant: parameterLine(in, m)}
		if size := m.ICache.Line.Value; size > 0 && (code.Head(pc) || int64(pc)%size == 0) {
			rest.line = int32(int64(pc) / size)
		}
		awaits := kindOf(in) == kindAwait
		if awaits {
			rest.keep = allCopies
			if in.Op == isa.AsyncWait && len(in.Src) > 0 {
				rest.keep = int64(in.Src[0].Imm)
			}
		}
		reads, writes := named.reads(in), named.writes(in)
		for i := range st.reads {
			if len(reads) > 0 && reads[0] < short {
				st.reads[i], reads = uint8(reads[0]), reads[1:]
			}
		}
		if len(writes) > 0 && writes[0].reg < short && writes[0].late == 0 {
			st.write, writes = uint8(writes[0].reg), writes[1:]
		}
		rest.reads, rest.writes = reads, writes
		if len(rest.reads) > 0 || len(rest.writes) > 0 || awaits || rest.line != none || rest.constant != none {
			st.more = &rest
		}
		clocked = clocked || readsClock(in)
		if cfg.Observe == nil && !cfg.Chain {
			st.run = int32(code.Run(pc))
		}
		st.ipoint = -1
		if cfg.Ipoints != nil {
			st.ipoint = cfg.Ipoints[pc]
		}
	}
	p.distribute(steps, m)
	return p, clocked
}

// distribute gives each scheduler the steps: those with pipelines of its own, if the machine has sub-cores, and with a way of its own
// to that for memory, if it has buffers there.
func (p *plan) distribute(steps []step, m *machine.Machine) {
	groups := len(p.pipes)
	subCores, buffers := m.SM.SubCores.Value == machine.On, m.LSU.Buffer.Value > 0
	for k := range m.SM.Schedulers.Value {
		if k == 0 || !subCores && !buffers {
			p.steps = append(p.steps, steps)
			continue
		}
		own := slices.Clone(steps)
		for i := range own {
			st := &own[i]
			if st.pipe == p.lsu && buffers || st.pipe != p.lsu && subCores {
				st.pipe += uint8(int(k) * groups)
			}
			if st.follow != nil {
				st.follow = &own[i+1]
			}
		}
		p.steps = append(p.steps, own)
		p.pipes = append(p.pipes, p.pipes[:groups]...)
	}
}

func kindOf(in *isa.Instr) kind {
	switch effect := in.Op.Info().Effect; {
	case effect&isa.Barriers != 0:
		return kindBarrier
	case in.Op == isa.Fence:
		return kindFence
	case in.Op == isa.AsyncCommit:
		return kindCommit
	case in.Op == isa.AsyncWait, in.Op == isa.BulkDrain, in.Op == isa.BulkWait, in.Op == isa.BulkWaitRead:
		return kindAwait
	case effect&(isa.ReadsMem|isa.WritesMem) != 0:
		return kindMemory
	case effect&(isa.Branches|isa.Exits) != 0:
		return kindControl
	}
	return kindALU
}
