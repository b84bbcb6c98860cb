package simulated

import (
	"warpbound/internal/abi"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/sim"
	"warpbound/internal/taint"
	"warpbound/internal/workload"
)

// tell tells a tracker of every instruction.
func tell(t *taint.Tracker) func(*sim.Step) {
	step := new(taint.Step)
	return func(s *sim.Step) {
		*step = taint.Step{CTA: s.CTA, Warp: s.Warp, PC: s.PC, Active: s.Active, Effect: s.Effect}
		t.Step(step)
	}
}

// beginTaint begins to follow the buffers in memory that are sampled, if inputs are to be followed.
func (t *run) beginTaint(memory *workload.Memory) {
	if t.taint == nil {
		return
	}
	var sampled []taint.Range
	for i, p := range t.job.Whole().Params {
		if p.Kind == job.Buffer && p.Content.Kind == job.Uniform {
			sampled = append(sampled, taint.Range{Start: memory.Address(i), Bytes: uint64(len(memory.Buffers()[i]))})
		}
	}
	t.taint.Begin(sampled)
}

// followInputs begins to follow the sampled numbers among the arguments of a launch, likewise.
func (t *launch) followInputs() {
	if t.taint == nil {
		return
	}
	var sampled []taint.Range
	for _, r := range t.kernel.Sampled() {
		sampled = append(sampled, taint.Range{Start: r.Addr - abi.ParamBase, Bytes: uint64(r.Bytes)})
	}
	t.taint.Launch(t.kernel.Code.Kernel(), sampled)
}

// reached returns the first place where inputs reached what time depends on; nil if there is none, and if nobody asks.
func (t *run) reached() *runner.Reached {
	if t.taint == nil || t.taint.Sink() == nil {
		return nil
	}
	s := t.taint.Sink()
	r := &runner.Reached{What: string(s.Kind)}
	if s.Instr != nil {
		r.Pos = s.Instr.Pos
	}
	return r
}

// flagRange is where the first element of a buffer lies.
func (h *host) flagRange(param int) taint.Range {
	return taint.Range{Start: h.launches[0].memory.Address(param), Bytes: uint64(len(h.flag(param)))}
}
