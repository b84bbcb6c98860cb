package splits

import (
	"context"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/method/split"
	"warpbound/internal/method/split/published"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Measure runs the inputs of a campaign in a workload's mode of splitting, measures how long blocks take at the
// most, and composes these times as the paper does (Klashtorny et al., TECS 2023, Section 7). The estimate rests
// on what was observed: it is no bound. It is an error if the machine has no split cores.
func Measure(ctx context.Context, p runner.Platform, w *workload.Workload, spec campaign.Spec, maxCycles int64) (*estimate.Estimate, *estimate.SplitMeasured, error) {
	if !w.HasSplits() {
		return nil, nil, fmt.Errorf("%s: %w", w.Machine.Name, split.ErrMachine)
	}
	if err := w.OneLaunch("measured block times describe"); err != nil {
		return nil, nil, err
	}
	problem, err := analysis.Problem(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	times, err := measureBlocks(ctx, p, w, spec, maxCycles)
	if err != nil {
		return nil, nil, err
	}
	e, d, err := split.Measured(ctx, problem, *times)
	if err != nil {
		return nil, nil, err
	}
	alone := d
	if w.Mode() == machine.DWS {
		if alone, err = measuredAlone(ctx, p, w, spec, maxCycles); err != nil {
			return nil, nil, err
		}
	}
	d.Published = publishedTime(w, alone)
	return e, d, nil
}

// measuredAlone measures blocks in mode none. The published equations take the same times for
// DWS as for PWS, where no part waits for another one of its wavefront: Eq. 8 has a factor for
// that.
func measuredAlone(ctx context.Context, p runner.Platform, w *workload.Workload, spec campaign.Spec, maxCycles int64) (*estimate.SplitMeasured, error) {
	none, err := w.In(machine.SplitNone)
	if err != nil {
		return nil, err
	}
	_, d, err := Measure(ctx, p, none, spec, maxCycles)
	return d, err
}

// publishedTime is the time of the kernel by the published equations.
func publishedTime(w *workload.Workload, d *estimate.SplitMeasured) int64 {
	s, sm, spec := &w.Machine.Split, &w.Machine.SM, w.First().Bound.Job
	gpu := published.GPU{
		CUs: sm.Count.Value, SIMDs: sm.Schedulers.Value, Contexts: int64(w.Machine.Contexts()),
		Lanes: sm.WarpSize.Value, Splits: s.SIMDs.Value,
	}
	l := published.Launch{
		Groups: int64(spec.Grid[0] * spec.Grid[1] * spec.Grid[2]), Size: int64(spec.Block[0] * spec.Block[1] * spec.Block[2]),
		Delay: d.Delay, Split: s.Split.Value + s.Merge.Value,
	}
	switch s.Mode.Value {
	case machine.PWS:
		selected := int64(len(w.First().Splits))
		return l.PWS(l.Dispatches(max(gpu.Parallel(l, gpu.Total(selected)), 1)), l.Wavefront(d.Wavefront, int(selected)))
	case machine.DWS:
		return l.DWS(l.Dispatches(max(gpu.Parallel(l, gpu.SIMDs), 1)), gpu.Splits, l.Wavefront(d.Wavefront, int(gpu.Splits)))
	}
	return l.PWS(l.Dispatches(max(gpu.Parallel(l, gpu.SIMDs), 1)), d.Wavefront)
}

// measureBlocks runs the inputs one after the other and measures blocks.
func measureBlocks(ctx context.Context, p runner.Platform, w *workload.Workload, spec campaign.Spec, maxCycles int64) (*split.Times, error) {
	m := newStopwatch(w)
	opts := runner.Options{MaxCycles: maxCycles, Record: []*runner.Record{{Points: m.none()}}, Issue: m.step}
	result, _, err := campaign.Run(ctx, p, w, spec, opts, func(int) trace.Sink { return m })
	if err != nil {
		return nil, err
	}
	m.times.Runs = result.Runs
	return &m.times, nil
}

// stopwatch measures how long blocks take that wavefronts, and the parts of those that have
// split, execute. What a part waits for another one where they merge does not count.
type stopwatch struct {
	machine *machine.Machine
	graph   *cfg.Graph
	merges  []bool // by block: it begins where parts merge
	times   split.Times
	lanes   map[warpSplit]*lap
}

// warpSplit is a wavefront, or a part of one.
type warpSplit struct{ cta, warp, split int }

// lap is the execution of a block that a warp-split is in.
type lap struct {
	block       int
	first, last int64 // cycles in which it began, and its last instruction issued
	pc          int   // of that
	begun       int64 // cycle of the warp-split's first instruction
}

func newStopwatch(w *workload.Workload) *stopwatch {
	k := w.First()
	g := k.Graph
	m := &stopwatch{machine: w.Machine, graph: g, merges: make([]bool, g.Len()), lanes: make(map[warpSplit]*lap)}
	m.times.Blocks = make([]int64, g.Len())
	for b := range m.times.Blocks {
		m.times.Blocks[b] = -1
		m.merges[b] = g.Kernel.Instrs[g.Blocks[b].Start].Op == isa.Merge
	}
	if w.Mode() == machine.DWS {
		for _, b := range k.Splits {
			m.merges[g.Reconverge(b)] = true
		}
	}
	return m
}

// none marks no block.
func (m *stopwatch) none() []trace.Ipoint {
	return slices.Repeat([]trace.Ipoint{trace.None}, len(m.graph.Kernel.Instrs))
}

// step notes an instruction.
func (m *stopwatch) step(s *runner.Issue) {
	g := m.graph
	key, b := warpSplit{s.CTA, s.Warp, s.Split}, g.BlockOf(s.PC)
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
	for _, s := range m.graph.Succ(from) {
		if s == to {
			return true
		}
	}
	return false
}

// ready returns when the last instruction of a warp-split that nobody held up was over.
func (m *stopwatch) ready(l *lap) int64 {
	return l.last + m.machine.Timing(m.graph.Kernel.Instrs[l.pc].Class()).Latency
}

// lap ends the execution of a block.
func (m *stopwatch) lap(l *lap, now int64) {
	m.times.Blocks[l.block] = max(m.times.Blocks[l.block], now-l.first)
}

// BeginRun implements trace.Sink.
func (m *stopwatch) BeginRun(int) error { return nil }

// Record implements trace.Sink: it notes when a warp starts and exits.
func (m *stopwatch) Record(r trace.Record) error {
	key := warpSplit{int(r.CTA), int(r.Warp), 0}
	l := m.lanes[key]
	switch {
	case l == nil:
	case r.Ipoint == trace.Start:
		m.times.Delay = max(m.times.Delay, l.begun-r.Cycle)
	case r.Ipoint == trace.Exit:
		m.lap(l, r.Cycle)
		delete(m.lanes, key)
	}
	return nil
}

// EndRun implements trace.Sink.
func (m *stopwatch) EndRun(int64) error {
	for _, l := range m.lanes {
		m.lap(l, m.ready(l))
	}
	clear(m.lanes)
	return nil
}
