package chart

import (
	"fmt"
	"html/template"
	"strings"
)

// Row is what somebody waited for, by bins of equal width.
type Row struct {
	Name string
	Bins string // a letter for each bin: kinds[0] is a, a blank is nothing
}

// Stop is a part of a chain of causes: which row it is on, -1 for none, and from when to when, in cycles.
type Stop struct {
	Row      int
	From, To int64
	Note     string
}

// Timeline draws rows below each other, and through them the chain of causes. width is that of a bin, in cycles; group names the
// rows that begin at each of its keys.
func Timeline(rows []Row, kinds []string, binWidth, cycles int64, group map[int]string, chain []Stop) template.HTML {
	const label, right = 150.0, 36.0
	high := 12.0
	if len(rows) > 64 {
		high = 6
	}
	bottom := high*float64(len(rows)) + 4
	d := begin("timeline", "what warps waited for, over time", width, bottom+belowAxis)
	a := axis{from: 0, to: float64(cycles), left: label, right: width - right}
	a.draw(d, 0, bottom, "cycles")
	y := func(row int) float64 { return high*float64(row) + high/2 + 2 }
	d.add(`<g class="rows" stroke-width="%v">`, high-1)
	for i, r := range rows {
		if name, ok := group[i]; ok {
			d.add(`<text class="name" x="%v" y="%v">%v</text>`, label-8, y(i)+4, name)
		}
		for k, kind := range kinds {
			if path := stretches(r.Bins, byte('a'+k), binWidth, cycles, a, y(i)); path != "" {
				d.add(`<path class="k-%v" d="%v"><title>%v</title></path>`, kind, path, r.Name+": "+kind)
			}
		}
	}
	d.add(`</g>`)
	drawChain(d, a, y, chain)
	return d.end()
}

// stretches is a path of lines where a row has a letter.
func stretches(row string, letter byte, binWidth, cycles int64, a axis, y float64) string {
	var b strings.Builder
	for i := 0; i < len(row); i++ {
		if row[i] != letter {
			continue
		}
		from := i
		for i < len(row) && row[i] == letter {
			i++
		}
		left, right := a.at(float64(int64(from)*binWidth)), a.at(float64(min(int64(i)*binWidth, cycles)))
		fmt.Fprintf(&b, "M%s %sH%s", px(left), px(y), px(right))
	}
	return b.String()
}

// drawChain draws a line through the rows on which a chain is; where it is on none it stays on the row before.
func drawChain(d *drawing, a axis, y func(int) float64, chain []Stop) {
	if len(chain) == 0 {
		return
	}
	row := 0
	for _, s := range chain {
		if s.Row >= 0 {
			row = s.Row
			break
		}
	}
	var path strings.Builder
	for i, s := range chain {
		if s.Row >= 0 {
			row = s.Row
		}
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&path, "%s%s %sH%s", command, px(a.at(float64(s.From))), px(y(row)), px(a.at(float64(s.To))))
	}
	d.add(`<path class="chain" d="%v"><title>the chain of causes</title></path>`, path.String())
}
