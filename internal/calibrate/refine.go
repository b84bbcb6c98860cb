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

// Refine describes a device in the terms of a machine: it keeps the shape of cfg.Default, its
// pipelines and caches, and chooses the numbers that Identifiable lists so that microbenchmarks
// take as long simulated as they did on the device. What is not listed keeps its value, with the
// basis assumed; so does a number whose microbenchmark gives no time, or which does not settle: the
// notes say so. It is an error if a microbenchmark fails, or if the numbers make no machine; the
// result, unless nil, has what was measured until then.
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
			err = ctx.Err()
		}
		return &c.out, err
	}
	c.out.After = p.dev.Conditions()
	c.conditions()
	if err := p.close(); err != nil {
		return &c.out, err
	}
	if c.out.Machine, err = machine.Parse(c.m.Name+".toml", c.m.Format()); err != nil {
		err = fmt.Errorf("what was measured makes no machine: %w", err)
	}
	return &c.out, err
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
	launch, err := c.launch(c.ctx)
	if err != nil {
		return err
	}
	c.keep(launch)
	all := shown(c.m)
	var numbers []number
	measured, kept := make(map[string]*Measurement), make(map[string]int64)
	for i, n := range all {
		samples, err := n.probe(c.ctx, c.prober)
		if err != nil {
			return err
		}
		m := &Measurement{Name: n.path, What: n.what, Unit: "core cycles", Samples: samples}
		c.keep(m)
		if err := m.positive(); err != nil {
			c.note("%s = %d is not measured: %v", n.path, n.value(c.m), err)
		} else {
			numbers = append(numbers, n)
			measured[n.path], kept[n.path] = m, n.value(c.m)
		}
		c.report(i+1, len(all)+2)
	}
	if numbers, _, err = c.settleTogether(numbers, measured, kept); err != nil {
		return err
	}
	c.report(len(all)+1, len(all)+2)
	if numbers, err = c.told(numbers, measured, kept); err != nil {
		return err
	}
	numbers, times, err := c.settleTogether(numbers, measured, kept)
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
	c.report(len(all)+2, len(all)+2)
	return nil
}

func (c *calibration) report(done, total int) {
	if c.Progress != nil {
		c.Progress(done, total)
	}
}

// settleTogether chooses the numbers together, and returns those that settle and how long their
// microbenchmarks take simulated. Others are as in the base again, and are noted.
func (c *calibration) settleTogether(
	numbers []number, measured map[string]*Measurement, kept map[string]int64,
) ([]number, map[string]float64, error) {
	for {
		times, unsettled, err := c.sweep(numbers, measured)
		if err != nil || len(unsettled) == 0 {
			return numbers, times, err
		}
		var rest []number
		for _, n := range numbers {
			if !unsettled[n.path] {
				rest = append(rest, n)
				continue
			}
			n.set(c.m, kept[n.path])
			c.note("%s = %d is not measured: it does not settle in %d rounds; another base than %s may describe the device",
				n.path, kept[n.path], maxSweeps, c.Default.Name)
		}
		numbers = rest
	}
}

// sweep settles one number after the other until none changes any more, and returns how long the microbenchmark of each takes
// simulated, and the paths of those that still changed at last.
func (c *calibration) sweep(
	numbers []number, measured map[string]*Measurement,
) (map[string]float64, map[string]bool, error) {
	times := make(map[string]float64)
	var unsettled map[string]bool
	for range maxSweeps {
		unsettled = make(map[string]bool)
		for _, n := range numbers {
			before := n.value(c.m)
			var err error
			times[n.path], err = c.settle(before, n.minimum, n.scale, measured[n.path].Median(),
				func(v int64) { n.set(c.m, v) }, func(p *prober) ([]float64, error) { return n.probe(c.ctx, p) })
			if err != nil {
				return nil, nil, err
			}
			if n.value(c.m) != before {
				unsettled[n.path] = true
			}
		}
		if len(unsettled) == 0 {
			break
		}
	}
	return times, unsettled, nil
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
