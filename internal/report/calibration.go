package report

import (
	"fmt"
	"io"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

// Calibration writes what was measured of a device for people.
func Calibration(w io.Writer, c *estimate.Calibration) error {
	p := &printer{w: w}
	p.printf("%s: %s", c.Device, c.Name)
	if c.Capability != "" {
		p.printf(", compute capability %s", c.Capability)
	}
	p.printf("\n")
	if c.Machine != "" {
		p.printf("machine %s, hash %s\n", c.Machine, c.MachineHash)
	}
	incomplete(p, c.Interrupted)
	p.printf("\n")
	p.printf("Measurements, %s of each:\n", counted(c.Repeats, "run"))
	names := []string{"name"}
	for _, m := range c.Measurements {
		names = append(names, m.Name)
	}
	cells := padded(names)
	p.table(func(rows *printer) {
		rows.printf("  %s\tmedian\tmin\tmax\toutliers\t\n", cells[0])
		for i, m := range c.Measurements {
			rows.printf("  %s\t%s\t%s\t%s\t%d\t  %s\n", cells[i+1], decimal(m.Median), decimal(m.Min), decimal(m.Max), m.Outliers, m.Unit)
		}
	})
	if len(c.Notes) > 0 {
		p.printf("\nNotes:\n")
	}
	for _, n := range c.Notes {
		p.printf("  %s\n", n)
	}
	if len(c.Jobs) > 0 {
		p.printf("\nJobs, in cycles of %.4g MHz:\n", float64(c.ClockHz)/1e6)
		p.table(func(rows *printer) {
			names := []string{"job"}
			for _, j := range c.Jobs {
				names = append(names, j.Job+" "+symbol.Short(j.Kernel))
			}
			cells := padded(names)
			rows.printf("  %s\tsimulated\tmeasured\tmin\tmax\tratio\t\n", cells[0])
			for i, j := range c.Jobs {
				rows.printf("  %s\t%s\t%s\t%s\t%s\t%.3f\t\n", cells[i+1], group(j.Simulated),
					decimal(j.Measured.Median), decimal(j.Measured.Min), decimal(j.Measured.Max), j.Ratio)
			}
		})
	}
	return p.err
}

// decimal prints a number with at most two digits behind the point.
func decimal(v float64) string {
	if v == float64(int64(v)) {
		return group(int64(v))
	}
	return fmt.Sprintf("%.2f", v)
}
