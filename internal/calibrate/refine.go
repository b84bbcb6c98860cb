package calibrate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"warpbound/internal/machine"
)

// maxSweeps is how often Refine settles all numbers: what one microbenchmark takes depends a little on numbers that others show.
const maxSweeps = 8

// Refine describes a device in the terms of a machine: it keeps the shape of cfg.Default, its pipelines and caches, and chooses the
// numbers that Identifiable lists so that microbenchmarks take as long simulated as they did on the device. What is not listed
// keeps its value, with the basis assumed. It is an error if a microbenchmark fails, or if the numbers do not settle.
func Refine(ctx context.Context, cfg Config) (*Result, error) {
	if cfg.Default.Core != machine.Scoreboard {
		return nil, fmt.Errorf("%s has %s: only machines with a scoreboard describe GPUs", cfg.Default.Name, cfg.Default.Core.Named())
	}
	if n := cfg.Device.Attributes().WarpSize; n != 32 {
		return nil, fmt.Errorf("a device with warps of %d threads: PTX means 32", n)
	}
	bytes := refineBytes
	if !cfg.Default.WarmCopies() { // DRAM is measured, with other memory in the L2
		bytes = max(bytes, 4*l2Bytes(cfg.Device))
	}
	p, err := newProber(cfg.Device, max(1, cfg.Repeats), bytes)
	if err != nil {
		return nil, err
	}
	c := &calibration{Config: cfg, prober: p, ctx: ctx}
	c.m = cfg.Default.WithoutBasis()
	c.out.Before = p.dev.Conditions()
	if err := c.refine(); err != nil {
		p.close()
		if ctx.Err() != nil {
			return &c.out, ctx.Err()
		}
		return nil, err
	}
	c.out.After = p.dev.Conditions()
	c.conditions()
	if err := p.close(); err != nil {
		return nil, err
	}
	c.out.Machine, err = machine.Parse(c.m.Name+".toml", c.m.Format())
	if err != nil {
		return nil, fmt.Errorf("what was measured makes no machine: %w", err)
	}
	return &c.out, nil
}

// refineBytes is more than what the microbenchmarks of Refine access, but for those that need the L2 full.
const refineBytes = 1 << 20

// accounted states for all numbers where they are from: found says it of those that microbenchmarks show, by their paths.
func (c *calibration) accounted(found map[string]string) *machine.Machine {
	return c.m.Rebased(func(path, source string) (string, machine.Basis) {
		if how, ok := found[path]; ok {
			return how, machine.Measured
		}
		if strings.HasPrefix(source, attribute) {
			return source, machine.Published
		}
		kept := fmt.Sprintf("not measured; %s: %s", c.Default.Name, source)
		if how, ok := found[path+"."+latency]; ok { // one source and one basis stand for both numbers of a timing
			if second, ok := found[path+"."+initiationKey]; ok {
				return how + "; initiation: " + second, machine.Measured
			}
			return how + "; initiation: " + kept, machine.Assumed
		}
		return kept, machine.Assumed
	})
}

// refine measures all numbers, and then chooses them.
func (c *calibration) refine() error {
	if err := c.attributes(); err != nil {
		return err
	}
	numbers := shown(c.m)
	measured, kept := make(map[string]*Measurement), make(map[string]int64)
	for i, n := range numbers {
		samples, err := n.probe(c.ctx, c.prober)
		if err != nil {
			return err
		}
		m := &Measurement{Name: n.path, What: n.what, Unit: "core cycles", Samples: samples}
		if err := m.positive(); err != nil {
			return err
		}
		c.keep(m)
		measured[n.path], kept[n.path] = m, n.value(c.m)
		c.report(i+1, len(numbers)+2)
	}
	if _, err := c.sweep(numbers, measured); err != nil {
		return err
	}
	c.report(len(numbers)+1, len(numbers)+2)
	numbers, err := c.told(numbers, measured, kept)
	if err != nil {
		return err
	}
	times, err := c.sweep(numbers, measured)
	if err != nil {
		return err
	}
	found := make(map[string]string)
	for _, n := range numbers {
		m, time := measured[n.path], times[n.path]
		found[n.path] = fmt.Sprintf("%s; chosen so that simulated it takes %s", m.source(), short(time))
		if want := m.Median(); math.Abs(time/want-1) > fits && math.Abs(time-want) > n.scale {
			c.note("%s: %s takes %s cycles on the device and %s simulated, which the shape of %s does not explain", n.path, n.what, short(want), short(time), c.Default.Name)
		}
	}
	c.m = c.accounted(found)
	c.report(len(measured)+2, len(measured)+2)
	return nil
}

func (c *calibration) report(done, total int) {
	if c.Progress != nil {
		c.Progress(done, total)
	}
}

// sweep settles one number after the other until none changes any more, and returns how long the microbenchmark of each takes
// simulated.
func (c *calibration) sweep(numbers []number, measured map[string]*Measurement) (map[string]float64, error) {
	times := make(map[string]float64)
	var unsettled []string
	for range maxSweeps {
		unsettled = nil
		for _, n := range numbers {
			before := n.value(c.m)
			var err error
			times[n.path], err = c.settle(before, n.minimum, n.scale, measured[n.path].Median(),
				func(v int64) { n.set(c.m, v) }, func(p *prober) ([]float64, error) { return n.probe(c.ctx, p) })
			if err != nil {
				return nil, err
			}
			if n.value(c.m) != before {
				unsettled = append(unsettled, n.path)
			}
		}
		if len(unsettled) == 0 {
			return times, nil
		}
	}
	return nil, fmt.Errorf("%s did not settle in %d rounds: another base than %s may describe the device", strings.Join(unsettled, ", "), maxSweeps, c.Default.Name)
}

// told returns the numbers that the microbenchmarks tell from their neighbours. Others are as in the base again, if that
// explains the microbenchmark as well, and are noted.
func (c *calibration) told(numbers []number, measured map[string]*Measurement, kept map[string]int64) ([]number, error) {
	var out []number
	for _, n := range numbers {
		other, err := c.alike(n)
		if err != nil {
			return nil, err
		}
		if other == 0 {
			out = append(out, n)
			continue
		}
		chosen := n.value(c.m)
		n.set(c.m, kept[n.path])
		time, err := c.simulated(refineBytes, func(p *prober) ([]float64, error) { return n.probe(c.ctx, p) })
		if err != nil {
			return nil, err
		}
		if math.Abs(time-measured[n.path].Median()) >= n.scale/2 {
			n.set(c.m, chosen)
		}
		c.note("%s = %d is not measured: %s takes as long with %d as with %d", n.path, n.value(c.m), n.what, chosen, other)
	}
	return out, nil
}
