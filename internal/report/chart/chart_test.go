package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/test/goldentest"
)

// samples are charts of each kind.
func samples() map[string]string {
	arcs := []Arc{{From: 0, To: 1, Count: 1}, {From: 1, To: 1, Count: 9}, {From: 1, To: 2, Count: 1}, {From: 0, To: 2, Class: "divergent"}}
	return map[string]string{
		"estimates": string(Estimates([]Mark{
			{Name: "longest run", Class: "seen", Cycles: 1520, Path: "observed.max"},
			{Name: "hybrid/phases", Class: "observed", Cycles: 1623, Path: "estimates.0.cycles", Note: "+7 %"},
			{Name: "static/greedy", Class: "proven", Cycles: 2210, Path: "estimates.1.cycles"},
		}, Bins{From: 1408, Width: 16, Counts: []int64{1, 0, 4, 30, 12, 2, 0, 1}, Path: "times.counts"}, 2000)),
		"estimates-logarithmic": string(Estimates([]Mark{
			{Name: "longest run", Class: "seen", Cycles: 1520, Path: "observed.max"},
			{Name: "a <b> & \"c\"", Class: "proven", Cycles: 1622110, Path: "estimates.0.cycles"},
		}, Bins{}, 0)),
		"lines": string(Lines([]Line{
			{Name: "longest run", At: []int{1, 2, 5, 10}, Values: []int64{900, 1000, 1000, 1020}, Path: "estimates.0.convergence", Field: "observed"},
			{Name: "hybrid/phases", At: []int{1, 2, 5, 10}, Values: []int64{950, 1030, 1100, 1025}, Path: "estimates.0.convergence", Field: "cycles"},
		})),
		"flow": string(Flow([]Node{
			{Name: "entry", Note: "a.cu:3", Heat: 0.1, Count: 1, Link: "#l3"}, {Name: "LOOP", Note: "a.cu:5", Heat: 0.9, Count: 10, Link: "#l5"},
			{Name: "END", Note: "a.cu:9", Count: 1, Link: "#l9"},
		}, arcs)),
		"timeline": string(Timeline([]Row{{"CTA 0, warp 0", "aab bb"}, {"CTA 0, warp 1", "abbbbb"}}, []string{"issue", "memory"}, 10, 58,
			map[int]string{0: "SM 0"}, []Stop{{0, 0, 20, ""}, {-1, 20, 30, ""}, {1, 30, 58, ""}})),
	}
}

// TestCharts compares charts with those that were looked at, and checks that they are well-formed.
func TestCharts(t *testing.T) {
	for name, text := range samples() {
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "%!") {
			t.Errorf("%s: %s", name, text)
		}
		file := filepath.Join("testdata", name+".svg")
		goldentest.Check(t, file, text)
	}
}

// TestAxis: all values are on the axis in their order, and ticks are few and within it.
func TestAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.Int64Range(0, 1<<rapid.IntRange(0, 50).Draw(t, "bits")).Draw(t, "value"))
		}), 1, 6).Draw(t, "values")
		a := newAxis(values, 100, 500)
		for _, v := range values {
			x := a.at(v)
			if math.IsNaN(x) || x < 100 || x > 500 {
				t.Fatalf("%g is at %g", v, x)
			}
			for _, w := range values {
				if v < w && x > a.at(w) {
					t.Fatalf("%g is at %g, and %g at %g", v, x, w, a.at(w))
				}
			}
		}
		ticks := a.ticks()
		if len(ticks) < 1 || len(ticks) > 20 {
			t.Fatalf("%d ticks from %g to %g", len(ticks), a.from, a.to)
		}
		for _, tick := range ticks {
			if x := a.at(tick); x < 100-1e-6 || x > 500+1e-6 {
				t.Fatalf("tick %g is at %g", tick, x)
			}
		}
	})
}

// TestSpread: names of lines do not overlap.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []Line
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			lines = append(lines, Line{Values: []int64{rapid.Int64Range(0, 200).Draw(t, "value")}})
		}
		at := spread(lines, func(v float64) float64 { return v }, 0, 200)
		for i := range at {
			for j := range at[:i] {
				if math.Abs(at[i]-at[j]) < 15-1e-9 {
					t.Fatalf("names at %v", at)
				}
			}
		}
	})
}

// TestCycles separates groups of three digits.
func TestCycles(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", -1000: "-1,000", -999: "-999", 1234567: "1,234,567", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := Cycles(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
