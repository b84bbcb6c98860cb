package divergence

import (
	"warpbound/internal/budget"
	"warpbound/internal/isa"
)

// Verdict tells how far a value is the same. The verdicts are ordered: each holds for
// what the smaller ones hold for.
type Verdict uint8

// The verdicts.
const (
	// Grid: the same in all threads of the grid that compute it in the same iterations
	// of the loops around it.
	Grid Verdict = iota
	// CTA: the same in all threads of a CTA that do so.
	CTA
	// Warp: the same in all lanes of a warp that read it together, in one instruction.
	Warp
	// Divergent: lanes that read it together may find different values.
	Divergent
)

// String returns what is said of values and branches.
func (v Verdict) String() string {
	return [...]string{"grid-uniform", "cta-uniform", "warp-uniform", "divergent"}[v]
}

// Launch is the shape of a launch, as far as it is known.
type Launch struct {
	Grid  [3]int // CTAs in x, y and z; zeros if not known
	Block [3]int // threads of a CTA in x, y and z; zeros if not known
	Width int    // lanes of a warp; 0 if not known

	Effort budget.Effort // how much work may be done
}

// specials are the special registers of which something is known whatever the launch.
// Others, such as clocks, are taken to differ at each reading.
var specials = func() map[isa.Special]Verdict {
	table := map[isa.Special]Verdict{
		isa.ClusterCtarank: CTA, isa.ClusterNctarank: Grid, isa.IsExplicitCluster: Grid,
		isa.WarpID: Warp, isa.NwarpID: Grid, isa.GridID: Grid, isa.WarpSize: Grid, isa.CurrentGraphExec: Grid,
		isa.DynamicSmemSize: Grid, isa.TotalSmemSize: Grid, isa.AggrSmemSize: Grid,
		isa.ReservedSmemBegin: Grid, isa.ReservedSmemEnd: Grid, isa.ReservedSmemCap: Grid,
		isa.ReservedSmem0: Grid, isa.ReservedSmem1: Grid,
	}
	for first, verdict := range map[isa.Special]Verdict{
		isa.TidX: Divergent, isa.NtidX: Grid, isa.CtaidX: CTA, isa.NctaidX: Grid, isa.ClusteridX: CTA,
		isa.NclusteridX: Grid, isa.ClusterCtaidX: CTA, isa.ClusterNctaidX: Grid,
	} {
		for axis := range isa.Special(3) {
			table[first+axis] = verdict
		}
		table[first+3] = Grid // always zero
	}
	for i := range isa.Special(32) {
		table[isa.Envreg0+i] = Grid
	}
	return table
}()

// special returns the verdict of a special register in a launch.
func (l Launch) special(s isa.Special) Verdict {
	switch {
	case s >= isa.TidX && s <= isa.TidZ && l.Block != [3]int{}:
		return l.thread(int(s - isa.TidX))
	case s >= isa.CtaidX && s <= isa.CtaidZ && l.Grid[s-isa.CtaidX] == 1,
		s >= isa.ClusteridX && s <= isa.ClusteridZ && l.Grid[s-isa.ClusteridX] == 1:
		return Grid
	case s == isa.WarpID && l.Width > 0 && l.threads() > 0 && l.threads() <= l.Width:
		return Grid
	case (s == isa.LaneID || s >= isa.LanemaskEq && s <= isa.LanemaskGt) && (l.Width == 1 || l.threads() == 1):
		return Grid
	}
	if v, known := specials[s]; known {
		return v
	}
	return Divergent
}

// threads returns the number of threads of a CTA, 0 if it is not known.
func (l Launch) threads() int { return l.Block[0] * l.Block[1] * l.Block[2] }

// thread returns the verdict of a component of the index of threads in their CTA.
// Threads are numbered with x fastest, and each Width of them are a warp.
func (l Launch) thread(axis int) Verdict {
	if l.Block[axis] == 1 {
		return Grid
	}
	if l.Width == 0 || l.threads() == 0 {
		return Divergent
	}
	run := 1 // threads that follow each other and have the same component
	for _, n := range l.Block[:axis] {
		run *= n
	}
	for start := 0; start < l.threads(); start += l.Width {
		last := min(start+l.Width, l.threads()) - 1
		if start/run != last/run {
			return Divergent
		}
	}
	return Warp
}
