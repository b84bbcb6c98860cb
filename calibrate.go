package warpbound

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/study/calibrate"
)

// DefaultCalibration and QuickCalibration are how often Calibrate runs each microbenchmark
// unless it is told: so that outliers do not move a median, and as often as a simulation needs.
const (
	DefaultCalibration = calibrate.DefaultRepeats
	QuickCalibration   = calibrate.QuickRepeats
)

// CalibrateOptions say how Calibrate measures a device.
type CalibrateOptions struct {
	Device   string                // cuda:N, or cuda:standin, which simulates fermi-c2050, or cuda:standin:NAME, which simulates a machine
	Base     string                // machine, built in or a file, whose shape the description keeps; that which suits the device if empty
	Repeats  int                   // runs of each microbenchmark; 0 for DefaultCalibration
	Progress func(done, total int) // called after each step; may be nil
}

// Calibration is a device that was measured and the machine that it is described as.
type Calibration struct {
	estimate.Calibration
	measured *calibrate.Calibration
}

// Calibrate measures a device with microbenchmarks and describes it as a machine for the simulator (docs/devices.md). If ctx ends, the
// error is that of ctx, and the result, unless nil, has what was measured until then, and no machine.
func Calibrate(ctx context.Context, opts CalibrateOptions) (*Calibration, error) {
	c, err := calibrate.Run(ctx, calibrate.Options(opts))
	if c == nil {
		return nil, err
	}
	return &Calibration{c.Calibration, c}, err
}

// File returns the text of the machine file.
func (c *Calibration) File() []byte { return c.measured.File() }

// Compare simulates a job on the machine of the calibration and runs it on the device, both
// on its first test vector, and adds the times to the calibration.
func (c *Calibration) Compare(ctx context.Context, name string) error {
	err := c.measured.Compare(ctx, name)
	c.Calibration = c.measured.Calibration
	return err
}

// Identified is a number or word of a machine, and how Calibrate gives it back from a device that is so.
type Identified struct {
	Path  string // as in the machine file
	Value string
	How   string // a microbenchmark, or an attribute of the device; empty if none gives it back
	Why   string // none does
}

// Identifiable lists everything that a machine, built in or a file, says: what Calibrate gives back from a device that is so if it
// keeps the machine's shape, and the rest.
func Identifiable(ctx context.Context, name string) ([]Identified, error) {
	ids, err := calibrate.Identifiable(ctx, name)
	var all []Identified
	for _, id := range ids {
		all = append(all, Identified(id))
	}
	return all, err
}
