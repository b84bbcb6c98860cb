package simulated

import (
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/emu"
	"warpbound/internal/runner"
	"warpbound/internal/sim"
)

// statistics are the figures of a simulated run.
type statistics struct {
	result *sim.Result
	serial *serial
}

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
		warnings = append(warnings, diag.Warning{Pos: in.Pos, ID: runner.UninitialisedRead, Text: text})
	}
	for _, at := range t.result.Turns {
		text := fmt.Sprintf("diverged paths take turns after this instruction, %d times: threads are scheduled independently, and one path waited for others or was executed for long", at.Count)
		if at.Instr.Loc.Known() {
			text = "(" + at.Instr.Loc.String() + ") " + text
		}
		warnings = append(warnings, diag.Warning{Pos: at.Instr.Pos, ID: runner.PathsTookTurns, Text: text})
	}
	for _, u := range t.result.Undefined {
		text := fmt.Sprintf("the PTX manual leaves undefined what happens: %s", u.Why)
		if u.Instr.Loc.Known() {
			text = "(" + u.Instr.Loc.String() + ") " + text
		}
		warnings = append(warnings, diag.Warning{Pos: u.Instr.Pos, ID: estimate.UndefinedBehaviour, Text: text})
	}
	for _, b := range t.result.PartialBarriers {
		text := fmt.Sprintf("%d threads of CTA (%d,%d,%d) do not reach the barrier: they have exited, or have only their end before them",
			b.Missing, b.CTA[0], b.CTA[1], b.CTA[2])
		if b.Count > 1 {
			text += fmt.Sprintf("; the first of %d such barriers", b.Count)
		}
		if b.Instr.Loc.Known() {
			text = "(" + b.Instr.Loc.String() + ") " + text
		}
		warnings = append(warnings, diag.Warning{Pos: b.Instr.Pos, ID: "partial-barrier",
			Text: text + ". Where a barrier must be reached by all threads, let them reach it before they exit"})
	}
	for i := range t.serial.found {
		if s := &t.serial.found[i]; s.fault != nil {
			warnings = append(warnings, s.makeWarning())
		}
	}
	return append(warnings, hazards(t.result.Hazards)...)
}

// makeWarning warns of the fault of a serial run, which the simulated one has not had.
func (s *serialFindings) makeWarning() diag.Warning {
	f := s.fault
	text := fmt.Sprintf("thread (%d,%d,%d) of CTA (%d,%d,%d) faults if warps run one after the other, %s: %v",
		f.Thread[0], f.Thread[1], f.Thread[2], f.CTA[0], f.CTA[1], f.CTA[2], s.order, f.Err)
	if f.Instr.Loc.Known() {
		text = "(" + f.Instr.Loc.String() + ") " + text
	}
	return diag.Warning{Pos: f.Instr.Pos, ID: "fault-in-another-order",
		Text: text + ". Nothing orders threads as this run did: say with barriers, or fences and flags, who comes first"}
}

// hazards warns of accesses of lanes of a warp that only lock-step orders: once for what a kernel
// has in one variable or buffer.
func hazards(list []emu.Race) []diag.Warning {
	var warnings []diag.Warning
	for len(list) > 0 {
		first := &list[0]
		pairs := len(list)
		list = slices.DeleteFunc(slices.Clone(list), func(h emu.Race) bool {
			return h.Kernel == first.Kernel && h.Space == first.Space && h.Buffer == first.Buffer
		})
		pairs -= len(list)
		warnings = append(warnings, hazard(first, pairs))
	}
	return warnings
}

// hazard warns of two accesses that only lock-step orders, the first of so many pairs of
// instructions.
func hazard(h *emu.Race, pairs int) diag.Warning {
	first, second := raceAccess(&h.First), raceAccess(&h.Second)
	text := fmt.Sprintf("nothing but lock-step orders this %s of thread (%d,%d,%d) and the %s of thread (%d,%d,%d) at %s, both of byte %d of %s in %s memory, by lanes of one warp in CTA (%d,%d,%d)",
		second.Access, second.Thread[0], second.Thread[1], second.Thread[2],
		first.Access, first.Thread[0], first.Thread[1], first.Thread[2], first.Pos, h.Offset, h.Buffer, h.Space, second.CTA[0], second.CTA[1], second.CTA[2])
	if pairs > 1 {
		text += fmt.Sprintf("; the first of %d such pairs of instructions there", pairs)
	}
	if second.Source != "" {
		text = "(" + second.Source + ") " + text
	}
	return diag.Warning{Pos: h.Second.Instr.Pos, ID: estimate.WarpSynchronous,
		Text: text + ". Volatile accesses are no race, but threads of a warp need not execute them in this order: put bar.warp.sync (__syncwarp()) between them"}
}

// Races implements runner.Statistics.
func (t *statistics) Races() []estimate.Race {
	list := addRaces([]estimate.Race{}, t.result.Races, "")
	for _, s := range t.serial.found {
		list = addRaces(list, s.races, s.order)
	}
	return list
}

// addRaces adds races of a run to a list, with the order in which warps ran.
func addRaces(list []estimate.Race, found []emu.Race, order string) []estimate.Race {
	for i := range found {
		r := &found[i]
		list = append(list, estimate.Race{
			Space: r.Space.String(), Buffer: r.Buffer, Offset: r.Offset,
			Kind: r.Kind.String(), Between: r.Reach.String(), Order: order,
			First: raceAccess(&r.First), Second: raceAccess(&r.Second), Count: r.Count,
		})
	}
	return list
}

func raceAccess(s *emu.RaceAccess) estimate.RaceAccess {
	a := estimate.RaceAccess{Pos: s.Instr.Pos.String(), Access: "load", CTA: s.CTA, Thread: s.Thread}
	if s.Instr.Loc.Known() {
		a.Source = s.Instr.Loc.String()
	}
	switch {
	case s.Copy:
		a.Access = "copy"
	case s.Atomic:
		a.Access = "atomic"
	case s.Write:
		a.Access = "store"
	}
	return a
}
