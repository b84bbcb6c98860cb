package cta

import (
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// kind tells apart how long instructions keep their warp.
type kind uint8

const (
	plain   kind = iota // for the latency
	load                // until the last request is served
	posted              // only as long as the port; the requests are served later
	fence               // for the latency, and until posted requests are served
	barrier             // until the other warps of the CTA come
	arrival             // for the latency, or, with a barrier for part of a CTA, until others come
)

// cost is the time of one instruction of the program on a barrel core
// (docs/machine-model.md), in core cycles.
type cost struct {
	kind       kind
	initiation int64 // in which it holds the port; for each request of an access
	latency    int64
}

// rest is the time from the end of the service of a request, or of an
// instruction that makes none, to the end of its latency.
func (c *cost) rest() int64 { return c.latency - c.initiation }

// costs returns the cost of every instruction of a kernel.
func costs(k *isa.Kernel, m *machine.Machine) []cost {
	all := make([]cost, len(k.Instrs))
	for pc := range all {
		in := &k.Instrs[pc]
		t := m.Timing(in.Class())
		all[pc] = cost{kind: kindOf(in), initiation: t.Initiation, latency: t.Latency}
	}
	return all
}

func kindOf(in *isa.Instr) kind {
	switch in.Op {
	case isa.Fence:
		return fence
	case isa.St, isa.Red:
		return posted
	case isa.Atom:
		for _, o := range in.Dst {
			if o.Kind == isa.KindReg {
				return load
			}
		}
		return posted
	case isa.Bar:
		if in.Barrier == isa.BarrierArrive || in.Barrier == isa.BarrierClusterArrive || in.Barrier == isa.BarrierClusterWait {
			return arrival
		}
		return barrier
	}
	if in.Op.Info().Unit == isa.UnitMem {
		return load
	}
	return plain
}
