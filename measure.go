package warpbound

import (
	"context"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/method/split"
	"warpbound/internal/method/split/published"
	"warpbound/internal/sim"
	"warpbound/internal/target"
	"warpbound/internal/trace"
)

// MeasureSplit runs the job's test vectors in its mode of splitting, measures how long blocks
// take at the most, and composes these times as the paper does (Klashtorny et al., TECS 2023,
// Section 7). The estimate rests on what was observed: it is no bound. Of opts it looks at
// Vectors, Inputs, MaxCycles and Progress. It is an error if the job's machine has no split cores.
func (j *Job) MeasureSplit(ctx context.Context, opts AnalyzeOptions) (*Estimate, *estimate.SplitMeasured, error) {
	if j.division == nil {
		return nil, nil, fmt.Errorf("%s: %w", j.machine.Name, split.ErrMachine)
	}
	if err := j.oneLaunch("measured times compose"); err != nil {
		return nil, nil, err
	}
	p, err := j.problem()
	if err != nil {
		return nil, nil, err
	}
	times, err := j.measureBlocks(ctx, &opts)
	if err != nil {
		return nil, nil, err
	}
	e, d, err := split.Measured(ctx, p, *times)
	if err != nil {
		return nil, nil, err
	}
	alone := d
	if j.machine.Split.Mode.Value == machine.DWS {
		if alone, err = j.measuredAlone(ctx, opts); err != nil {
			return nil, nil, err
		}
	}
	d.Published = j.publishedSplit(alone)
	return e, d, nil
}

// measuredAlone measures blocks in mode none. The published equations take the same times for
// DWS as for PWS, where no part waits for another one of its wavefront: Eq. 8 has a factor for
// that.
func (j *Job) measuredAlone(ctx context.Context, opts AnalyzeOptions) (*estimate.SplitMeasured, error) {
	none, err := j.in(machine.SplitNone)
	if err != nil {
		return nil, err
	}
	_, d, err := none.MeasureSplit(ctx, opts)
	return d, err
}

// publishedSplit is the time of the kernel by the published equations.
func (j *Job) publishedSplit(d *estimate.SplitMeasured) int64 {
	s, sm, spec := &j.machine.Split, &j.machine.SM, j.bound.Job
	gpu := published.GPU{
		CUs: sm.Count.Value, SIMDs: sm.Schedulers.Value, Contexts: int64(j.machine.Contexts()),
		Lanes: sm.WarpSize.Value, Splits: s.SIMDs.Value,
	}
	l := published.Launch{
		Groups: int64(spec.Grid[0] * spec.Grid[1] * spec.Grid[2]), Size: int64(spec.Block[0] * spec.Block[1] * spec.Block[2]),
		Delay: d.Delay, Split: s.Split.Value + s.Merge.Value,
	}
	switch s.Mode.Value {
	case machine.PWS:
		selected := int64(len(j.division.splits))
		return l.PWS(l.Dispatches(max(gpu.Parallel(l, gpu.Total(selected)), 1)), l.Wavefront(d.Wavefront, int(selected)))
	case machine.DWS:
		return l.DWS(l.Dispatches(max(gpu.Parallel(l, gpu.SIMDs), 1)), gpu.Splits, l.Wavefront(d.Wavefront, int(gpu.Splits)))
	}
	return l.PWS(l.Dispatches(max(gpu.Parallel(l, gpu.SIMDs), 1)), d.Wavefront)
}

// measureBlocks runs the test vectors one after the other and measures blocks.
func (j *Job) measureBlocks(ctx context.Context, opts *AnalyzeOptions) (*split.Times, error) {
	m := newStopwatch(j)
	t, err := target.NewSimulator(target.Config{
		Job: j.bound, Code: j.code, Machine: j.hardware(), Registers: j.registers,
		Ipoints: m.none(), MaxCycles: opts.MaxCycles, Observe: m.step,
	})
	if err != nil {
		return nil, err
	}
	var own job.Inputs
	var run trace.Run
	q := j.vectors(opts)
	for v, in, ok := q.next(&own); ok; v, in, ok = q.next(&own) {
		run.Reset(v)
		out, err := t.Run(ctx, in, &run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name(v), err)
		}
		m.end(&run)
		q.done(v, out.Cycles)
	}
	m.times.Runs = q.total
	return &m.times, nil
}

// stopwatch measures how long blocks take that wavefronts, and the parts of those that have
// split, execute. What a part waits for another one where they merge does not count.
type stopwatch struct {
	job    *Job
	merges []bool // by block: it begins where parts merge
	times  split.Times
	lanes  map[strand]*lap
}

// strand is a wavefront, or a part of one.
type strand struct{ cta, warp, split int }

// lap is the execution of a block that a strand is in.
type lap struct {
	block       int
	first, last int64 // cycles in which it began, and its last instruction issued
	pc          int   // of that
	begun       int64 // cycle of the strand's first instruction
}

func newStopwatch(j *Job) *stopwatch {
	m := &stopwatch{job: j, merges: make([]bool, j.graph.Len()), lanes: make(map[strand]*lap)}
	m.times.Blocks = make([]int64, j.graph.Len())
	for b := range m.times.Blocks {
		m.times.Blocks[b] = -1
		m.merges[b] = j.graph.Kernel.Instrs[j.graph.Blocks[b].Start].Op == isa.Merge
	}
	if j.machine.Split.Mode.Value == machine.DWS {
		for _, b := range j.division.splits {
			m.merges[j.graph.Reconverge(b)] = true
		}
	}
	return m
}

// none marks no instruction.
func (m *stopwatch) none() []trace.Ipoint {
	ipoints := make([]trace.Ipoint, len(m.job.graph.Kernel.Instrs))
	for i := range ipoints {
		ipoints[i] = trace.None
	}
	return ipoints
}

// step notes an instruction.
func (m *stopwatch) step(s *sim.Step) {
	g := m.job.graph
	key, b := strand{s.CTA, s.Warp, s.Split}, g.BlockOf(s.PC)
	l := m.lanes[key]
	switch {
	case l == nil:
		m.lanes[key] = &lap{block: b, first: s.Cycle, begun: s.Cycle}
		l = m.lanes[key]
	case s.PC == g.Blocks[b].Start:
		if m.follows(l.block, b) && !m.merges[b] {
			m.lap(l, s.Cycle)
		} else {
			m.lap(l, m.ready(l))
		}
		l.block, l.first = b, s.Cycle
	}
	l.last, l.pc = s.Cycle, s.PC
}

// follows reports whether control goes from one block to another.
func (m *stopwatch) follows(from, to int) bool {
	for _, s := range m.job.graph.Succ(from) {
		if s == to {
			return true
		}
	}
	return false
}

// ready returns when the last instruction of a strand that nobody held up was over.
func (m *stopwatch) ready(l *lap) int64 {
	return l.last + m.job.machine.Timing(m.job.graph.Kernel.Instrs[l.pc].Class()).Latency
}

// lap ends the execution of a block.
func (m *stopwatch) lap(l *lap, now int64) {
	m.times.Blocks[l.block] = max(m.times.Blocks[l.block], now-l.first)
}

// end ends a run.
func (m *stopwatch) end(run *trace.Run) {
	for _, r := range run.Records {
		l := m.lanes[strand{int(r.CTA), int(r.Warp), 0}]
		switch {
		case l == nil:
		case r.Ipoint == trace.Start:
			m.times.Delay = max(m.times.Delay, l.begun-r.Cycle)
		case r.Ipoint == trace.Exit:
			m.lap(l, r.Cycle)
			delete(m.lanes, strand{int(r.CTA), int(r.Warp), 0})
		}
	}
	for _, l := range m.lanes {
		m.lap(l, m.ready(l))
	}
	clear(m.lanes)
}
