package hybrid

// WarpDetail is the detail of hybrid/warp. Times are in cycles.
type WarpDetail struct {
	Edges []EdgeDetail `json:"edges"`
	Loops []LoopDetail `json:"loops"`
	// Unobserved is the number of transitions of the graph that no warp made; the
	// bound takes them not to occur.
	Unobserved int `json:"unobserved"`
	// Exact says that the bound is the optimum of the integer problem, not only above it.
	Exact  bool   `json:"exact"`
	Solver string `json:"solver"`
}

// EdgeDetail is a transition that was observed.
type EdgeDetail struct {
	From      string  `json:"from"`
	To        string  `json:"to"`
	Divergent bool    `json:"divergent"` // made by branch divergence only
	Best      int64   `json:"best"`
	Average   float64 `json:"average"`
	Worst     int64   `json:"worst"`
	WorstAt   WarpID  `json:"worst_at"`          // the first warp that took Worst
	Observed  int64   `json:"observed"`          // traversals by all warps
	Most      int64   `json:"most"`              // traversals by one warp, at most
	Limited   bool    `json:"limited"`           // Most bounds Count
	Unknown   bool    `json:"unknown,omitempty"` // the graph does not have it
	Count     int64   `json:"count"`             // traversals on the worst path
	Cycles    int64   `json:"cycles"`            // Count times Worst
}

// LoopDetail is a loop that was entered.
type LoopDetail struct {
	Header     string `json:"header"`
	Pos        string `json:"pos"`
	Bound      int64  `json:"bound"` // back edges per entry
	Evidence   string `json:"evidence"`
	Observed   int64  `json:"observed"` // the most of any warp, rounded up
	ObservedAt WarpID `json:"observed_at"`
}

// DynamicDetail is the detail of hybrid/dynamic. Times are in cycles.
type DynamicDetail struct {
	Warp   int64      `json:"warp"`   // Z_warp
	Jitter int64      `json:"jitter"` // from the launch to the last start, of any multiprocessor
	SMs    []SMDetail `json:"sms"`
	// Published is Eq. 1 as published, with release jitter counted from the first start
	// of the multiprocessor. It does not bound the time from the launch.
	Published PublishedDynamic `json:"published"`
}

// SMDetail is what one multiprocessor showed: the largest figures of any run.
type SMDetail struct {
	SM           int32 `json:"sm"`
	Jitter       int64 `json:"jitter"` // from the launch to the last start
	Spread       int64 `json:"spread"` // from the first start to the last
	Waves        int64 `json:"waves"`
	WarpsPerWave int64 `json:"warps_per_wave"`
	Delta        int64 `json:"delta"` // between two starts of one wave
}

// PublishedDynamic is Eq. 1 as published.
type PublishedDynamic struct {
	Jitter int64 `json:"jitter"`
	Cycles int64 `json:"cycles"`
}

// WavesDetail is the detail of hybrid/waves. Times are in cycles, and every figure is
// the largest of any multiprocessor in any run.
type WavesDetail struct {
	Warp         int64 `json:"warp"`           // Z_warp
	Waves        int64 `json:"waves"`          // Omega
	WarpsPerWave int64 `json:"warps_per_wave"` // phi
	Delta        int64 `json:"delta"`          // between two starts of one wave
	FirstStart   int64 `json:"first_start"`    // from the launch
	Gap          int64 `json:"gap"`            // from the last exit before a wave to its first start
	// Published is Z_hybrid, Eq. 2 as published, which has no term for FirstStart and Gap.
	Published int64 `json:"published"`
}
