package selfcheck

import (
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
)

// extremes makes numbers of a machine as small as they can be, or so large that nothing else matters: whoever divides
// by a number less one, or believes that something is never full, is wrong there.
func extremes(v *machine.Machine, src kernelgen.Source) {
	set := func(n *machine.Number, low, high int64) {
		if i := src.IntN(3); i > 0 {
			n.Value, n.Source = [2]int64{low, high}[i-1], sampled
		}
	}
	sm := &v.SM
	set(&sm.Count, 1, 7)
	set(&sm.CTAs, 1, 16)
	set(&sm.Dispatch, 1, 5000)
	set(&sm.Barrier, 1, 3000)
	set(&v.Shared.Banks, 1, 64)
	switch v.Core {
	case machine.Scoreboard:
		extremeCaches(v, set)
		return
	case machine.Integrated:
		extremeSharing(v, set)
	default:
		set(&v.Memory.Segment, 32, 4096)
	}
	set(&sm.WarpSize, 1, 64)
	if v.Core == machine.Splitting {
		set(&v.Split.Pass, 1, 64)
		set(&v.Split.SIMDs, 0, 7)
		set(&v.Split.Address, 1, 1000)
		set(&v.Split.Split, 0, 1000)
		set(&v.Split.Merge, 0, 1000)
	}
	for _, class := range isa.Classes() {
		t := v.Timing(class)
		switch src.IntN(3) {
		case 1:
			t.Latency, t.Initiation = 1, 1
		case 2:
			t.Latency, t.Initiation = 700, 40
		}
		t.Source = sampled
		v.Classes[class.String()] = t
	}
}

// extremeSharing does so with what SMs and a CPU share.
func extremeSharing(v *machine.Machine, set func(n *machine.Number, low, high int64)) {
	set(&v.L1.Sets, 1, 64)
	set(&v.L1.Ways, 1, 16)
	set(&v.L1.Line, 32, 256)
	set(&v.Interconnect.Slot, 1, 50)
	set(&v.Interconnect.Latency, 1, 1000)
	set(&v.Interconnect.Credits, 1, 4096)
	set(&v.LLC.Sets, 1, 256)
	set(&v.LLC.Ways, 1, 16)
	set(&v.LLC.Latency, 1, 1000)
	set(&v.LLC.Atomic, 0, 500)
	set(&v.Regulator.Quota, 1, 1<<20)
	set(&v.Regulator.Wait, 0, 3000)
	set(&v.Regulator.Reset, 1, 3000)
	set(&v.DRAM.Banks, 1, 256)
	set(&v.DRAM.Row, 32, 1<<16)
	set(&v.DRAM.Slot, 1, 200)
	set(&v.DRAM.Open, 1, 1000)
	set(&v.DRAM.Conflict, 1, 3000)
	set(&v.CPU.Hit, 1, 300)
}

// extremeCaches does so with the memory of a machine with scoreboards.
func extremeCaches(v *machine.Machine, set func(n *machine.Number, low, high int64)) {
	set(&v.L1.Sets, 1, 64)
	set(&v.L1.Ways, 1, 16)
	set(&v.L1.MSHRs, 1, 1024)
	set(&v.L1.Merge, 1, 1024)
	set(&v.Interconnect.Flit, 1, 1024)
	set(&v.Interconnect.Latency, 1, 1000)
	set(&v.Interconnect.Buffer, 1, 1024)
	set(&v.Interconnect.Credits, 1, 4096)
	set(&v.L2.Partitions, 1, 16)
	set(&v.L2.Sets, 1, 64)
	set(&v.L2.Ways, 1, 16)
	set(&v.L2.MSHRs, 1, 1024)
	set(&v.L2.Merge, 1, 1024)
	set(&v.L2.Latency, 1, 1000)
	set(&v.L2.Initiation, 1, 100)
	set(&v.L2.Atomic, 1, 300)
	set(&v.DRAM.Latency, 0, 1000)
	set(&v.DRAM.Queue, 1, 4096)
	set(&v.DRAM.Banks, 1, 256)
}
