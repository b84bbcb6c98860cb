package report

import (
	"fmt"
	"html/template"

	"warpbound/estimate"
	"warpbound/internal/report/chart"
)

// chainStops is how many parts of a chain a timeline shows, at most: shorter ones are drawn with the one before.
const chainStops = 1500

// timelineChart draws what warps waited for, and the chain of causes through it.
func timelineChart(p *estimate.Profile) template.HTML {
	t := p.Timeline
	rows := make([]chart.Row, len(t.Rows))
	at := make(map[[3]int]int)
	names := make(map[int]string)
	sm := -1
	for i, r := range t.Rows {
		name := fmt.Sprintf("SM %d", r.SM)
		switch {
		case r.Warp >= 0:
			name += fmt.Sprintf(", CTA %d, warp %d", r.CTA, r.Warp)
		case r.CTA >= 0:
			name += fmt.Sprintf(", CTA %d", r.CTA)
		}
		rows[i] = chart.Row{Name: name, Bins: r.Bins}
		at[[3]int{r.SM, r.CTA, r.Warp}] = i
		if r.SM != sm {
			names[i], sm = fmt.Sprintf("SM %d", r.SM), r.SM
		}
	}
	return chart.Timeline(rows, t.Kinds, t.Width, p.Run.Cycles, names, stops(p, at))
}

// stops are the parts of a chain, by the rows of a timeline.
func stops(p *estimate.Profile, rows map[[3]int]int) []chart.Stop {
	if p.Chain == nil {
		return nil
	}
	shortest := p.Run.Cycles / chainStops
	var all []chart.Stop
	for i := range p.Chain.Segments {
		s := &p.Chain.Segments[i]
		row := -1
		for _, key := range [][3]int{{s.SM, s.CTA, s.Warp}, {s.SM, s.CTA, -1}, {s.SM, -1, -1}} {
			if at, ok := rows[key]; ok {
				row = at
				break
			}
		}
		if n := len(all); n > 0 && (row == all[n-1].Row || row < 0 || s.To-s.From < shortest) {
			all[n-1].To = s.To
			continue
		}
		all = append(all, chart.Stop{Row: row, From: s.From, To: s.To})
	}
	return all
}
