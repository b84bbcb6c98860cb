package job

import (
	"slices"

	"warpbound/diag"
)

// Split is how wavefronts split, for machines that have split contexts. What the job leaves
// out is up to the machine.
type Split struct {
	All      bool    // every branch that can be split
	Branches []Place // or the branches at the ends of the blocks at these places, and no others; nil for those that the module marks
	SIMDs    *int    // split SIMDs for each SIMD, 0 to MaxSplitSIMDs; nil if left out
	Mode     string  // one of SplitModes; empty if left out
	Pos      SplitPositions
}

// SplitPositions tells where the keys of the table stand, the table if a key is left out,
// and 1:1 if that is left out too.
type SplitPositions struct {
	Branches, SIMDs, Mode diag.Pos
}

// MaxSplitSIMDs is the largest number of split SIMDs for each SIMD (Klashtorny et al., TECS
// 2023, Table 3).
const MaxSplitSIMDs = 7

// SplitModes returns the ways of splitting: not at all, by the hardware at any branch that
// diverges, on the same SIMD or on idle ones too, or where the program says so.
func SplitModes() []string { return []string{"none", "dws", "dws-idle", "pws"} }

// everyBranch is what a job writes for Split.All.
const everyBranch = "all"

// split reads the [split] table.
func (r *reader) split(root table) Split {
	t, ok := root.table("split")
	if !ok {
		return Split{Pos: SplitPositions{root.mark.Pos, root.mark.Pos, root.mark.Pos}}
	}
	t.only("split", "branches", "simds", "mode")
	s := Split{Pos: SplitPositions{t.pos("branches"), t.pos("simds"), t.pos("mode")}}
	s.All, s.Branches = r.branches(t)
	if n, ok := t.integer("simds", 0, MaxSplitSIMDs); ok {
		simds := int(n)
		s.SIMDs = &simds
	}
	if mode, ok := t.text("mode"); ok {
		if !slices.Contains(SplitModes(), mode) {
			r.errorf(s.Pos.Mode, "mode is %.40q; it must be none, dws, dws-idle or pws", mode)
		}
		s.Mode = mode
	}
	return s
}

// branches reads "all" or an array of places, of which an empty one is not nil.
func (r *reader) branches(t table) (all bool, places []Place) {
	const key = "branches"
	pos := t.pos(key)
	if text, ok := t.values[key].(string); ok {
		if text != everyBranch {
			r.errorf(pos, "%s is %.40q; it must be %q or an array of labels and lines", key, text, everyBranch)
		}
		return text == everyBranch, nil
	}
	list, ok := t.list(key)
	if !ok {
		return false, nil
	}
	places = []Place{}
	for _, v := range list {
		text, ok := v.(string)
		if !ok {
			r.errorf(pos, "%s holds %s; it must hold labels and lines as strings", key, kindOf(v))
			return false, nil
		}
		if p, ok := r.place(pos, text); ok {
			places = append(places, p)
		}
	}
	return false, places
}
