package warpbound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/calibrate"
	"warpbound/internal/cuda"
	"warpbound/internal/cuda/standin"
	"warpbound/internal/machine"
	"warpbound/internal/provenance"
)

// DefaultCalibration and QuickCalibration are how often Calibrate runs each microbenchmark
// unless it is told: so that outliers do not move a median, and as often as a simulation needs.
const (
	DefaultCalibration = 9
	QuickCalibration   = 1
)

// CalibrateOptions say how Calibrate measures a device.
type CalibrateOptions struct {
	Device   string                // cuda:N, or cuda:standin, which simulates fermi-c2050
	Repeats  int                   // runs of each microbenchmark; 0 for DefaultCalibration
	Progress func(done, total int) // called after each step; may be nil
}

// Calibration is a device that was measured and the machine that it is described as.
type Calibration struct {
	estimate.Calibration
	machine *machine.Machine
	device  *device
}

// Calibrate measures a device with microbenchmarks and describes it as a machine for the
// simulator (docs/devices.md).
func Calibrate(ctx context.Context, opts CalibrateOptions) (*Calibration, error) {
	if !isDevice(opts.Device) {
		return nil, fmt.Errorf("machine %q is no device: want %s and the number of a GPU, or %s", opts.Device, devicePrefix, standInName)
	}
	base, err := machine.Builtin(standInFor)
	if err != nil {
		return nil, err
	}
	on, err := findDevice(opts.Device, base)
	if err != nil {
		return nil, err
	}
	return calibrated(ctx, on, opts)
}

// calibrated is Calibrate for a device that is found.
func calibrated(ctx context.Context, on *device, opts CalibrateOptions) (*Calibration, error) {
	if opts.Repeats == 0 {
		opts.Repeats = DefaultCalibration
	}
	base, err := machine.Builtin(standInFor)
	if err != nil {
		return nil, err
	}
	dev, err := on.open(0)
	if err != nil {
		return nil, err
	}
	r, err := calibrate.Run(ctx, calibrate.Config{Device: dev, Default: base, Simulate: simulatedDevice, Repeats: opts.Repeats, Progress: opts.Progress})
	if err := errors.Join(err, dev.Close()); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w", on.name, err)
	}
	c := &Calibration{machine: r.Machine, device: on}
	c.Calibration = estimate.Calibration{
		Provenance: provenance.Of(),
		Device:     on.name, Name: on.attributes.Name,
		Machine: r.Machine.Name, MachineHash: r.Machine.Hash(), ClockHz: r.Machine.Clock.Core.Value, Repeats: opts.Repeats,
		Notes: append([]string{}, r.Notes...), Before: conditions(r.Before), After: conditions(r.After),
	}
	if v := on.attributes.Capability; v != (cuda.Capability{}) {
		c.Capability = fmt.Sprintf("%d.%d", v.Major, v.Minor)
	}
	for _, m := range r.Measurements {
		c.Measurements = append(c.Measurements, measurement(m))
	}
	return c, nil
}

func measurement(m *calibrate.Measurement) estimate.Measurement {
	return estimate.Measurement{
		Name: m.Name, What: m.What, Unit: m.Unit, Samples: m.Samples,
		Median: m.Median(), Min: m.Min(), Max: m.Max(), Outliers: m.Outliers(),
	}
}

// simulatedDevice is a device that simulates a machine.
func simulatedDevice(m *machine.Machine) (cuda.Device, error) {
	d, err := standin.New(m)
	if err != nil {
		return nil, err
	}
	return d.Open(0)
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

// Compare simulates a job on the machine of the calibration and runs it on the device, both
// on its first test vector, and adds the times to the calibration.
func (c *Calibration) Compare(ctx context.Context, name string) error {
	on := *c.device
	measured, err := loadOn(name, &hardware{on.machine(), &on})
	if err != nil {
		return err
	}
	times, err := measured.timesOnDevice(ctx, c.Repeats)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	simulated, err := loadOn(name, &hardware{machine: c.machine})
	if err != nil {
		return err
	}
	run, err := simulated.Simulate(ctx, SimulateOptions{})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	m := measurement(&calibrate.Measurement{Name: run.Kernel, What: "time by events around the launches", Unit: "core cycles", Samples: times})
	c.Jobs = append(c.Jobs, estimate.CalibratedJob{
		Job: simulated.Name(), Kernel: run.Kernel, ModuleHash: run.ModuleHash, JobHash: run.JobHash, Simulated: run.Cycles, Measured: m, Ratio: float64(run.Cycles) / m.Median,
	})
	return nil
}

// timesOnDevice runs the job's first test vector on its device and returns the times in cycles
// of the highest clock.
func (j *Job) timesOnDevice(ctx context.Context, repeats int) (times []float64, err error) {
	b, err := j.bench(nil, nil, repeats, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	for range repeats {
		run, err := b.runPlain(ctx, j.bound.Inputs(0))
		if err != nil {
			return nil, err
		}
		times = append(times, float64(j.device.cycles(run.Elapsed)))
	}
	return times, nil
}

// loadOn reads a job that is to run on other hardware than it names.
func loadOn(name string, on *hardware) (*Job, error) {
	j, module, err := readJob(name)
	if err != nil {
		return nil, err
	}
	return prepare(j, module, on, "", LoadOptions{})
}
