package estimate

// Chain is the chain of causes of a run, its critical path: found backwards from the last retirement, it goes on at each wait
// with what ended that wait, on whatever warp or multiprocessor that was.
type Chain struct {
	// Segments tile the run from cycle 0 to its last retirement, without gaps, in the order of time; the launches of a run
	// with several follow each other.
	Segments []ChainSegment `json:"segments"`
	ByKind   []ChainKind    `json:"by_kind"` // the same by kind, those with many cycles first
	ByLine   []ChainLine    `json:"by_line"` // and by line, likewise
}

// ChainSegment is a part of a chain: an event until the one that it led to.
type ChainSegment struct {
	From int64 `json:"from"` // cycle
	To   int64 `json:"to"`   // cycle, from which on the next segment is
	SM   int   `json:"sm"`   // on which it is; -1 where none is concerned
	CTA  int   `json:"cta"`  // index in the grid; -1 where none is concerned
	Warp int   `json:"warp"` // index in the CTA; -1 where none is concerned
	// Pos is the position in the module of the instruction that is under way, as "file:line:column", and Source that in the source
	// which the compiler was given, if it said so. Left out where no instruction is concerned.
	Pos    string `json:"pos,omitempty"`
	Source string `json:"source,omitempty"`
	// Kind is what the time is spent on: one of the reasons for which a scheduler does not issue (Simulation, Scheduler), or
	// "issue", "dispatch", "fetch", "interconnect", "port-busy", "l2", "l2-busy", "dram", "regulator" or "other".
	Kind string `json:"kind"`
}

// ChainKind is the segments of a kind.
type ChainKind struct {
	Kind     string `json:"kind"`
	Cycles   int64  `json:"cycles"`
	Segments int64  `json:"segments"` // how many they are: by about so many cycles a run is longer with a latency longer by one
}

// ChainLine is the segments of a line.
type ChainLine struct {
	Line   string `json:"line"`   // as "file:line": of the source, if the compiler said so, else of the module; empty where no instruction is concerned
	Cycles int64  `json:"cycles"` // of the chain
}
