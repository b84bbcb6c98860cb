package estimate

// Race is a pair of instructions between which an execution had a data race: accesses to the same bytes,
// at least one of them a write, by threads of which nothing says who comes first.
type Race struct {
	Space  string `json:"space"`  // "shared" or "global"
	Buffer string `json:"buffer"` // or variable of the module
	Offset int64  `json:"offset"` // in it, in bytes, of the lowest byte that both access

	// Kind is "read-after-write", "write-after-read", "write-after-write", or "equal-writes" for two that write
	// the same value, by the order in which the execution made the accesses.
	Kind string `json:"kind"`
	// Between is the smallest group that has both threads: "instruction" for lanes of a warp in one
	// execution of an instruction, "warp", "cta" or "grid".
	Between string `json:"between"`
	// Order is in which order warps ran, each as far as it got before another did: "ascending" or "descending" by CTA
	// and warp; left out where it is that of the run which the result is of.
	Order string `json:"order,omitempty"`

	First  RaceAccess `json:"first"`
	Second RaceAccess `json:"second"` // the later in the execution
	Count  int64      `json:"count"`  // of such pairs of accesses; First and Second are of one of them
}

// RaceAccess is one of two accesses that race.
type RaceAccess struct {
	Pos    string `json:"pos"`              // in the module
	Source string `json:"source,omitempty"` // in the source that the compiler was given, if it said so
	Access string `json:"access"`           // "load", "store", "atomic" or "copy", an asynchronous copy for which nobody has waited
	CTA    [3]int `json:"cta"`
	Thread [3]int `json:"thread"` // within the CTA
}
