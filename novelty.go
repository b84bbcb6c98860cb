package warpbound

import "warpbound/internal/sim"

// novel are the counters of a run that tell what it met with besides time: none of them counts
// what every run of a kernel has alike.
var novel = [...]struct {
	name string
	of   func(*sim.Counters) int64
}{
	{"divergent_branches", func(c *sim.Counters) int64 { return c.DivergentBranches }},
	{"serialised_atomics", func(c *sim.Counters) int64 { return c.SerialisedAtomics }},
	{"shared_conflicts", func(c *sim.Counters) int64 { return c.SharedConflicts }},
	{"const_replays", func(c *sim.Counters) int64 { return c.ConstReplays }},
	{"transactions", func(c *sim.Counters) int64 { return c.Transactions }},
	{"l1_misses", func(c *sim.Counters) int64 { return c.L1Misses }},
	{"l2_misses", func(c *sim.Counters) int64 { return c.L2Misses }},
	{"dram_row_misses", func(c *sim.Counters) int64 { return c.RowMisses }},
	{"warp_instructions", func(c *sim.Counters) int64 { return c.WarpInstrs }},
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
// does not have is 0.
func novelty(to []int64, r *sim.Result) []int64 {
	for i := range novel {
		to = append(to, novel[i].of(&r.Counters))
	}
	return to
}
