package chart

import (
	"fmt"
	"html"
	"html/template"

	"warpbound/internal/report/layered"
)

// Node is a block, or a loop in its place, in a flow graph.
type Node struct {
	Name string
	Note string  // a second line: where it is, or how many blocks it stands for
	More string  // of the title
	Heat float64 // share of the time, from 0 to 1
	Path string  // of Count in the result; empty if there is none
	// Count is how often the worst-case path passes it; -1 if that is not known.
	Count int64
	Class string
	Link  string // of what it stands for in the page; empty for nothing
}

// Arc leads from a node to another one.
type Arc struct {
	From, To int
	Count    int64 // how often the worst-case path takes it; 0 if it does not
	Class    string
}

// Charged is the class of an arc on the worst-case path of which it is not known how often it is taken.
const Charged = "charged"

// Flow draws a flow graph: the first node is the entry. Arcs on the worst-case path are marked.
func Flow(nodes []Node, arcs []Arc) template.HTML {
	const letter, high = 6.6, 40.0
	boxes := make([]layered.Node, len(nodes))
	for i, n := range nodes {
		boxes[i] = layered.Node{Width: max(letter*float64(max(len(n.Name), len(n.Note)))+24, 60), Height: high}
	}
	edges := make([]layered.Edge, len(arcs))
	for i, a := range arcs {
		edges[i] = layered.Edge{From: a.From, To: a.To}
	}
	l := layered.Layout(boxes, edges)
	const edge = 10.0
	d := begin("flow", "flow graph with the worst-case path", l.Width+4*edge, l.Height+2*edge)
	d.add(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs>`)
	for i, a := range arcs {
		class, title := "arc "+a.Class, ""
		if a.Count > 0 {
			class += " taken"
			title = fmt.Sprintf("taken %s times on the worst-case path", Cycles(a.Count))
		}
		if a.Class == Charged {
			class, title = "arc taken", "between blocks of the worst-case path"
		}
		if l.Back[i] {
			class += " back"
		}
		d.add(`<path class="%v" marker-end="url(#tip)" d="%v"><title>%v</title></path>`, class, curve(l.Edges[i], edge), title)
	}
	for i, n := range nodes {
		x, y := l.Nodes[i].X+edge-boxes[i].Width/2, l.Nodes[i].Y+edge-high/2
		class := "node " + n.Class
		if n.Count == 0 {
			class += " passed-by"
		}
		link, end := "", ""
		if n.Link != "" {
			link, end = `<a href="`+html.EscapeString(n.Link)+`">`, "</a>"
		}
		d.text.WriteString(link)
		d.add(`<g class="%v"><title>%v</title><rect class="back" x="%v" y="%v" width="%v" height="%v" rx="4"/><rect class="heat" fill-opacity="%v" x="%v" y="%v" width="%v" height="%v" rx="4"/>`,
			class, n.More, x, y, boxes[i].Width, high, fmt.Sprintf("%.2f", n.Heat), x, y, boxes[i].Width, high)
		d.add(`<text class="name" x="%v" y="%v">%v</text><text class="note" x="%v" y="%v">%v</text>`, l.Nodes[i].X+edge, y+17, n.Name, l.Nodes[i].X+edge, y+32, n.Note)
		d.text.WriteString("</g>" + end)
	}
	return d.end()
}

// curve is a path through points, smooth where it passes layers.
func curve(points []layered.Point, edge float64) string {
	at := func(p layered.Point) string { return px(p.X+edge) + " " + px(p.Y+edge) }
	text := "M" + at(points[0])
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		middle := (a.Y + b.Y) / 2
		if a.Y == b.Y {
			text += "L" + at(b)
			continue
		}
		text += "C" + at(layered.Point{X: a.X, Y: middle}) + " " + at(layered.Point{X: b.X, Y: middle}) + " " + at(b)
	}
	return text
}
