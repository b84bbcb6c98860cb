package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"warpbound/estimate"
	"warpbound/internal/symbol"
)

//go:embed analysis.html
var analysisPage string

// HTML writes an analysis as one page that needs no other file. hz is the
// machine's clock in cycles per second.
func HTML(w io.Writer, a *estimate.Analysis, hz float64) error {
	page, err := template.New("analysis").Funcs(template.FuncMap{
		"cycles":   group,
		"time":     func(cycles int64) string { return milliseconds(Duration(cycles, hz)) },
		"dims":     dims,
		"figures":  figures,
		"standing": Standing,
		"above": func(e estimate.Estimate) string {
			return aboveRuns(a, &e)
		},
		"percent": func(part, whole int64) string {
			if whole <= 0 {
				return "0"
			}
			return fmt.Sprintf("%.1f", 100*float64(part)/float64(whole))
		},
		"label":       symbol.Label,
		"kernel":      func() string { return symbol.Readable(a.Kernel) },
		"kernels":     func() string { return kernelsOf(a) },
		"launched":    func() string { return launched(a) },
		"launches":    func() launchTable { return launchesOf(a) },
		"convergence": Convergence,
		"covers":      Covers,
		"never":       Never,
		"less":        Less,
		"predicted":   func(e estimate.Estimate) string { return Predicted(&e) },
		"chances":     func(e estimate.Estimate) string { return Chances(&e) },
		"heldOut":     func() string { return HeldOut(a) },
		"modes":       func() []string { return otherModes(a) },
		"span":        func() string { return span(a) },
		"contract":    contractLines,
		"ns":          func(n int64) string { return milliseconds(time.Duration(n)) },
		"sampled":     sampled,
		"placed":      placed,
		"extents":     extents,
		"lines":       lines,
		"answer":      func() string { return answer(a, hz) },
		"noBound":     noBound,
		"others":      func() string { return notForMachine(a) },
		"device": func(d *estimate.Device) (string, error) {
			var text strings.Builder
			p := &printer{w: &text}
			device(p, d)
			return text.String(), p.err
		},
		"mean": func(mean float64) int64 { return int64(mean + 0.5) },
	}).Parse(analysisPage)
	if err != nil {
		return err
	}
	longest := int64(1)
	for _, e := range a.Estimates {
		longest = max(longest, e.Cycles)
	}
	if a.Observed != nil {
		longest = max(longest, a.Observed.Max)
	}
	return page.Execute(w, struct {
		*estimate.Analysis
		Longest int64
		MHz     string
	}{a, longest, fmt.Sprintf("%.4g MHz", hz/1e6)})
}
