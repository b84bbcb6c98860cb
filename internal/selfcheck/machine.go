package selfcheck

import (
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
)

// sampled is the source of a number that this package draws.
const sampled = "sampled at random"

// vary draws another machine like m: of few SMs and CTAs, so that small launches take
// several waves, and on barrel cores of other warps and times; and sometimes one of extremes (extreme.go). Where 0 is
// sampled the number stays.
func vary(m *machine.Machine, src kernelgen.Source) *machine.Machine {
	v := *m.WithoutBasis() // whose ranges need not contain what is sampled
	v.Name, v.About = m.Name+"-varied", "a machine like "+m.Name+", sampled at random"
	set := func(n *machine.Number, values ...int64) {
		if i := src.IntN(len(values) + 1); i > 0 {
			n.Value, n.Source = values[i-1], sampled
		}
	}
	sm := &v.SM
	set(&sm.Count, 1, 2, 5)
	set(&sm.CTAs, 1, 2, 8)
	set(&sm.Dispatch, 1, 8, 30)
	if m.Core == machine.Scoreboard {
		policies := append([]machine.Policy{m.SM.Policy.Value}, machine.Policies()...)
		sm.Policy = machine.Choice[machine.Policy]{Value: policies[src.IntN(len(policies))], Source: sampled}
		if i := src.IntN(len(machine.Orders()) + 1); i > 0 {
			v.DRAM.Order = machine.Choice[machine.Order]{Value: machine.Orders()[i-1], Source: sampled}
		}
		if src.IntN(4) == 3 {
			sm.SubCores = machine.Choice[machine.Switch]{Value: machine.On, Source: sampled}
		}
		if m.IndependentThreads() {
			takeTurns(&v, src)
		}
		beginnings(&v, src, set)
		frontEnd(&v, set)
	} else {
		varyInOrder(&v, src, set)
	}
	if src.IntN(8) == 7 {
		extremes(&v, src)
	}
	switch m.Core {
	case machine.Scoreboard:
		distribute(&v, src)
	case machine.Splitting:
		cacheSegments(&v, src)
	}
	agree(&v)
	return &v
}

// takeTurns varies when the paths of a diverged warp take turns.
func takeTurns(v *machine.Machine, src kernelgen.Source) {
	turn := func(n *machine.Number) {
		if after := [8]int64{4: 1, 5: 2, 6: 7, 7: 60}[src.IntN(8)]; after > 0 {
			*n = machine.Number{Value: after, Unit: "branches", Source: sampled}
		}
	}
	turn(&v.SM.PathTurn)
	turn(&v.SM.WaitTurn)
	if src.IntN(3) == 2 {
		v.SM.SwapPaths = machine.Choice[machine.Switch]{Value: machine.On, Source: sampled}
	}
}

// beginnings varies what a launch does not find in the caches of a machine that has them for instructions and constants, and what
// its L2 holds then.
func beginnings(v *machine.Machine, src kernelgen.Source, set func(*machine.Number, ...int64)) {
	if v.ICache == (machine.ICache{}) || v.CCache == (machine.CCache{}) {
		return
	}
	set(&v.ICache.Sets, 1, 16)
	set(&v.ICache.Ways, 1, 2)
	set(&v.ICache.Line, 1, 4, 64)
	set(&v.ICache.Miss, 1, 40, 2000)
	set(&v.CCache.Sets, 1, 4)
	set(&v.CCache.Ways, 1)
	set(&v.CCache.Line, 16)
	set(&v.CCache.Miss, 1, 40, 2000)
	if src.IntN(2) == 1 {
		v.L2.Copies = machine.Choice[machine.Switch]{Value: machine.Off, Source: sampled}
	}
}

// frontEnd varies the way of memory instructions on a machine with buffers for them.
func frontEnd(v *machine.Machine, set func(*machine.Number, ...int64)) {
	if v.LSU == (machine.LSU{}) {
		return
	}
	set(&v.LSU.Buffer, 1, 2)
	set(&v.LSU.Latency, 1, 20)
	set(&v.LSU.Address, 1, 40)
	set(&v.LSU.Interval, 1, 7)
	set(&v.LSU.Tags, 1, 3)
	set(&v.ICache.Stream, 1, 3)
}

// distribute varies over which partitions of the L2 addresses are distributed, and how far they are.
func distribute(v *machine.Machine, src kernelgen.Source) {
	if src.IntN(4) == 3 {
		v.L2.Hash = machine.Choice[machine.Switch]{Value: machine.On, Source: sampled}
	}
	if far := [8]int64{5: 2, 6: 185, 7: 3000}[src.IntN(8)]; far > 0 {
		v.L2.Far = machine.Number{Value: far, Unit: "core cycles", Source: sampled}
	}
	if v.L2.Far.Value > 0 && v.L2.Partitions.Value%2 != 0 {
		v.L2.Far = machine.Number{} // they are no two halves
	}
}

// varyInOrder varies a machine without scoreboards.
func varyInOrder(v *machine.Machine, src kernelgen.Source, set func(*machine.Number, ...int64)) {
	sm := &v.SM
	set(&sm.WarpSize, 4, 8, 32)
	set(&sm.Barrier, 4, 20)
	set(&v.Shared.Banks, 1, 4, 32, 64)
	set(&v.Shared.BankBytes, 4, 8, 16)
	if v.Core == machine.Integrated {
		shares(v, src, set)
	} else {
		set(&v.Memory.Segment, 32, 128, 1024)
		if requests := []machine.Requests{"", machine.BySegment, machine.ByAccess}[src.IntN(3)]; requests != "" {
			v.Memory.Requests = machine.Choice[machine.Requests]{Value: requests, Source: sampled}
		}
	}
	if v.Core == machine.Splitting {
		splits(v, set)
	}
	if src.IntN(2) == 1 {
		for _, class := range isa.Classes() {
			if class == isa.Tensor {
				continue // no random kernel has instructions of it
			}
			t := v.Timing(class)
			t.Initiation = 1 + int64(src.IntN(4))
			if v.Core == machine.Splitting && class < isa.MemParam {
				t.Initiation *= v.Split.Pass.Value
			}
			t.Latency = t.Initiation + int64(src.IntN(30))*int64(src.IntN(2))
			t.Source = sampled
			v.Classes[class.String()] = t
		}
	}
}

// shares varies what SMs and CPU share, and how accesses to it are regulated.
func shares(v *machine.Machine, src kernelgen.Source, set func(*machine.Number, ...int64)) {
	set(&v.L1.Sets, 1, 4)
	set(&v.L1.Ways, 1, 2)
	set(&v.L1.Line, 32)
	set(&v.Interconnect.Slot, 1, 3)
	set(&v.Interconnect.Latency, 1, 21)
	set(&v.Interconnect.Credits, 1, 4, 16)
	set(&v.LLC.Sets, 1, 4)
	set(&v.LLC.Ways, 1, 2, 8)
	set(&v.LLC.Latency, 1, 60)
	set(&v.LLC.Atomic, 0, 30)
	set(&v.Regulator.Quota, 1, 2, 7, 1000)
	set(&v.Regulator.Wait, 0, 500)
	set(&v.Regulator.Reset, 1, 40)
	set(&v.DRAM.Banks, 1, 4)
	set(&v.DRAM.Row, 128)
	set(&v.DRAM.Slot, 1, 20)
	set(&v.DRAM.Open, 1)
	set(&v.DRAM.Conflict, 40, 400)
	if src.IntN(4) == 3 {
		v.Regulator.Switch = machine.Choice[machine.Switch]{Value: machine.Off, Source: sampled}
	}
}

// cacheSegments gives half of the machines with split cores an L1.
func cacheSegments(v *machine.Machine, src kernelgen.Source) {
	if src.IntN(2) == 0 {
		return
	}
	pick := func(unit string, values ...int64) machine.Number {
		return machine.Number{Value: values[src.IntN(len(values))], Unit: unit, Source: sampled}
	}
	v.L1 = machine.L1{Sets: pick("sets per SM", 1, 4, 64), Ways: pick("lines per set", 1, 2, 16), Hit: pick("core cycles", 1, 20, 100, 100_000)}
}

// splits varies what is there to split wavefronts.
func splits(v *machine.Machine, set func(*machine.Number, ...int64)) {
	sm, split := &v.SM, &v.Split
	contexts := machine.Number{Value: int64(v.Contexts())}
	set(&contexts, 1, 2, 5)
	set(&sm.Schedulers, 1, 2, 3)
	sm.Warps.Value = contexts.Value * sm.Schedulers.Value
	set(&split.SIMDs, 0, 1, 2, 7)
	set(&split.Pass, 1, 2)
	set(&split.Address, 2*split.Pass.Value, 5*split.Pass.Value)
	set(&split.Split, 0, 1, 30)
	set(&split.Merge, 0, 1, 30)
}
