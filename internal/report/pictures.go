package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/report/chart"
)

// Picture is a chart as an SVG document of its own.
type Picture struct {
	File string // its name, without the ending
	SVG  string
}

// Pictures are the charts of the page that HTML writes of an analysis, each as a document of its own. What the page does not show is not among them.
func Pictures(a *estimate.Analysis, p *estimate.Profile, hz float64) ([]Picture, error) {
	v := &page{Analysis: a, Profile: p, Hz: hz}
	var all []Picture
	var failed error
	add := func(file string, markup template.HTML, of chart.Document) {
		if markup == "" || failed != nil {
			return
		}
		svg, err := chart.Standalone(markup, pageCSS, of)
		if err != nil {
			failed = err
			return
		}
		all = append(all, Picture{file, svg})
	}
	what := kernelsOf(a) + " on " + a.Machine
	add("estimates", v.estimatesChart(), chart.Document{
		Title: "Estimates of " + what, Note: runsOf(a), Keys: v.estimateKeys(),
	})
	add("convergence", convergenceChart(a), chart.Document{
		Title: "Convergence of estimates of " + what, Note: "What each estimate would be if there had been fewer vectors.",
	})
	if p == nil {
		return all, failed
	}
	flows := v.flows(nil)
	for i, f := range flows {
		file := "flow"
		if len(flows) > 1 {
			file = fmt.Sprintf("flow-%d", i+1)
		}
		of := chart.Document{Title: "Flow graph of " + f.Kernel, Note: "Colour: what warps waited there in the longest run."}
		if f.Path != "" {
			of.Note = "Colour: share of the time of the worst-case path of " + f.Path + "."
			of.Keys = []chart.Key{{Text: "worst-case path", Class: "arc taken", Shape: chart.Stroke}}
		}
		if strings.Contains(string(f.Chart), `"arc divergent`) {
			of.Keys = append(of.Keys, chart.Key{Text: "made by divergence", Class: "arc divergent", Shape: chart.Stroke})
		}
		add(file, f.Chart, of)
	}
	if t := p.Timeline; t != nil {
		of := chart.Document{Title: "Timeline of the longest run of " + what, Note: fmt.Sprintf("What %s waited for most, in bins of %s.", rowsShown(t), counted(int(t.Width), "cycle"))}
		for _, kind := range t.Kinds {
			of.Keys = append(of.Keys, chart.Key{Text: kind, Class: "k-" + kind, Shape: chart.Block})
		}
		if p.Chain != nil {
			of.Keys = append(of.Keys, chart.Key{Text: "chain of causes", Class: "chain", Shape: chart.Stroke})
		}
		add("timeline", timelineChart(p), of)
	}
	return all, failed
}

// estimateKeys say what the colours of the chart of estimates stand for.
func (v *page) estimateKeys() []chart.Key {
	var keys []chart.Key
	if v.Observed != nil {
		keys = append(keys, chart.Key{Text: "runs", Class: "seen"})
	}
	for _, evidence := range []estimate.Evidence{estimate.Observed, estimate.Annotated, estimate.Proven} {
		if slices.ContainsFunc(v.Estimates, func(e estimate.Estimate) bool { return e.Evidence == evidence }) {
			keys = append(keys, chart.Key{Text: string(evidence) + " estimate", Class: string(evidence)})
		}
	}
	if v.limit() > 0 {
		keys = append(keys, chart.Key{Text: "budget: " + group(v.limit()) + " cycles", Class: "limit", Shape: chart.Stroke})
	}
	return keys
}

// runsOf says how many runs there were; nothing if there are none.
func runsOf(a *estimate.Analysis) string {
	if a.Runs == 0 {
		return ""
	}
	return "Launch to last retirement; " + counted(a.Runs, "run") + "."
}

// rowsShown says of what the rows of a timeline are.
func rowsShown(t *estimate.Timeline) string {
	switch {
	case slices.ContainsFunc(t.Rows, func(r estimate.TimelineRow) bool { return r.Warp >= 0 }):
		return "warps"
	case slices.ContainsFunc(t.Rows, func(r estimate.TimelineRow) bool { return r.CTA >= 0 }):
		return "the warps of each CTA"
	}
	return "the warps of each SM"
}
