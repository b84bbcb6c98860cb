package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
)

// Line is a series of values over a number of vectors.
type Line struct {
	Name   string
	Class  string
	At     []int   // vectors, ascending and at least 1
	Values []int64 // cycles
	Path   string  // of the points in the result, whose values have the name Field there
	Field  string
}

// Lines draws how values develop with the number of vectors, on a logarithmic axis for these.
func Lines(lines []Line) template.HTML {
	const (
		height = 220.0
		top    = 12.0
		legend = 180.0
	)
	var all []float64
	last := 1
	for _, l := range lines {
		for i, v := range l.Values {
			all = append(all, float64(v))
			last = max(last, l.At[i])
		}
	}
	if all == nil {
		return ""
	}
	low, high := slices.Min(all), slices.Max(all)
	margin := max((high-low)/10, high/100, 1)
	low, high = max(low-margin, 0), high+margin
	d := begin("lines", "estimates over the number of vectors", width, top+height+belowAxis)
	left, right := 90.0, width-legend
	x := func(vectors int) float64 {
		return left + math.Log(float64(vectors))/math.Log(float64(max(last, 2)))*(right-left)
	}
	y := func(v float64) float64 { return top + (high-v)/(high-low)*height }
	d.add(`<g class="axis">`)
	for _, t := range roundTicks(low, high) {
		d.add(`<line class="grid" x1="%v" y1="%v" x2="%v" y2="%v"/><text class="tick side" x="%v" y="%v">%v</text>`, left, y(t), right, y(t), left-8, y(t)+4, Cycles(int64(t)))
	}
	for _, t := range powerTicks(1, float64(max(last, 2))) {
		n := int(math.Round(t))
		d.add(`<line class="grid" x1="%v" y1="%v" x2="%v" y2="%v"/><text class="tick" x="%v" y="%v">%v</text>`, x(n), top, x(n), top+height, x(n), top+height+16, Cycles(int64(n)))
	}
	d.add(`<text class="title" x="%v" y="%v">vectors, logarithmic</text><text class="title side" x="%v" y="%v" transform="rotate(-90 14 %v)">cycles</text></g>`,
		(left+right)/2, top+height+34, 14.0, top+height/2, top+height/2)
	labels := spread(lines, y, top, top+height)
	for i, l := range lines {
		d.add(`<g class="line %v n%d"><title>%v</title><path d="`, l.Class, i, l.Name)
		for k, v := range l.Values {
			d.add(`%v%v %v`, map[bool]string{true: "M", false: "L"}[k == 0], x(l.At[k]), y(float64(v)))
		}
		d.add(`"/>`)
		for k, v := range l.Values {
			d.add(`<circle cx="%v" cy="%v" r="3.5" data-path="%v" data-value="%d"><title>%v</title></circle>`, x(l.At[k]), y(float64(v)),
				fmt.Sprintf("%s.%d.%s", l.Path, k, l.Field), v, fmt.Sprintf("%s after %s vectors: %s cycles", l.Name, Cycles(int64(l.At[k])), Cycles(v)))
		}
		d.add(`<text class="name" x="%v" y="%v">%v</text></g>`, right+12, labels[i]+4, l.Name)
	}
	return d.end()
}

// spread returns where the names of lines are, beside their ends and below each other.
func spread(lines []Line, y func(float64) float64, top, bottom float64) []float64 {
	at := make([]float64, len(lines))
	order := make([]int, len(lines))
	for i, l := range lines {
		at[i], order[i] = y(float64(l.Values[len(l.Values)-1])), i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case at[a] < at[b]:
			return -1
		case at[a] > at[b]:
			return 1
		}
		return 0
	})
	const gap = 15
	for k, i := range order {
		if k > 0 {
			at[i] = max(at[i], at[order[k-1]]+gap)
		}
	}
	for k := len(order) - 1; k >= 0; k-- { // back up if the last ones are too low
		low := bottom + 4
		if k < len(order)-1 {
			low = at[order[k+1]] - gap
		}
		at[order[k]] = min(at[order[k]], low)
	}
	return at
}
