package analysis

import (
	"context"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/method"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// header describes the traces of a workload.
func header(p runner.Platform, w *workload.Workload, r method.Recording) *trace.Header {
	return &trace.Header{
		Kernel: w.Kernel(), Module: w.Module.Hash, Machine: w.Machine.Hash(), Ipoints: r.Ipoints(), Clocks: p.Clocks(),
	}
}

// writeTrace writes the records of a run.
func writeTrace(p runner.Platform, w *workload.Workload, req SimulateRequest, r method.Recording, run *trace.Run) error {
	type writer interface {
		trace.Sink
		Close() error
	}
	var to writer
	var err error
	if req.TraceCSV {
		to, err = trace.NewCSVWriter(req.Trace, header(p, w, r))
	} else {
		to, err = trace.NewWriter(req.Trace, header(p, w, r))
	}
	if err != nil {
		return err
	}
	if err := run.Replay(to); err != nil {
		return err
	}
	return to.Close()
}

// traces are the runs of a trace file.
type traces struct {
	from    *joint // with the methods that can read them
	sink    trace.Sink
	refused []estimate.MethodRefusal // of the others

	times   *estimate.Histogram // of the runs; nil of clocks that do not tell how long a run took
	longest *estimate.LongestRun
	reviews *reviewing
}

// readTraces gives the runs in a trace file to the sinks of a recording. What the file says of its kernel, module and
// machine must be true of the workload's. A method that cannot read it is left out unless it is asked for by name, as long as one
// is left.
func readTraces(ctx context.Context, p runner.Platform, w *workload.Workload, recording *joint, req Request) (*traces, error) {
	own := header(p, w, recording)
	src, err := trace.Open(req.Traces, own)
	if err != nil {
		return nil, err
	}
	theirs := src.Header()
	differ := func(a, b string) bool { return a != "" && a != b }
	switch {
	case differ(theirs.Kernel, own.Kernel):
		return nil, fmt.Errorf("the trace is of kernel %s, the job runs %s", theirs.Kernel, own.Kernel)
	case differ(theirs.Module, own.Module):
		return nil, fmt.Errorf("the trace is of a module other than the job's: its SHA-256 begins with %.8s, not %.8s", theirs.Module, own.Module)
	case differ(theirs.Machine, own.Machine):
		return nil, fmt.Errorf("the trace is of a machine other than %s: its hash begins with %.8s, not %.8s", w.Machine.Name, theirs.Machine, own.Machine)
	}
	read := &traces{from: &joint{infos: theirs.Ipoints}}
	var unreadable error
	for k, m := range recording.methods {
		to, err := theirs.Translate(recording.parts[k].Ipoints())
		if err != nil {
			err = fmt.Errorf("the trace does not fit the job's Ipoints: %w", err)
		} else {
			err = m.Method.(method.Measured).Reads(theirs.Clocks)
		}
		if err == nil {
			read.from.add(m, recording.parts[k], to)
			continue
		}
		if req.Methods != nil && len(req.asked(m)) > 0 && !req.Refusals {
			return nil, err
		}
		unreadable = err
		for _, id := range req.asked(m) {
			read.refused = append(read.refused, ofMachine(w, id, err))
		}
	}
	if len(read.from.parts) == 0 {
		return nil, unreadable
	}
	read.sink = read.from.Sink(theirs.Clocks)
	read.reviews = newReviewing(ctx, w, []*joint{read.from})
	check := newLaunchCheck(ctx, w, read.sink)
	check.ended = func(runs int) {
		if campaign.IsRound(runs) {
			read.reviews.review(&campaign.Result{Vectors: runs}, [][]trace.Sink{{read.sink}})
		}
	}
	if err := trace.Copy(check, src); err != nil {
		return nil, err
	}
	if theirs.Clocks == trace.Common && check.longest.Vector != nil {
		read.times, read.longest = &check.times, &check.longest
	}
	return read, nil
}

// launchCheck is a sink that refuses runs which are not of the job's launch: a
// warp that it does not have, or one that is missing.
type launchCheck struct {
	trace.Sink
	ctx         context.Context
	ctas, warps int // of the grid, and of a CTA
	run         int
	started     int

	ended   func(runs int) // is called after each run with how many there were
	runs    int
	times   estimate.Histogram
	longest estimate.LongestRun
}

func newLaunchCheck(ctx context.Context, w *workload.Workload, dst trace.Sink) *launchCheck {
	volume := func(d [3]int) int { return d[0] * d[1] * d[2] }
	width := w.Width()
	return &launchCheck{
		Sink: dst, ctx: ctx,
		ctas:  volume(w.First().Bound.Job.Grid),
		warps: (volume(w.First().Bound.Job.Block) + width - 1) / width,
	}
}

func (c *launchCheck) BeginRun(number int) error {
	c.run, c.started = number, 0
	if err := c.ctx.Err(); err != nil {
		return err
	}
	return c.Sink.BeginRun(number)
}

func (c *launchCheck) Record(r trace.Record) error {
	if int(r.CTA) >= c.ctas || int(r.Warp) >= c.warps {
		return fmt.Errorf("run %d: warp %d of CTA %d is not of the launch, which has %d CTAs of %d warps",
			c.run, r.Warp, r.CTA, c.ctas, c.warps)
	}
	if r.Ipoint == trace.Start {
		c.started++
		if err := c.ctx.Err(); err != nil {
			return err
		}
	}
	return c.Sink.Record(r)
}

func (c *launchCheck) EndRun(end int64) error {
	if err := c.Sink.EndRun(end); err != nil {
		return err
	}
	if all := c.ctas * c.warps; c.started < all {
		return fmt.Errorf("run %d: only %d of the launch's %d warps are in the trace", c.run, c.started, all)
	}
	c.runs++
	c.ended(c.runs)
	c.times.Add(end)
	if c.longest.Vector == nil || end > c.longest.Cycles {
		c.longest = estimate.LongestRun{Vector: new(c.run), Cycles: end}
	}
	return nil
}
