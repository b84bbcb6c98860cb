// Package chart draws the charts of a report as SVG that takes its colours from the page around it, so that it is read on light and
// dark ground and on paper: elements have classes and no colours.
//
// Each mark says in its title what it stands for, and in data-path where that is in the result. chart knows numbers and
// names only: it must not import anything of the project but layered.
package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// drawing is an SVG element on its way.
type drawing struct{ text strings.Builder }

// begin opens the element with a size in pixels. class is that of the chart, and label says what it shows to who cannot see it.
func begin(class, label string, width, height float64) *drawing {
	d := &drawing{}
	fmt.Fprintf(&d.text, `<svg class="chart %s" role="img" aria-label="%s" viewBox="0 0 %s %s" width="%s" height="%s" xmlns="http://www.w3.org/2000/svg">`,
		class, html.EscapeString(label), px(width), px(height), px(width), px(height))
	return d
}

// end closes it.
func (d *drawing) end() template.HTML {
	d.text.WriteString("</svg>\n")
	return template.HTML(d.text.String())
}

// add adds markup, in which values are texts that are escaped, or lengths in pixels.
func (d *drawing) add(markup string, values ...any) {
	for i, v := range values {
		switch v := v.(type) {
		case float64:
			values[i] = px(v)
		case string:
			values[i] = html.EscapeString(v)
		}
	}
	fmt.Fprintf(&d.text, markup, values...)
}

// px renders a length with a tenth of a pixel.
func px(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10+0, 'f', -1, 64) }

// axis is the horizontal axis of a chart, in cycles.
type axis struct {
	from, to    float64 // values
	left, right float64 // where these are, in pixels
	log         bool
}

// newAxis makes an axis with round ends that holds values, at least 0: a logarithmic one where the largest is more than
// twenty times the smallest.
func newAxis(values []float64, left, right float64) axis {
	low, high := math.Inf(1), 0.0
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	low = max(min(low, high), 0)
	a := axis{left: left, right: right}
	if low > 0 && high > 20*low {
		a.log = true
		a.from, a.to = math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)))
		if a.to == high {
			a.to *= 2
		}
		return a
	}
	margin := max(high-low, high/50, 1) / 20
	a.from, a.to = max(low-margin, 0), high+margin
	return a
}

// at returns where a value is, in pixels.
func (a axis) at(v float64) float64 {
	from, to := a.from, a.to
	if a.log {
		v, from, to = math.Log(max(v, a.from)), math.Log(from), math.Log(to)
	}
	return a.left + (v-from)/(to-from)*(a.right-a.left)
}

// ticks are round values of the axis.
func (a axis) ticks() []float64 {
	if a.log {
		return powerTicks(a.from, a.to)
	}
	return roundTicks(a.from, a.to)
}

// draw draws the axis below a chart of so many pixels, with lines up to top.
func (a axis) draw(d *drawing, top, bottom float64, title string) {
	d.add(`<g class="axis">`)
	for _, t := range a.ticks() {
		x := a.at(t)
		d.add(`<line class="grid" x1="%v" y1="%v" x2="%v" y2="%v"/><text class="tick" x="%v" y="%v">%v</text>`, x, top, x, bottom, x, bottom+16, Cycles(int64(math.Round(t))))
	}
	if a.log {
		title += ", logarithmic"
	}
	d.add(`<text class="title" x="%v" y="%v">%v</text></g>`, (a.left+a.right)/2, bottom+34, title)
}

// Cycles renders a number with commas between groups of three digits.
func Cycles(n int64) string {
	sign, digits := "", strconv.FormatInt(n, 10)
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}
