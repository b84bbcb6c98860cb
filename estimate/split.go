package estimate

// Split is the detail of split/none, split/dws and split/pws. Times are in cycles.
type Split struct {
	SplitSIMDs int64         `json:"split_simds"` // S, of each SIMD; those in use at the same time in mode PWS, none if nothing splits
	SIMDs      int64         `json:"simds"`       // of a CU: N_SIMD of Eq. 2
	Splits     []SplitBranch `json:"splits"`      // SB: branches that split, or may
	Wavefronts int64         `json:"wavefronts"`  // of a workgroup
	Groups     int64         `json:"groups"`      // of the CU that has the most
	Slots      int64         `json:"slots"`       // workgroups that a CU holds at a time
	Rounds     int64         `json:"rounds"`      // DS, of workgroups that follow each other in the slot that is free last
	Dispatch   int64         `json:"dispatch"`    // d, of each round

	Separate string       `json:"apart"` // "nothing", "memory" or "memory and ports": what is counted separately, whichever gives the least of
	Bounds   SplitBounds  `json:"bounds"`
	Before   int64        `json:"before"`   // cycles of all rounds but the last, without their dispatch
	Full     *SplitGroup  `json:"full"`     // the longest of the workgroups in all rounds but the last; nil if there is one round
	Last     *SplitGroup  `json:"last"`     // a workgroup in the last round
	Service  int64        `json:"service"`  // of all accesses of the CU, if it is counted separately
	Passes   int64        `json:"passes"`   // cycles of all passes of the ports of the CU, if they are counted separately
	Barriers string       `json:"barriers"` // "none", "common" or "any": what is known of those of a workgroup
	Loops    []SplitLoop  `json:"loops"`    // that may be entered
	Observed *Observation `json:"observed"` // runs in the mode; nil where nothing ran

	// Schedule is what every run does, where it is known of all wavefronts which instructions they issue and how many
	// requests each access makes; nil otherwise. The estimate is its time then, and not that of Bounds.
	Schedule *SplitSchedule `json:"schedule,omitempty"`
}

// SplitSchedule is the schedule of a launch on the CU that takes longest: there workgroups follow each other in the slot that is
// free last, each when the last wavefront of the one before retires. Their dispatch and Wavefronts add up to the estimate.
type SplitSchedule struct {
	Rounds     int64 `json:"rounds"`     // workgroups in that slot
	Wavefronts int64 `json:"wavefronts"` // cycles of those of their wavefronts that retire last
}

// Exact reports whether the time of the launch is computed.
func (d *Split) Exact() bool { return d.Schedule != nil }

// Composed returns the least of the bounds, in cycles.
func (d *Split) Composed() int64 { return min(d.Bounds.Nothing, d.Bounds.Memory, d.Bounds.Both) }

// Watch notes the observed runs (Watched).
func (d *Split) Watch(o *Observation) { d.Observed = o }

// Runs returns the observed runs (Watched).
func (d *Split) Runs() *Observation { return d.Observed }

// SplitBounds are the bounds of the ways to count.
type SplitBounds struct {
	Nothing int64 `json:"nothing"` // counted separately
	Memory  int64 `json:"memory"`
	Both    int64 `json:"both"` // memory and ports
}

// SplitGroup is the bound of a workgroup. Issue, Memory, Splitting and Own add up to the
// time of its wavefront.
type SplitGroup struct {
	Cycles     int64 `json:"cycles"`    // of the workgroup
	Wavefront  int64 `json:"wavefront"` // E_WF: its wavefront that takes longest
	Contexts   int64 `json:"contexts"`  // wavefronts that share its SIMD
	WarpSplits int64 `json:"strands"`   // parts of wavefronts that share the memory
	Issue      int64 `json:"issue"`     // in which it waits for its port
	Memory     int64 `json:"memory"`    // in which it waits for other accesses
	Splitting  int64 `json:"splitting"` // that it takes to split and to merge
	Own        int64 `json:"own"`       // of its instructions
}

// SplitBranch is a branch that splits.
type SplitBranch struct {
	Name string `json:"name"` // of its block
	Pos  string `json:"pos"`
}

// SplitLoop is a loop that may be entered.
type SplitLoop struct {
	Name       string   `json:"name"`
	Pos        string   `json:"pos"`
	Iterations int64    `json:"iterations"` // for one entry, at most
	Evidence   Evidence `json:"evidence"`
	// Separate says that work-items may execute its iterations independently of each other (a
	// diverging loop), so that what it takes counts for each of them.
	Separate bool `json:"apart,omitempty"`
}

// SplitMeasured is the detail of an estimate that rests on measured times.
type SplitMeasured struct {
	Wavefront int64       `json:"wavefront"` // E_WF
	Delay     int64       `json:"delay"`     // d
	Rounds    int64       `json:"rounds"`    // DS, of workgroups on a CU
	Blocks    []BlockTime `json:"blocks"`
	// Published is the time of the kernel by the published equations, from the same times.
	Published int64 `json:"published"`
}

// BlockTime is a block that was seen.
type BlockTime struct {
	Name   string `json:"name"`
	Pos    string `json:"pos"`
	Cycles int64  `json:"cycles"`
}
