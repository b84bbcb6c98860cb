package target

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// Rounds is the target of a job whose runs have several launches (job.Repeat): rounds of its
// kernel and those that follow it. Buffers, variables of the module and the heap keep what
// they hold from one launch to the next; each launch finds the simulated machine idle and its
// caches empty. The time of a run is the sum of the times of its launches, without what a
// host does between them.
type Rounds struct {
	kernels []*Simulator // of a round, in their order
	vars    []isa.Var    // of all of them
	repeat  *job.Repeat
	limit   int64 // cycles
	result  sim.Result
	outcome Outcome
}

// ErrTrace is the error of a run with several launches of which a trace is wanted.
var ErrTrace = errors.New("a trace holds one launch, and the job has several in a run")

// NewRounds prepares a simulator of a job's kernel and those that follow it in a round, all on
// the same machine and with the same MaxCycles, which is the limit of a run. It is an error if
// one of the launches does not fit the machine.
func NewRounds(kernels []Config) (*Rounds, error) {
	first := &kernels[0]
	limit := sim.Config{MaxCycles: first.MaxCycles}
	t := &Rounds{repeat: &first.Job.Job.Repeat, limit: limit.Limit()}
	for _, cfg := range kernels {
		s, err := NewSimulator(cfg)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", cfg.Job.Kernel.Name, err)
		}
		t.kernels = append(t.kernels, s)
		for _, v := range cfg.Job.Kernel.Vars {
			if !slices.ContainsFunc(t.vars, func(w isa.Var) bool { return w.Pos == v.Pos }) {
				t.vars = append(t.vars, v)
			}
		}
		t.outcome.Launches = append(t.outcome.Launches, Launch{Kernel: cfg.Job.Kernel.Name})
	}
	return t, nil
}

// Run implements Target. It is an error to ask for a trace, if there is another round to do
// after the job's limit, and if all launches together take more than the limit of cycles.
func (t *Rounds) Run(ctx context.Context, in *job.Inputs, tr *trace.Run) (*Outcome, error) {
	if tr != nil {
		return nil, diag.Errorf(t.repeat.Pos.Table, "%w", ErrTrace)
	}
	memory := t.kernels[0].memory
	if _, err := memory.fill(in); err != nil {
		return nil, err
	}
	vars, err := memory.mem.Define(t.vars)
	if err != nil {
		return nil, err
	}
	for _, s := range t.kernels[1:] {
		s.memory.share(memory)
	}
	t.result.Reset()
	for i := range t.outcome.Launches {
		t.outcome.Launches[i].Cycles = 0
	}
	again, rounds := true, 0
	for ; again; rounds++ {
		if rounds == t.repeat.Limit && t.repeat.While != nil {
			return nil, diag.Errorf(t.repeat.Pos.Limit, "after %d rounds the kernels still leave %s at other than 0: raise limit if runs may take more",
				rounds, memory.job.Job.Params[*t.repeat.While].Name)
		}
		if err := t.round(ctx, in, vars); err != nil {
			return nil, fmt.Errorf("round %d: %w", rounds+1, err)
		}
		again = t.flagged()
	}
	t.outcome.Cycles, t.outcome.Result = t.result.Cycles, &t.result
	t.outcome.Buffers, t.outcome.Rounds = memory.buffers, rounds
	return &t.outcome, nil
}

// round makes the launches of one round. vars are the addresses of variables.
func (t *Rounds) round(ctx context.Context, in *job.Inputs, vars map[diag.Pos]uint64) error {
	clear(t.flag())
	for i, s := range t.kernels {
		if err := ctx.Err(); err != nil {
			return err
		}
		launch := s.memory.launch(in)
		launch.Vars = vars
		r, err := s.execute(ctx, launch, nil)
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

// flag is the element that says if there is another round, nil if none says so.
func (t *Rounds) flag() []byte {
	if t.repeat.While == nil {
		return nil
	}
	m := t.kernels[0].memory
	return m.buffers[*t.repeat.While][:m.job.Job.Params[*t.repeat.While].Type.Bytes()]
}

// flagged reports whether there is another round.
func (t *Rounds) flagged() bool {
	for _, b := range t.flag() {
		if b != 0 {
			return true
		}
	}
	return false
}

// share puts the buffers of another kernel of the same job into memory.
func (m *memory) share(other *memory) {
	m.mem, m.buffers = other.mem, other.buffers
	for i, p := range m.job.Job.Params {
		if p.Kind == job.Buffer {
			m.addresses[i] = other.addresses[i]
		}
	}
}
