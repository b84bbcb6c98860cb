package calibrate

import (
	"context"
	"fmt"
	"math"

	"warpbound/internal/cuda"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// Config says how a device is calibrated.
type Config struct {
	Device cuda.Device

	// Default is the machine whose numbers stand where nothing is measured and the device
	// says nothing. It must have a scoreboard.
	Default *machine.Machine

	// Simulate returns a device that simulates a machine. Numbers that no microbenchmark
	// shows by itself are chosen so that it takes as long there as on Device.
	Simulate func(*machine.Machine) (cuda.Device, error)

	Repeats  int                   // runs of each microbenchmark, at least 1
	Progress func(done, total int) // called after each step; may be nil
}

// Result is what a calibration gave.
type Result struct {
	Machine      *machine.Machine
	Measurements []*Measurement
	Notes        []string        // what could not be measured as it should, and why
	Before       cuda.Conditions // of the device
	After        cuda.Conditions
}

// calibration is one under way.
type calibration struct {
	Config
	*prober
	ctx context.Context
	m   *machine.Machine // as far as it is known, else the default
	out Result

	add       float64 // latency of int-add
	intervals map[isa.Class]float64
	line      int // bytes of a line of the caches
	l2        *Measurement
	shapes    []l2Geometry // of the L2 that explain the walks
}

// Run measures a device and describes it as a machine for the simulator: docs/devices.md
// says which microbenchmark gives which number. It is an error if a microbenchmark fails, or
// if it gives what a machine file cannot state. If ctx ends, the error is that of ctx, and the result has what was
// measured until then, and no machine.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if cfg.Default.Core != machine.Scoreboard {
		return nil, fmt.Errorf("%s has %s: defaults are taken from a machine with a scoreboard", cfg.Default.Name, cfg.Default.Core.Named())
	}
	if n := cfg.Device.Attributes().WarpSize; n != 32 {
		return nil, fmt.Errorf("a device with warps of %d threads: PTX means 32", n)
	}
	p, err := newProber(cfg.Device, max(1, cfg.Repeats), max(64<<20, 8*l2Bytes(cfg.Device), cfg.Device.Attributes().SMs<<20))
	if err != nil {
		return nil, err
	}
	c := &calibration{Config: cfg, prober: p, ctx: ctx}
	c.m = cfg.Default.WithSources(func(_, source string) string {
		return fmt.Sprintf("not measured; %s: %s", cfg.Default.Name, source)
	})
	c.out.Before = p.dev.Conditions()
	steps := []func() error{
		c.attributes, c.latencies, c.pipelines, c.warps, c.intervalsAgain, c.control, c.dispatching,
		c.sharedMemory, c.constants, c.l1, c.l2Times, c.l2Size, c.atomics, c.dram, c.standIns,
	}
	for i, step := range steps {
		if err := step(); err != nil {
			p.close()
			if ctx.Err() != nil {
				return &c.out, ctx.Err()
			}
			return nil, err
		}
		if cfg.Progress != nil {
			cfg.Progress(i+1, len(steps))
		}
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

// conditions notes what held on the device and makes numbers doubtful.
func (c *calibration) conditions() {
	stated, after := c.dev.Attributes().ClockKHz, &c.out.After
	if after.ClockKHz > 0 && math.Abs(float64(after.ClockKHz)/float64(stated)-1) > fits {
		c.note("the SMs ran at %d kHz at the end, and the machine has the highest clock, %d kHz: there memory takes other numbers of cycles", after.ClockKHz, stated)
	}
	if n := max(c.out.Before.Others, after.Others); n > 0 {
		c.note("%d other processes used the device, which makes memory slower", n)
	}
}

func (c *calibration) note(format string, args ...any) {
	c.out.Notes = append(c.out.Notes, fmt.Sprintf(format, args...))
}

// keep enters a measurement into the record.
func (c *calibration) keep(ms ...*Measurement) {
	c.out.Measurements = append(c.out.Measurements, ms...)
}

// whole is a measured number as a machine file states it.
func whole(v float64) int64 { return int64(math.Round(v)) }

// set states a measured number: the median, rounded, and at least least.
func (c *calibration) set(n *machine.Number, m *Measurement, minimum int64) {
	c.keep(m)
	n.Value, n.Source = max(minimum, whole(m.Median())), m.source()
}

// found states a number that follows from what was measured.
func found(n *machine.Number, value int, format string, args ...any) {
	n.Value, n.Source = int64(value), "measured by calibrate: "+fmt.Sprintf(format, args...)
}

// time states the timing of a class.
func (c *calibration) time(class isa.Class, change func(t *machine.Timing)) {
	t := c.m.Classes[class.String()]
	change(&t)
	c.m.Classes[class.String()] = t
}

// simulated runs a microbenchmark that accesses so much memory on the machine as far as it is
// known.
func (c *calibration) simulated(bytes int, probe func(*prober) ([]float64, error)) (float64, error) {
	dev, err := c.Simulate(c.m)
	if err != nil {
		return 0, err
	}
	p, err := simulator(dev, bytes)
	if err != nil {
		return 0, err
	}
	samples, err := probe(p)
	if err != nil {
		return 0, fmt.Errorf("simulation of a microbenchmark: %w", err)
	}
	return median(samples), dev.Close()
}

// settle chooses a number such that a microbenchmark takes as long as measured when it is
// simulated, as near as whole numbers come, and returns the simulated time. set puts the
// number, at least least, into the machine; the microbenchmark takes scale cycles longer when
// it is one more, and accesses less than a mebibyte.
func (c *calibration) settle(n, minimum int64, scale, measured float64, set func(int64), probe func(*prober) ([]float64, error)) (time float64, err error) {
	const rounds = 6 // more than it takes where the microbenchmark depends on the number as stated
	for range rounds {
		set(n)
		if time, err = c.simulated(1<<20, probe); err != nil {
			return 0, err
		}
		// A time in the middle between those of two numbers leaves the number as it is.
		next := max(minimum, n+int64(math.RoundToEven((measured-time)/scale)))
		if next == n {
			break
		}
		n = next
	}
	return time, nil
}
