package estimate

// Policies says how far the times of runs move with what the machine's description decides and hardware may decide otherwise: which warp issues,
// in which order the memory serves requests, and how diverged paths of a warp run. Other choices may give more and less; no
// estimate follows from these runs.
type Policies struct {
	Evidence Evidence    `json:"evidence"` // observed, whatever that of the estimates
	Vectors  int         `json:"vectors"`  // that each choice ran
	Seed     int64       `json:"seed"`     // of random choices
	Runs     []PolicyRun `json:"runs"`     // by choice; first that of the machine's description

	// The choices with the shortest and with the longest of the longest runs, by their indices in Runs, and by how much the longest
	// is longer; nil if no choice has run to its end.
	Spread *PolicySpread `json:"spread"`
}

// PolicyRun is the longest run of one choice.
type PolicyRun struct {
	Policy    string `json:"policy"`
	DRAMOrder string `json:"dram_order"`
	Paths     string `json:"paths,omitempty"`  // how diverged paths run, where threads are scheduled independently
	Max       int64  `json:"max"`              // cycles of the longest run
	Failed    string `json:"failed,omitempty"` // why a run came to no end; then Max is 0
}

// PolicySpread is how far the longest runs of choices are from each other.
type PolicySpread struct {
	Min      int64   `json:"min"`
	Max      int64   `json:"max"`
	Ratio    float64 `json:"ratio"` // of Max to Min
	Shortest int     `json:"shortest"`
	Longest  int     `json:"longest"`
}
