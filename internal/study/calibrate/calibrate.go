// Package calibrate describes devices as machines and compares the two.
//
// It must not import the command line.
package calibrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/calibrate"
	"warpbound/internal/cuda"
	"warpbound/internal/halt"
	"warpbound/internal/machine"
	"warpbound/internal/platform"
	"warpbound/internal/provenance"
	"warpbound/internal/runner"
	"warpbound/internal/runner/device"
	"warpbound/internal/runner/simulated"
	"warpbound/internal/workload"
)

// DefaultRepeats and QuickRepeats are how often Run runs each microbenchmark
// unless it is told: so that outliers do not move a median, and as often as a simulation needs.
const (
	DefaultRepeats = 9
	QuickRepeats   = 1
)

// Options say how Run measures a device.
type Options struct {
	Device   string                // cuda:N, or cuda:standin, which simulates fermi-c2050, or cuda:standin:NAME, which simulates a machine
	Base     string                // machine in whose terms the device is described; see base for none
	Repeats  int                   // runs of each microbenchmark; 0 for DefaultRepeats
	Progress func(done, total int) // called after each step; may be nil
}

// Calibration is a device that was measured and the machine that it is described as.
type Calibration struct {
	estimate.Calibration
	machine *machine.Machine
	device  *device.Platform
}

// Run measures a device with microbenchmarks and describes it as a machine for the simulator
// (docs/devices.md). If that fails, or if ctx ends, whose error it is then, the result, unless nil,
// has what was measured until then, and no machine.
func Run(ctx context.Context, opts Options) (*Calibration, error) {
	on, err := platform.Device(opts.Device)
	if err != nil {
		return nil, err
	}
	return calibrated(ctx, on, opts)
}

// calibrated is Run for a device that is found.
func calibrated(ctx context.Context, on *device.Platform, opts Options) (*Calibration, error) {
	if opts.Repeats == 0 {
		opts.Repeats = DefaultRepeats
	}
	base, find, err := base(on, opts)
	if err != nil {
		return nil, err
	}
	dev, err := on.OpenDevice(0)
	if err != nil {
		return nil, err
	}
	r, err := find(ctx, calibrate.Config{Device: dev, Default: base, Simulate: platform.Simulated, Repeats: opts.Repeats, Progress: opts.Progress})
	err = errors.Join(err, dev.Close())
	reason := halt.Reason(ctx)
	switch {
	case err == nil:
	case ctx.Err() == nil:
		reason, err = estimate.ByFailure, fmt.Errorf("%s: %w", on.Name(), err)
	default:
		err = ctx.Err()
	}
	if err != nil && (r == nil || len(r.Measurements) == 0) {
		return nil, err
	}
	c := &Calibration{machine: r.Machine, device: on}
	c.Calibration = estimate.Calibration{
		Provenance: provenance.Of(),
		Device:     on.Name(), Name: on.Attributes().Name, Repeats: opts.Repeats,
		Notes: append([]string{}, r.Notes...), Before: device.Conditions(r.Before), After: device.Conditions(r.After),
	}
	if r.Machine == nil {
		c.Interrupted = &estimate.Interruption{Reason: reason, Missing: []string{"machine"}}
	} else {
		c.Machine, c.MachineHash, c.ClockHz = r.Machine.Name, r.Machine.Hash(), r.Machine.Clock.Core.Value
	}
	if v := on.Attributes().Capability; v != (cuda.Capability{}) {
		c.Capability = fmt.Sprintf("%d.%d", v.Major, v.Minor)
	}
	for _, m := range r.Measurements {
		c.Measurements = append(c.Measurements, measurement(m))
	}
	return c, err
}

// base returns the machine in whose terms a device is described, and how: keeping its shape if it is named, else that of the machine
// that a stand-in names, or of the built-in one for the device's compute capability from 7.0 on, where an SM has several parts. Older
// devices are described with a shape that is measured too, and defaults of fermi-c2050.
func base(on *device.Platform, opts Options) (*machine.Machine, func(context.Context, calibrate.Config) (*calibrate.Result, error), error) {
	name := cmp.Or(opts.Base, platform.StandsInFor(on.Name()))
	if v := on.Attributes().Capability; name == "" && v.Major >= 7 {
		name, _ = machine.ForTarget(fmt.Sprintf("sm_%d%d", v.Major, v.Minor))
	}
	if name == "" {
		m, err := platform.Default()
		return m, calibrate.Run, err
	}
	m, err := platform.Machine(name, workload.ReadFile)
	return m, calibrate.Refine, err
}

// Identifiable lists everything that a machine, built in or a file, says, and whether calibrating a device that is so gives it back.
func Identifiable(ctx context.Context, name string) ([]calibrate.Identified, error) {
	m, err := platform.Machine(name, workload.ReadFile)
	if err != nil {
		return nil, err
	}
	return calibrate.Identifiable(ctx, m, platform.Simulated)
}

func measurement(m *calibrate.Measurement) estimate.Measurement {
	return estimate.Measurement{
		Name: m.Name, What: m.What, Unit: m.Unit, Samples: m.Samples,
		Median: m.Median(), Min: m.Min(), Max: m.Max(), Outliers: m.Outliers(),
	}
}

// File returns the text of the machine file.
func (c *Calibration) File() []byte {
	var b bytes.Buffer
	line := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	fmt.Fprintf(&b, "# %s, measured by warpbound calibrate --machine %s.\n", line(c.Name), c.Device)
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "# Note: %s\n", line(n))
	}
	b.Write(c.machine.Format())
	return b.Bytes()
}

// Compare simulates a job on the machine of the calibration and runs it on the device, both on its first
// test vector, and adds the times to the calibration.
func (c *Calibration) Compare(ctx context.Context, name string) error {
	err := c.compare(ctx, name)
	if halt.Ended(ctx, err) {
		c.Interrupted = &estimate.Interruption{Reason: halt.Reason(ctx), Missing: []string{"jobs"}}
	}
	return err
}

func (c *Calibration) compare(ctx context.Context, name string) error {
	measured, err := load(name, c.device)
	if err != nil {
		return err
	}
	times, err := c.times(ctx, measured)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	on := simulated.New(c.machine)
	w, err := load(name, on)
	if err != nil {
		return err
	}
	run, err := analysis.Simulate(ctx, on, w, analysis.SimulateRequest{})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m := measurement(&calibrate.Measurement{Name: run.Kernel, What: "time by CUDA events around the launches", Unit: "core cycles", Samples: times})
	c.Jobs = append(c.Jobs, estimate.CalibratedJob{
		Job: w.Name(), Kernel: run.Kernel, ModuleHash: run.ModuleHash, JobHash: run.JobHash, Simulated: run.Cycles, Measured: m, Ratio: float64(run.Cycles) / m.Median,
	})
	return nil
}

// times runs the first test vector of a job on the device and returns the times in cycles of the highest
// clock.
func (c *Calibration) times(ctx context.Context, w *workload.Workload) (times []float64, err error) {
	r, err := c.device.Open(w, runner.Options{Repeats: c.Repeats})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for range c.Repeats {
		out, err := r.Run(ctx, w.First().Bound.Vector(0), nil)
		if err != nil {
			return nil, err
		}
		times = append(times, float64(out.Cycles))
	}
	return times, nil
}

// load reads a job that is to run on another platform than it names.
func load(name string, on runner.Platform) (*workload.Workload, error) {
	src, err := workload.Read(name)
	if err != nil {
		return nil, err
	}
	return workload.Prepare(src, on, "")
}
