package calibrate

import (
	"fmt"
	"math"
	"strings"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// sharedMemory measures the banks.
func (c *calibration) sharedMemory() error {
	b, err := c.banks(c.ctx)
	if err != nil {
		return err
	}
	c.keep(b.latency, b.pass, b.row, b.width, b.atomicPass)
	c.time(isa.MemShared, func(t *machine.Timing) {
		t.Latency, t.Initiation = max(1, whole(b.latency.Median())), max(1, whole(b.pass.Median()))
		t.Source = b.latency.source() + "; initiation: " + b.pass.source()
	})
	width := int(b.width.Median())
	found(&c.m.Shared.BankBytes, width, "%s", b.width.What)
	found(&c.m.Shared.Banks, int(b.row.Median())/width, "%s is %v bytes, by the width of a bank", b.row.What, b.row.Median())
	c.m.Shared.AtomicPass.Value, c.m.Shared.AtomicPass.Source = max(1, whole(b.atomicPass.Median())), b.atomicPass.source()
	return nil
}

// access measures a chain of accesses and enters it into the record.
func (c *calibration) access(a access, stride, n int, name, what string) (*Measurement, error) {
	samples, err := c.cells(c.ctx, a, stride, n)
	if err != nil {
		return nil, err
	}
	m := &Measurement{Name: name, What: what, Unit: "core cycles", Samples: samples}
	c.keep(m)
	return m, nil
}

// constants measures parameters and constants, by the latter.
func (c *calibration) constants() error {
	one, err := c.access(constantLoad, 0, 0, "mem-param.step", "a chain of loads of a constant and additions")
	if err != nil {
		return err
	}
	all, err := c.access(constantLoad, 4, 0, "mem-param.step32", "the same with 32 addresses")
	if err != nil {
		return err
	}
	c.time(isa.MemParam, func(t *machine.Timing) {
		t.Latency, t.Initiation = max(1, whole(one.Median()-c.add)), max(1, whole((all.Median()-one.Median())/31))
		t.Source = one.source() + ", less int-add; initiation: " + all.source() + ", for each further address"
	})
	return nil
}

// l1 measures loads that the L1 keeps, and the L1.
func (c *calibration) l1() error {
	away, err := c.access(l2Load, 0, 0, "l2.load", "a chain of loads of a line that only the L2 holds")
	if err != nil {
		return err
	}
	near, err := c.access(globalLoad, 0, 0, "mem-global.latency", "a chain of loads of a line that the L1 holds")
	if err != nil {
		return err
	}
	c.l2 = away
	beyond, err := c.walk(".cg")
	if err != nil {
		return err
	}
	defer beyond.unload()
	time, err := beyond.one(c.ctx, 0)
	if err != nil {
		return err
	}
	seen, err := c.l1Seen(c.ctx, time)
	if err != nil {
		return err
	}
	l1 := &c.m.L1
	if seen == nil {
		c.line = int(l1.Line.Value)
		const none = "the device keeps no loads of global memory in its L1"
		found(&l1.Sets, 1, none)
		found(&l1.Ways, 1, none)
		l1.Index.Value, l1.Index.Source = machine.Linear, none
		c.note("%s: the smallest that a machine file can state stands in; the size of lines and the latency of hits are the default's", none)
		return nil
	}
	c.line = statable(seen.line, c.dev.Attributes().SMs*seen.lines*seen.line+l2Bytes(c.dev))
	four, err := c.access(globalLoad, maxLine, 3, "mem-global.step4", "the same with four lines")
	if err != nil {
		return err
	}
	c.time(isa.MemGlobal, func(t *machine.Timing) {
		t.Latency, t.Initiation = max(1, whole(near.Median())), max(1, whole((four.Median()-near.Median())/3))
		t.Source = near.source() + "; initiation: " + four.source() + ", for each further line"
	})
	const what = "the least distance at which each load of a walk through more than the L1 misses"
	if found(&l1.Line, seen.line, what); c.line != seen.line {
		found(&l1.Line, c.line, "%s is %d, and caches of more lines than these a machine file cannot state", what, seen.line)
		c.note("loads fetch %d bytes, and not lines of %d, the least of which a machine file can state as many as the caches hold", seen.line, c.line)
		seen = seen.withLine(c.line)
	}
	sets, ways, index, known := seen.l1Shape()
	found(&l1.Sets, sets, "the L1 holds %d lines, by its ways", seen.lines)
	found(&l1.Ways, ways, "the smallest number of lines that it holds of those at a distance of any power of two")
	l1.Index.Value, l1.Index.Source = index, "measured by calibrate: which lines displace each other"
	if !known {
		l1.Index.Source = "measured by calibrate: none of the indexes explains which lines displace each other; the simplest"
		c.note("the L1 chooses its sets or what to replace in another way than the simulator: walks found %d lines, at powers of two %v", seen.lines, seen.held)
	}
	return c.misses()
}

// statable returns the least size of lines, from line on, with which caches of so many bytes
// together have no more lines than a machine file can state.
func statable(line, bytes int) int {
	for line < maxLine && bytes/line > machine.MaxLines {
		line *= 2
	}
	return line
}

// misses measures how many misses of the L1 are under way.
func (c *calibration) misses() error {
	for _, f := range []struct {
		name     string
		n        *machine.Number
		distance int
	}{
		{"l1.mshrs", &c.m.L1.MSHRs, c.line},
		{"l1.merge", &c.m.L1.Merge, 4},
	} {
		count, m, err := c.outstanding(c.ctx, f.distance, c.line)
		if err != nil {
			return err
		}
		m.Name = f.name
		c.keep(m)
		if count > 0 {
			found(f.n, count, "so many loads %d bytes apart are under way before the next waits for an answer", f.distance)
		} else {
			found(f.n, maxInflight, "no more loads %d bytes apart were tried, and none waited for an answer", f.distance)
		}
	}
	return nil
}

// l2Times chooses what lies between SM and L2. Only the sum of the ways there and back and
// of the L2's own latency is seen: all of it that is not the default's is stated as the latter.
func (c *calibration) l2Times() error {
	four, err := c.access(l2Load, maxLine, 3, "l2.load4", "the same with four lines")
	if err != nil {
		return err
	}
	ic, perLine := &c.m.Interconnect, max(1, whole((four.Median()-c.l2.Median())/3))
	// Lines and headers must be whole words for the simulator's table of packets.
	packet := ic.Header.Value + int64(c.line)
	if flits := (packet + ic.Flit.Value - 1) / ic.Flit.Value; flits != perLine {
		found(&ic.Flit, int((packet+perLine-1)/perLine), "a line and its header take %d cycles: %s", perLine, four.source())
	}
	c.m.L1.Line.Value, c.m.L2.Line.Value = int64(c.line), int64(c.line)
	c.m.L2.Line.Source = "measured by calibrate: l1.line, since lines are alike in the simulator"
	latency := &c.m.L2.Latency
	time, err := c.settle(latency.Value, 1, 1, c.l2.Median(), func(n int64) { latency.Value = n },
		func(p *prober) ([]float64, error) { return p.cells(c.ctx, l2Load, 0, 0) })
	latency.Source = fmt.Sprintf("%s; chosen so that this takes %s cycles simulated", c.l2.source(), short(time))
	return err
}

// l2Size measures the L2.
func (c *calibration) l2Size() error {
	seen, err := c.l2Seen(c.ctx, c.line)
	if err != nil {
		return err
	}
	l2 := &c.m.L2
	usual := l2Geometry{int(l2.Partitions.Value), int(l2.Interleave.Value), int(l2.Sets.Value), int(l2.Ways.Value)}
	// One SM may find room in a part of the L2 alone, as in half of it, but not in so little.
	stated := c.dev.Attributes().L2Bytes
	shown := seen != nil && 4*seen.lines*c.line > stated
	how := ""
	switch {
	case !shown && stated == 0:
		return fmt.Errorf("microbenchmark walk: no size of the L2 was seen up to %d bytes", c.dataBytes)
	case !shown:
		c.shapes = []l2Geometry{nearest(stated/c.line, usual)}
		how = fmt.Sprintf("attribute of the device: %d bytes of L2, in a shape of about as many lines", stated)
		c.note("walks show no size of the L2: its shape is a guess by the size that the device states")
	default:
		how = "measured by calibrate: " + c.l2Shape(seen, usual)
		if bytes := seen.lines * c.line; stated > 0 && math.Abs(float64(bytes)/float64(stated)-1) > fits {
			c.note("walks found %d bytes of L2, but the device says that it has %d", bytes, stated)
		}
	}
	c.setShape(c.shapes[0])
	for _, n := range []*machine.Number{&l2.Partitions, &l2.Sets, &l2.Ways} {
		n.Source = how
	}
	return nil
}

// l2Shape finds the shapes that explain what was seen, and says how.
func (c *calibration) l2Shape(seen *cacheSeen, usual l2Geometry) string {
	c.shapes = seen.l2Shapes(c.line, usual)
	if len(c.shapes) > 0 {
		return fmt.Sprintf("explains which of its %d lines displace each other", seen.lines)
	}
	c.shapes = []l2Geometry{nearest(seen.lines, usual)}
	how := fmt.Sprintf("a shape of about the %d lines that walks found, whose sets the simulator cannot choose as the device does", seen.lines)
	c.note("the L2 chooses its sets or what to replace in another way than the simulator: %s", how)
	return how
}

// setShape changes the shape of the L2.
func (c *calibration) setShape(g l2Geometry) {
	l2 := &c.m.L2
	l2.Partitions.Value, l2.Interleave.Value, l2.Sets.Value, l2.Ways.Value = int64(g.partitions), int64(g.interleave), int64(g.sets), int64(g.ways)
}

// nearest changes the sets of a shape and then its ways until it has about so many lines.
func nearest(lines int, g l2Geometry) l2Geometry {
	g.sets = 1 << max(0, int(math.Round(math.Log2(float64(lines)/float64(g.partitions*g.ways)))))
	g.ways = min(maxWays, max(1, int(math.Round(float64(lines)/float64(g.partitions*g.sets)))))
	return g
}

// atomics measures atomic operations in the L2.
func (c *calibration) atomics() error {
	// If a line has fewer than 32 words, neighbouring lanes are on the same one.
	const word = 4
	lanes := max(1, 32*word/c.line)
	shift := int(math.Log2(float64(lanes)))
	spread, err := c.access(globalAtomics, word, shift, "atomic.step", "a chain of atomic additions of 32 lanes to a line, with two instructions of class int-add")
	if err != nil {
		return err
	}
	same, err := c.access(globalAtomics, 0, 0, "atomic.same", "the same to one word")
	if err != nil {
		return err
	}
	lines, err := c.access(globalAtomics, c.line*atomicLines/32, 0, "atomic.lines", fmt.Sprintf("the same to %d lines", atomicLines))
	if err != nil {
		return err
	}
	atomic := &c.m.L2.Atomic
	atomic.Value = max(1, whole((same.Median()-spread.Median())/float64(32-lanes)))
	atomic.Source = same.source() + ", less those to the words of a line, for each further lane"
	// Initiation is the time between the lines of an operation, latency the way to the L2.
	timing := func(change func(t *machine.Timing, n int64)) func(int64) {
		return func(n int64) { c.time(isa.MemAtomic, func(t *machine.Timing) { change(t, n) }) }
	}
	c.time(isa.MemAtomic, func(t *machine.Timing) { t.Initiation = 1 })
	latency, err := c.settle(c.m.Timing(isa.MemAtomic).Latency, 1, 1, spread.Median(),
		timing(func(t *machine.Timing, n int64) { t.Latency = n }),
		func(p *prober) ([]float64, error) { return p.cells(c.ctx, globalAtomics, word, shift) })
	if err != nil {
		return err
	}
	if err := c.chooseShape(); err != nil {
		return err
	}
	initiation, err := c.settle(1, 1, atomicLines-1, lines.Median(),
		timing(func(t *machine.Timing, n int64) { t.Initiation = n }),
		func(p *prober) ([]float64, error) { return p.cells(c.ctx, globalAtomics, c.line*atomicLines/32, 0) })
	c.time(isa.MemAtomic, func(t *machine.Timing) {
		t.Source = fmt.Sprintf("%s; chosen so that this takes %s cycles simulated; initiation: %s; chosen so that this takes %s cycles simulated",
			spread.source(), short(latency), lines.source(), short(initiation))
	})
	return err
}

// atomicLines are the lines of the operation that tells how fast an SM sends them.
const atomicLines = 16

// standIns states how instructions are timed that the device lacks.
func (c *calibration) standIns() error {
	capability := c.dev.Attributes().Capability
	all := c.m.StandIns
	c.m.StandIns = machine.StandIns{}
	for _, f := range isa.Features() {
		if capability.Major*10+capability.Minor >= f.Since {
			continue
		}
		t, ok := all[f.Name]
		if !ok {
			continue
		}
		t.Pipeline = c.home(t.Pipeline)
		if f.Memory {
			class := isa.MemGlobal
			if _, ok := strings.CutPrefix(f.Name, "atomic"); ok {
				class = isa.MemAtomic
			}
			measured := c.m.Timing(class)
			t.Pipeline, t.Latency, t.Initiation = measured.Pipeline, max(measured.Latency, c.minimum()), measured.Initiation
			t.Source = fmt.Sprintf("choice: class %s", class)
		}
		c.m.StandIns[f.Name] = t
	}
	return nil
}

// minimum is what accesses to global memory take at least.
func (c *calibration) minimum() int64 {
	return min(c.m.Timing(isa.MemGlobal).Latency, c.m.Timing(isa.MemAtomic).Latency)
}

// home returns the pipeline of the first class that has the given one in the default.
func (c *calibration) home(pipeline string) string {
	for _, class := range isa.Classes() {
		if c.Default.Timing(class).Pipeline == pipeline {
			return c.m.Timing(class).Pipeline
		}
	}
	return c.m.Timing(isa.IntAdd).Pipeline
}
