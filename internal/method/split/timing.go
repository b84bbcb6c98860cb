package split

import (
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/saturating"
)

// demand is what one execution of a block needs of a CU with split cores
// (docs/machine-model/split.md), at most.
type demand struct {
	passes   saturating.Int // of its port
	delay    saturating.Int // cycles in which it needs neither port nor memory
	accesses saturating.Int // to the memory of the CU
	service  saturating.Int // cycles in which the memory serves them
}

func (d *demand) add(e demand) {
	d.passes = d.passes.Add(e.passes)
	d.delay = d.delay.Add(e.delay)
	d.accesses = d.accesses.Add(e.accesses)
	d.service = d.service.Add(e.service)
}

// times returns the demand of n executions.
func (d demand) times(n saturating.Int) demand {
	return demand{d.passes.Mul(n), d.delay.Mul(n), d.accesses.Mul(n), d.service.Mul(n)}
}

// timing knows what the instructions of a kernel need of a machine with split cores.
type timing struct {
	machine *machine.Machine
	kernel  *isa.Kernel
	drain   saturating.Int // how long after its service the last byte of a posted access can be written, at most
}

func newTiming(m *machine.Machine, k *isa.Kernel) *timing {
	t := &timing{machine: m, kernel: k}
	for i := range k.Instrs {
		if in := &k.Instrs[i]; posted(in) {
			c := m.Timing(in.Class())
			t.drain = max(t.drain, saturating.Of(c.Latency-c.Initiation))
		}
	}
	return t
}

// pass is how long a port needs for a pass.
func (t *timing) pass() saturating.Int { return saturating.Of(t.machine.Split.Pass.Value) }

// dispatch is how long the dispatch of a workgroup takes.
func (t *timing) dispatch() saturating.Int { return saturating.Of(t.machine.SM.Dispatch.Value) }

// block returns the demand of a block whose accesses make at most so many requests, by
// instruction.
func (t *timing) block(b *cfg.Block, requests []int64) demand {
	sum := demand{}
	for pc := b.Start; pc < b.End; pc++ {
		sum.add(t.instr(&t.kernel.Instrs[pc], requests[pc]))
	}
	return sum
}

// instr returns the demand of one instruction, which makes at most so many requests.
//
// A posted access keeps its wavefront until it was served. What it still needs then counts
// where a wavefront waits for it: at fences, and at its end.
func (t *timing) instr(in *isa.Instr, requests int64) demand {
	c := t.machine.Timing(in.Class())
	s := &t.machine.Split
	rest, initiation := saturating.Of(c.Latency-c.Initiation), saturating.Of(c.Initiation)
	d := demand{passes: initiation.Div(t.pass()), delay: rest}
	if in.Class() >= isa.MemParam { // the rest of its time is the memory's
		d.passes = saturating.Of(s.Address.Value).Div(t.pass())
	}
	switch {
	case accesses(in):
		d.accesses, d.service = 1, initiation.Mul(saturating.Of(max(requests, 1)))
		switch {
		case posted(in):
			d.delay = 0
		case in.Class() == isa.MemGlobal: // perhaps the L1 has all, and the memory nothing to serve
			d.delay = max(rest, saturating.Of(t.machine.L1.Hit.Value))
		}
	case in.Op == isa.Prefetch: // no lane accesses anything
		d.delay = 0
	case in.Op == isa.Fence || in.Op.Info().Effect&isa.Exits != 0:
		d.delay = max(rest, t.drain)
	case in.Op.Info().Effect&isa.Barriers != 0:
		d.delay = max(rest, saturating.Of(t.machine.SM.Barrier.Value))
	case in.Op == isa.Split:
		d.delay = max(rest, saturating.Of(s.Split.Value))
	case in.Op == isa.Merge:
		d.delay = max(rest, saturating.Of(s.Merge.Value))
	}
	return d
}

// splitting returns the part of a block's demand that is of instructions that split and
// merge.
func (t *timing) splitting(b *cfg.Block) demand {
	sum := demand{}
	for pc := b.Start; pc < b.End; pc++ {
		if in := &t.kernel.Instrs[pc]; in.Op == isa.Split || in.Op == isa.Merge {
			sum.add(t.instr(in, 0))
		}
	}
	return sum
}

// accesses reports whether an instruction can access memory.
func accesses(in *isa.Instr) bool { return in.Op.Info().Unit == isa.UnitMem && in.Op != isa.Prefetch }

// posted reports whether a wavefront goes on while an access is under way.
func posted(in *isa.Instr) bool {
	return in.Op == isa.St || in.Op == isa.StMatrix || in.Op == isa.Red || in.Op == isa.Atom && !in.HasResult()
}
