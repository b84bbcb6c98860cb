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

// LLCAccess is one access of a core to the last-level cache that the cores of an integrated
// machine share.
type LLCAccess struct {
	Core     int    // an SM, or the CPU as the last
	Number   int64  // of the access in the order of its core, from 0
	Interval int64  // in which it was sent, from 0
	Line     uint64 // number of the line: address by bytes of a line
	Write    bool   // a store or an atomic operation
	Hit      bool   // the line was there, or another access was fetching it
	Cycle    int64  // in which the tags were looked up
}
