package simulated

import (
	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/sim"
)

// statistics are the figures of a simulated run.
type statistics struct{ result *sim.Result }

// Describe implements runner.Statistics.
func (t *statistics) Describe(s *estimate.Simulation) {
	r := t.result
	s.CTAsPerSM, s.Limit = r.Occupancy.CTAs, r.Occupancy.Limit
	values := r.Counters.Values(nil)
	for i, name := range sim.CounterNames() {
		s.Counters[name] = values[i]
	}
	s.Intervals = r.Intervals
	for i := range r.Cores {
		c := &r.Cores[i]
		s.Cores = append(s.Cores, map[string]int64{
			"l1_hits":          c.L1Hits,
			"l1_misses":        c.L1Misses,
			"l1_merged":        c.L1Merged,
			"llc_accesses":     c.Accesses(),
			"llc_hits":         c.Hits,
			"llc_joined":       c.Joined,
			"llc_misses":       c.Misses,
			"throttled_cycles": c.Throttled,
		})
	}
	for stall, cycles := range r.Stalled() {
		s.Scheduler[sim.Stall(stall).String()] = cycles
	}
	for _, schedulers := range r.Schedulers {
		for _, c := range schedulers {
			s.Scheduler["issued"] += c.Issued
		}
	}
}

// Novelty implements runner.Statistics.
func (t *statistics) Novelty(to []int64) []int64 {
	c, throttled := &t.result.Counters, int64(0)
	for i := range t.result.Cores {
		throttled += t.result.Cores[i].Throttled
	}
	return append(to,
		c.DivergentBranches, c.SerialisedAtomics, c.SharedConflicts, c.ConstReplays, c.Transactions,
		c.L1Misses, c.L2Misses, c.L2WriteBacks, c.RowMisses, throttled, c.Splits, c.WarpInstrs)
}

// Warnings implements runner.Statistics.
func (t *statistics) Warnings() []diag.Warning {
	var warnings []diag.Warning
	reads := t.result.Uninitialised
	for i := range reads {
		in := reads[i].Instr
		text := reads[i].String()
		if in.Loc.Known() {
			text = "(" + in.Loc.String() + ") " + text
		}
		warnings = append(warnings, diag.Warning{Pos: in.Pos, ID: "uninitialised-read", Text: text})
	}
	return warnings
}
