package selfcheck

import (
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// agree changes those numbers of a machine that do not go together, as little as that needs, so that the machine
// is in order and holds the kernels that are generated.
func agree(v *machine.Machine) {
	sm := &v.SM
	sm.Registers.Value = 3 << 18                  // enough for any kernel that is generated
	sm.Shared.Value = max(sm.Shared.Value, 1<<15) // the same
	switch v.Core {
	case machine.Scoreboard:
		for key, ways := range v.CarveOuts {
			ways.Value = min(ways.Value, v.L1.Ways.Value)
			v.CarveOuts[key] = ways
		}
		if v.L1.Index.Value == machine.Fermi && (v.L1.Sets.Value != 32 || v.L1.Line.Value != 128) {
			v.L1.Index.Value = machine.Linear
		}
	case machine.Splitting:
		agreeSplit(v)
	case machine.Integrated:
		v.DRAM.Row.Value = max(v.DRAM.Row.Value, v.L1.Line.Value)
		v.DRAM.Conflict.Value = max(v.DRAM.Conflict.Value, v.DRAM.Open.Value)
	}
	threads := sm.Warps.Value * sm.WarpSize.Value
	sm.Threads.Value = min(sm.Threads.Value, threads)
	sm.CTAThreads.Value = min(sm.CTAThreads.Value, threads)
	if v.Core == machine.Scoreboard {
		return
	}
	for _, class := range isa.Classes() {
		t := v.Timing(class)
		t.Latency = max(t.Latency, t.Initiation)
		v.Classes[class.String()] = t
	}
	for _, class := range []isa.Class{isa.Sync, isa.Control} {
		sm.Barrier.Value = max(sm.Barrier.Value, v.Timing(class).Initiation)
	}
	if v.Cached() {
		v.Memory.Requests.Value = machine.BySegment
		v.L1.Hit.Value = min(v.L1.Hit.Value, v.Timing(isa.MemGlobal).Latency)
	}
}

// agreeSplit does the same for the numbers of split cores, which are of whole passes and divide evenly.
func agreeSplit(v *machine.Machine) {
	const maxWarps = 512
	sm, pass := &v.SM, v.Split.Pass.Value
	whole := func(cycles int64) int64 { return (cycles + pass - 1) / pass * pass }
	contexts := min(sm.Warps.Value, maxWarps) / sm.Schedulers.Value
	sm.Warps.Value = contexts * sm.Schedulers.Value
	sm.Registers.Value -= sm.Registers.Value % sm.Schedulers.Value
	v.Split.Address.Value = whole(v.Split.Address.Value)
	for _, class := range isa.Classes() {
		t := v.Timing(class)
		switch {
		case class == isa.Sync || class == isa.Control:
			t.Initiation = pass
		case class < isa.MemParam:
			t.Initiation = whole(t.Initiation)
		}
		v.Classes[class.String()] = t
	}
}
