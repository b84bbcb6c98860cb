package estimate

import (
	"cmp"
	"fmt"
)

// HybridWarp is the detail of hybrid/warp. Times are in cycles.
type HybridWarp struct {
	Edges []HybridEdge `json:"edges"`
	Loops []HybridLoop `json:"loops"`
	// Unobserved is the number of transitions of the graph that no warp made; the
	// bound takes them not to occur.
	Unobserved int `json:"unobserved"`
	// Exact says that the bound is the optimum of the integer problem, not only above it.
	Exact  bool   `json:"exact"`
	Solver string `json:"solver"`
}

// HybridEdge is a transition that was observed.
type HybridEdge struct {
	From      string  `json:"from"`
	To        string  `json:"to"`
	Divergent bool    `json:"divergent"` // made by branch divergence only
	Best      int64   `json:"best"`
	Average   float64 `json:"average"`
	Worst     int64   `json:"worst"`
	WorstAt   WarpID  `json:"worst_at"`          // the first warp that took Worst
	Observed  int64   `json:"observed"`          // traversals by all warps
	Max       int64   `json:"most"`              // traversals by one warp, at most
	Limited   bool    `json:"limited"`           // Most bounds Count
	Unknown   bool    `json:"unknown,omitempty"` // the graph does not have it
	Count     int64   `json:"count"`             // traversals on the worst path
	Cycles    int64   `json:"cycles"`            // Count times Worst
}

// HybridLoop is a loop that was entered.
type HybridLoop struct {
	Header     string   `json:"header"`
	Pos        string   `json:"pos"`
	Bound      int64    `json:"bound"` // back edges per entry
	Evidence   Evidence `json:"evidence"`
	Observed   int64    `json:"observed"` // the most of any warp, rounded up
	ObservedAt WarpID   `json:"observed_at"`
}

// HybridDynamic is the detail of hybrid/dynamic. Times are in cycles.
type HybridDynamic struct {
	Warp   int64      `json:"warp"`   // Z_warp
	Jitter int64      `json:"jitter"` // from the launch to the last start, of any multiprocessor
	SMs    []HybridSM `json:"sms"`
	// Published is Eq. 1 as published, with release jitter counted from the first start
	// of the multiprocessor. It does not bound the time from the launch.
	Published HybridPublished `json:"published"`
}

// HybridSM is what one multiprocessor showed: the largest figures of any run.
type HybridSM struct {
	SM           int32 `json:"sm"`
	Jitter       int64 `json:"jitter"` // from the launch to the last start
	Spread       int64 `json:"spread"` // from the first start to the last
	Waves        int64 `json:"waves"`
	WarpsPerWave int64 `json:"warps_per_wave"`
	Delta        int64 `json:"delta"` // between two starts of one wave
}

// HybridPublished is Eq. 1 as published.
type HybridPublished struct {
	Jitter int64 `json:"jitter"`
	Cycles int64 `json:"cycles"`
}

// HybridWaves is the detail of hybrid/waves. Times are in cycles, and every figure is
// the largest of any multiprocessor in any run.
type HybridWaves struct {
	Warp         int64 `json:"warp"`           // Z_warp
	Waves        int64 `json:"waves"`          // Omega
	WarpsPerWave int64 `json:"warps_per_wave"` // phi
	Delta        int64 `json:"delta"`          // between two starts of one wave
	FirstStart   int64 `json:"first_start"`    // from the launch
	Gap          int64 `json:"gap"`            // from the last exit before a wave to its first start
	// Published is Z_hybrid, Eq. 2 as published, which has no term for FirstStart and Gap.
	Published int64 `json:"published"`
	// Geometry is nil where the launch is not known, and of a device.
	Geometry *HybridGeometry `json:"geometry,omitempty"`
}

// HybridGeometry is Eq. 2 with Omega and phi from the launch and the machine, and Delta as observed. It has no term for the
// first start, and none for slots that are free, and is no bound.
type HybridGeometry struct {
	Waves        int64 `json:"waves"`          // Omega: how often all CTAs that the machine holds at a time make up the launch, rounded up
	WarpsPerWave int64 `json:"warps_per_wave"` // phi: warps that a multiprocessor holds at a time
	Cycles       int64 `json:"cycles"`         // Omega * (Z_warp + (phi - 1) * Delta)
}

// HybridList is the detail of hybrid/list: CTAs take slots as these become free. Times are in cycles, and each is the largest
// of any run. The bound is FirstStart + min(ByRounds, BySum) + Spread + Warp.
type HybridList struct {
	Warp       int64 `json:"warp"`        // Z_warp
	Spread     int64 `json:"spread"`      // from the first start of a CTA's warps to the last
	FirstStart int64 `json:"first_start"` // from the launch to the first CTA of a slot
	Gap        int64 `json:"gap"`         // in which a slot is free between two CTAs, or before the last start of any
	CTAs       int64 `json:"ctas"`        // N
	Slots      int64 `json:"slots"`       // s: CTAs that the machine holds at a time; of a device, a multiprocessor
	Rounds     int64 `json:"rounds"`      // N / s, rounded up
	Longest    int64 `json:"longest"`     // R: the time of a CTA
	Total      int64 `json:"total"`       // the sum of the times of all CTAs but the shortest
	ByRounds   int64 `json:"by_rounds"`   // (Rounds - 1) * (Longest + Gap)
	BySum      int64 `json:"by_sum"`      // (Total + (CTAs - 1) * Gap) / Slots, rounded down
}

// HybridPlacements is the detail of hybrid/placements. The bound is Jitter + Warp, in cycles.
type HybridPlacements struct {
	Placement  string            `json:"placement"` // that of Warp: "recorded", or the argument of --ipoints with which hybrid/dynamic is the same
	Warp       int64             `json:"warp"`      // Z_warp, the least of all
	Jitter     int64             `json:"jitter"`    // from the launch to the last start
	Placements []HybridPlacement `json:"placements"`
}

// HybridPlacement is one placement of Ipoints.
type HybridPlacement struct {
	Placement string `json:"placement"`
	Ipoints   int    `json:"ipoints"` // beside the start and the exit of a warp
	Warp      int64  `json:"warp"`    // Z_warp, in cycles
}

// WarpID names a warp of a run.
type WarpID struct {
	Run  int   `json:"run"`
	CTA  int32 `json:"cta"`
	Warp int32 `json:"warp"`
}

// String renders the name for messages.
func (w WarpID) String() string { return fmt.Sprintf("run %d, CTA %d, warp %d", w.Run, w.CTA, w.Warp) }

// Compare orders warps by run, CTA and index.
func (w WarpID) Compare(v WarpID) int {
	return cmp.Or(cmp.Compare(w.Run, v.Run), cmp.Compare(w.CTA, v.CTA), cmp.Compare(w.Warp, v.Warp))
}
