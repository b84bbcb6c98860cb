package simulated

import (
	"context"
	"errors"
	"fmt"

	"warpbound/internal/halt"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/sim"
	"warpbound/internal/symbol"
	"warpbound/internal/taint"
	"warpbound/internal/workload"
)

// run makes the launches of a job, one after the other. Buffers, variables of the module and the heap keep what
// they hold from one launch to the next; each launch finds the simulated machine idle and its caches empty, but for
// the shared cache where the job says so. The time of a run is the sum of the times of its launches, without what
// a host does between them.
type run struct {
	job      *job.Job
	launches []*launch // by job.Job.Runs
	several  bool
	warm     bool           // launches find what the one before left in the shared cache
	limit    int64          // cycles
	taint    *taint.Tracker // nil if inputs are not followed
	reach    bool           // as runner.Options
	serial   serial
	result   sim.Result
	outcome  runner.Outcome
}

// newRun prepares a simulator of each launch. It is an error if one of them does not fit the machine.
func newRun(w *workload.Workload, opts runner.Options) (*run, error) {
	t := &run{job: w.Spec, several: w.Several(), warm: w.Spec.Caches.Warm, limit: opts.Limit(), serial: newSerial(w, opts)}
	if opts.Follow {
		t.taint, t.reach = taint.NewTracker(opts.Orders), opts.Reach
	}
	for i, k := range w.Kernels {
		s, err := newLaunch(w, i, opts, t.taint)
		if err != nil {
			return nil, t.named(k, err)
		}
		t.launches = append(t.launches, s)
		t.outcome.Launches = append(t.outcome.Launches, runner.Launch{Kernel: k.Bound.Kernel.Name})
	}
	t.outcome.Statistics = &statistics{result: &t.result, serial: &t.serial}
	return t, nil
}

// named is an error with the kernel that it is about, if it is one of several.
func (t *run) named(k *workload.Kernel, err error) error {
	if !t.several {
		return err
	}
	return fmt.Errorf("kernel %s: %w", k.Bound.Kernel.Readable(), err)
}

// Run implements runner.Runner. It is an error if there is another round to do after as many as the job allows,
// and if all launches together take more than the limit of cycles.
func (t *run) Run(ctx context.Context, in *job.Inputs, rec *runner.Recorder) (*runner.Outcome, error) {
	if err := t.makeRun(ctx, in, rec); err != nil {
		return nil, err
	}
	if t.taint != nil && t.taint.Incomplete() {
		if err := t.makeRun(ctx, in, nil); err != nil {
			return nil, err
		}
		if t.taint.Incomplete() {
			return nil, errors.New("internal error: a run accesses other memory when it is made again")
		}
	}
	if err := t.serial.findRaces(ctx, in, &t.result); err != nil {
		return nil, err
	}
	t.outcome.Cycles, t.outcome.Rounds = t.result.Cycles, t.outcome.Launches[0].Executions
	t.outcome.Buffers = t.launches[0].memory.Buffers()
	t.outcome.Turned = len(t.result.Turns) > 0
	t.outcome.Reached = t.reached()
	t.outcome.Invariant = t.taint != nil && t.outcome.Reached == nil
	return &t.outcome, nil
}

// makeRun makes a run from its inputs on.
func (t *run) makeRun(ctx context.Context, in *job.Inputs, rec *runner.Recorder) error {
	memory := t.launches[0].memory
	if _, err := memory.Fill(in); err != nil {
		return err
	}
	for _, l := range t.launches[1:] {
		l.memory.Share(memory)
	}
	t.beginTaint(memory)
	t.result.Reset()
	for i := range t.outcome.Launches {
		t.outcome.Launches[i].Reset()
	}
	return t.execute(ctx, in, rec)
}

// execute makes the launches of a run. That it ends where inputs reach a sink is no error, if it is to.
func (t *run) execute(ctx context.Context, in *job.Inputs, rec *runner.Recorder) error {
	within := ctx
	if t.reach {
		var cancel context.CancelFunc
		within, cancel = context.WithCancel(ctx)
		defer cancel()
		t.taint.Found = cancel
	}
	err := t.job.Execute(&host{run: t, ctx: within, in: in, rec: rec})
	if err != nil && t.reach && t.taint.Sink() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// host makes one run (job.Host).
type host struct {
	*run
	ctx context.Context
	in  *job.Inputs
	rec *runner.Recorder // nil if no trace is wanted

	before *launch // nil for the first
}

// Launch implements job.Host.
func (h *host) Launch(i int) error {
	if err := h.ctx.Err(); err != nil {
		return err
	}
	l := h.launches[i]
	if h.warm && h.before != nil {
		l.follow(h.before)
	}
	h.before = l
	tr := h.rec.Begin()
	r, err := l.execute(h.ctx, l.memory.Launch(h.in), tr)
	if ended, ok := errors.AsType[*halt.RunError](err); ok {
		return &halt.RunError{Cycles: h.result.Cycles + ended.Cycles, Err: ended.Err}
	} else if err != nil {
		return err
	}
	if h.result.Cycles == 0 {
		h.result.Occupancy = r.Occupancy
	}
	h.result.Add(r)
	h.outcome.Launches[i].Add(r.Cycles)
	if h.result.Cycles > h.limit {
		return fmt.Errorf("kernel %s: %w by all launches together: %d", symbol.Readable(h.outcome.Launches[i].Kernel), sim.ErrCycleLimit, h.limit)
	}
	return h.rec.End(i)
}

// Clear implements job.Host.
func (h *host) Clear(param int) error {
	clear(h.flag(param))
	if h.taint != nil {
		h.taint.Clear(h.flagRange(param))
	}
	return nil
}

// Flagged implements job.Host.
func (h *host) Flagged(param int) (bool, error) {
	if h.taint != nil {
		h.taint.Host(h.flagRange(param))
	}
	for _, b := range h.flag(param) {
		if b != 0 {
			return true, nil
		}
	}
	return false, nil
}

// flag is the first element of a buffer.
func (h *host) flag(param int) []byte {
	return h.launches[0].memory.Buffers()[param][:h.job.Params[param].Type.Bytes()]
}

// Report implements runner.Runner.
func (t *run) Report() runner.Report { return runner.Report{} }

// Close implements runner.Runner.
func (t *run) Close() error { return nil }
