package estimate

// Step is one instruction that a warp executed, for a listing.
type Step struct {
	Cycle         int64
	SM, CTA, Warp int
	Split         int    // the split SIMD on which it did, from 1; 0 for the warp's own
	Address       string // label, or a label before it with the distance
	Instr         string
	Lanes         string // for each lane: 1 if it executed, . if its guard did not hold, 0 if it was not active
	Stack         string // the lanes that wait after it, the outermost first
}
