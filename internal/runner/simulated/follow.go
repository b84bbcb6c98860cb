package simulated

import (
	"fmt"

	"warpbound/diag"
	"warpbound/estimate"
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
		*step = taint.Step{CTA: s.CTA, Warp: s.Warp, PC: s.PC, Active: s.Active, Effect: s.Effect, After: s.After}
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
	block, width := t.kernel.Bound.Job.Block, int(t.kernel.Machine.SM.WarpSize.Value)
	t.taint.Launch(t.kernel.Code.Kernel(), sampled, (block[0]*block[1]*block[2]+width-1)/width)
}

// reached returns the first place where inputs reached what time depends on; nil if there is none, and if nobody asks.
func (t *run) reached() *runner.Reached {
	if t.taint == nil || t.taint.Sink() == nil {
		return nil
	}
	s := t.taint.Sink()
	r := &runner.Reached{What: string(s.Kind), By: sourceOf(s)}
	if s.Instr != nil {
		r.Pos = s.Instr.Pos
	} else {
		r.Pos = t.looks(t.job.Sequence(), s.Origin)
	}
	for _, in := range s.Chain {
		r.Chain = append(r.Chain, runner.Link{Pos: in.Pos, Text: s.Kernel.Format(in)})
	}
	if s.Chain != nil || s.Instr == nil {
		r.Chain = append(r.Chain, t.origin(s))
	}
	return r
}

// sourceOf returns what comes to a sink.
func sourceOf(s *taint.Sink) estimate.Source {
	switch {
	case s.Unordered:
		return estimate.ByOrder
	case s.Unsettled:
		return estimate.ByDevice
	case s.Mixed:
		return estimate.ByLaunch
	}
	return estimate.ByInputs
}

// looks returns where one of the steps says that a run goes on as the buffer at an address tells.
func (t *run) looks(steps []job.Step, at uint64) diag.Pos {
	for i := range steps {
		s := &steps[i]
		if s.While != nil && t.launches[0].memory.Address(*s.While) == at {
			return s.Pos.While
		}
		if pos := t.looks(s.Steps, at); pos.Known() {
			return pos
		}
	}
	return diag.Pos{}
}

// origin says which input lies where a chain begins.
func (t *run) origin(s *taint.Sink) runner.Link {
	switch sourceOf(s) {
	case estimate.ByDevice:
		const open = "a value that the manual leaves open, and a device may choose otherwise"
		return runner.Link{Pos: s.Chain[len(s.Chain)-1].Pos, Text: open}
	case estimate.ByOrder:
		const open = "the order in which threads run, which nothing fixes"
		return runner.Link{Pos: s.Chain[len(s.Chain)-1].Pos, Text: open}
	}
	for _, l := range t.launches {
		if l.kernel.Code.Kernel() != s.Kernel {
			continue
		}
		for i, p := range l.kernel.Bound.Job.Params {
			offset, bytes, ok := l.kernel.Bound.Slot(i)
			if at := abi.ParamAddress(offset); ok && p.Kind != job.Buffer && s.Origin >= at && s.Origin < at+uint64(bytes) {
				return runner.Link{Pos: p.Pos, Text: p.Name + ", a number that is sampled"}
			}
		}
	}
	memory := t.launches[0].memory
	for i, p := range t.job.Whole().Params {
		from := memory.Address(i)
		if p.Kind != job.Buffer || s.Origin < from || s.Origin >= from+uint64(len(memory.Buffers()[i])) {
			continue
		}
		text := fmt.Sprintf("byte %d of buffer %s", s.Origin-from, p.Name)
		if p.Content.Kind == job.Uniform {
			return runner.Link{Pos: p.Pos, Text: text + ", which is sampled"}
		}
		return runner.Link{Pos: p.Pos, Text: text + ", as a launch before wrote it"}
	}
	return runner.Link{Pos: t.job.Pos.Kernel, Text: "memory that is no buffer"}
}

// flagRange is where the first element of a buffer lies.
func (h *host) flagRange(param int) taint.Range {
	return taint.Range{Start: h.launches[0].memory.Address(param), Bytes: uint64(len(h.flag(param)))}
}
