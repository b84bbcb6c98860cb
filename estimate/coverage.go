package estimate

// Coverage says how much of a kernel runs have exercised, of what the flow graph has. Blocks without an Ipoint are left out. Where
// several branches may have sent lanes to a block, an outcome counts as taken if it may have been.
type Coverage struct {
	Blocks   Covered        `json:"blocks"`
	Edges    Covered        `json:"edges"`    // of the flow graph
	Outcomes Covered        `json:"outcomes"` // of branches: edges out of blocks with several
	Lines    []LineCoverage `json:"lines"`    // of the source, by position
	Never    []Uncovered    `json:"never"`    // what no run has exercised, by position: blocks, and outcomes that lead to others
	Loops    []LoopCoverage `json:"loops"`
}

// Covered counts things.
type Covered struct {
	Covered  int `json:"covered"`
	Possible int `json:"possible"`
}

// LineCoverage is what runs have exercised of the blocks that begin in a source line.
type LineCoverage struct {
	Pos      string  `json:"pos"` // file:line
	Blocks   Covered `json:"blocks"`
	Outcomes Covered `json:"outcomes"` // of branches at the end of these blocks
}

// Uncovered is a block that no warp has executed, or an outcome of a branch that no lane has taken.
type Uncovered struct {
	Block string `json:"block"` // or that the branch ends
	Pos   string `json:"pos"`
	To    string `json:"to,omitempty"` // where the outcome leads; empty of a block
	ToPos string `json:"to_pos,omitempty"`
}

// LoopCoverage is how often a loop has iterated.
type LoopCoverage struct {
	Header   string   `json:"header"`
	Pos      string   `json:"pos"`
	Entered  bool     `json:"entered"`
	Observed int64    `json:"observed"`           // back edges per entry of any warp, at most, rounded up
	Possible *int64   `json:"possible,omitempty"` // of a thread, as far as it is known
	Evidence Evidence `json:"evidence,omitempty"` // of Possible
}
