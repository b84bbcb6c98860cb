package sim

import (
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// Stall is why a scheduler did not issue in a cycle.
type Stall uint8

// The reasons. In a cycle in which no warp of a scheduler can issue, the reason
// is that of the warp whose registers will be ready first, of the oldest such
// warp, or of the oldest of all while no time is known of any. Under the policy
// RR it is that of the warp whose turn it is.
const (
	StallMemory  Stall = iota // a source or result waits for memory
	StallALU                  // a source or result waits for an arithmetic unit
	StallUnit                 // every pipeline of the unit is busy
	StallLSU                  // the load/store unit is busy or waits for room
	StallBranch               // the next instruction is being fetched
	StallBarrier              // the warp waits for others of its CTA
	StallFence                // the warp waits for its own accesses
	StallSplit                // the wavefront splits, or waits for its other part to merge
	StallDrain                // all warps have exited, some still write
	StallIdle                 // there is no warp
	numStalls
)

var stallNames = [numStalls]string{
	"memory", "alu", "unit-busy", "lsu-busy", "branch", "barrier", "fence", "split", "drain", "idle",
}

// String returns a short name in kebab case.
func (s Stall) String() string { return stallNames[s] }

// SchedulerCounters says what one scheduler did. Issued and the stalls together
// are the cycles of the run.
type SchedulerCounters struct {
	Issued int64            // cycles in which an instruction issued
	Stalls [numStalls]int64 // cycles in which none did, by Stall
}

func (c *SchedulerCounters) add(other *SchedulerCounters) {
	c.Issued += other.Issued
	for i, n := range other.Stalls {
		c.Stalls[i] += n
	}
}

// Counters counts the events of a run on all SMs together.
type Counters struct {
	WarpInstrs        int64 // instructions issued
	ThreadInstrs      int64 // the same weighted by the lanes that executed them
	DivergentBranches int64
	Splits            int64 // of wavefronts

	Transactions      int64 // lines that warp instructions accessed in global and local memory
	SharedConflicts   int64 // passes through shared memory beyond the first of each access
	ConstReplays      int64 // passes through the constant cache beyond the first
	SerialisedAtomics int64 // atomic operations of lanes beyond the first of their instruction on an address

	L1Hits, L1Misses           int64 // of loads, and stores to local memory
	L1Merged                   int64 // misses of a line that was requested already
	L2Hits, L2Misses, L2Merged int64
	L2WriteBacks               int64
	DRAMReads, DRAMWrites      int64 // lines
	RowHits, RowMisses         int64 // by access to a line
}

// counterNames are the names of the counters in the order of Values.
var counterNames = [...]string{
	"warp_instructions", "thread_instructions", "divergent_branches", "splits",
	"transactions", "shared_conflicts", "const_replays", "serialised_atomics",
	"l1_hits", "l1_misses", "l1_merged", "l2_hits", "l2_misses", "l2_merged", "l2_write_backs",
	"dram_reads", "dram_writes", "dram_row_hits", "dram_row_misses",
}

// CounterNames returns the names of the counters of every machine, in the order of
// Counters.Values.
func CounterNames() []string { return slices.Clone(counterNames[:]) }

// all returns the counters in the order of their names.
func (c *Counters) all() [len(counterNames)]*int64 {
	return [...]*int64{
		&c.WarpInstrs, &c.ThreadInstrs, &c.DivergentBranches, &c.Splits,
		&c.Transactions, &c.SharedConflicts, &c.ConstReplays, &c.SerialisedAtomics,
		&c.L1Hits, &c.L1Misses, &c.L1Merged, &c.L2Hits, &c.L2Misses, &c.L2Merged, &c.L2WriteBacks,
		&c.DRAMReads, &c.DRAMWrites, &c.RowHits, &c.RowMisses,
	}
}

// Values appends the counters to a slice, in the order of CounterNames. What a machine does not
// have is 0.
func (c *Counters) Values(to []int64) []int64 {
	for _, n := range c.all() {
		to = append(to, *n)
	}
	return to
}

// Add adds the counters of another run.
func (c *Counters) Add(other *Counters) {
	more := other.all()
	for i, n := range c.all() {
		*n += *more[i]
	}
}

// CoreCounters counts what a core of an integrated machine did with its L1 and with the
// cache that all share.
type CoreCounters struct {
	L1Hits, L1Misses int64 // of loads, but for those that pass by
	L1Merged         int64 // hits of a line that was still under way

	Hits, Misses int64 // of accesses to the shared cache
	Joined       int64 // hits of a line that another core was fetching, and this one then too
	Throttled    int64 // cycles by which the regulator held accesses back
}

// Accesses returns how many accesses of the core the shared cache has served.
func (c *CoreCounters) Accesses() int64 { return c.Hits + c.Misses }

func (c *CoreCounters) add(other *CoreCounters) {
	c.L1Hits += other.L1Hits
	c.L1Misses += other.L1Misses
	c.L1Merged += other.L1Merged
	c.Hits += other.Hits
	c.Misses += other.Misses
	c.Joined += other.Joined
	c.Throttled += other.Throttled
}

// Result is the outcome of a run.
type Result struct {
	Cycles     int64 // from launch to last retirement
	Occupancy  machine.Occupancy
	Counters   Counters
	Schedulers [][]SchedulerCounters // by SM
	Cores      []CoreCounters        // of an integrated machine: SMs, then the CPU
	Intervals  int64                 // begun by the regulator of an integrated machine

	Uninitialised []emu.UninitialisedRead // if the code is checked

	Turns     []Turn          // if threads are scheduled independently
	Undefined []emu.Undefined // what the manual leaves undefined

	Chain []Segment // that tile the run, if the chain of causes is wanted

	// If the code looks for races.
	Races           []emu.Race
	Hazards         []emu.Race
	PartialBarriers []emu.PartialBarrier

	// Alone says why one goroutine has simulated the run, if several would have done so were it
	// not for the kernel.
	Alone string
}

// Turn is an instruction after which another path of a diverged warp went on than the one that had been running, because threads are scheduled
// independently.
type Turn struct {
	Instr *isa.Instr
	Count int64 // of such executions
}

// Stalled returns the cycles of all schedulers together that were lost to each
// reason, by Stall.
func (r *Result) Stalled() []int64 {
	sum := make([]int64, numStalls)
	for _, sm := range r.Schedulers {
		for _, c := range sm {
			for i, n := range c.Stalls {
				sum[i] += n
			}
		}
	}
	return sum
}

// Add adds a run that followed on the same machine. The occupancy stays that of r.
func (r *Result) Add(other *Result) {
	for _, s := range other.Chain {
		s.From += r.Cycles
		s.To += r.Cycles
		r.Chain = append(r.Chain, s)
	}
	r.Cycles += other.Cycles
	r.Counters.Add(&other.Counters)
	r.Intervals += other.Intervals
	for i, sm := range other.Schedulers {
		for len(r.Schedulers) <= i {
			r.Schedulers = append(r.Schedulers, nil)
		}
		for j := range sm {
			for len(r.Schedulers[i]) <= j {
				r.Schedulers[i] = append(r.Schedulers[i], SchedulerCounters{})
			}
			r.Schedulers[i][j].add(&sm[j])
		}
	}
	for i := range other.Cores {
		for len(r.Cores) <= i {
			r.Cores = append(r.Cores, CoreCounters{})
		}
		r.Cores[i].add(&other.Cores[i])
	}
	r.Uninitialised = merge(r.Uninitialised, other.Uninitialised,
		func(a, b *emu.UninitialisedRead) bool { return a.Instr.Pos == b.Instr.Pos },
		func(u *emu.UninitialisedRead) *int64 { return &u.Count })
	r.Turns = merge(r.Turns, other.Turns,
		func(a, b *Turn) bool { return a.Instr.Pos == b.Instr.Pos }, func(u *Turn) *int64 { return &u.Count })
	r.Undefined = merge(r.Undefined, other.Undefined,
		func(a, b *emu.Undefined) bool { return a.Instr.Pos == b.Instr.Pos && a.Why == b.Why },
		func(u *emu.Undefined) *int64 { return &u.Count })
	r.Races = merge(r.Races, other.Races, (*emu.Race).Same, func(u *emu.Race) *int64 { return &u.Count })
	r.Hazards = merge(r.Hazards, other.Hazards, (*emu.Race).Same, func(u *emu.Race) *int64 { return &u.Count })
	r.PartialBarriers = merge(r.PartialBarriers, other.PartialBarriers,
		func(a, b *emu.PartialBarrier) bool { return a.Instr.Pos == b.Instr.Pos },
		func(u *emu.PartialBarrier) *int64 { return &u.Count })
}

// merge adds what is found in another run to a list: to the count of what is the same, else to its end.
func merge[T any](list, others []T, same func(a, b *T) bool, count func(*T) *int64) []T {
	for i := range others {
		at := slices.IndexFunc(list, func(known T) bool { return same(&known, &others[i]) })
		if at >= 0 {
			*count(&list[at]) += *count(&others[i])
		} else {
			list = append(list, others[i])
		}
	}
	return list
}

// Watch takes over what a grid found out besides executing: reads of what nothing wrote, races,
// barriers that only some threads reach, and what is undefined.
func (r *Result) Watch(g *emu.Grid) {
	r.Undefined = g.Undefined()
	r.Uninitialised, r.Races, r.PartialBarriers, r.Hazards = g.UninitialisedReads(), g.Races(), g.PartialBarriers(), g.Hazards()
}

// Reset makes a result of no run, in the same storage.
func (r *Result) Reset() {
	*r = Result{
		Schedulers: r.Schedulers, Cores: r.Cores, Uninitialised: r.Uninitialised[:0], Turns: r.Turns[:0], Undefined: r.Undefined[:0],
		Chain: r.Chain[:0], Races: r.Races[:0], Hazards: r.Hazards[:0], PartialBarriers: r.PartialBarriers[:0],
	}
	for _, sm := range r.Schedulers {
		clear(sm)
	}
	clear(r.Cores)
}
