package sim

import "warpbound/internal/emu"

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

// Counters counts the events of a run on all SMs together.
type Counters struct {
	WarpInstrs        int64 // instructions issued
	ThreadInstrs      int64 // the same weighted by the lanes that executed them
	DivergentBranches int64
	Splits            int64 // of wavefronts

	Transactions    int64 // lines that warp instructions accessed in global and local memory
	SharedConflicts int64 // passes through shared memory beyond the first of each access
	ConstReplays    int64 // passes through the constant cache beyond the first

	L1Hits, L1Misses           int64 // of loads, and stores to local memory
	L1Merged                   int64 // misses of a line that was requested already
	L2Hits, L2Misses, L2Merged int64
	L2WriteBacks               int64
	DRAMReads, DRAMWrites      int64 // lines
	RowHits, RowMisses         int64 // by access to a line
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

// Result is the outcome of a run.
type Result struct {
	Cycles     int64 // from launch to last retirement
	Occupancy  Occupancy
	Counters   Counters
	Schedulers [][]SchedulerCounters // by SM
	Cores      []CoreCounters        // of an integrated machine: SMs, then the CPU
	Intervals  int64                 // begun by the regulator of an integrated machine

	Uninitialised []emu.UninitialisedRead // if the code is checked
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

func (s *Sim) result(cycles int64, occ Occupancy) *Result {
	r := &s.out
	if r.Schedulers == nil {
		r.Schedulers = make([][]SchedulerCounters, len(s.sms))
		for i := range s.sms {
			r.Schedulers[i] = make([]SchedulerCounters, len(s.sms[i].scheds))
		}
	}
	r.Cycles, r.Occupancy, r.Counters = cycles, occ, s.count
	r.Uninitialised = s.grid.UninitialisedReads()
	for i := range s.sms {
		for j := range s.sms[i].scheds {
			r.Schedulers[i][j] = s.sms[i].scheds[j].count
		}
	}
	return r
}
