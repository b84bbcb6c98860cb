package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
)

// Mark is a time with a name: an estimate, or the longest run.
type Mark struct {
	Name   string
	Class  string // of the mark: its evidence
	Cycles int64
	Path   string // of Cycles in the result
	Note   string // what else is to be said of it
}

// Bins are counts of runs by their time.
type Bins struct {
	From, Width int64 // where the first bin begins, and of each, in cycles
	Counts      []int64
	Path        string // of Counts in the result
}

// Sizes of charts in pixels.
const (
	width     = 860.0
	names     = 190.0 // of what is to the left of an axis
	rowHeight = 22.0
	bins      = 70.0 // height of a histogram
	belowAxis = 44.0
)

// Estimates draws marks below each other and the histogram of the runs, unless that has none, on one axis. limit is a line through all
// of them, the budget of a run; 0 for none.
func Estimates(marks []Mark, runs Bins, limit int64) template.HTML {
	var values []float64
	for _, m := range marks {
		values = append(values, float64(m.Cycles))
	}
	top := 8.0
	if limit > 0 {
		top += 10 // its name
	}
	if len(runs.Counts) > 0 {
		top += bins + 10
		values = append(values, float64(max(runs.From, 1)), float64(runs.From+runs.Width*int64(len(runs.Counts))))
	}
	if limit > 0 {
		values = append(values, float64(limit))
	}
	if values == nil {
		return ""
	}
	bottom := top + rowHeight*float64(len(marks))
	d := begin("estimates", "estimates and observed times on one axis", width, bottom+belowAxis)
	a := newAxis(values, names, width-90)
	a.draw(d, 0, bottom, "cycles")
	if len(runs.Counts) > 0 {
		drawBins(d, a, runs, top-10)
	}
	if limit > 0 {
		x := a.at(float64(limit))
		d.add(`<line class="limit" x1="%v" y1="0" x2="%v" y2="%v"><title>%v</title></line>`, x, x, bottom, "budget: "+Cycles(limit)+" cycles")
		d.add(`<text class="limit name" x="%v" y="10">budget</text>`, x+5)
	}
	for i, m := range marks {
		y := top + rowHeight*(float64(i)+0.5)
		x := a.at(float64(m.Cycles))
		d.add(`<g class="mark %v"><title>%v</title>`, m.Class, fmt.Sprintf("%s: %s cycles. %s", m.Name, Cycles(m.Cycles), m.Note))
		d.add(`<text class="name" x="%v" y="%v">%v</text><line class="stem" x1="%v" y1="%v" x2="%v" y2="%v"/><circle cx="%v" cy="%v" r="5"/>`,
			names-10, y+4, m.Name, a.left, y, x, y, x, y)
		d.add(`<text class="value" x="%v" y="%v" data-path="%v">%v</text></g>`, x+9, y+4, m.Path, Cycles(m.Cycles))
	}
	return d.end()
}

// drawBins draws a histogram that stands on bottom.
func drawBins(d *drawing, a axis, runs Bins, bottom float64) {
	highest := float64(max(slices.Max(runs.Counts), 1))
	total := int64(0)
	for _, n := range runs.Counts {
		total += n
	}
	d.add(`<g class="bins"><text class="name" x="%v" y="%v">%v</text>`, names-10, bottom-bins/2, Cycles(total)+" runs")
	for i, n := range runs.Counts {
		if n == 0 {
			continue
		}
		from := runs.From + int64(i)*runs.Width
		left, right := a.at(float64(from)), a.at(float64(from+runs.Width))
		if right-left < 3 { // it is to be seen
			middle := (left + right) / 2
			left, right = middle-1.5, middle+1.5
		}
		height := math.Max(bins*float64(n)/highest, 1)
		span := Cycles(from) + " cycles"
		if runs.Width > 1 {
			span = Cycles(from) + " to " + Cycles(from+runs.Width-1) + " cycles"
		}
		d.add(`<rect x="%v" y="%v" width="%v" height="%v" data-path="%v" data-value="%d"><title>%v</title></rect>`,
			left, bottom-height, right-left, height, fmt.Sprintf("%s.%d", runs.Path, i), n, fmt.Sprintf("%s: %s runs", span, Cycles(n)))
	}
	d.add(`</g>`)
}
