package calibrate

import (
	"fmt"
	"math"

	"warpbound/internal/machine"
)

// dram measures loads that no cache serves.
func (c *calibration) dram() error {
	d, ratio := &c.m.DRAM, float64(c.m.Clock.DRAM.Value)/float64(c.m.Clock.Core.Value)
	c.sameTimes()
	seen, err := c.dramRows(c.ctx, c.line, int(c.m.L2.Partitions.Value), 1/ratio)
	if err != nil {
		return err
	}
	if seen.row > 0 {
		found(&d.Row, seen.row, "loads of a walk through cold memory that take longer than most, since they open a row")
		found(&d.Banks, seen.banks, "so many rows of a partition are opened before one has to be closed")
		found(&d.RCD, max(1, int(whole(seen.open*ratio))), "loads that open a row take %s core cycles longer than others", short(seen.open))
		found(&d.RP, max(1, int(whole(seen.conflict*ratio)-d.RCD.Value)), "loads that close a row take %s core cycles longer than others, less dram.rcd", short(seen.conflict))
	} else {
		c.note("loads from DRAM do not fall into those of open, new and other rows: rows, banks and their times are the default's, in nanoseconds")
	}
	const loads = 512
	cold := func(p *prober) ([]float64, error) { return p.cold(c.ctx, loads, c.line, c.line) }
	m := &Measurement{Name: "dram.load", What: fmt.Sprintf("%d loads of cold lines side by side, each with the readings of the clock around it", loads), Unit: "core cycles"}
	if m.Samples, err = cold(c.prober); err != nil {
		return err
	}
	c.keep(m)
	settle := func() error {
		time, err := c.settle(d.Latency.Value, 0, 1, m.Median(), func(n int64) { d.Latency.Value = n }, cold)
		d.Latency.Source = fmt.Sprintf("%s; chosen so that this takes %s cycles simulated", m.source(), short(time))
		return err
	}
	// The time for a line is part of that of a load.
	for _, step := range []func() error{settle, c.bandwidth, settle} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// sameTimes changes the default's times of the DRAM, which are in its cycles, to the clock of
// the device.
func (c *calibration) sameTimes() {
	from, to := c.Default.Clock.DRAM.Value, c.m.Clock.DRAM.Value
	if from == to {
		return
	}
	d := &c.m.DRAM
	for _, n := range []*machine.Number{&d.RRD, &d.RCD, &d.RAS, &d.RP, &d.RC, &d.CL, &d.WL, &d.CDLR, &d.WR} {
		n.Source = fmt.Sprintf("%s; %d cycles of %d Hz there, as long here", n.Source, n.Value, from)
		n.Value = int64(math.Ceil(float64(n.Value) * float64(to) / float64(from)))
	}
	d.RC.Value = max(d.RC.Value, d.RAS.Value)
}

// bandwidth chooses how long the DRAM needs for a line.
func (c *calibration) bandwidth() error {
	m, err := c.stream(c.ctx, true, c.line)
	if err != nil {
		return err
	}
	c.keep(m)
	d, l2 := &c.m.DRAM, &c.m.L2
	core, dram := float64(c.m.Clock.Core.Value), float64(c.m.Clock.DRAM.Value)
	usual := l2.Line.Value / min(d.Burst.Value, l2.Line.Value) * d.CCD.Value
	guess := whole(float64(l2.Partitions.Value*l2.Line.Value) / m.Median() * dram / core)
	burst := min(d.Burst.Value, l2.Line.Value)
	set := func(cycles int64) {
		d.Burst.Value, d.CCD.Value = burst, cycles*burst/l2.Line.Value
		if cycles*burst%l2.Line.Value != 0 {
			d.Burst.Value, d.CCD.Value = l2.Line.Value, cycles
		}
	}
	best, minimum, rate := int64(0), math.Inf(1), 0.0
	for _, cycles := range []int64{usual, guess, guess - 1, guess + 1} {
		if cycles < 1 || minimum < near {
			continue
		}
		set(cycles)
		simulated, err := c.simulated(c.streamBytes(), func(p *prober) ([]float64, error) { return samples(p.stream(c.ctx, true, c.line)) })
		if err != nil {
			return err
		}
		if off := math.Abs(simulated/m.Median() - 1); off < minimum {
			best, minimum, rate = cycles, off, simulated
		}
	}
	set(best)
	d.CCD.Source = fmt.Sprintf("%s; chosen so that simulated it gives %s", m.source(), short(rate))
	d.Burst.Source = "the bytes of dram.ccd; " + d.Burst.Source
	if minimum > fits {
		c.note("memory gives %s bytes per core cycle on the device and %s simulated", short(m.Median()), short(rate))
	}
	return nil
}
