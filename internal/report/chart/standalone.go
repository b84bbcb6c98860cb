package chart

import (
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Document says what stands around a chart that is read without its page.
type Document struct {
	Title string
	Note  string // below the title; "" for nothing
	Keys  []Key  // what colours stand for
}

// Key says what marks of a class stand for.
type Key struct {
	Text  string
	Class string
	Shape Shape
}

// Shape is how a mark looks in a key.
type Shape int

// The shapes of marks.
const (
	Dot Shape = iota
	Block
	Stroke
)

// Sizes of a document in pixels.
const (
	around      = 20.0 // of the ground on each side
	titleHigh   = 22.0 // of a line of the title
	textHigh    = 17.0 // of one of other text
	titleLetter = 8.4
	letter      = 7.0
	narrowest   = 460.0 // that a chart is taken to be
)

// Standalone makes a document of a chart of a page: on white ground, with its title, what its colours stand for, and the rules of
// the page's style sheet that it needs, whose variables are replaced by what they are on light ground. It is an error if a chart is
// not one of this package, or if the style sheet lacks a variable.
func Standalone(chart template.HTML, css string, of Document) (string, error) {
	head := opening.FindStringSubmatch(string(chart))
	body, closed := strings.CutSuffix(strings.TrimSpace(string(chart)), "</svg>")
	if head == nil || !closed {
		return "", fmt.Errorf("%s: this is no chart", of.Title)
	}
	body = body[len(head[0]):]
	wide, _ := strconv.ParseFloat(head[3], 64) // the pattern has numbers alone
	high, _ := strconv.ParseFloat(head[4], 64)
	room := max(wide, narrowest)
	above, y := of.above(room)
	style, err := styleOf(css, classesOf(`class="chart `+head[1]+`"`+above+body))
	if err != nil {
		return "", fmt.Errorf("%s: %w", of.Title, err)
	}
	d := &drawing{}
	d.add(`<svg class="chart `+head[1]+`" role="img" viewBox="0 0 %v %v" width="%v" height="%v" xmlns="http://www.w3.org/2000/svg">`+"\n",
		room+2*around, y+high+around, room+2*around, y+high+around)
	d.add("<title>%v</title>\n<desc>%v</desc>\n", of.Title, html.UnescapeString(head[2]))
	d.text.WriteString("<style>\n" + style + "</style>\n")
	d.add(`<rect x="0" y="0" width="%v" height="%v" style="fill: #fff"/>`+"\n", room+2*around, y+high+around)
	d.text.WriteString(above)
	d.add(`<g transform="translate(%v %v)">`+"\n", around+(room-wide)/2, y)
	d.text.WriteString(body)
	d.text.WriteString("</g>\n</svg>\n")
	return d.text.String(), nil
}

// opening is how begin opens a chart.
var opening = regexp.MustCompile(`^<svg class="chart ([a-z]+)" role="img" aria-label="([^"]*)" viewBox="0 0 ([0-9.]+) ([0-9.]+)"[^>]*>`)

// above draws title, note and keys in so many pixels, and returns where the chart begins.
func (of *Document) above(room float64) (markup string, y float64) {
	d := &drawing{}
	y = around
	text := func(words, style string, letter, high float64) {
		for _, line := range wrap(words, int(room/letter)) {
			y += high
			d.add(`<text x="%v" y="%v" style="%v">%v</text>`+"\n", around, y-high/4, style, line)
		}
	}
	text(of.Title, "font-size: 15px; font-weight: 600; text-anchor: start", titleLetter, titleHigh)
	text(of.Note, "text-anchor: start", letter, textHigh)
	if len(of.Keys) > 0 {
		y += 6 + textHigh
		x := around
		for _, k := range of.Keys {
			long := 24 + letter*float64(utf8.RuneCountInString(k.Text)) + 18
			if x > around && x+long > around+room {
				x, y = around, y+textHigh
			}
			k.draw(d, x, y-textHigh/4)
			x += long
		}
	}
	return d.text.String(), y + 12
}

// draw draws a key whose text stands on y.
func (k *Key) draw(d *drawing, x, y float64) {
	middle := y - 4
	switch k.Shape {
	case Dot:
		d.add(`<g class="mark %v"><circle cx="%v" cy="%v" r="5"/></g>`, k.Class, x+9, middle)
	case Block:
		d.add(`<path class="%v" style="stroke-width: 11" d="M%v %vh18"/>`, k.Class, x, middle)
	case Stroke:
		d.add(`<path class="%v" d="M%v %vh18"/>`, k.Class, x, middle)
	}
	d.add(`<text x="%v" y="%v" style="text-anchor: start">%v</text>`+"\n", x+24, y, k.Text)
}

// wrap breaks words into lines of so many letters. A word that is longer is broken, too.
func wrap(words string, letters int) []string {
	var lines []string
	line, n := "", 0
	for _, word := range strings.Fields(words) {
		for rest := []rune(word); len(rest) > 0; {
			part := rest[:min(len(rest), letters)]
			rest = rest[len(part):]
			if n > 0 && n+1+len(part) > letters {
				lines = append(lines, line)
				line, n = "", 0
			}
			if n > 0 {
				line, n = line+" ", n+1
			}
			line, n = line+string(part), n+len(part)
		}
	}
	if n > 0 {
		lines = append(lines, line)
	}
	return lines
}

// classesOf are the classes of markup.
func classesOf(markup string) map[string]bool {
	all := make(map[string]bool)
	for _, m := range classes.FindAllStringSubmatch(markup, -1) {
		for _, name := range strings.Fields(m[1]) {
			all[name] = true
		}
	}
	return all
}

var (
	classes  = regexp.MustCompile(`class="([^"]*)"`)
	rules    = regexp.MustCompile(`(?s)([^{}]+)\{([^{}]*)\}`)
	media    = regexp.MustCompile(`(?s)@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}`)
	variable = regexp.MustCompile(`(--[a-z0-9-]+):\s*([^;]+);`)
	use      = regexp.MustCompile(`var\((--[a-z0-9-]+)\)`)
	selected = regexp.MustCompile(`\.([a-z][a-z0-9-]*)`)
)

// styleOf returns the rules of a style sheet for elements of drawings with some classes, with its variables replaced by what they
// are unless a medium asks for others.
func styleOf(css string, has map[string]bool) (string, error) {
	css = media.ReplaceAllString(css, "")
	values := make(map[string]string)
	for _, m := range variable.FindAllStringSubmatch(css, -1) {
		values[m[1]] = strings.TrimSpace(m[2])
	}
	var out strings.Builder
	var missing error
	for _, m := range rules.FindAllStringSubmatch(css, -1) {
		var wanted []string
		for s := range strings.SplitSeq(m[1], ",") {
			if s = strings.TrimSpace(s); forDrawing(s, has) {
				wanted = append(wanted, s)
			}
		}
		if wanted == nil {
			continue
		}
		text := use.ReplaceAllStringFunc(strings.TrimSpace(m[2]), func(of string) string {
			name := use.FindStringSubmatch(of)[1]
			value, ok := values[name]
			if !ok {
				missing = fmt.Errorf("the style sheet has no variable %s", name)
			}
			return value
		})
		fmt.Fprintf(&out, "%s { %s }\n", strings.Join(wanted, ", "), text)
	}
	return out.String(), missing
}

// forDrawing reports whether a selector can be of elements of a drawing with some classes.
func forDrawing(selector string, has map[string]bool) bool {
	if !strings.HasPrefix(selector, "svg") && !strings.HasPrefix(selector, ".") {
		return false
	}
	return !slices.ContainsFunc(selected.FindAllStringSubmatch(selector, -1), func(m []string) bool { return !has[m[1]] })
}
