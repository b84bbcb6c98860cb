package calibrate

import (
	"errors"
	"fmt"
	"math"

	"warpbound/internal/machine"
)

// near is the relative difference up to which a simulated time is taken for the measured one.
const near = 0.01

// chooseShape takes of the shapes that explain the walks those with which atomic operations
// on several lines take as long as measured, since a partition performs one after the other;
// of these the ones with which all SMs together load as much from the L2; and then the first.
func (c *calibration) chooseShape() error {
	var lines []func(p *prober) (*Measurement, error)
	for _, n := range []int{8, 16, 32} {
		lines = append(lines, func(p *prober) (*Measurement, error) {
			samples, err := p.cells(c.ctx, globalAtomics, c.line*n/32, 0)
			return &Measurement{Name: fmt.Sprintf("atomic.lines%d", n), What: fmt.Sprintf("a chain of atomic additions of 32 lanes to %d lines", n), Unit: "core cycles", Samples: samples}, err
		})
	}
	stream := func(p *prober) (*Measurement, error) { return p.stream(c.ctx, false, c.line) }
	all := len(c.shapes)
	if err := c.narrow(1<<20, near, lines...); err != nil {
		return err
	}
	// Where the SMs are in the stream depends a little on the DRAM, which is measured later.
	if err := c.narrow(c.streamBytes(), fits, stream); err != nil {
		return err
	}
	c.setShape(c.shapes[0])
	if all > 1 {
		l2 := &c.m.L2
		for _, n := range []*machine.Number{&l2.Partitions, &l2.Interleave, &l2.Sets} {
			n.Source = fmt.Sprintf("measured by calibrate: of %d shapes that explain which lines displace each other, the first with which atomic operations on several lines, and loads by all SMs, take most nearly as long", all)
		}
	}
	return nil
}

// narrow keeps the shapes with which microbenchmarks, which access so much memory, take most
// nearly as long as measured, but for the given relative difference.
func (c *calibration) narrow(bytes int, but float64, probes ...func(p *prober) (*Measurement, error)) error {
	if len(c.shapes) == 1 {
		return nil
	}
	off, minimum := make([]float64, len(c.shapes)), math.Inf(1)
	for _, probe := range probes {
		m, err := probe(c.prober)
		if errors.Is(err, errSmall) {
			continue
		}
		if err != nil {
			return err
		}
		c.keep(m)
		for i, g := range c.shapes {
			c.setShape(g)
			time, err := c.simulated(bytes, func(p *prober) ([]float64, error) { return samples(probe(p)) })
			if errors.Is(err, errSmall) { // as the device's is not
				off[i] = math.Inf(1)
				continue
			}
			if err != nil {
				return err
			}
			off[i] += math.Abs(time/m.Median()-1) / float64(len(probes))
		}
	}
	for _, o := range off {
		minimum = min(minimum, o)
	}
	kept := c.shapes[:0:0]
	for i, g := range c.shapes {
		if off[i] <= minimum+but {
			kept = append(kept, g)
		}
	}
	c.shapes = kept
	return nil
}

// samples returns those of a measurement.
func samples(m *Measurement, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	return m.Samples, nil
}
