package report

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"warpbound/estimate"
	"warpbound/internal/report/chart"
	"warpbound/internal/symbol"
)

// The parts of a page.
var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// page is what a page shows.
type page struct {
	*estimate.Analysis `json:"analysis"`
	Profile            *estimate.Profile `json:"profile"` // nil if no run was profiled
	Hz                 float64           `json:"hz"`
	Lines              []pageLine        `json:"lines"`

	listings []listing
	links    map[string]string // to lines
}

// HTML writes an analysis, with a profile of its longest run unless that is nil, as one page that needs no other file. hz is the
// machine's clock in cycles per second.
func HTML(w io.Writer, a *estimate.Analysis, p *estimate.Profile, hz float64) error {
	v := &page{Analysis: a, Profile: p, Hz: hz, Lines: []pageLine{}}
	if p != nil {
		v.Lines = pageLines(a, p)
		v.listings, v.Lines = listings(p, v.Lines)
		v.links = anchors(v.listings)
	}
	t, err := template.New("page").Funcs(v.functions()).Parse(pageHTML)
	if err != nil {
		return err
	}
	return t.Execute(w, v)
}

// limit returns how many cycles a run may take; 0 if nobody says.
func (v *page) limit() int64 {
	if v.Verdict == nil {
		return 0
	}
	return v.Verdict.Budget
}

// HottestLine and HottestChain are the most cycles of any line.
func (v *page) HottestLine() int64 {
	return hottest(v.Lines, func(l *pageLine) int64 { return l.Cycles })
}
func (v *page) HottestChain() int64 {
	return hottest(v.Lines, func(l *pageLine) int64 { return l.Chain })
}

// HottestBound is the most cycles that the bound that counts charges to any line.
func (v *page) HottestBound() int64 {
	return hottest(v.Lines, func(l *pageLine) int64 { return l.Bound })
}

func hottest(lines []pageLine, of func(*pageLine) int64) int64 {
	n := int64(0)
	for i := range lines {
		n = max(n, of(&lines[i]))
	}
	return n
}

// functions are those of the page's template.
func (v *page) functions() template.FuncMap {
	a, hz := v.Analysis, v.Hz
	return template.FuncMap{
		"css":    func() template.CSS { return template.CSS(pageCSS) },
		"js":     func() template.JS { return template.JS(pageJS) },
		"result": v.result,
		"fig":    figure,
		"ms": func(path string, cycles int64) template.HTML {
			return inUnit(path, "ms", milliseconds(Duration(cycles, hz)))
		},
		"share":            shareOf,
		"estimatesChart":   v.estimatesChart,
		"convergenceChart": func() template.HTML { return convergenceChart(a) },
		"timelineChart":    func() template.HTML { return timelineChart(v.Profile) },
		"flows":            func() []flow { return v.flows(v.links) },
		"listings":         func() []listing { return v.listings },
		"heat":             heat,
		"path":             pathOf,
		"chainLines": func() []estimate.ChainLine {
			return v.Profile.Chain.ByLine[:min(len(v.Profile.Chain.ByLine), chainLines)]
		},
		"search":      func() *estimate.Search { s, _ := searchOf(a); return s },
		"searchPath":  searchPath(a),
		"searchChart": func(s *estimate.Search) (template.HTML, error) { return inlined(BestPlot(a, s)) },
		"uncertain":   func(s *estimate.Search) string { return Uncertain(s, hz) },
		"optional":    optional,
		"ended":       func(stop string) string { return ended[stop] },
		"link":        func(line string) string { return v.links[line] },
		"longestRun":  func() string { return strings.TrimPrefix(longest(a), ", ") },
		"basis":       func() *estimate.Estimate { return a.Tightest() },
		"charged":     func() *estimate.Estimate { return chargedBasis(a) },
		"chargedPath": func(parts ...any) string { return chargedPath(a, parts...) },
		"cycles":      group,
		"time":        func(cycles int64) string { return milliseconds(Duration(cycles, hz)) },
		"figures":     figures,
		"standing":    Standing,
		"above": func(e estimate.Estimate) string {
			return aboveRuns(a, &e)
		},
		"first": func(all []estimate.Share) []estimate.Share { return all[:min(len(all), breakdownRows)] },
		"rest":  func(all []estimate.Share) int { return max(len(all)-breakdownRows, 0) },
		"percent": func(part, whole int64) string {
			if whole <= 0 {
				return "0"
			}
			return fmt.Sprintf("%.1f", 100*float64(part)/float64(whole))
		},
		"label":        symbol.Label,
		"kernel":       func() string { return symbol.Readable(a.Kernel) },
		"kernels":      func() string { return kernelsOf(a) },
		"launched":     func() string { return launched(a) },
		"launches":     func() launchTable { return launchesOf(a) },
		"convergence":  Convergence,
		"covers":       Covers,
		"never":        Never,
		"less":         Less,
		"predicted":    func(e estimate.Estimate) string { return Predicted(&e) },
		"varied":       describeVaried,
		"moved":        movedBound,
		"confirmed":    func(e estimate.Estimate) string { return Confirmed(&e) },
		"heldOut":      func() string { return HeldOut(a) },
		"modes":        func() []string { return otherModes(a) },
		"span":         func() string { return span(a) },
		"contract":     contractLines,
		"ns":           func(n int64) string { return milliseconds(time.Duration(n)) },
		"sampled":      sampled,
		"placed":       placed,
		"extents":      extents,
		"lines":        lines,
		"headline":     func() string { return headline(a, hz) },
		"verdictClass": func() string { return verdictClass(a) },
		"verdictMark":  func() string { return verdictMark(a.Verdict) },
		"verdictChart": v.verdictChart,
		"noBound":      noBound,
		"others":       func() string { return notForMachine(a) },
		"device": func(d *estimate.Device) (string, error) {
			var text strings.Builder
			p := &printer{w: &text}
			device(p, d)
			return text.String(), p.err
		},
		"mean": func(mean float64) int64 { return int64(mean + 0.5) },
		"mhz":  func() string { return fmt.Sprintf("%.4g MHz", hz/1e6) },
	}
}

// searchOf is the detail of what a search found, and the place of its estimate; nil if an analysis has none.
func searchOf(a *estimate.Analysis) (s *estimate.Search, at int) {
	for i := range a.Estimates {
		if s, ok := a.Estimates[i].Detail.(*estimate.Search); ok {
			return s, i
		}
	}
	return nil, -1
}

// searchPath makes paths to what is in the detail of a search.
func searchPath(a *estimate.Analysis) func(parts ...any) string {
	_, at := searchOf(a)
	return func(parts ...any) string {
		return pathOf(append([]any{"analysis", "estimates", at, "detail"}, parts...)...)
	}
}

// pathOf is a path within the result of a page.
func pathOf(parts ...any) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprintln(parts...), " ", "."), ".\n")
}

// breakdownRows is how many rows a table of a breakdown has, at most.
const breakdownRows = 60

// result is what the page shows as JSON. Of the profile it leaves out what is in the lines of the page, and parts of the chain of causes, of which
// there may be millions.
func (v *page) result() (template.JS, error) {
	out := *v
	if v.Profile != nil {
		p := *v.Profile
		p.Kernels = slices.Clone(p.Kernels)
		for i := range p.Kernels {
			p.Kernels[i].Lines = []estimate.ProfiledLine{}
		}
		if p.Chain != nil {
			p.Chain = &estimate.Chain{Segments: []estimate.ChainSegment{}, ByKind: p.Chain.ByKind, ByLine: p.Chain.ByLine}
		}
		out.Profile = &p
	}
	text, err := json.Marshal(&out)
	return template.JS(text), err
}

// figure renders a number with its path in the result.
func figure(path string, n any) template.HTML {
	var text string
	switch n := n.(type) {
	case int64:
		text = group(n)
	case *int64:
		if n == nil {
			return "-"
		}
		text = group(*n)
	case int:
		text = group(int64(n))
	case float64:
		text = group(int64(n + 0.5))
	}
	return template.HTML(fmt.Sprintf(`<span data-path="%s">%s</span>`, template.HTMLEscapeString(path), text))
}

// inUnit renders what a number of cycles is in another unit, with its path in the result.
func inUnit(path, unit, text string) template.HTML {
	return template.HTML(fmt.Sprintf(`<span data-path="%s" data-unit="%s">%s</span>`, template.HTMLEscapeString(path), unit, template.HTMLEscapeString(text)))
}

// shareOf renders a part of a whole in percent, with both paths in the result.
func shareOf(path string, part int64, of string, whole int64) template.HTML {
	if whole <= 0 {
		return ""
	}
	return template.HTML(fmt.Sprintf(`<span data-path="%s" data-of="%s">%.1f %%</span>`, template.HTMLEscapeString(path), template.HTMLEscapeString(of), 100*float64(part)/float64(whole)))
}

// heat is how hot a share of a whole is shown, from 0 to 1; the square root, since few lines have much of it.
func heat(part, whole int64) template.CSS {
	if whole <= 0 {
		return "--share: 0"
	}
	return template.CSS(fmt.Sprintf("--share: %.2f", math.Sqrt(float64(part)/float64(whole))))
}

// verdictClass returns the classes of the verdict's box: what is met, or without a budget what bounds, has its evidence besides.
func verdictClass(a *estimate.Analysis) string {
	switch v := a.Verdict; {
	case v == nil && a.Answer == nil:
		return ""
	case v == nil:
		return string(a.Answer.Evidence)
	case v.Status == estimate.Met:
		return string(v.Status) + " " + string(v.Evidence)
	default:
		return string(v.Status)
	}
}

// verdictMark returns a sign that tells verdicts from each other without their colours.
func verdictMark(v *estimate.Verdict) string {
	if v == nil {
		return ""
	}
	return map[estimate.Status]string{estimate.Met: "\u2713 ", estimate.Missed: "\u2717 ", estimate.NotShown: "? "}[v.Status]
}

// verdictChart draws the longest run, the bound that counts and the budget.
func (v *page) verdictChart() template.HTML {
	var marks []chart.Mark
	if v.Observed != nil {
		marks = append(marks, chart.Mark{Name: "longest run", Class: "seen", Cycles: v.Observed.Max, Path: "analysis.observed.max"})
	}
	if b := v.Verdict.Bound; b != nil {
		marks = append(marks, chart.Mark{Name: "bound", Class: string(v.Verdict.Evidence), Cycles: *b, Path: "analysis.verdict.bound", Note: v.Verdict.Method})
	}
	return chart.Estimates(marks, chart.Bins{}, v.Verdict.Budget)
}

// estimatesChart draws all estimates with the runs.
func (v *page) estimatesChart() template.HTML {
	var marks []chart.Mark
	var runs chart.Bins
	if o := v.Observed; o != nil {
		marks = append(marks, chart.Mark{Name: "longest run", Class: "seen", Cycles: o.Max, Path: "analysis.observed.max", Note: strings.TrimPrefix(longest(v.Analysis), ", ")})
	}
	if t := v.Times; t != nil && v.Runs > 1 {
		runs = chart.Bins{From: t.From, Width: t.Width, Counts: t.Counts, Path: "analysis.times.counts"}
	}
	for i := range v.Estimates {
		e := &v.Estimates[i]
		marks = append(marks, chart.Mark{
			Name: e.Method, Class: string(e.Evidence), Cycles: e.Cycles, Path: fmt.Sprintf("analysis.estimates.%d.cycles", i),
			Note: strings.TrimSpace(fmt.Sprintf("%s; %s", Standing(e.Evidence, e.Numbers), aboveRuns(v.Analysis, e))),
		})
	}
	return chart.Estimates(marks, runs, v.limit())
}

// convergenceChart draws how estimates develop; nothing if there is not enough to see.
func convergenceChart(a *estimate.Analysis) template.HTML {
	var lines []chart.Line
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if len(e.Convergence) < 3 {
			continue
		}
		path := fmt.Sprintf("analysis.estimates.%d.convergence", i)
		l := chart.Line{Name: e.Method, Class: "estimate", Path: path, Field: "cycles"}
		seen := chart.Line{Name: "longest run", Class: "seen", Path: path, Field: "observed"}
		for _, p := range e.Convergence {
			l.At, l.Values = append(l.At, p.Vectors), append(l.Values, p.Cycles)
			seen.At, seen.Values = append(seen.At, p.Vectors), append(seen.Values, p.Observed)
		}
		if lines == nil {
			lines = append(lines, seen)
		}
		lines = append(lines, l)
	}
	if lines == nil {
		return ""
	}
	return chart.Lines(lines)
}

// flow is the flow graph of a launch.
type flow struct {
	Kernel string
	Chart  template.HTML
	Path   string // the method whose worst-case path it shows; empty for none
	Taken  bool   // it is that of a warp, with what the bound charges to blocks
}

// flows are those of all launches, with links to lines.
func (v *page) flows(links map[string]string) []flow {
	var all []flow
	for i := range v.Profile.Kernels {
		k := &v.Profile.Kernels[i]
		estimates := v.Estimates
		if v.Analysis.Launches != nil {
			estimates = v.Analysis.Launches[i].Estimates
		}
		path := findPath(v.Analysis, estimates)
		f := flow{Kernel: symbol.Readable(k.Kernel), Chart: flowChart(k, path, links)}
		if path != nil {
			f.Path, f.Taken = path.Method, path.ByLine != nil && path.ByLine.Edges != nil
		}
		all = append(all, f)
	}
	return all
}

// findPath returns the estimate whose worst-case path is drawn: of those of a launch, the one of the method that counts if it charges blocks, and
// else that of a warp; nil if there is none.
func findPath(a *estimate.Analysis, estimates []estimate.Estimate) *estimate.Estimate {
	var path *estimate.Estimate
	counts := a.Tightest()
	for i := range estimates {
		e := &estimates[i]
		if counts != nil && e.Method == counts.Method && e.ByLine != nil && len(e.ByLine.Path) > 0 {
			return e
		}
		if _, ok := e.Detail.(*estimate.HybridWarp); ok {
			path = e
		}
	}
	return path
}
