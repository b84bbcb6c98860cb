package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"warpbound/estimate"
)

// TestSavePlots writes two figures, and none if one of them cannot be drawn.
func TestSavePlots(t *testing.T) {
	dir := t.TempDir()
	plots := []estimate.Plot{
		{File: "fig1", Positions: []string{"a"}, Series: []estimate.Series{{Name: "s", Values: []float64{1}}}},
		{File: "fig2", Positions: []string{"a"}, Series: []estimate.Series{{Name: "s", Values: []float64{2}}}, Bars: true},
	}
	if err := savePlots(dir, plots); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fig1.svg", "fig2.svg"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Contains(text, []byte("<svg")) {
			t.Errorf("%s: %v, %.80s", name, err, text)
		}
	}
	broken := t.TempDir()
	plots[1].Series[0].Values = nil
	if err := savePlots(broken, plots); err == nil {
		t.Error("a figure without values is drawn")
	}
	if left, err := os.ReadDir(broken); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
