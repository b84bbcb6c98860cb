package estimate

import "slices"

// CTA is the detail of static/cta. Times are in cycles. Issue, Stall and Dispatch add
// up to the bound: they are those of the SM that needs longest.
type CTA struct {
	SM       int       `json:"sm"`
	Issue    int64     `json:"issue"`    // in which the port is held, at most
	Stall    int64     `json:"stall"`    // in which all warps wait, at most
	Dispatch int64     `json:"dispatch"` // of its waves
	Waves    []CTAWave `json:"waves"`    // that it executes, by kind
	Loops    []CTALoop `json:"loops"`    // that are entered
	Classes  int       `json:"classes"`  // of CTAs that differ in time
	Paths    int       `json:"paths"`    // of warps that differ in time
}

// Exact reports whether the time of all waves is computed.
func (d *CTA) Exact() bool {
	return !slices.ContainsFunc(d.Waves, func(w CTAWave) bool { return !w.Exact })
}

// CTAWave is one kind of wave of an SM.
type CTAWave struct {
	Times int64 `json:"times"`
	CTAs  int   `json:"ctas"`
	Warps int   `json:"warps"`
	// Exact is set if the paths of all warps are known, so that the time is computed;
	// otherwise it is composed of bounds.
	Exact  bool  `json:"exact"`
	Cycles int64 `json:"cycles"` // of each, from when its warps are ready
	Issue  int64 `json:"issue"`  // of each
	Stall  int64 `json:"stall"`  // of each
}

// CTALoop is a loop that some warp enters.
type CTALoop struct {
	Name       string   `json:"name"`
	Pos        string   `json:"pos"`
	Iterations int      `json:"iterations"` // for one entry, at most
	Evidence   Evidence `json:"evidence"`
	Issue      int64    `json:"issue"` // of its blocks, those of inner loops included
}
