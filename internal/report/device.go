package report

import (
	"fmt"
	"strings"

	"warpbound/estimate"
)

// device writes what a GPU is, what its compiler made of the kernel, and times beside cycles.
func device(p *printer, d *estimate.Device) {
	p.printf("Device %s", d.Name)
	if d.Capability != "" {
		p.printf(", compute capability %s, CUDA %s", d.Capability, d.CUDA)
	}
	p.printf(": %s, highest clock %.4g MHz; %s to warm up, %s of each input\n",
		counted(d.SMs, "SM"), float64(d.ClockKHz)/1e3, counted(d.WarmUps, "run"), counted(d.Repeats, "run"))
	p.table(func(rows *printer) {
		rows.printf("  kernel       \tregisters\tCTAs on an SM\tmean\tmaximum\tby\t\n")
		code(rows, "as it is     ", &d.Plain)
		if d.Recorded != nil {
			code(rows, "with Ipoints ", d.Recorded)
		}
	})
	if o := d.Overhead; o != nil {
		p.printf("  instrumentation overhead %.1f %%: %.4g ns for each of the %s that a warp makes at most\n",
			o.Percent, o.PerRecord, counted(o.Records, "record"))
	}
	p.printf("  before the runs: %s\n", conditions(&d.Before))
	p.printf("  after the runs: %s\n\n", conditions(&d.After))
}

func code(rows *printer, name string, c *estimate.DeviceCode) {
	rows.printf("  %s\t%d\t%d\t%s ns\t%s ns\tevents\t\n", name, c.Registers, c.CTAsPerSM, group(int64(c.Events.Mean+0.5)), group(c.Events.Max))
	if t := c.Timer; t != nil {
		rows.printf("  \t\t\t%s ns\t%s ns\ttimer\t\n", group(int64(t.Mean+0.5)), group(t.Max))
	}
}

func conditions(c *estimate.Conditions) string {
	var known []string
	note := func(has bool, format string, args ...any) {
		if has {
			known = append(known, fmt.Sprintf(format, args...))
		}
	}
	note(c.Driver != "", "driver %s", c.Driver)
	note(c.ClockKHz > 0, "SM clock %.4g MHz", float64(c.ClockKHz)/1e3)
	note(c.MemoryKHz > 0, "memory clock %.4g MHz", float64(c.MemoryKHz)/1e3)
	note(c.Celsius > 0, "%d degrees Celsius", c.Celsius)
	note(c.Milliwatts > 0, "%.4g W", float64(c.Milliwatts)/1e3)
	note(len(c.Slowed) > 0, "clocks throttled by %s", strings.Join(c.Slowed, ", "))
	if c.Others != nil {
		others := "no other processes"
		if *c.Others > 0 {
			others = fmt.Sprintf("other processes: %d", *c.Others)
		}
		known = append(known, others)
	}
	for _, why := range c.Unknown {
		known = append(known, "unknown: "+why)
	}
	if known == nil {
		return "nothing is known"
	}
	return strings.Join(known, ", ")
}
