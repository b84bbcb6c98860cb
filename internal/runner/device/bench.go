package device

import (
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
	"warpbound/internal/runner"
	"warpbound/internal/runner/gpu"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Runs that do not count go on for so long before others do, until the clocks are up, and are
// so many at least. Nothing warms a simulation up.
const (
	warmUpTime = 200 * time.Millisecond
	minWarmUp  = 3
)

// warmUp calls run as often as it takes to warm a GPU up, and returns how often.
func (p *Platform) warmUp(run func() error) (int, error) {
	if p.simulated {
		return 0, nil
	}
	begun := time.Now()
	n := 0
	for ; n < minWarmUp || time.Since(begun) < warmUpTime; n++ {
		if err := run(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// bench is the kernel of a workload on an open device: as it is, and with code that records Ipoints.
type bench struct {
	platform *Platform
	workload *workload.Workload
	options  runner.Options
	device   cuda.Device
	plain    *gpu.Runner
	recorded *gpu.Runner      // nil if nothing is recorded
	code     *instrument.Code // nil likewise
	begun    bool
	detail   *estimate.Device
	outcome  runner.Outcome

	events, recordedEvents, timer []int64 // nanoseconds, by run
	records                       int     // of the warp with most
	expected                      [][]byte
}

// newBench opens the device and loads the kernel.
func newBench(p *Platform, w *workload.Workload, opts runner.Options) (*bench, error) {
	device, err := p.OpenDevice(opts.MaxCycles)
	if err != nil {
		return nil, err
	}
	a := device.Attributes()
	b := &bench{platform: p, workload: w, options: opts, device: device, detail: &estimate.Device{
		Name: a.Name, SMs: a.SMs, ClockKHz: a.ClockKHz, Repeats: p.Repeats(opts.Repeats),
	}}
	if a.Capability != (cuda.Capability{}) {
		b.detail.Capability = fmt.Sprintf("%d.%d", a.Capability.Major, a.Capability.Minor)
		b.detail.CUDA = p.driver.Version().String()
	}
	if err := b.load(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// load loads the kernel with recording code and without.
func (b *bench) load() error {
	text, err := gpu.Plain(module(b.workload))
	if err != nil {
		return err
	}
	bound, p := b.workload.First().Bound, b.platform
	cfg := gpu.Config{Device: b.device, Job: bound, Program: text, Timeout: p.timeout(b.options.MaxCycles)}
	if b.plain, err = gpu.New(cfg); err != nil {
		return err
	}
	if err := b.describe(b.plain, &b.detail.Plain); err != nil || b.options.Recorded(0) == nil {
		return err
	}
	if b.code, err = recordingCode(b.workload, b.options.Recorded(0).Chosen); err != nil {
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
		return diag.Errorf(b.workload.Spec.Pos.Block, "with instrumentation no CTA fits on an SM of %s (%d instead of %d registers per thread): use fewer Ipoints or none",
			p.name, recorded.Registers, plain.Registers)
	}
	return nil
}

func (b *bench) describe(r *gpu.Runner, to *estimate.DeviceCode) error {
	a, ctas, err := r.Attributes()
	*to = estimate.DeviceCode{Registers: a.Registers, SharedBytes: a.SharedBytes, LocalBytes: a.LocalBytes, CTAsPerSM: ctas}
	return err
}

// Close takes everything off the device.
func (b *bench) Close() error {
	var errs []error
	for _, r := range []*gpu.Runner{b.plain, b.recorded} {
		if r != nil {
			errs = append(errs, r.Close())
		}
	}
	return errors.Join(append(errs, b.device.Close())...)
}

// Run implements runner.Runner. The time of the kernel as it is, by events in cycles of the highest clock, is
// that of the run; if a trace is wanted, it is that of the SM which took longest from its first start to
// its last exit, with recording code.
func (b *bench) Run(ctx context.Context, in *job.Inputs, rec *runner.Recorder) (*runner.Outcome, error) {
	if !b.begun {
		if err := b.begin(ctx); err != nil {
			return nil, &runner.UnusableError{Err: b.failed(ctx, "warming up", err)}
		}
		b.begun = true
	}
	run, err := b.runPlain(ctx, in)
	if err != nil {
		return nil, b.failed(ctx, b.platform.name, err)
	}
	b.outcome = runner.Outcome{Cycles: b.platform.cycles(run.Elapsed), Rounds: run.Rounds, Buffers: b.expected, Launches: b.outcome.Launches[:0]}
	for i := range run.Launches {
		b.outcome.Launches = append(b.outcome.Launches, b.platform.launch(&run.Launches[i]))
	}
	if b.recorded == nil || rec == nil {
		return &b.outcome, nil
	}
	tr := rec.Begin()
	if err := b.runRecorded(ctx, in, tr); err != nil {
		return nil, b.failed(ctx, b.platform.name, err)
	}
	b.outcome.Cycles = tr.End
	return &b.outcome, rec.End(0)
}

// failed says where an error came up, or that the user ended the run.
func (b *bench) failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w", what, err)
}

// begin makes the runs that do not count, and notes the conditions before those that do.
func (b *bench) begin(ctx context.Context) error {
	in := b.workload.First().Bound.Vector(0)
	n, err := b.platform.warmUp(func() error {
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
	b.detail.Before = Conditions(b.device.Conditions())
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
func (b *bench) runRecorded(ctx context.Context, in *job.Inputs, tr *trace.Run) error {
	run, err := b.recorded.Run(ctx, in)
	if err != nil {
		return fmt.Errorf("with instrumentation: %w", err)
	}
	b.recordedEvents = append(b.recordedEvents, run.Elapsed.Nanoseconds())
	if ns, timed := run.Recording.Nanoseconds(); timed {
		b.timer = append(b.timer, ns)
	}
	o := b.detail.Overhead
	if !gpu.SameResults(b.plain, b.recorded, b.expected, run.Buffers) {
		o.Differing++
	}
	for i := range run.Recording.Warps {
		b.records = max(b.records, len(run.Recording.Warps[i].Records))
	}
	f, err := run.Recording.Trace(b.code, b.options.Recorded(0).Graph, tr)
	if err != nil {
		return err
	}
	o.Unknown += f.Total()
	o.Ambiguous += f.Ambiguous
	return nil
}

// Report implements runner.Runner.
func (b *bench) Report() runner.Report {
	d := b.sum()
	e := d.Plain.Events
	return runner.Report{
		Device: d, Runs: len(b.events), Warnings: b.warnings(d),
		Observed: &estimate.Observation{
			Min: b.platform.cycles(time.Duration(e.Min)), Max: b.platform.cycles(time.Duration(e.Max)),
			Mean: e.Mean * float64(d.ClockKHz) / 1e6,
		},
	}
}

// sum sums up the runs.
func (b *bench) sum() *estimate.Device {
	d := new(estimate.Device)
	*d = *b.detail
	d.After = Conditions(b.device.Conditions())
	d.Plain.Events = times(b.events)
	if b.recorded == nil {
		return d
	}
	recorded, overhead := *d.Recorded, *d.Overhead
	d.Recorded, d.Overhead = &recorded, &overhead
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

// Conditions renders the conditions of a device.
func Conditions(c cuda.Conditions) estimate.Conditions {
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
func (b *bench) warnings(d *estimate.Device) []diag.Warning {
	spec := b.workload.Spec
	warnings := b.plain.Warnings()
	warn := func(id, format string, args ...any) {
		warnings = append(warnings, diag.Warning{Pos: spec.Pos.Kernel, ID: id, Text: fmt.Sprintf(format, args...)})
	}
	for _, at := range []estimate.Conditions{d.Before, d.After} {
		if at.Others != nil && *at.Others > 0 {
			warn("device-shared", "%d other processes used %s during the runs: the measured times include their interference", *at.Others, b.platform.name)
			break
		}
	}
	if before, after := d.Before.ClockKHz, d.After.ClockKHz; before > 0 && after > 0 && before != after {
		warn("device-clock", "the SM clock changed from %d to %d kHz during the runs: times in nanoseconds refer to several clocks, and memory latencies in cycles differ", before, after)
	}
	if b.recorded == nil {
		return warnings
	}
	if o := d.Overhead; o.Unknown > 0 {
		warn("unknown-transitions", "%d transitions between Ipoints are not in the CFG: diverged lanes were interleaved or did not reconverge at the reconvergence point of the CFG; they are modelled as edges with their observed counts", o.Unknown)
	}
	if o := d.Overhead; o.Ambiguous > 0 {
		warn("ambiguous-paths", "the records of %d warps match several paths through inlined functions: one of them was chosen", o.Ambiguous)
	}
	if o := d.Overhead; o.Differing > 0 {
		warn("results-differ", "in %d of %d runs the buffers with instrumentation differ from those without: results depend on timing", o.Differing, len(b.recordedEvents))
	}
	if p, r := d.Plain.CTAsPerSM, d.Recorded.CTAsPerSM; p != r {
		warn("occupancy", "%d CTAs are resident on an SM, but %d with instrumentation (%d instead of %d registers per thread): use fewer Ipoints", p, r, d.Recorded.Registers, d.Plain.Registers)
	}
	for _, block := range b.code.Missing {
		warn("ipoint-missing", "no Ipoint at %s: no statement of the module corresponds to this block alone", b.workload.First().Graph.Name(block))
	}
	return warnings
}
