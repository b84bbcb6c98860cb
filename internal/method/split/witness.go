package split

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/method/charge"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// witness is what an abstract execution of a wavefront shows.
type witness struct {
	config *config
	timing *timing
	count  *cost.Counter
	known  *facts // without executing
	seen   *facts
	done   []work // by block

	trace   *charge.Tracer
	forks   int // that it is in
	loops   []loop
	entered []saturating.Int // by loop: how often, at least
	back    []saturating.Int // by loop: how often to the header, at most

	script *script // nil if it is not known what the wavefront issues
	ops    sequence
}

// Step implements absexec.Visitor.
func (w *witness) Step(s *absexec.Step) {
	if w.script != nil {
		w.note(s)
	}
	block := w.config.Graph.BlockOf(s.PC)
	w.seen.reached[block] = true
	requests := w.known.requests[s.PC]
	if s.Access != nil {
		requests = min(requests, w.count.Count(s, s.Box).Max)
	}
	w.seen.requests[s.PC] = max(w.seen.requests[s.PC], requests)
	done := &w.done[block]
	need := w.timing.instr(s.Instr, requests)
	w.trace.Step(s.PC, saturating.Sum(need.delay, need.service, need.passes.Mul(w.timing.pass())))
	done.add(need)
	if s.PC == w.config.Graph.Blocks[block].Start {
		done.times = done.times.Add(1)
		w.enter(block, s)
	}
	diverged := s.May != 0 && s.Active&^s.Must != 0 || s.Instr.Op == isa.BrxIdx
	if diverged && bits.OnesCount64(s.Active) > 1 && w.known.parts[block] {
		w.seen.parts[block] = true
		if w.config.mayDivide(block) {
			done.add(w.config.dividing())
			done.divided = done.divided.Add(1)
			w.script = nil
		}
	}
}

// enter counts the entries and the iterations of a loop. Which of them an execution of the header is does not follow from what
// was executed before it: that may be a path of other lanes that leave the loop.
func (w *witness) enter(block int, s *absexec.Step) {
	loops := w.config.Graph.Loops()
	i := loops.Innermost(block)
	switch {
	case i < 0 || loops.Loops[i].Header != block:
	case s.Back:
		w.back[i] = w.back[i].Add(1)
	case s.Certain && w.forks == 0:
		w.entered[i] = w.entered[i].Add(1)
	}
}

// Fork implements absexec.Visitor.
func (w *witness) Fork(int) {
	w.trace.Fork()
	w.forks++
	w.script = nil
}

// Alternative implements absexec.Visitor.
func (w *witness) Alternative() { w.trace.Alternative() }

// Join implements absexec.Visitor.
func (w *witness) Join() {
	w.trace.Join()
	w.forks--
}

// loop is a loop of which one iteration stands for several.
type loop struct {
	times         saturating.Int
	done          []work // before
	entered, back []saturating.Int
}

// Repeat implements absexec.Visitor.
func (w *witness) Repeat(times int) {
	w.trace.Repeat(saturating.Of(times))
	w.script = nil
	w.loops = append(w.loops, loop{saturating.Of(times), slices.Clone(w.done), slices.Clone(w.entered), slices.Clone(w.back)})
}

// Repeated implements absexec.Visitor.
func (w *witness) Repeated() {
	w.trace.Repeated()
	l := w.loops[len(w.loops)-1]
	w.loops = w.loops[:len(w.loops)-1]
	grown := func(now, before saturating.Int) saturating.Int { return before.AddMul(now.Sub(before), l.times) }
	for b, before := range l.done {
		now := w.done[b]
		w.done[b] = work{grown(now.times, before.times), grown(now.divided, before.divided), demand{
			passes: grown(now.passes, before.passes), delay: grown(now.delay, before.delay),
			accesses: grown(now.accesses, before.accesses), service: grown(now.service, before.service),
		}}
	}
	for i := range w.back {
		w.entered[i], w.back[i] = grown(w.entered[i], l.entered[i]), grown(w.back[i], l.back[i])
	}
}

// executions are what is known of the wavefronts of a launch.
type executions struct {
	facts [][]*facts // by class of workgroups: of each wavefront
	class []int32    // by workgroup; nil if all are of one class
	// demands are the passes and the service of all wavefronts of each CU, at most; nil if
	// nobody counted.
	demands []demand
	gaveUp  error   // why nothing was executed; nil if all wavefronts were
	script  *script // nil if it is not known what all wavefronts issue
	// warnings say where wavefronts were followed less exactly.
	warnings []diag.Warning
}

// maxGroups is the largest number of workgroups that are counted one by one.
const maxGroups = 1 << 16

// wavefronts returns what is known of each wavefront of a workgroup, by abstract execution as
// far as that is possible. It is an error if nothing bounds a loop.
func (c *config) wavefronts(ctx context.Context, t *timing) (*executions, error) {
	count := cost.NewCounter(c.Machine)
	known := c.known(count)
	checked, assumed := absexec.Ranges(c.Fixed)
	x := absexec.New(absexec.Config{
		Launch: c.Launch, Graph: c.Graph, Inputs: c.Inputs, Fixed: checked, Assumed: assumed, MaxSteps: c.MaxSteps(), Executed: c.Executed,
		Useless: c.Useless, Infeasible: c.Infeasible(),
		Uniform: func(b int) bool { return !known.parts[b] },
		Bound: func(header int) (int, bool) {
			l := known.loops[c.Graph.Loops().Innermost(header)]
			return int(l.maximum), l.known
		},
	})
	all := &executions{facts: [][]*facts{nil}, demands: make([]demand, c.Machine.SM.Count.Value), script: c.newScript()}
	for w := range c.Launch.Warps() {
		results, err := x.Warp(ctx, w, func(absexec.Box) absexec.Visitor {
			return &witness{
				config: c, timing: t, count: count, known: known, seen: known.nothing(), trace: charge.NewTracer(c.Graph),
				done: make([]work, c.Graph.Len()), script: all.script.open(),
				entered: make([]saturating.Int, len(known.loops)), back: make([]saturating.Int, len(known.loops)),
			}
		})
		var loop *absexec.UnboundedLoop
		var write *absexec.WriteError
		switch {
		case errors.As(err, &loop), errors.As(err, &write), err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil: // it is too long, for example: what is known without execution has to do
			return &executions{facts: [][]*facts{slices.Repeat([]*facts{known}, c.Launch.Warps())}, gaveUp: err}, nil
		}
		each := make([]*facts, len(results))
		for i, r := range results {
			each[i] = r.Visitor.(*witness).facts(r.Loops).tighten(known)
		}
		all.classify(c.Launch.Grid(), results, each)
		all.serve(c.Launch.Grid(), results)
		all.script.add(c.Launch.Grid(), results)
	}
	all.warnings = c.Summarised(x)
	return all, nil
}

// serve adds the demand of a wavefront of each workgroup to that of the workgroup's CU; that
// of the most demanding to all of them if there are too many workgroups.
func (e *executions) serve(grid [3]int, results []absexec.Result) {
	cus := len(e.demands)
	all := make([]demand, len(results))
	for i, r := range results {
		for _, done := range r.Visitor.(*witness).done {
			all[i].add(done.demand)
		}
	}
	groups := count(grid)
	if groups > maxGroups {
		for cu := range e.demands {
			e.load(cu, maximum(all), saturating.Of((groups-cu+cus-1)/cus))
		}
		return
	}
	for i, r := range results {
		for group := range inside(r.Box, grid) {
			e.load(group%cus, all[i], 1)
		}
	}
}

// load adds a demand to that of a CU, so many times.
func (e *executions) load(cu int, d demand, times saturating.Int) {
	at := &e.demands[cu]
	at.passes = at.passes.AddMul(d.passes, times)
	at.service = at.service.AddMul(d.service, times)
}

// facts returns what the execution shows: of loops the same as absexec, and how often they
// iterate on average.
func (w *witness) facts(loops []absexec.LoopFact) *facts {
	f := w.seen
	f.done, f.route = w.done, &w.trace.Route
	for i, l := range loops {
		f.loops[i] = limit{int64(l.Iterations), true, estimate.Proven}
		if l.Forced {
			f.loops[i].evidence = w.known.loops[i].evidence
		}
		f.mean[i] = f.loops[i]
		if n := w.entered[i]; n > 0 {
			f.mean[i].maximum = min(f.mean[i].maximum, w.back[i].DivUp(n).Int64())
		}
	}
	return f
}
