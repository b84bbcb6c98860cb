// Package profile says where the time of one run goes: for each line how often warps issued it and how long they waited to do so, for
// each warp what it waited for and when, and which waits together make the time.
//
// profile sees runners by their contract alone. It must not import methods or simulators.
package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// Options say what is profiled.
type Options struct {
	Run       estimate.LongestRun       // whose Cycles are what it takes
	Inputs    *job.Inputs               // of the run; nil for those that Run names
	MaxCycles int64                     // as in runner.Options
	Issue     func(*estimate.WarpIssue) // is told of every instruction of a job with one launch, in the order of cycles for each warp; may be nil
}

// Of makes a run again and says where its time goes. The run is one of the workload, on a simulator.
func Of(ctx context.Context, p runner.Platform, w *workload.Workload, opts Options) (out *estimate.Profile, err error) {
	in, err := opts.Inputs, error(nil)
	if in == nil {
		if in, err = inputs(w, &opts.Run); err != nil {
			return nil, err
		}
	}
	b := newBuilder(w, &opts)
	r, err := p.Open(w, runner.Options{MaxCycles: opts.MaxCycles, Repeats: 1, Issue: b.issue, Chain: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	run, err := r.Run(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	if run.Cycles != opts.Run.Cycles {
		return nil, fmt.Errorf("%s: the run that took %d cycles takes %d now", w.Name(), opts.Run.Cycles, run.Cycles)
	}
	out = b.profile()
	out.Chain = run.Statistics.Chain()
	return out, nil
}

// inputs are those of a run.
func inputs(w *workload.Workload, run *estimate.LongestRun) (*job.Inputs, error) {
	if run.Vector != nil {
		return w.First().Bound.Vector(*run.Vector), nil
	}
	return workload.SavedIn(w, run.Inputs)
}

// builder adds up what a run executes.
type builder struct {
	w        *workload.Workload
	opts     *Options
	launches []launch // by job.Job.Runs
	timeline *timeline
	told     estimate.WarpIssue
}

// launch adds up what is executed of a launch.
type launch struct {
	kernel   *workload.Kernel
	instrs   []counts       // by instruction
	lines    []string       // likewise, where people know it
	before   map[warp]int64 // when a warp issued its last instruction, in this execution
	current  int            // execution
	counters []counted
}

// counts are those of an instruction, as in estimate.ProfiledLine.
type counts struct {
	issues, lanes, diverged, transactions, cycles int64
	waits                                         map[string]int64
}

// warp tells warps apart, and the parts of wavefronts that split.
type warp struct{ cta, index, split int }

// counted is the last issue that a counter had not counted: -1 for none.
type counted struct {
	pc           int
	transactions int64
}

func newBuilder(w *workload.Workload, opts *Options) *builder {
	b := &builder{w: w, opts: opts}
	for _, k := range w.Kernels {
		l := launch{kernel: k, instrs: make([]counts, len(k.Graph.Kernel.Instrs)), before: make(map[warp]int64)}
		for i := range k.Graph.Kernel.Instrs {
			in := &k.Graph.Kernel.Instrs[i]
			l.lines = append(l.lines, cmp.Or(line(in.Loc.File, in.Loc.Line), line(in.Pos.File, in.Pos.Line)))
		}
		b.launches = append(b.launches, l)
	}
	if !w.Several() {
		b.timeline = newTimeline(w, opts.Run.Cycles)
	}
	return b
}

// issue takes an instruction.
func (b *builder) issue(i *runner.Issue) {
	l := &b.launches[i.Launch]
	if i.Execution != l.current {
		clear(l.before)
		l.counters, l.current = l.counters[:0], i.Execution
	}
	who := warp{i.CTA, i.Warp, i.Split}
	since, ok := l.before[who]
	if !ok { // its first one
		since = i.Cycle
	}
	l.before[who] = i.Cycle
	c := &l.instrs[i.PC]
	c.issues++
	c.lanes += int64(bits.OnesCount64(i.Executed))
	if i.Active != i.Alive {
		c.diverged++
	}
	c.cycles += i.Cycle - since
	if since < i.Cycle {
		if c.waits == nil {
			c.waits = make(map[string]int64)
		}
		c.waits[i.Wait] += i.Cycle - since
	}
	l.count(i)
	if b.timeline == nil {
		return
	}
	b.told = estimate.WarpIssue{SM: i.SM, CTA: i.CTA, Warp: i.Warp, Split: i.Split, Since: since, Cycle: i.Cycle, Wait: i.Wait, Line: l.lines[i.PC]}
	b.timeline.add(&b.told)
	if b.opts.Issue != nil {
		b.opts.Issue(&b.told)
	}
}

// count notes what was accessed since the last issue of the same counter.
func (l *launch) count(i *runner.Issue) {
	for len(l.counters) <= i.Counter {
		l.counters = append(l.counters, counted{pc: -1})
	}
	last := &l.counters[i.Counter]
	if last.pc >= 0 && i.Transactions > last.transactions {
		l.instrs[last.pc].transactions += i.Transactions - last.transactions
	}
	*last = counted{i.PC, i.Transactions}
}

// profile is what was added up.
func (b *builder) profile() *estimate.Profile {
	p := &estimate.Profile{Run: b.opts.Run, Files: files(b.w)}
	for i := range b.launches {
		p.Kernels = append(p.Kernels, b.launches[i].profile())
	}
	if b.timeline != nil {
		p.Timeline = b.timeline.result()
	}
	return p
}

// files are the texts of the module and of its sources.
func files(w *workload.Workload) []estimate.SourceFile {
	all := []estimate.SourceFile{{Name: w.Module.File, Text: string(w.Module.Text)}}
	for _, s := range workload.Sources(w) {
		all = append(all, estimate.SourceFile{Name: s.Name, Text: string(s.Text)})
	}
	return all
}

// profile is what was added up of a launch.
func (l *launch) profile() estimate.ProfiledKernel {
	g := l.kernel.Graph
	k := estimate.ProfiledKernel{Kernel: g.Kernel.Name, Lines: []estimate.ProfiledLine{}, Loops: []estimate.ProfiledLoop{}}
	at := make(map[[2]string]int)
	for pc := range l.instrs {
		in, c := &g.Kernel.Instrs[pc], &l.instrs[pc]
		key := [2]string{line(in.Pos.File, in.Pos.Line), line(in.Loc.File, in.Loc.Line)}
		n, ok := at[key]
		if !ok {
			n = len(k.Lines)
			at[key] = n
			k.Lines = append(k.Lines, estimate.ProfiledLine{Line: key[0], Source: key[1]})
		}
		c.addTo(&k.Lines[n])
	}
	for b := range g.Blocks {
		k.Blocks = append(k.Blocks, l.block(g, b))
	}
	for _, loop := range g.Loops().Loops {
		k.Loops = append(k.Loops, estimate.ProfiledLoop{Header: loop.Header, Blocks: loop.Body})
	}
	return k
}

// line names a line; "" if it is not known.
func line(file string, number int32) string {
	if file == "" || number == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", file, number)
}

// addTo adds what was counted of an instruction to its line.
func (c *counts) addTo(l *estimate.ProfiledLine) {
	l.Issues += c.issues
	l.Lanes += c.lanes
	l.Diverged += c.diverged
	l.Transactions += c.transactions
	l.Cycles += c.cycles
	for kind, cycles := range c.waits {
		if l.Waits == nil {
			l.Waits = make(map[string]int64)
		}
		l.Waits[kind] += cycles
	}
}

// block is what was counted of a basic block.
func (l *launch) block(g *cfg.Graph, b int) estimate.ProfiledBlock {
	at := &g.Blocks[b]
	pos := at.Source()
	out := estimate.ProfiledBlock{Name: at.Name, Line: line(pos.File, pos.Line), Issues: l.instrs[at.Start].issues, Dead: !at.Reachable, Next: slices.Clone(g.Succ(b))}
	for pc := at.Start; pc < at.End; pc++ {
		out.Cycles += l.instrs[pc].cycles
	}
	return out
}
