package greedy

import (
	"slices"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/saturating"
)

// kind tells apart how an instruction delays those behind it.
type kind uint8

const (
	plain   kind = iota // its results are ready after the latency
	control             // the next instruction issues after the latency
	barrier             // waits for the other warps of the CTA
	fence               // waits for all accesses of the warp
	memory              // an access
	await               // waits for asynchronous copies
)

// instr is what the machine says of one instruction of the program. Times are in core cycles.
type instr struct {
	kind       kind
	latency    saturating.Int // until what depends on it may issue, the longest for any reader
	initiation saturating.Int
	pipe       int   // of model.pipes
	buffered   bool  // goes through the buffer of its scheduler to the load/store unit
	constant   bool  // an access to parameters or constants, which looks their cache up whether or not a lane makes it
	copies     bool  // an asynchronous copy
	line       int64 // number of the line of the instruction cache that control may come to here; -1 if none begins
}

// pipeline is a group of pipelines of an SM, or of each scheduler.
type pipeline struct {
	name  string
	count saturating.Int
	own   bool // of each scheduler
}

// model is the machine with the constants of the bound, each derived from its description (docs/methods/greedy.md). Times are in
// core cycles unless said otherwise.
type model struct {
	*machine.Machine
	instrs     []instr
	pipes      []pipeline
	lsu        int // the pipe of memory
	queued     bool
	atomic     bool // the kernel has atomic operations on memory
	schedulers int

	// way is through the crossbar and to the tags of the L2 and back, of a request that finds its line
	// there, without flits.
	way     saturating.Int
	fetch   saturating.Int // from the miss in the L2 to the arrival of the line, if nothing else needs the DRAM
	round   saturating.Int // from the end of a CTA until the dispatcher sees it, at most
	ways    saturating.Int // of the L1
	header  saturating.Int // flits of a packet without data
	full    saturating.Int // flits of a packet with a line
	icached bool           // instructions stay in their cache once they are there
	ilines  saturating.Int // lines of instructions that the kernel has
	slowest saturating.Int // latency of an instruction that accesses memory
	uneven  saturating.Int // by how much latencies of memory instructions differ on their way to the port of the crossbar

	// In cycles of the DRAM: how long a read keeps its channel from serving other reads, and, where there are writes, from serving
	// them; how long a write does, and how long the opening of a row.
	readShadow, turnShadow, writeShadow, openShadow saturating.Int
}

// newModel looks every instruction of a kernel up in a machine.
func newModel(m *machine.Machine, k *isa.Kernel, heads func(pc int) bool) *model {
	o := &model{Machine: m, queued: m.LSU.Buffer.Value > 0, schedulers: int(m.SM.Schedulers.Value)}
	var names []string
	for name := range m.Pipelines {
		names = append(names, name)
	}
	slices.Sort(names)
	own := m.SM.SubCores.Value == machine.On
	for i, name := range names {
		o.pipes = append(o.pipes, pipeline{name: name, count: saturating.Of(m.Pipelines[name].Value), own: own})
		if name == m.Timing(isa.MemGlobal).Pipeline {
			o.lsu = i
			o.pipes[i].own = o.queued
		}
	}
	late := make(map[string]int64) // by pipeline: how much longer than the latency a reader waits at most
	for _, d := range m.SortedDependences() {
		late[d.Producer] = max(late[d.Producer], d.Late.Value)
	}
	low, high := int64(0), int64(0)
	for pc := range k.Instrs {
		in := &k.Instrs[pc]
		t := m.InstrTiming(in)
		i := instr{kind: kindOf(in), pipe: slices.Index(names, t.Pipeline), line: -1}
		i.latency, i.initiation = saturating.Of(t.Latency), saturating.Of(t.Initiation)
		i.copies = in.Op == isa.CpAsync
		i.constant = i.kind == memory && in.Class() == isa.MemParam
		i.buffered = i.kind == memory && o.queued && !i.constant
		if i.kind == memory && !i.constant {
			if low == 0 {
				low = t.Latency
			}
			low, high = min(low, t.Latency), max(high, t.Latency)
		}
		if i.kind != control {
			i.latency = i.latency.Add(saturating.Of(late[t.Pipeline]))
		}
		if size := m.ICache.Line.Value; size > 0 && (heads(pc) || int64(pc)%size == 0) {
			i.line = int64(pc) / size
		}
		o.atomic = o.atomic || in.Op == isa.Atom || in.Op == isa.Red
		if i.kind == memory {
			o.slowest = max(o.slowest, i.latency)
		}
		o.instrs = append(o.instrs, i)
	}
	o.uneven = saturating.Of(high - low)
	o.header, o.full = o.flits(0), o.flits(max(m.L1.Line.Value, m.L2.Line.Value))
	o.way = saturating.Of(2*m.Interconnect.Latency.Value + m.L2.Latency.Value + m.L2.Far.Value + m.L2.Far.Value%2)
	o.findRound()
	o.findDRAM()
	if size := m.ICache.Line.Value; size > 0 {
		o.ilines = saturating.Of(len(k.Instrs)).DivUp(saturating.Of(size))
		o.icached = o.ilines <= saturating.Of(m.ICache.Sets.Value*m.ICache.Ways.Value)
	}
	return o
}

func kindOf(in *isa.Instr) kind {
	switch effect := in.Op.Info().Effect; {
	case effect&isa.Barriers != 0:
		return barrier
	case in.Op == isa.Fence:
		return fence
	case in.Op == isa.AsyncWait, in.Op == isa.BulkDrain, in.Op == isa.BulkWait, in.Op == isa.BulkWaitRead:
		return await
	case in.Op == isa.AsyncCommit:
		return plain
	case effect&(isa.ReadsMem|isa.WritesMem) != 0:
		return memory
	case effect&(isa.Branches|isa.Exits) != 0:
		return control
	}
	return plain
}

// flits returns the flits of a packet with so many bytes of data.
func (o *model) flits(bytes int64) saturating.Int {
	return saturating.Of(o.Interconnect.Header.Value + bytes).DivUp(saturating.Of(o.Interconnect.Flit.Value))
}

// findRound finds how long a free place for a CTA is not seen: the quickest way of a message from an SM to the memory.
func (o *model) findRound() {
	quickest := min(o.Timing(isa.MemGlobal).Latency, o.Timing(isa.MemAtomic).Latency)
	o.round = saturating.Of(o.Interconnect.Latency.Value + quickest - o.LSU.Latency.Value)
}

// findDRAM derives the constants of the DRAM from its timings. A cycle in which a request waits there lies in the shadow of an access or of the
// opening of a row: all constraints that these leave have passed behind it, so that another access or opening begins.
func (o *model) findDRAM() {
	d := &o.DRAM
	burst := o.L2.Line.Value / d.Burst.Value * d.CCD.Value
	o.readShadow = saturating.Of(max(burst, 1))
	// A write puts its data on the bus sooner after its command.
	o.turnShadow = saturating.Of(max(burst, 1, burst+d.CL.Value-d.WL.Value))
	o.writeShadow = saturating.Of(max(d.WL.Value+burst+max(d.WR.Value, d.CDLR.Value), 1))
	o.openShadow = saturating.Of(max(d.RP.Value+max(d.RCD.Value, d.RAS.Value), d.RC.Value, d.RRD.Value, 1))
	alone := d.RP.Value + d.RCD.Value + max(d.CL.Value, d.WL.Value) + burst + 1
	o.fetch = saturating.Of(max(d.Latency.Value, 1) + 2).Add(o.core(saturating.Of(alone)))
}

// core converts cycles of the DRAM to core cycles, rounded up.
func (o *model) core(t saturating.Int) saturating.Int {
	core, cycles := o.ClockRatio()
	return t.MulDivUp(saturating.Of(core), saturating.Of(cycles))
}

// hit is how long an access takes from its issue on that finds everything in the L2 and nobody before it: the way through the L1, both ports and
// the crossbar, with so many operations on one address if it is atomic. Answers have a line at most.
func (o *model) hit(latency, operations saturating.Int) saturating.Int {
	return saturating.Sum(latency, o.uneven, o.trip()).AddMul(operations, saturating.Of(o.L2.Atomic.Value))
}

// trip is by how much longer that is than an access that the L1 serves.
func (o *model) trip() saturating.Int { return o.way.AddMul(o.full, 2) }
