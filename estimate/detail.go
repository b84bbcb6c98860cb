package estimate

// Detail is what a method says beside its cycles. It is one of the types of this package below,
// always as a pointer, or nil; other packages cannot add to them, so that a switch over them can
// be complete.
//
//	*HybridWarp        hybrid/warp
//	*HybridDynamic     hybrid/dynamic
//	*HybridWaves       hybrid/waves
//	*HybridList        hybrid/list
//	*HybridPlacements  hybrid/placements
//	*HybridPhases      hybrid/phases
//	*Oblivious         static/oblivious
//	*CTA               static/cta
//	*Greedy            static/greedy
//	*LLC               static/llc-simple, static/llc-interval
//	*Split             split/none, split/dws, split/pws
//	*SplitMeasured     measured times of blocks, composed
//	*Search            search
//	*Sum               any of a job with several launches in a run
//	*Figures           methods without a type of their own
type Detail interface{ detail() }

func (*HybridWarp) detail()       {}
func (*HybridDynamic) detail()    {}
func (*HybridWaves) detail()      {}
func (*HybridList) detail()       {}
func (*HybridPlacements) detail() {}
func (*HybridPhases) detail()     {}
func (*Oblivious) detail()        {}
func (*CTA) detail()              {}
func (*Greedy) detail()           {}
func (*LLC) detail()              {}
func (*Split) detail()            {}
func (*SplitMeasured) detail()    {}
func (*Search) detail()           {}
func (*Sum) detail()              {}
func (*Figures) detail()          {}

// Figures is the detail of a method that has no type of its own here.
type Figures struct {
	Figures []Figure `json:"figures"`
}

// Figure is a number with its name.
type Figure struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Unit  string `json:"unit"` // for example "cycles"; empty of plain counts
}
