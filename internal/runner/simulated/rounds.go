package simulated

import (
	"context"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// rounds runs a job whose runs have several launches (job.Repeat): rounds of its kernel and those that
// follow it. Buffers, variables of the module and the heap keep what they hold from one launch to the
// next; each launch finds the simulated machine idle and its caches empty. The time of a run is the
// sum of the times of its launches, without what a host does between them.
type rounds struct {
	kernels []*launch // of a round, in their order
	vars    []isa.Var // of all of them
	repeat  *job.Repeat
	limit   int64 // cycles
	result  sim.Result
	outcome runner.Outcome
}

// newRounds prepares a simulator of each kernel of a round. It is an error if one of the launches does not
// fit the machine.
func newRounds(w *workload.Workload, opts runner.Options) (*rounds, error) {
	t := &rounds{repeat: &w.Spec.Repeat, limit: opts.Limit()}
	for _, k := range w.Kernels {
		own := opts
		own.Record = nil
		name := k.Bound.Kernel.Name
		s, err := newLaunch(w, k, own)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", name, err)
		}
		t.kernels = append(t.kernels, s)
		for _, v := range k.Bound.Kernel.Vars {
			if !slices.ContainsFunc(t.vars, func(w isa.Var) bool { return w.Pos == v.Pos }) {
				t.vars = append(t.vars, v)
			}
		}
		t.outcome.Launches = append(t.outcome.Launches, runner.Launch{Kernel: name})
	}
	t.outcome.Statistics = &statistics{result: &t.result}
	return t, nil
}

// Run implements runner.Runner. It is an error to ask for a trace, if there is another round to do after
// the job's limit, and if all launches together take more than the limit of cycles.
func (t *rounds) Run(ctx context.Context, in *job.Inputs, rec *trace.Run) (*runner.Outcome, error) {
	if rec != nil {
		return nil, diag.Errorf(t.repeat.Pos.Table, "%w", runner.ErrTrace)
	}
	memory := t.kernels[0].memory
	if _, err := memory.Fill(in); err != nil {
		return nil, err
	}
	vars, err := memory.Memory().Define(t.vars)
	if err != nil {
		return nil, err
	}
	for _, s := range t.kernels[1:] {
		s.memory.Share(memory)
	}
	t.result.Reset()
	for i := range t.outcome.Launches {
		t.outcome.Launches[i].Cycles = 0
	}
	again, done := true, 0
	for ; again; done++ {
		if done == t.repeat.Limit && t.repeat.While != nil {
			return nil, diag.Errorf(t.repeat.Pos.Limit, "after %d rounds the kernels still leave %s at other than 0: raise limit if runs may take more",
				done, t.param().Name)
		}
		if err := t.round(ctx, in, vars); err != nil {
			return nil, fmt.Errorf("round %d: %w", done+1, err)
		}
		again = t.flagged()
	}
	t.outcome.Cycles, t.outcome.Buffers, t.outcome.Rounds = t.result.Cycles, memory.Buffers(), done
	return &t.outcome, nil
}

// round makes the launches of one round. vars are the addresses of variables.
func (t *rounds) round(ctx context.Context, in *job.Inputs, vars map[diag.Pos]uint64) error {
	clear(t.flag())
	for i, s := range t.kernels {
		if err := ctx.Err(); err != nil {
			return err
		}
		on := s.memory.Launch(in)
		on.Vars = vars
		r, err := s.execute(ctx, on, nil)
		if err != nil {
			return err
		}
		if i == 0 {
			t.result.Occupancy = r.Occupancy
		}
		t.result.Add(r)
		t.outcome.Launches[i].Cycles += r.Cycles
		if t.result.Cycles > t.limit {
			return fmt.Errorf("kernel %s: %w by all launches together: %d", t.outcome.Launches[i].Kernel, sim.ErrCycleLimit, t.limit)
		}
	}
	return nil
}

// param is the parameter whose buffer says if there is another round.
func (t *rounds) param() *job.Param {
	return &t.kernels[0].kernel.Bound.Job.Params[*t.repeat.While]
}

// flag is the element that says if there is another round, nil if none says so.
func (t *rounds) flag() []byte {
	if t.repeat.While == nil {
		return nil
	}
	return t.kernels[0].memory.Buffers()[*t.repeat.While][:t.param().Type.Bytes()]
}

// flagged reports whether there is another round.
func (t *rounds) flagged() bool {
	for _, b := range t.flag() {
		if b != 0 {
			return true
		}
	}
	return false
}

// Report implements runner.Runner.
func (t *rounds) Report() runner.Report { return runner.Report{} }

// Close implements runner.Runner.
func (t *rounds) Close() error { return nil }
