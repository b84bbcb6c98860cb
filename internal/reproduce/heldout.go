package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/method/phases"
)

// held is how the held-out vectors of a kernel compare with an estimate; nil where all runs are alike.
func (r *hybridRow) held(id string) *estimate.Holdout {
	if e := r.estimates[id]; e != nil && !r.invariant {
		return e.Holdout
	}
	return nil
}

// heldOutMax is the longest held-out run of a kernel, in cycles; where all runs are alike it is the one that there is.
func (r *hybridRow) heldOutMax() int64 {
	if h := r.held(phases.ID); h != nil {
		return h.Max
	}
	return r.observed
}

// overHeldOut is how far an estimate is above that, in percent.
func (r *hybridRow) overHeldOut(id string) float64 { return above(r.cycles(id), r.heldOutMax()) }

// signed renders percents.
func signed(percent float64) string { return fmt.Sprintf("%+.1f %%", percent) }

// varying returns the rows of kernels whose time may depend on inputs, or of those whose time does not.
func varying(rows []hybridRow, vary bool) []hybridRow {
	var some []hybridRow
	for _, r := range rows {
		if r.invariant != vary {
			some = append(some, r)
		}
	}
	return some
}

// overMean is the mean of overHeldOut.
func overMean(rows []hybridRow, id string) string {
	var list []float64
	for i := range rows {
		list = append(list, rows[i].overHeldOut(id))
	}
	return signed(mean(list))
}

// heldOutTable compares estimates with vectors of which they are not made.
func heldOutTable(rows []hybridRow, opts Options) estimate.Table {
	ids := []string{phases.ID, "hybrid/dynamic", "hybrid/waves", "hybrid/list", "hybrid/placements"}
	columns := []hybridColumn{
		{"kernel", func(r *hybridRow) string { return r.kernel.Program }, nil},
		{"trained on", func(r *hybridRow) string { return fmt.Sprint(r.runs) }, nil},
		{"held out", func(r *hybridRow) string {
			if h := r.held(phases.ID); h != nil {
				return fmt.Sprint(h.Vectors)
			}
			return "all are alike"
		}, nil},
		{"longest of them", func(r *hybridRow) string { return fmt.Sprint(r.heldOutMax()) }, nil},
		{"above Z_HWM", func(r *hybridRow) string { return signed(above(r.heldOutMax(), r.observed)) }, nil},
		{"prediction", func(r *hybridRow) string {
			s := r.estimates[phases.ID].Prediction
			if s.Status == estimate.NotRefuted && !s.Fixed {
				return fmt.Sprintf("not refuted, L = %d", s.Window)
			}
			return strings.ReplaceAll(string(s.Status), "_", " ")
		}, nil},
	}
	for _, id := range ids {
		columns = append(columns,
			hybridColumn{id, func(r *hybridRow) string { return signed(r.overHeldOut(id)) }, nil},
			hybridColumn{"exceeded", func(r *hybridRow) string {
				if h := r.held(id); h != nil {
					return fmt.Sprint(h.Exceeded)
				}
				return "0"
			}, nil})
	}
	title := fmt.Sprintf("Held out, for each vector of training %d of another seed", opts.HeldOut)
	if opts.HeldOut > 1 && !opts.Quick {
		title += ", or one where a run takes long"
	}
	t := hybridTable(title+": how far estimates are above the longest of them, and how often exceeded", columns, rows)
	for _, vary := range []bool{true, false} {
		cells := []string{map[bool]string{true: "average, inputs matter", false: "average, they do not"}[vary], "", "", "", "", ""}
		for _, id := range ids {
			cells = append(cells, overMean(varying(rows, vary), id), "")
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// ingredientTable says what hybrid/phases is without each of its ingredients.
func ingredientTable(rows []hybridRow) estimate.Table {
	columns := []hybridColumn{{"kernel", func(r *hybridRow) string { return r.kernel.Program }, func([]hybridRow) string { return "average" }}}
	add := func(id, name string) {
		columns = append(columns, hybridColumn{name, func(r *hybridRow) string {
			text := signed(r.overHeldOut(id))
			if h := r.held(id); h != nil && h.Exceeded > 0 {
				text += fmt.Sprintf(", exceeded %d", h.Exceeded)
			}
			if r.estimates[id].Prediction.Status == estimate.Refuted {
				text += ", refuted"
			}
			return text
		}, func(rows []hybridRow) string { return overMean(rows, id) }})
	}
	add(phases.ID, phases.ID)
	for _, m := range withouts() {
		add(m.ID(), m.ID()[len(phases.ID)+1:])
	}
	return hybridTable("What each ingredient of hybrid/phases gains: above the longest held-out run, of kernels whose time depends on inputs",
		columns, slices.DeleteFunc(varying(rows, true), func(r hybridRow) bool { return r.estimates[withouts()[0].ID()] == nil }))
}
