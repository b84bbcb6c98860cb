package warpbound

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/cuda"
	"warpbound/internal/instrument"
	"warpbound/internal/job"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/target/gpu"
	"warpbound/internal/trace"
)

// How often a device runs the same inputs unless a caller says so. A simulation shows the
// same each time.
const deviceRepeats = 3

// Runs that do not count go on for so long before others do, until the clocks are up, and are
// so many at least. Nothing warms a simulation up.
const (
	warmUpTime  = 200 * time.Millisecond
	leastWarmUp = 3
)

// warmUp calls run as often as it takes to warm a GPU up, and returns how often.
func (d *device) warmUp(run func() error) (int, error) {
	if d.simulated {
		return 0, nil
	}
	begun := time.Now()
	n := 0
	for ; n < leastWarmUp || time.Since(begun) < warmUpTime; n++ {
		if err := run(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// bench is a job on an open device: the kernel as it is, and with code that records Ipoints.
type bench struct {
	job      *Job
	device   cuda.Device
	plain    *gpu.Runner
	recorded *gpu.Runner // nil if nothing is recorded
	code     *instrument.Code
	ipg      *hybrid.IPG
	detail   *estimate.Device

	events, recordedEvents, timer []int64 // nanoseconds, by run
	records                       int     // of the warp with most
	expected                      [][]byte
}

// recording makes the code for Ipoints of the job's kernel, and their graph.
func (j *Job) recording(place Placement, published bool, facts []method.Fact) (*instrument.Code, *hybrid.IPG, error) {
	program, err := j.program(published, facts)
	if err != nil {
		return nil, nil, err
	}
	if place == nil {
		place = method.EveryBlock()
	}
	chosen, err := place(program.Sites())
	if err != nil {
		return nil, nil, err
	}
	points, err := instrument.Find(j.device.module, j.graph)
	if err != nil {
		return nil, nil, err
	}
	code, err := points.Choose(chosen)
	if err != nil {
		return nil, nil, err
	}
	ipg, err := hybrid.NewIPG(program, func(*method.Sites) ([]bool, error) { return code.Blocks, nil })
	return code, ipg, err
}

// bench opens the device and loads the kernel. code may be nil. The caller closes it.
func (j *Job) bench(code *instrument.Code, ipg *hybrid.IPG, repeats int, maxCycles int64) (*bench, error) {
	device, err := j.device.open(maxCycles)
	if err != nil {
		return nil, err
	}
	a := device.Attributes()
	b := &bench{job: j, device: device, code: code, ipg: ipg, detail: &estimate.Device{
		Name: a.Name, SMs: a.SMs, ClockKHz: a.ClockKHz, Repeats: cmp.Or(repeats, deviceRepeats),
	}}
	if a.Capability != (cuda.Capability{}) {
		b.detail.Capability = fmt.Sprintf("%d.%d", a.Capability.Major, a.Capability.Minor)
		b.detail.CUDA = j.device.driver.Version().String()
	}
	if j.device.simulated {
		b.detail.Repeats = cmp.Or(repeats, 1)
	}
	if err := b.load(maxCycles); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// load loads the kernel with recording code and without.
func (b *bench) load(maxCycles int64) error {
	text, err := gpu.Plain(b.job.device.module)
	if err != nil {
		return err
	}
	cfg := gpu.Config{Device: b.device, Job: b.job.bound, Program: text, Timeout: b.job.device.timeout(maxCycles)}
	if b.plain, err = gpu.New(cfg); err != nil {
		return err
	}
	if err := b.describe(b.plain, &b.detail.Plain); err != nil || b.code == nil {
		return err
	}
	if cfg.Program, err = gpu.NewProgram(b.code); err != nil {
		return err
	}
	cfg.Records = true
	if b.recorded, err = gpu.New(cfg); err != nil {
		return err
	}
	b.detail.Recorded, b.detail.Overhead = new(estimate.DeviceCode), new(estimate.Overhead)
	if err := b.describe(b.recorded, b.detail.Recorded); err != nil {
		return err
	}
	if plain, recorded := &b.detail.Plain, b.detail.Recorded; plain.CTAsPerSM > 0 && recorded.CTAsPerSM == 0 {
		return diag.Errorf(b.job.bound.Job.Pos.Block, "with recording code no CTA fits an SM of %s (%d instead of %d registers a thread): take fewer ipoints or none",
			b.job.device.name, recorded.Registers, plain.Registers)
	}
	return nil
}

func (b *bench) describe(r *gpu.Runner, to *estimate.DeviceCode) error {
	a, ctas, err := r.Attributes()
	*to = estimate.DeviceCode{Registers: a.Registers, SharedBytes: a.SharedBytes, LocalBytes: a.LocalBytes, CTAsPerSM: ctas}
	return err
}

// close takes everything off the device.
func (b *bench) close() error {
	var errs []error
	for _, r := range []*gpu.Runner{b.plain, b.recorded} {
		if r != nil {
			errs = append(errs, r.Close())
		}
	}
	return errors.Join(append(errs, b.device.Close())...)
}

// begin makes the runs that do not count, and notes the conditions before those that do.
func (b *bench) begin(ctx context.Context) error {
	in := b.job.bound.Inputs(0)
	n, err := b.job.device.warmUp(func() error {
		for _, r := range []*gpu.Runner{b.recorded, b.plain} {
			if r == nil {
				continue
			}
			if _, err := r.Run(ctx, in); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.detail.WarmUps = n
	b.detail.Before = conditions(b.device.Conditions())
	return nil
}

// runPlain runs the kernel as it is.
func (b *bench) runPlain(ctx context.Context, in *job.Inputs) (*gpu.Run, error) {
	run, err := b.plain.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	b.events = append(b.events, run.Elapsed.Nanoseconds())
	b.expected = b.expected[:0]
	for _, data := range run.Buffers {
		b.expected = append(b.expected, slices.Clone(data))
	}
	return run, nil
}

// runRecorded runs the kernel with recording code on the inputs of the last plain run, and
// fills tr.
func (b *bench) runRecorded(ctx context.Context, in *job.Inputs, tr *trace.Run) (*gpu.Run, error) {
	run, err := b.recorded.Run(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("with recording code: %w", err)
	}
	b.recordedEvents = append(b.recordedEvents, run.Elapsed.Nanoseconds())
	if ns, timed := run.Recording.Nanoseconds(); timed {
		b.timer = append(b.timer, ns)
	}
	o := b.detail.Overhead
	if !slices.EqualFunc(b.expected, run.Buffers, bytes.Equal) {
		o.Differing++
	}
	for i := range run.Recording.Warps {
		b.records = max(b.records, len(run.Recording.Warps[i].Records))
	}
	f, err := run.Recording.Trace(b.code, b.ipg, tr)
	if err != nil {
		return nil, err
	}
	o.Unknown += f.Total()
	o.Ambiguous += f.Ambiguous
	return run, nil
}

// end sums up the runs.
func (b *bench) end() *estimate.Device {
	d := b.detail
	d.After = conditions(b.device.Conditions())
	d.Plain.Events = times(b.events)
	if b.recorded == nil {
		return d
	}
	d.Recorded.Events = times(b.recordedEvents)
	if len(b.timer) > 0 {
		t := times(b.timer)
		d.Recorded.Timer = &t
	}
	longer := d.Recorded.Events.Mean - d.Plain.Events.Mean
	d.Overhead.Records = b.records
	d.Overhead.Percent = 100 * longer / d.Plain.Events.Mean
	d.Overhead.PerRecord = longer / float64(max(b.records, 1))
	return d
}

// times sums up times in nanoseconds.
func times(all []int64) estimate.Times {
	if len(all) == 0 {
		return estimate.Times{}
	}
	sorted := slices.Sorted(slices.Values(all))
	sum := 0.0
	for _, t := range sorted {
		sum += float64(t)
	}
	n := len(sorted)
	return estimate.Times{Runs: n, Min: sorted[0], Mean: sum / float64(n), Median: sorted[n/2], Max: sorted[n-1]}
}

// conditions renders the conditions of a device.
func conditions(c cuda.Conditions) estimate.Conditions {
	out := estimate.Conditions{
		Driver: c.DriverVersion, ClockKHz: c.ClockKHz, MemoryKHz: c.MemoryKHz, Celsius: c.Celsius, Milliwatts: c.Milliwatts,
		Slowed: c.Slowed, Unknown: c.Unknown,
	}
	if c.Others >= 0 {
		out.Others = &c.Others
	}
	return out
}

// warnings says what makes the measurements of a device doubtful.
func (b *bench) warnings() []diag.Warning {
	spec, d := b.job.bound.Job, b.detail
	warnings := b.plain.Warnings()
	warn := func(id, format string, args ...any) {
		warnings = append(warnings, diag.Warning{Pos: spec.Pos.Kernel, ID: id, Text: fmt.Sprintf(format, args...)})
	}
	for _, at := range []estimate.Conditions{d.Before, d.After} {
		if at.Others != nil && *at.Others > 0 {
			warn("device-shared", "%d other processes used %s during the runs: times are those of a kernel that does not run alone", *at.Others, b.job.device.name)
			break
		}
	}
	if before, after := d.Before.ClockKHz, d.After.ClockKHz; before > 0 && after > 0 && before != after {
		warn("device-clock", "the SM clock went from %d to %d kHz during the runs: times in nanoseconds are of several clocks, and memory takes other numbers of cycles", before, after)
	}
	if b.recorded == nil {
		return warnings
	}
	if o := d.Overhead; o.Unknown > 0 {
		warn("unknown-transitions", "%d transitions between Ipoints are none of the flow graph: lanes that diverged ran by turns or did not meet where the graph says; they are taken for edges as often as they were seen", o.Unknown)
	}
	if o := d.Overhead; o.Ambiguous > 0 {
		warn("ambiguous-paths", "the records of %d warps fit several paths through copies of functions: one of them was taken", o.Ambiguous)
	}
	if o := d.Overhead; o.Differing > 0 {
		warn("results-differ", "%d of %d runs left other buffers with recording code than without: results depend on timing", o.Differing, len(b.recordedEvents))
	}
	if p, r := d.Plain.CTAsPerSM, d.Recorded.CTAsPerSM; p != r {
		warn("occupancy", "an SM holds %d CTAs at a time, but %d with recording code (%d instead of %d registers a thread): take fewer ipoints", p, r, d.Recorded.Registers, d.Plain.Registers)
	}
	for _, block := range b.code.Missing {
		warn("ipoint-missing", "no Ipoint at %s: no statement of the module stands for it alone", b.job.graph.Name(block))
	}
	return warnings
}

// cycles converts nanoseconds to cycles at the highest clock, rounded up.
func (b *bench) cycles(ns int64) int64 { return b.job.device.cycles(time.Duration(ns)) }
