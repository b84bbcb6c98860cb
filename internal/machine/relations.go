package machine

import (
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/isa"
)

// Limits of a machine as a whole, so that no description makes a simulator
// allocate without bound.
const (
	maxWarps = 1 << 14 // on all SMs
	maxRatio = 1 << 20 // either side of the reduced ratio of the clocks
)

// MaxLines is the largest number of lines of all caches together of a machine with scoreboards, maxLLCLines of another one.
const (
	MaxLines    = 1 << 22
	maxLLCLines = 1 << 20
)

// relations checks what several numbers must obey together. All of them are in
// range when it runs.
func (c *checker) relations() {
	sm := &c.m.SM
	warps := sm.Count.Value * sm.Warps.Value
	c.require(warps <= maxWarps, "sm.warps", "%d SMs of %d warps are more than %d warps", sm.Count.Value, sm.Warps.Value, maxWarps)
	c.require(sm.Warps.Value >= sm.Schedulers.Value, "sm.schedulers", "%d schedulers share %d warps", sm.Schedulers.Value, sm.Warps.Value)
	c.require(sm.Threads.Value <= sm.Warps.Value*sm.WarpSize.Value, "sm.threads", "%d threads do not fit into %d warps of %d", sm.Threads.Value, sm.Warps.Value, sm.WarpSize.Value)
	c.require(sm.CTAThreads.Value <= sm.Threads.Value, "sm.cta_threads", "a CTA of %d threads does not fit into the %d of an SM", sm.CTAThreads.Value, sm.Threads.Value)
	switch c.m.Core {
	case Barrel:
		c.barrel()
	case Splitting:
		c.split()
	case Integrated:
		c.integrated()
	default:
		c.caches()
		c.memoryPipeline()
		c.standIns()
		c.operations()
		c.products()
		c.dependences()
		c.buffers()
		c.carveOuts()
	}
}

func (c *checker) require(ok bool, path, format string, args ...any) {
	if !ok {
		c.errorf(path, format, args...)
	}
}

// caches checks the L1, the L2 and the DRAM of a machine with a scoreboard.
func (c *checker) caches() {
	m := c.m
	sm, l1, l2, dram := &m.SM, &m.L1, &m.L2, &m.DRAM
	core, mem := m.ClockRatio()
	c.require(max(core, mem) <= maxRatio, "clock.dram", "the ratio of the clocks, reduced to %d:%d, has a term beyond %d", core, mem, maxRatio)
	small := m.ICache.Sets.Value*m.ICache.Ways.Value + m.CCache.Sets.Value*m.CCache.Ways.Value
	lines := sm.Count.Value*(l1.Sets.Value*l1.Ways.Value+small) + l2.Partitions.Value*l2.Sets.Value*l2.Ways.Value
	c.require(lines <= MaxLines, "l2.sets", "the caches together have %d lines, more than %d", lines, MaxLines)
	c.require(l1.Index.Value != Fermi || l1.Sets.Value == 32 && l1.Line.Value == 128, "l1.index", "the index %q is for 32 sets of lines of 128 bytes", Fermi)
	c.require(l1.Line.Value == l2.Line.Value, "l1.line", "lines of %d bytes differ from the %d of l2.line", l1.Line.Value, l2.Line.Value)
	c.require(l2.Far.Value != 1, "l2.far", "one cycle is too short for a way there and back; write 0 for an L2 without halves")
	c.require(l2.Far.Value == 0 || l2.Partitions.Value%2 == 0, "l2.far", "%d partitions are no two halves", l2.Partitions.Value)
	c.require(l2.Interleave.Value >= l2.Line.Value, "l2.interleave", "%d bytes are less than a line of %d", l2.Interleave.Value, l2.Line.Value)
	c.require(dram.Row.Value >= l2.Line.Value, "dram.row", "%d bytes are less than a line of %d", dram.Row.Value, l2.Line.Value)
	c.require(dram.Burst.Value <= l2.Line.Value, "dram.burst", "%d bytes are more than a line of %d", dram.Burst.Value, l2.Line.Value)
	c.require(m.leavesSome(), "dram.background", "%d bytes per second leave the kernel nothing of the %d that the buses move at most", dram.Background.Value, m.Peak())
	c.require(dram.RC.Value >= dram.RAS.Value, "dram.rc", "a row cycle of %d is shorter than ras = %d", dram.RC.Value, dram.RAS.Value)
}

// maxGroups limits the pipelines of an SM that differ.
const maxGroups = 256

// memoryPipeline checks that one pipeline serves memory and nothing else.
func (c *checker) memoryPipeline() {
	m := c.m
	lsu := m.Timing(isa.MemGlobal).Pipeline
	for _, class := range []isa.Class{isa.MemParam, isa.MemShared, isa.MemGlobal, isa.MemAtomic} {
		path := "classes." + class.String() + ".pipeline"
		c.require(m.Timing(class).Pipeline == lsu, path, "all memory classes share one pipeline, but this is not %q", lsu)
	}
	c.require(m.Pipelines[lsu].Value == 1, "pipelines."+lsu, "an SM has 1 pipeline for memory, not %d", m.Pipelines[lsu].Value)
	if m.SM.SubCores.Value == On || m.LSU != (LSU{}) {
		all := int64(len(m.Pipelines)) * m.SM.Schedulers.Value
		c.require(all <= maxGroups, "sm.sub_cores", "%d schedulers with %d pipelines of their own are more than %d", m.SM.Schedulers.Value, len(m.Pipelines), maxGroups)
	}
	for _, class := range isa.Classes() {
		if class < isa.MemParam {
			path := "classes." + class.String() + ".pipeline"
			c.require(m.Timing(class).Pipeline != lsu, path, "%q is the pipeline for memory", lsu)
		}
	}
}

// standIns checks that stand-ins are named like features, and that those that access
// memory use its pipeline and are no quicker than the ordinary way to the crossbar.
func (c *checker) standIns() {
	lsu := c.m.Timing(isa.MemGlobal).Pipeline
	minimum := min(c.m.Timing(isa.MemGlobal).Latency, c.m.Timing(isa.MemAtomic).Latency)
	known := map[string]bool{}
	for _, f := range isa.Features() {
		known[f.Name] = true
		t, ok := c.m.StandIns[f.Name]
		if !ok {
			continue
		}
		path := "stand_ins." + f.Name
		c.require((t.Pipeline == lsu) == f.Memory, path+".pipeline", "%q is the pipeline for memory and for nothing else", lsu)
		c.require(!f.Memory || t.Latency >= minimum, path+".latency", "a latency of %d is shorter than the %d of other accesses to global memory", t.Latency, minimum)
	}
	for _, name := range sortedKeys(c.m.StandIns) {
		c.require(known[name], "stand_ins."+name, "unknown feature %q", name)
	}
}

// operations checks that groups of operations are known, and that they do not use the pipeline for memory.
func (c *checker) operations() {
	lsu := c.m.Timing(isa.MemGlobal).Pipeline
	var known []string
	for _, g := range isa.Groups() {
		known = append(known, g.Name)
	}
	for _, name := range sortedKeys(c.m.Operations) {
		c.require(slices.Contains(known, name), "operations."+name, "unknown group of operations %q; there are %s", name, strings.Join(known, ", "))
		c.require(c.m.Operations[name].Pipeline != lsu, "operations."+name+".pipeline", "%q is the pipeline for memory", lsu)
	}
}

// dependences checks that they are between pipelines. What memory delivers has no fixed latency that others could add to.
func (c *checker) dependences() {
	lsu := c.m.Timing(isa.MemGlobal).Pipeline
	for _, d := range c.m.SortedDependences() {
		path := "dependences." + Pair(d.Producer, d.Consumer)
		for i, name := range []string{d.Producer, d.Consumer} {
			_, known := c.m.Pipelines[name]
			c.require(known || i == 1 && name == Guard, path, "%q is no pipeline; a key is \"PRODUCER CONSUMER\", the consumer a pipeline or %q, and there are %s",
				name, Guard, strings.Join(sortedKeys(c.m.Pipelines), ", "))
		}
		c.require(d.Producer != lsu, path, "results of the pipeline for memory have no fixed latency")
	}
}

// buffers checks that what passes the buffers of memory instructions takes longer than that, and that tags are of whole lines.
func (c *checker) buffers() {
	m := c.m
	if m.LSU == (LSU{}) {
		return
	}
	for _, class := range []isa.Class{isa.MemShared, isa.MemGlobal, isa.MemAtomic} {
		t := m.Timing(class)
		c.require(t.Latency > m.LSU.Latency.Value, "lsu.latency", "%d cycles are not less than the latency of %d of %s", m.LSU.Latency.Value, t.Latency, class)
	}
	for _, f := range isa.Features() {
		t, ok := m.StandIns[f.Name]
		c.require(!ok || !f.Memory || t.Latency > m.LSU.Latency.Value, "lsu.latency", "%d cycles are not less than the latency of %d of %s", m.LSU.Latency.Value, t.Latency, f.Name)
	}
	c.require(m.LSU.Tag.Value >= m.L1.Line.Value, "lsu.tag", "%d bytes are less than a line of %d", m.LSU.Tag.Value, m.L1.Line.Value)
}

// carveOuts checks that one holds all shared memory that an SM can have, and that the L1 has the ways that one leaves.
func (c *checker) carveOuts() {
	m := c.m
	if len(m.CarveOuts) == 0 {
		return
	}
	largest := int64(0)
	for _, key := range sortedKeys(m.CarveOuts) {
		kib, err := strconv.ParseUint(key, 10, 16)
		path := "carve_outs." + key
		c.require(err == nil && strconv.FormatUint(kib, 10) == key, path, "%q is no number of KiB of shared memory", key)
		ways := m.CarveOuts[key].Value
		c.require(ways <= m.L1.Ways.Value, path, "the L1 has %d ways, not %d", m.L1.Ways.Value, ways)
		largest = max(largest, int64(kib))
	}
	c.require(largest<<10 >= m.SM.Shared.Value, "carve_outs", "the %d bytes of shared memory of an SM are more than %d KiB", m.SM.Shared.Value, largest)
}

// barrel checks a machine whose SMs have one port: a warp cannot issue again while its
// instruction before holds it.
func (c *checker) barrel() {
	sm := &c.m.SM
	c.require(sm.Schedulers.Value == 1, "sm.schedulers", "%s has 1 scheduler, not %d", c.m.Core.Named(), sm.Schedulers.Value)
	c.inOrder()
	for _, class := range []isa.Class{isa.Sync, isa.Control} {
		t := c.m.Timing(class)
		c.require(sm.Barrier.Value >= t.Initiation, "sm.barrier", "%d cycles are less than the initiation of %d of %s", sm.Barrier.Value, t.Initiation, class)
	}
}

// inOrder checks what holds for cores that have one instruction of each warp under way.
func (c *checker) inOrder() {
	sm := &c.m.SM
	only := c.m.Core.policy()
	c.require(sm.Policy.Value == only, "sm.policy", "%s schedules by %s, not by %s", c.m.Core.Named(), only, sm.Policy.Value)
	for _, class := range isa.Classes() {
		t, path := c.m.Timing(class), "classes."+class.String()+".latency"
		c.require(t.Latency >= t.Initiation, path, "a latency of %d is shorter than the initiation of %d", t.Latency, t.Initiation)
	}
}

// split checks a machine with split cores: what uses a port uses it for whole passes, and
// what can let others go from a barrier for one.
func (c *checker) split() {
	sm, pass := &c.m.SM, c.m.Split.Pass.Value
	c.inOrder()
	simds := sm.Schedulers.Value
	c.require(sm.Warps.Value%simds == 0, "sm.warps", "%d warps cannot be distributed evenly to %d SIMDs", sm.Warps.Value, simds)
	c.require(sm.Registers.Value%simds == 0, "sm.registers", "%d registers cannot be distributed evenly to %d SIMDs", sm.Registers.Value, simds)
	c.require(sm.WarpUnit.Value == 1, "sm.warp_unit", "a %s core allocates registers for each warp by itself, not for %d", Splitting, sm.WarpUnit.Value)
	c.require(c.m.Split.Address.Value%pass == 0, "split.address", "%d cycles are no whole number of passes of %d", c.m.Split.Address.Value, pass)
	for _, class := range isa.Classes() {
		t, path := c.m.Timing(class), "classes."+class.String()+".initiation"
		switch {
		case class == isa.Sync || class == isa.Control:
			c.require(t.Initiation == pass, path, "%s takes one pass of %d cycles, not %d", class, pass, t.Initiation)
		case class < isa.MemParam:
			c.require(t.Initiation%pass == 0, path, "%d cycles are no whole number of passes of %d", t.Initiation, pass)
		}
	}
	c.require(sm.Barrier.Value >= pass, "sm.barrier", "%d cycles are less than a pass of %d", sm.Barrier.Value, pass)
	if c.m.Cached() {
		c.segments()
	}
}

// segments checks an L1 whose lines are the segments of memory.
func (c *checker) segments() {
	m := c.m
	lines, load := m.SM.Count.Value*m.L1.Sets.Value*m.L1.Ways.Value, m.Timing(isa.MemGlobal)
	c.require(lines <= maxLLCLines, "l1.sets", "the caches together have %d lines, more than %d", lines, maxLLCLines)
	c.require(m.Memory.Requests.Value == BySegment, "memory.requests", "the lines of an L1 are segments, which %q does not count", m.Memory.Requests.Value)
	c.require(m.L1.Hit.Value <= load.Latency, "l1.hit", "%d cycles are more than the latency of %d of %s", m.L1.Hit.Value, load.Latency, isa.MemGlobal)
}

// integrated checks a machine whose SMs share a cache with a CPU.
func (c *checker) integrated() {
	m := c.m
	c.barrel()
	c.require(m.Cores() <= maxCores, "sm.count", "%d SMs and a CPU are more than %d cores", m.SM.Count.Value, maxCores)
	lines := int64(m.Cores())*m.L1.Sets.Value*m.L1.Ways.Value + m.LLC.Sets.Value*m.LLC.Ways.Value
	c.require(lines <= maxLLCLines, "llc.sets", "the caches together have %d lines, more than %d", lines, maxLLCLines)
	c.require(m.L1.Index.Value == Linear, "l1.index", "the L1 of %s has the index %q, not %q", Integrated.Named(), Linear, m.L1.Index.Value)
	c.require(m.DRAM.Row.Value >= m.L1.Line.Value, "dram.row", "%d bytes are less than a line of %d", m.DRAM.Row.Value, m.L1.Line.Value)
	c.require(m.DRAM.Conflict.Value >= m.DRAM.Open.Value, "dram.conflict", "%d cycles are less than the %d of dram.open", m.DRAM.Conflict.Value, m.DRAM.Open.Value)
}
