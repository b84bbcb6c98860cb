// Package inorder tells how cores time instructions that have one instruction of each warp
// under way and one port from which all are issued (docs/machine-model): what the static
// methods for machines with barrel cores and with integrated ones have in common.
//
// inorder imports isa, cfg, machine, fold, absexec and estimate. It must not import a simulator, against
// which the methods that use it are tested.
package inorder

import (
	"math"
	"math/bits"

	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/cfg"
	"warpbound/internal/fold"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// Config is what a method bounds: a launch, with what is known of it.
type Config struct {
	Launch  *fold.Launch
	Graph   *cfg.Graph // of the launch's kernel
	Machine *machine.Machine
	CTAs    int // that an SM holds at a time

	// Inputs are the bytes of parameters and constant memory whose contents are not
	// those that the launch has.
	Inputs []absexec.Range
	// Fixed are the buffers that hold the same in all executions when the kernel starts.
	Fixed []absexec.Buffer
	// Uniform reports whether the lanes of a warp that execute the branch at the end of a
	// block always go the same way. Nil if that is not known of any.
	Uniform func(block int) bool
	// Bounds are the annotated bounds of loops, by header: how often a warp returns to it for
	// one entry of the loop, at most. Counted are those that are proven, for a thread.
	Bounds, Counted map[int]int64
}

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

// Cost is the time of one instruction of the program, in core cycles.
type Cost struct {
	Kind       Kind
	Initiation int64 // in which it holds the port; for each request of an access
	Latency    int64
}

// Rest is the time from the end of the service of a request, or of an
// instruction that makes none, to the end of its latency.
func (c *Cost) Rest() int64 { return c.Latency - c.Initiation }

// Costs returns the cost of every instruction of a kernel.
func Costs(k *isa.Kernel, m *machine.Machine) []Cost {
	all := make([]Cost, len(k.Instrs))
	for pc := range all {
		in := &k.Instrs[pc]
		t := m.Timing(in.Class())
		all[pc] = Cost{Kind: kindOf(in), Initiation: t.Initiation, Latency: t.Latency}
	}
	return all
}

func kindOf(in *isa.Instr) Kind {
	switch in.Op {
	case isa.Fence:
		return Fence
	case isa.St, isa.Red, isa.Atom:
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
func Threads(l *fold.Launch) uint64 {
	n := uint64(0)
	for w := range l.Warps() {
		n += uint64(bits.OnesCount64(l.Threads(w)))
	}
	return n
}

// Whole reports whether all warps of a CTA of so many threads that have not exited wait at a
// barrier: it names no number of threads, or all of them.
func Whole(l *fold.Launch, in *isa.Instr, box absexec.Box, threads uint64) bool {
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

// maxCounted is the largest bound of a counter that is of use. Greater ones come of counters
// that are only known to end somewhere.
const maxCounted = 1 << 16

// LoopBound returns the least bound of a loop, of those that are annotated and those that are proven,
// and what it rests on.
func (c *Config) LoopBound(header int) (int, estimate.Evidence, bool) {
	stated, ok := c.Bounds[header]
	counted, counts := c.Counted[header]
	if counts && counted <= maxCounted && (!ok || counted <= stated) {
		return int(counted), estimate.Proven, true
	}
	return int(min(stated, math.MaxInt)), estimate.Annotated, ok
}

// maxSteps limits the instructions of one warp, all alternatives together.
const maxSteps = 1 << 21

// Executor returns what executes warps of the launch abstractly, telling so many boxes of CTAs apart.
func (c *Config) Executor(boxes int) *absexec.Executor {
	return absexec.New(absexec.Config{
		Fixed: absexec.Ranges(c.Fixed), Launch: c.Launch, Graph: c.Graph, Inputs: c.Inputs, Uniform: c.Uniform,
		MaxBoxes: boxes, MaxSteps: maxSteps,
		Bound: func(header int) (int, bool) {
			n, _, ok := c.LoopBound(header)
			return n, ok
		},
	})
}

// Assumptions are what every static estimate rests on.
func Assumptions() []string {
	return []string{
		"the machine executes PTX instructions as its file says (a device executes what its assembler makes of them)",
		"the kernel is alone on the GPU",
		"the time of the launch on the host is not included",
		"buffers begin at multiples of 256 bytes",
		"the kernel ends without fault, whatever its inputs",
	}
}
