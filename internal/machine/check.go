package machine

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"warpbound/internal/diag"
	"warpbound/internal/isa"
)

// Limits of a machine as a whole, so that no description makes a simulator
// allocate without bound.
const (
	maxWarps = 1 << 14 // on all SMs
	maxLines = 1 << 20 // in all caches
	maxRatio = 1 << 20 // either side of the reduced ratio of the clocks
)

// checker gathers what is wrong with a decoded description.
type checker struct {
	m    *Machine
	file string
	at   map[string]diag.Pos
	errs diag.List
}

// errorf reports a finding at the most specific part of the path that the file
// has.
func (c *checker) errorf(path, format string, args ...any) {
	pos := diag.Pos{File: c.file, Line: 1, Col: 1}
	for p := path; p != ""; p = p[:max(strings.LastIndexByte(p, '.'), 0)] {
		if known, ok := c.at[p]; ok {
			pos = known
			break
		}
	}
	c.errs.Add(diag.Errorf(pos, format, args...))
}

func (c *checker) has(path string) bool {
	_, ok := c.at[path]
	return ok
}

func (c *checker) check() {
	c.name()
	for path, f := range c.m.fields() {
		switch v := f.value.Interface().(type) {
		case Number:
			c.number(path, f, v)
		case interface{ row(path string) Row }:
			c.choice(f, v.row(path))
		case map[string]Number:
			if len(v) == 0 {
				c.errorf(path, "[%s] names no pipeline", path)
			}
			for _, name := range sortedKeys(v) {
				c.number(path+"."+name, f, v[name])
			}
		case map[string]Timing:
			c.classes(path, v)
		}
	}
	if c.errs.Len() == 0 {
		c.relations()
	}
}

func (c *checker) name() {
	if !c.has("name") {
		c.errorf("name", "missing key name")
		return
	}
	for _, r := range c.m.Name {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') {
			c.errorf("name", "name %q may hold a to z, 0 to 9 and - only", c.m.Name)
			return
		}
	}
	if c.m.Name == "" || len(c.m.Name) > 64 {
		c.errorf("name", "name must have 1 to 64 characters, has %d", len(c.m.Name))
	}
}

func (c *checker) number(path string, f field, n Number) {
	unit := f.tag.Get("unit")
	if !c.has(path) {
		c.errorf(path, "missing key %s = { value = ..., unit = %q, source = ... }", path, unit)
		return
	}
	if !c.has(path + ".value") {
		c.errorf(path, "%s has no value", path)
		return
	}
	c.unit(path, n.Unit, unit)
	c.source(path, n.Source)
	low, high := f.bound("min"), f.bound("max")
	if n.Value < low || n.Value > high {
		c.errorf(path+".value", "%s = %d is not between %d and %d %s", path, n.Value, low, high, unit)
		return
	}
	if f.tag.Get("shape") != "" && bits.OnesCount64(uint64(n.Value)) != 1 {
		c.errorf(path+".value", "%s = %d must be a power of two", path, n.Value)
	}
}

// bound reads a limit from a tag of Machine's own declaration.
func (f field) bound(tag string) int64 {
	v, err := strconv.ParseInt(f.tag.Get(tag), 10, 64)
	if err != nil {
		panic(err) // the tags are constants of this package, and tested
	}
	return v
}

func (c *checker) unit(path, got, want string) {
	if got != want {
		c.errorf(path+".unit", "the unit of %s must be %q, not %q", path, want, got)
	}
}

func (c *checker) source(path, got string) {
	if strings.TrimSpace(got) == "" {
		c.errorf(path+".source", "%s does not say its source", path)
	}
}

func (c *checker) choice(f field, r Row) {
	words := strings.Fields(f.tag.Get("choices"))
	if !c.has(r.Path) {
		c.errorf(r.Path, "missing key %s = { value = ..., source = ... }; the value is one of %s", r.Path, strings.Join(words, ", "))
		return
	}
	c.source(r.Path, r.Source)
	if !slices.Contains(words, r.Value) {
		c.errorf(r.Path+".value", "%s = %q is none of %s", r.Path, r.Value, strings.Join(words, ", "))
	}
}

func (c *checker) classes(section string, timings map[string]Timing) {
	known := map[string]bool{}
	for _, class := range isa.Classes() {
		name := class.String()
		known[name] = true
		path := section + "." + name
		t, ok := timings[name]
		if !ok {
			c.errorf(path, "missing key %s = { pipeline = ..., latency = ..., initiation = ..., unit = %q, source = ... }", path, timingUnit)
			continue
		}
		c.unit(path, t.Unit, timingUnit)
		c.source(path, t.Source)
		if _, ok := c.m.Pipelines[t.Pipeline]; !ok {
			c.errorf(path+".pipeline", "%s: no pipeline %q; there are %s", path, t.Pipeline, strings.Join(sortedKeys(c.m.Pipelines), ", "))
		}
		for key, v := range map[string]int64{"latency": t.Latency, "initiation": t.Initiation} {
			if v < 1 || v > maxLatency {
				c.errorf(path+"."+key, "%s.%s = %d is not between 1 and %d %s", path, key, v, maxLatency, timingUnit)
			}
		}
	}
	for _, name := range sortedKeys(timings) {
		if !known[name] {
			c.errorf(section+"."+name, "unknown timing class %q", name)
		}
	}
}

// relations checks what several numbers must obey together. All of them are in
// range when it runs.
func (c *checker) relations() {
	m := c.m
	sm, l1, l2, dram := &m.SM, &m.L1, &m.L2, &m.DRAM
	require := func(ok bool, path, format string, args ...any) {
		if !ok {
			c.errorf(path, format, args...)
		}
	}
	core, mem := m.ClockRatio()
	require(max(core, mem) <= maxRatio, "clock.dram", "the ratio of the clocks, reduced to %d:%d, has a side beyond %d", core, mem, maxRatio)
	warps := sm.Count.Value * sm.Warps.Value
	require(warps <= maxWarps, "sm.warps", "%d SMs of %d warps are more than %d warps", sm.Count.Value, sm.Warps.Value, maxWarps)
	require(sm.Warps.Value >= sm.Schedulers.Value, "sm.schedulers", "%d schedulers share %d warps", sm.Schedulers.Value, sm.Warps.Value)
	require(sm.Threads.Value <= sm.Warps.Value*sm.WarpSize.Value, "sm.threads", "%d threads do not fit into %d warps of %d", sm.Threads.Value, sm.Warps.Value, sm.WarpSize.Value)
	require(sm.CTAThreads.Value <= sm.Threads.Value, "sm.cta_threads", "a CTA of %d threads does not fit into the %d of an SM", sm.CTAThreads.Value, sm.Threads.Value)

	lines := sm.Count.Value*l1.Sets.Value*l1.Ways.Value + l2.Partitions.Value*l2.Sets.Value*l2.Ways.Value
	require(lines <= maxLines, "l2.sets", "the caches together have %d lines, more than %d", lines, maxLines)
	require(l1.Index.Value != Fermi || l1.Sets.Value == 32 && l1.Line.Value == 128, "l1.index", "the index %q is for 32 sets of lines of 128 bytes", Fermi)
	require(l1.Line.Value == l2.Line.Value, "l1.line", "lines of %d bytes differ from the %d of l2.line", l1.Line.Value, l2.Line.Value)
	require(l2.Interleave.Value >= l2.Line.Value, "l2.interleave", "%d bytes are less than a line of %d", l2.Interleave.Value, l2.Line.Value)
	require(dram.Row.Value >= l2.Line.Value, "dram.row", "%d bytes are less than a line of %d", dram.Row.Value, l2.Line.Value)
	require(dram.Burst.Value <= l2.Line.Value, "dram.burst", "%d bytes are more than a line of %d", dram.Burst.Value, l2.Line.Value)
	require(dram.RC.Value >= dram.RAS.Value, "dram.rc", "a row cycle of %d is shorter than ras = %d", dram.RC.Value, dram.RAS.Value)

	lsu := m.Timing(isa.MemGlobal).Pipeline
	for _, class := range []isa.Class{isa.MemParam, isa.MemShared, isa.MemGlobal, isa.MemAtomic} {
		path := "classes." + class.String() + ".pipeline"
		require(m.Timing(class).Pipeline == lsu, path, "all memory classes share one pipeline, but this is not %q", lsu)
	}
	require(m.Pipelines[lsu].Value == 1, "pipelines."+lsu, "an SM has 1 pipeline for memory, not %d", m.Pipelines[lsu].Value)
	for _, class := range isa.Classes() {
		if class < isa.MemParam {
			path := "classes." + class.String() + ".pipeline"
			require(m.Timing(class).Pipeline != lsu, path, "%q is the pipeline for memory", lsu)
		}
	}
}
