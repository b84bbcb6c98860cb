// Package campaign hands inputs to the runners of a platform and gathers what the runs gave.
//
// The outcome depends on the inputs alone, not on the number of runners or on which of them is faster.
// campaign must not import methods or simulators.
package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Spec says what is run.
type Spec struct {
	Vectors int                    // random test vectors; 0 for the job's number
	Inputs  []workload.SavedInputs // are run after the random test vectors, and count like these
	Repeats int                    // how often a device runs each input; 0 for its default

	// Adversary, unless nil, makes inputs that are to take long, no more than Adversarial. They are run behind all others, and
	// count like these. Confirming is how many of the random test vectors, the last, it is not told of, since they are to
	// try what the others give.
	Adversary               Adversary
	Adversarial, Confirming int

	Progress func(done, total int) // called when so many inputs, the first ones, have been run, by one goroutine at a time; may be nil
	// Begin, unless nil, is called with how many inputs are run at a time before the first of those that take as long
	// as others: the first vector takes longer where it is followed (see first).
	Begin func(atOnce int)

	// Taken, unless nil, is told the time of each vector, in their order, by one goroutine at a time.
	Taken func(estimate.RunTime)

	// Review, unless nil, is told what the campaign would give if it had ended after 1, 2, 5, 10, 20, ... of its vectors, with the
	// sinks, by one goroutine at a time. What it is given changes when it has returned. It needs sinks that are trace.Mergeable.
	Review func(soFar *Result, sinks [][]trace.Sink)

	// UntilStable ends the test vectors when they have shown nothing new for long (see settled). It is
	// an error if a trace is wanted and its sinks are no Learners.
	UntilStable bool

	// Keep, unless nil, keeps what vectors gave, and is asked before a vector is run. It is for platforms on which a vector
	// gives the same again.
	Keep Keeper
	// Elsewhere, unless nil, runs the random test vectors, all but the first where its inputs are followed.
	Elsewhere Elsewhere
	// Sinks say how the sinks are made, so that other processes can make the same (as How says); nil if these cannot.
	Sinks json.RawMessage
	// Translate, unless nil, are by launch the Ipoints of the sinks of those that are recorded, as trace.Remap takes them;
	// nil for a launch whose sinks take them as they are.
	Translate [][]trace.Ipoint

	// Watch has the first random test vector look for data races and for reads of what nothing has
	// written, where the platform can and the vector is neither followed nor the only one.
	Watch bool

	Cores   int              // that may simulate a run beside which there is no other
	OneCore func(why string) // as runner.Options
}

// Adversary makes inputs from the times of those before.
type Adversary interface {
	// Begin tells of a random test vector that took longest.
	Begin(vector int, cycles int64)
	// Next returns the next inputs to be run together, with names for files, and whether they are made of those before; nil if
	// there are no more.
	Next() (next []workload.SavedInputs, evolved bool)
	// Took tells how many cycles the inputs took that were the i-th of all; 0 if their run failed.
	Took(i int, cycles int64)
}

// Shared reports whether the outcomes of vectors are kept or come from elsewhere.
func (s Spec) Shared() bool { return s.Keep != nil || s.Elsewhere != nil }

// Open tells what keeps and what brings the outcomes of vectors of which campaign they are.
func (s Spec) Open(of Identity) error {
	if s.Keep != nil {
		if err := s.Keep.Open(of); err != nil {
			return err
		}
	}
	if s.Elsewhere != nil {
		return s.Elsewhere.Open(of)
	}
	return nil
}

// Alone returns the specification for a variant of the workload: without what keeps and brings the outcomes of vectors, and
// without what is told their times and what makes inputs of them.
func (s Spec) Alone() Spec {
	s.Adversary, s.Adversarial, s.Confirming = nil, 0, 0
	s.Keep, s.Elsewhere, s.Sinks, s.Translate, s.Taken = nil, nil, nil, nil, nil
	return s
}

// Result is what the runs of a campaign gave.
type Result struct {
	Runs        int
	Vectors     int // and saved inputs, of which each may be run several times
	Planned     int // runs that there were to be, of a campaign that was interrupted
	Observed    estimate.Observation
	Times       estimate.Histogram  // of vectors and saved inputs
	Longest     estimate.LongestRun // likewise
	Inputs      []estimate.InputRun // how long the saved inputs took
	Adversarial []AdversarialRun    // what adversarial inputs gave
	Report      runner.Report       // of a device
	Turned      bool                // diverged paths of a warp took turns in a run, in a simulator
	Launches    []Launch            // by job.Job.Runs

	Convergence *estimate.Convergence // nil if all vectors were to be run, whatever they show
	Watched     *Watched              // nil if no vector was watched
}

// AdversarialRun is what adversarial inputs gave.
type AdversarialRun struct {
	Name    string
	Cycles  int64 // 0 if the run failed
	Err     error // why
	Stopped int64 // after how many cycles the run was given up; 0 if it was not
}

// Watched is what says that times and results may not be those of other runs.
type Watched struct {
	Races    []estimate.Race
	Warnings []diag.Warning
}

// Launch sums up the executions of one of the launches in all runs.
type Launch struct {
	MinCount, MaxCount int                  // executions in a run
	Observed           estimate.Observation // of one execution; zero if there is none
}

// Run runs the test vectors and saved inputs of a workload. sink, unless nil, makes what the traces of a
// launch on a runner are replayed into: at least one for each of them, of which those with all runs are returned
// with the result by launch.
//
// It is an error if a run fails: that of the first input which does. If ctx ends, the error is that of ctx, and the
// result, unless nil, is that of as many inputs as were run until then, without a gap. It comes without sinks if these
// are not trace.Mergeable.
func Run(ctx context.Context, p runner.Platform, w *workload.Workload, spec Spec, opts runner.Options, sink func(launch int) trace.Sink) (result *Result, sinks [][]trace.Sink, err error) {
	v := newVectors(w, spec)
	opts.Repeats = p.Repeats(spec.Repeats)
	workers := make([]worker, p.Workers(v.total, opts))
	if len(workers) == 1 {
		opts.Cores, opts.OneCore = spec.Cores, spec.OneCore
	}
	pool := NewPool(p, w, opts)
	defer func() { err = errors.Join(err, pool.Close()) }()
	for i := range workers {
		workers[i] = newWorker(len(w.Kernels), sink)
		workers[i].translate = spec.Translate
		if spec.Keep != nil && sink != nil {
			workers[i].records = opts.Record
		}
	}
	if sink != nil {
		for launch := range w.Kernels {
			var all []trace.Sink
			for i := range workers {
				all = append(all, workers[i].sinks[launch])
			}
			sinks = append(sinks, all)
		}
	}
	c := &campaign{vectors: v, pool: pool, workers: workers, taken: order{waiting: make(map[int]*outcome), random: v.random, heard: v.random - spec.Confirming}}
	c.taken.moved.L = &c.taken.mu
	if spec.Review != nil && !workers[0].mixed() {
		c.taken.review = func(inputs int) {
			if inputs < c.total && IsRound(inputs) {
				spec.Review(c.soFar(), sinks)
			}
		}
	}
	c.taken.timed = func(i int, out *outcome) {
		if c.isAdversarial(i) {
			c.adversarialRuns = append(c.adversarialRuns, adversarialRunOf(c.saves(i).File, out))
		}
		if spec.Taken != nil && out.failed == nil {
			spec.Taken(c.time(i, out))
		}
	}
	if spec.Progress != nil {
		c.taken.tell = func(inputs int) { spec.Progress(inputs, v.total) }
	}
	err = c.first(ctx)
	if err == nil && spec.Begin != nil && c.taken.next < v.total {
		spec.Begin(len(workers))
	}
	if err == nil && spec.UntilStable && c.convergence == nil {
		err = c.untilStable(ctx)
	}
	if err == nil {
		err = c.each(ctx, v.random+len(spec.Inputs))
	}
	if err == nil && spec.Adversary != nil && (c.convergence == nil || c.convergence.Stopped != estimate.StoppedInvariant) {
		err = c.runAdversarial(ctx)
	}
	taken := c.taken.next
	switch {
	case err == nil:
	case taken == 0 || !halt.Ended(ctx, err):
		return nil, nil, err
	case slices.ContainsFunc(workers, (worker).mixed):
		sinks = nil
	}
	out := c.soFar()
	out.Adversarial = c.adversarialRuns
	out.Inputs, out.Report, out.Convergence = v.saved(c.taken.saved), pool.Report(), c.convergence
	out.Watched = c.watched
	if out.Report.Device != nil {
		out.Runs, out.Observed = out.Report.Runs, *out.Report.Observed
	}
	return out, sinks, err
}

// IsRound reports whether a number is 1, 2 or 5 times a power of ten.
func IsRound(n int) bool {
	for n >= 10 && n%10 == 0 {
		n /= 10
	}
	return n == 1 || n == 2 || n == 5
}

// soFar is what the vectors gave that were taken.
func (c *campaign) soFar() *Result {
	out := &Result{
		Times: c.taken.spread, Longest: estimate.LongestRun{Cycles: c.taken.times.Max}, Runs: c.taken.next, Vectors: c.taken.next, Planned: c.total, Observed: c.taken.observed(), Launches: launches(c.workers),
		Turned: c.taken.turned,
	}
	switch at := c.taken.longest; {
	case at < c.random:
		out.Longest.Vector = &at
	case at < c.random+len(c.spec.Inputs):
		out.Longest.Inputs = c.spec.Inputs[at-c.random].File
	default:
		out.Longest.Adversarial = c.saves(at).File
	}
	return out
}

// campaign hands the inputs to the runners of a pool.
type campaign struct {
	*vectors
	pool    *Pool
	workers []worker // by slot of the pool
	taken   order

	reached         *estimate.Reached // by the inputs of the first vector, if they were followed
	convergence     *estimate.Convergence
	watched         *Watched // by the first vector; nil if nothing was looked for
	adversarialRuns []AdversarialRun
}

// each runs the inputs that have not been taken, up to a number of them.
func (c *campaign) each(ctx context.Context, to int) error {
	from := c.taken.next
	if from == to {
		return nil
	}
	if random := min(to, c.random); c.spec.Elsewhere != nil && from < random {
		if err := c.elsewhere(ctx, from, random); err != nil || random == to {
			return err
		}
		from = random
	}
	inputs := func(i int, own *job.Inputs) *job.Inputs { return c.inputs(from+i, own) }
	return c.pool.Each(ctx, to-from, inputs, func(slot int, r runner.Runner, i int, in *job.Inputs) error {
		if err := c.taken.near(ctx, from+i); err != nil {
			return err
		}
		w := &c.workers[slot]
		out, err := c.vector(w, from+i, false, func() (*outcome, error) {
			return w.run(ctx, r, from+i, c.pool.options.Repeats, in)
		})
		if err != nil && c.isAdversarial(from+i) && !isUnusable(ctx, err) {
			out, err = &outcome{failed: err}, nil
		}
		if err == nil {
			err = c.taken.add(from+i, out)
		} else {
			err = c.failed(from+i, err)
		}
		if err != nil {
			c.taken.stop()
		}
		return err
	})
}

// worker is what one runner needs besides.
type worker struct {
	sinks    []trace.Sink // by launch; nil if no trace is wanted
	launches []Executed

	sink func(launch int) trace.Sink // makes sinks for a single vector; nil if these could not be merged
	rec  *runner.Recorder            // nil if no trace is wanted
	into []trace.Sink                // that take the current vector
	from trace.Origin                // of the inputs of the current vector

	translate [][]trace.Ipoint // as in Spec
	records   []*runner.Record // of which traces are kept; nil for none
	keeping   []*recording     // those of the current vector, likewise
}

func newWorker(n int, sink func(launch int) trace.Sink) worker {
	w := worker{launches: make([]Executed, n)}
	if sink == nil {
		return w
	}
	w.rec, w.sink = &runner.Recorder{}, sink
	for launch := range n {
		w.sinks = append(w.sinks, sink(launch))
		if _, ok := w.sinks[launch].(trace.Mergeable); !ok {
			w.sink = nil
		}
	}
	return w
}

// mixed reports whether the sinks have vectors that were not taken in order.
func (w worker) mixed() bool { return w.rec != nil && w.sink == nil }

// run runs an input as often as it is to be, and returns what that gave.
func (w *worker) run(ctx context.Context, r runner.Runner, i, repeats int, in *job.Inputs) (*outcome, error) {
	o := w.begin()
	if w.rec != nil {
		w.rec.Take = w.take
	}
	if w.records != nil {
		var err error
		if w.keeping, err = newRecordings(w.records); err != nil {
			return nil, err
		}
	}
	for n := range repeats {
		if w.rec != nil {
			w.rec.Number = i*repeats + n
		}
		out, err := r.Run(ctx, in, w.rec)
		if err != nil {
			return nil, err
		}
		o.statistics = out.Statistics
		for i := range out.Launches {
			o.launches[i].add(&out.Launches[i])
		}
		o.turned = o.turned || out.Turned
		o.cycles, o.invariant, o.reached = max(o.cycles, out.Cycles), out.Invariant, nil
		if at := out.Reached; at != nil {
			o.reached = &estimate.Reached{Pos: at.Pos.String(), What: at.What}
		}
	}
	o.traces = w.keeping
	return o, closeRecordings(o.traces)
}

// begin returns what the runs of a vector gave before the first of them.
func (w *worker) begin() *outcome {
	o := &outcome{of: w, launches: make([]Executed, len(w.launches))}
	w.into = w.sinks
	if w.sink != nil {
		for launch := range w.sinks {
			o.sinks = append(o.sinks, w.sink(launch))
		}
		w.into = o.sinks
	}
	return o
}

// take replays what an execution of a launch recorded.
func (w *worker) take(launch int, run *trace.Run) error {
	if w.records != nil {
		if err := w.keeping[launch].add(run); err != nil {
			return err
		}
	}
	if w.into == nil {
		return nil
	}
	if err := run.Replay(w.to(launch)); err != nil {
		return &replayError{err}
	}
	return nil
}

// to returns the sink of a launch, for the Ipoints that are recorded.
func (w *worker) to(launch int) trace.Sink {
	into := w.into[launch]
	if selective, ok := into.(trace.Selective); ok && w.from != trace.Sampled {
		into = selected{selective, w.from}
	}
	if w.translate == nil || w.translate[launch] == nil {
		return into
	}
	return trace.Remap(into, w.translate[launch])
}

// selected takes runs of inputs that were chosen.
type selected struct {
	trace.Selective
	from trace.Origin
}

func (s selected) BeginRun(number int) error {
	s.Chosen(s.from)
	return s.Selective.BeginRun(number)
}

// keep adds what a vector gave.
func (w *worker) keep(o *outcome) error {
	for launch := range w.launches {
		w.launches[launch].merge(&o.launches[launch])
	}
	for launch, s := range o.sinks {
		if err := w.sinks[launch].(trace.Mergeable).Absorb(s); err != nil {
			return err
		}
	}
	return nil
}

// replayError is the error of a sink, which names the run itself.
type replayError struct{ error }

// Unwrap returns the cause.
func (e *replayError) Unwrap() error { return e.error }

// vectors are the inputs of a campaign: random test vectors, then inputs that were saved, then adversarial ones.
type vectors struct {
	bound  *job.Bound
	spec   Spec
	random int // vectors that are sampled
	total  int
	made   []workload.SavedInputs // by the adversary so far
	plain  int                    // of these, that it made without having seen a run
}

func newVectors(w *workload.Workload, spec Spec) *vectors {
	random := spec.Vectors
	switch {
	case !w.Spec.Varies():
		random = 1 // every run would be the same
	case random == 0:
		random = w.Spec.Vectors
	}
	total := random + len(spec.Inputs)
	if spec.Adversary != nil {
		total += spec.Adversarial
	}
	return &vectors{bound: w.First().Bound, spec: spec, random: random, total: total}
}

// end leaves no more random vectors than so many, before any input is run that was saved.
func (c *campaign) end(random int) {
	c.total -= c.random - random
	c.random, c.taken.random = random, random
}

// saves returns the inputs of a vector that is not sampled.
func (v *vectors) saves(i int) workload.SavedInputs {
	if i -= v.random; i < len(v.spec.Inputs) {
		return v.spec.Inputs[i]
	}
	return v.made[i-len(v.spec.Inputs)]
}

// isAdversarial reports whether the adversary made a vector.
func (v *vectors) isAdversarial(i int) bool { return i >= v.random+len(v.spec.Inputs) }

// inputs returns the inputs of a vector, which may be made in the memory of own.
func (v *vectors) inputs(i int, own *job.Inputs) *job.Inputs {
	if i >= v.random {
		return v.saves(i).Inputs
	}
	v.bound.SetVector(i, own)
	return own
}

// time is how long a vector took.
func (v *vectors) time(i int, out *outcome) estimate.RunTime {
	t := estimate.RunTime{Vector: i, Set: estimate.Training, Cycles: out.cycles}
	switch {
	case v.isAdversarial(i):
		t.Vector, t.Set, t.Inputs = -1, estimate.Adversarial, v.saves(i).File
	case i >= v.random:
		t.Vector, t.Inputs = -1, v.saves(i).File
	}
	for _, l := range out.launches {
		t.Launches = append(t.Launches, l.Cycles/max(l.Runs, 1))
	}
	return t
}

// failed names the vector of an error, unless that is about none.
func (v *vectors) failed(i int, err error) error {
	_, unusable := errors.AsType[*runner.UnusableError](err)
	_, replay := errors.AsType[*replayError](err)
	switch {
	case unusable, replay, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case i >= v.random:
		return fmt.Errorf("%s: %w", v.saves(i).File, err)
	}
	return fmt.Errorf("test vector %d: %w", i, err)
}

// saved tells how long saved inputs took, the first of them if not all were run.
func (v *vectors) saved(cycles []int64) []estimate.InputRun {
	var runs []estimate.InputRun
	for i, c := range cycles[:min(len(cycles), len(v.spec.Inputs))] {
		runs = append(runs, estimate.InputRun{File: v.spec.Inputs[i].File, Cycles: c})
	}
	return runs
}
