// Package cost tells what instructions and accesses cost on cores that have one instruction of each
// warp under way and one port from which all are issued (docs/machine-model/barrel.md): how long they keep
// their warp and the port, and into how many requests the memory of an SM divides the accesses of
// a warp, as exactly as an abstract execution knows its lanes and addresses. It is what the static methods
// have in common.
//
// cost imports isa, machine, semantics and absexec. It must not import a simulator, against
// which the methods that use it are tested, nor a method.
package cost

import (
	"math/bits"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/semantics"
)

// Kind tells apart how long instructions keep their warp.
type Kind uint8

// The kinds.
const (
	Plain   Kind = iota // for the latency
	Load                // until the last request is served
	Posted              // only as long as the port; the requests are served later
	Fence               // for the latency, and until posted requests are served
	Barrier             // until the other warps of the CTA come
	Arrival             // for the latency, or, with a barrier for part of a CTA, until others come
)

// Instr is the time of one instruction of the program, in core cycles.
type Instr struct {
	Kind       Kind
	Initiation int64 // in which it holds the port; for each request of an access
	Latency    int64
}

// TailLatency is the time from the end of the service of a request, or of an
// instruction that makes none, to the end of its latency.
func (c *Instr) TailLatency() int64 { return c.Latency - c.Initiation }

// Of returns the cost of every instruction of a kernel.
func Of(k *isa.Kernel, m *machine.Machine) []Instr {
	all := make([]Instr, len(k.Instrs))
	for pc := range all {
		in := &k.Instrs[pc]
		t := m.Timing(in.Class())
		all[pc] = Instr{Kind: kindOf(in), Initiation: t.Initiation, Latency: t.Latency}
	}
	return all
}

func kindOf(in *isa.Instr) Kind {
	switch in.Op {
	case isa.Fence:
		return Fence
	case isa.St, isa.StMatrix, isa.Red, isa.Atom:
		if in.HasResult() {
			return Load
		}
		return Posted
	case isa.Bar:
		if in.Barrier == isa.BarrierArrive || in.Barrier == isa.BarrierClusterArrive || in.Barrier == isa.BarrierClusterWait {
			return Arrival
		}
		return Barrier
	}
	if in.Op.Info().Unit == isa.UnitMem {
		return Load
	}
	return Plain
}

// Threads returns the threads of a CTA of a launch.
func Threads(l *semantics.Launch) uint64 {
	n := uint64(0)
	for w := range l.Warps() {
		n += uint64(bits.OnesCount64(l.Threads(w)))
	}
	return n
}

// Whole reports whether all warps of a CTA of so many threads that have not exited wait at a
// barrier: it names no number of threads, or all of them.
func Whole(l *semantics.Launch, in *isa.Instr, box absexec.Box, threads uint64) bool {
	rest := in.Src[1:]
	if in.Barrier != isa.BarrierSync {
		rest = rest[:len(rest)-1] // the predicate of a reduction
	}
	if len(rest) == 0 {
		return true
	}
	n, ok := l.Constant(rest[0], box.Lo, 0, 0)
	return ok && n >= threads
}
