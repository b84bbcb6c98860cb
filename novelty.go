package warpbound

import "warpbound/internal/sim"

// novel are the counters of a run that tell what it met with besides time.
var novel = [...]struct {
	name string
	of   func(*sim.Result) int64
}{
	{"divergent_branches", func(r *sim.Result) int64 { return r.Counters.DivergentBranches }},
	{"serialised_atomics", func(r *sim.Result) int64 { return r.Counters.SerialisedAtomics }},
	{"shared_conflicts", func(r *sim.Result) int64 { return r.Counters.SharedConflicts }},
	{"const_replays", func(r *sim.Result) int64 { return r.Counters.ConstReplays }},
	{"transactions", func(r *sim.Result) int64 { return r.Counters.Transactions }},
	{"l1_misses", func(r *sim.Result) int64 { return r.Counters.L1Misses }},
	{"l2_misses", func(r *sim.Result) int64 { return r.Counters.L2Misses }},
	{"l2_write_backs", func(r *sim.Result) int64 { return r.Counters.L2WriteBacks }},
	{"dram_row_misses", func(r *sim.Result) int64 { return r.Counters.RowMisses }},
	{"throttled_cycles", func(r *sim.Result) int64 {
		sum := int64(0)
		for i := range r.Cores {
			sum += r.Cores[i].Throttled
		}
		return sum
	}},
	{"splits", func(r *sim.Result) int64 { return r.Counters.Splits }},
	{"warp_instructions", func(r *sim.Result) int64 { return r.Counters.WarpInstrs }},
}

// NoveltyCounters returns the names of the counters that a search may take for novelty, in a fixed order.
func NoveltyCounters() []string {
	names := make([]string, len(novel))
	for i := range novel {
		names[i] = novel[i].name
	}
	return names
}

// novelty appends what a run counted to a slice, in the order of NoveltyCounters. What the machine
// does not have is 0, and so is everything if r is nil, as of a device.
func novelty(to []int64, r *sim.Result) []int64 {
	if r == nil {
		return append(to, make([]int64, len(novel))...)
	}
	for i := range novel {
		to = append(to, novel[i].of(r))
	}
	return to
}
