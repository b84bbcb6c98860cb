package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"warpbound/estimate"
)

func TestPlot(t *testing.T) {
	p := estimate.Plot{
		File: "fig", Title: "Reduction <of> the bound", X: "divergent instructions", Y: "reduction in per cent",
		Positions: []string{"0 %", "50 %", "100 %"},
		Series:    []estimate.Series{{Name: "S = 1", Values: []float64{-1, 20, 45}}, {Name: "S = 3", Values: []float64{-2, 35, 70}}},
	}
	for _, bars := range []bool{false, true} {
		p.Bars = bars
		if bars {
			p.Positions[1] = strings.Repeat("wide", 10)
		}
		var first, second bytes.Buffer
		for _, w := range []*bytes.Buffer{&first, &second} {
			if err := Plot(w, &p); err != nil {
				t.Fatal(err)
			}
		}
		if first.String() != second.String() {
			t.Errorf("bars %t: drawn twice the plot is another", bars)
		}
		words := svgText(t, &first)
		for _, want := range []string{p.Title, p.X, p.Y, "0 %", p.Positions[1], "100 %", "S = 1", "S = 3"} {
			if !strings.Contains(words, want) {
				t.Errorf("bars %t: no %q in %q", bars, want, words)
			}
		}
	}
}

// Lines without positions are steps: to the right, then up.
func TestPlotSteps(t *testing.T) {
	p := estimate.Plot{
		File: "best", Title: "best", X: "runs", Y: "cycles",
		Series: []estimate.Series{{Name: "found", At: []float64{1, 40, 100}, Values: []float64{10, 30, 30}}},
	}
	var out bytes.Buffer
	if err := Plot(&out, &p); err != nil {
		t.Fatal(err)
	}
	number := `(-?[0-9.]+)`
	m := regexp.MustCompile("M" + number + "," + number + "L" + number + "," + number + "L" + number + "," + number +
		"L" + number + "," + number + "L" + number + "," + number + `" style="fill:none;stroke:#F15A60`).FindStringSubmatch(out.String())
	if m == nil || m[2] != m[4] || m[3] != m[5] || m[4] == m[6] || m[6] != m[8] {
		t.Errorf("corners %v in\n%s", m, &out)
	}
	if words := svgText(t, &out); !strings.Contains(words, "found") || !strings.Contains(words, "100") {
		t.Error(words)
	}
	p.Series[0].At = p.Series[0].At[:2]
	if err := Plot(io.Discard, &p); err == nil || !strings.Contains(err.Error(), "3 values for 2 positions") {
		t.Error(err)
	}
}

// svgText returns all text of a picture, which must be well-formed.
func svgText(t *testing.T, r io.Reader) string {
	t.Helper()
	var words strings.Builder
	d := xml.NewDecoder(r)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			words.Write(text)
		}
	}
}

func TestPlotRefuses(t *testing.T) {
	for _, values := range [][]float64{{1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		p := estimate.Plot{File: "fig", Positions: []string{"a", "b"}, Series: []estimate.Series{{Name: "s", Values: values}}}
		for _, p.Bars = range []bool{false, true} {
			if err := Plot(io.Discard, &p); err == nil || !strings.HasPrefix(err.Error(), "plot fig: series s") {
				t.Errorf("%v: %v", values, err)
			}
		}
	}
}
