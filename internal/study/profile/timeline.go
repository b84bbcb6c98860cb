package profile

import (
	"cmp"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/workload"
)

// The size of a timeline: bins of a row, and rows. Where there are more warps, a row is of a CTA, and where there are
// more CTAs, of an SM.
const (
	maxBins = 240
	maxRows = 96
)

// issuing is the kind of a cycle in which a warp issues.
const issuing = "issue"

// timeline adds up what warps waited for.
type timeline struct {
	width int64
	bins  int
	kinds []string
	rows  map[rowKey][]int64 // by bin and kind
	by    grouping
}

// grouping says of what a row is.
type grouping int

const (
	byWarp grouping = iota
	byCTA
	bySM
)

// rowKey is what a row is of; what it does not tell apart is -1.
type rowKey struct{ sm, cta, warp int }

// maxKinds is how many kinds there may be: reasons of stalls, and what memory does.
const maxKinds = 26

func newTimeline(w *workload.Workload, cycles int64) *timeline {
	job := w.First().Bound.Job
	ctas, threads := 1, 1
	for i := range job.Grid {
		ctas, threads = ctas*job.Grid[i], threads*job.Block[i]
	}
	t := &timeline{width: max((cycles+maxBins-1)/maxBins, 1), kinds: []string{issuing}, rows: make(map[rowKey][]int64)}
	t.bins = int((cycles + t.width - 1) / t.width)
	switch warps := ctas * ((threads + w.Width() - 1) / w.Width()); {
	case warps <= maxRows:
		t.by = byWarp
	case ctas <= maxRows:
		t.by = byCTA
	default:
		t.by = bySM
	}
	return t
}

// add takes an instruction.
func (t *timeline) add(i *estimate.WarpIssue) {
	key := rowKey{i.SM, i.CTA, i.Warp}
	switch t.by {
	case byCTA:
		key.warp = -1
	case bySM:
		key.cta, key.warp = -1, -1
	}
	row := t.rows[key]
	if row == nil {
		row = make([]int64, t.bins*maxKinds)
		t.rows[key] = row
	}
	kind := 0
	if i.Since+1 < i.Cycle {
		kind = t.kind(i.Wait)
	}
	for at := i.Since + 1; at < i.Cycle; { // the cycle of the issue before is one of an issue
		end := min((at/t.width+1)*t.width, i.Cycle)
		row[t.at(at, kind)] += end - at
		at = end
	}
	row[t.at(i.Cycle, 0)]++
}

// at is the place of a kind in the bin of a cycle. What is after the run, as the last cycle of some machines, is in the last bin.
func (t *timeline) at(cycle int64, kind int) int {
	return int(min(cycle/t.width, int64(t.bins-1)))*maxKinds + kind
}

// kind returns the number of a kind.
func (t *timeline) kind(name string) int {
	at := slices.Index(t.kinds, name)
	if at < 0 {
		at = len(t.kinds)
		t.kinds = append(t.kinds, name)
	}
	return at
}

// result is the timeline, of which rows are ordered by SM, CTA and warp.
func (t *timeline) result() *estimate.Timeline {
	out := &estimate.Timeline{Width: t.width, Kinds: t.kinds, Rows: []estimate.TimelineRow{}}
	for key, row := range t.rows {
		var bins strings.Builder
		for b := range t.bins {
			largest, letter := int64(0), byte(' ')
			for kind, cycles := range row[b*maxKinds : (b+1)*maxKinds] {
				if cycles > largest {
					largest, letter = cycles, byte('a'+kind)
				}
			}
			bins.WriteByte(letter)
		}
		out.Rows = append(out.Rows, estimate.TimelineRow{SM: key.sm, CTA: key.cta, Warp: key.warp, Bins: strings.TrimRight(bins.String(), " ")})
	}
	slices.SortFunc(out.Rows, func(a, b estimate.TimelineRow) int {
		return cmp.Or(cmp.Compare(a.SM, b.SM), cmp.Compare(a.CTA, b.CTA), cmp.Compare(a.Warp, b.Warp))
	})
	return out
}
