package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"warpbound/estimate"
)

//go:embed reproduction.html
var reproductionHTML string

// ReproductionHTML writes a paper's figures and ours, with its plots, as one page that needs no other file. Every cell has its path in the
// result, which the page has as JSON.
func ReproductionHTML(w io.Writer, r *estimate.Reproduction) error {
	var figures []pagePlot
	for i := range r.Plots {
		svg, err := inlined(&r.Plots[i])
		if err != nil {
			return err
		}
		figures = append(figures, pagePlot{r.Plots[i].File, svg})
	}
	t, err := template.New("reproduction").Funcs(template.FuncMap{
		"css":     func() template.CSS { return template.CSS(pageCSS) },
		"figures": func() []pagePlot { return figures },
		"labels":  func() []meaning { return meanings(r) },
		"label":   labelOf,
		"holds":   func(e estimate.Example) string { return holdsOf(&e) },
		"words":   words,
		"count":   func(label estimate.Label) template.HTML { return countOf(r, label) },
		"cell": func(text string, path ...any) template.HTML {
			at := strings.ReplaceAll(strings.TrimSpace(fmt.Sprintln(path...)), " ", ".")
			return template.HTML(fmt.Sprintf(`<span data-path="%s">%s</span>`, at, template.HTMLEscapeString(text)))
		},
		"result": func() (template.JS, error) {
			text, err := json.Marshal(r)
			return template.JS(text), err
		},
	}).Parse(reproductionHTML)
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}

// pagePlot is a plot of a page.
type pagePlot struct {
	File string
	SVG  template.HTML
}

// meaning says what a label means.
type meaning struct {
	Label estimate.Label
	Means string
}

// meanings are those of the labels that examples have.
func meanings(r *estimate.Reproduction) []meaning {
	all := []meaning{
		{estimate.LabelEqual, "ours must be exactly the paper's, or what the name of the row says"},
		{estimate.LabelTolerance, "ours must be within a stated distance of the paper's"},
		{estimate.LabelInequality, "ours must be at least or at most a figure"},
		{estimate.LabelFitted, "inputs, kernels or numbers of a machine were chosen for it: that it holds is no evidence for anything else"},
		{estimate.LabelNoTarget, "the paper has no figure, or one of what is not ours"},
	}
	return slices.DeleteFunc(all, func(m meaning) bool {
		return !slices.ContainsFunc(r.Examples, func(e estimate.Example) bool { return e.Label == m.Label })
	})
}

// countOf counts the examples with a label, those that do not hold for "NO", and all for "".
func countOf(r *estimate.Reproduction, label estimate.Label) template.HTML {
	n := 0
	for i := range r.Examples {
		if e := &r.Examples[i]; label == "" || e.Label == label || label == "NO" && holdsOf(e) == "NO" {
			n++
		}
	}
	return template.HTML(fmt.Sprintf(`<span data-count="%s">%d</span>`, template.HTMLEscapeString(string(label)), n))
}

// words is the class of a column of a table in which words are more than figures.
func words(rows [][]string, c int) template.HTMLAttr {
	more := 0
	for _, row := range rows {
		switch {
		case c >= len(row):
		case wordOfCell.MatchString(row[c]):
			more++
		case figureOfCell.MatchString(row[c]):
			more--
		}
	}
	if more <= 0 {
		return ""
	}
	return ` class="left"`
}

// wordOfCell matches a word, which is longer than the units of tables.
var wordOfCell = regexp.MustCompile(`\pL{4}`)

// figureOfCell matches a digit.
var figureOfCell = regexp.MustCompile(`\d`)

// inlined is a plot as an element of a page, which takes the colours of its text and its ground from there.
func inlined(p *estimate.Plot) (template.HTML, error) {
	var b bytes.Buffer
	if err := Plot(&b, p); err != nil {
		return "", err
	}
	_, element, ok := strings.Cut(b.String(), "<svg ")
	before, after, ground := strings.Cut(element, `style="fill:#FFFFFF" />`)
	if !ok || !ground {
		return "", errors.New("a plot has no white ground")
	}
	element = before + `style="fill:none" />` + strings.ReplaceAll(after, "#000000", "currentColor")
	return template.HTML(fmt.Sprintf(`<svg class="plot" role="img" aria-label="%s" %s`, template.HTMLEscapeString(p.Title), element)), nil
}
