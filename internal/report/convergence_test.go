package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"warpbound/estimate"
)

// TestConvergence shows why there are no more runs, in lines of 100 columns at most.
func TestConvergence(t *testing.T) {
	reached := &estimate.Reached{Pos: "kernels/bfs/bfs.ptx:56:2", What: "whether threads execute an instruction"}
	for _, c := range []struct {
		of   *estimate.Convergence
		want string
	}{
		{nil, ""},
		{&estimate.Convergence{Vectors: 1000, Runs: 1, LastNew: 1, Stopped: estimate.StoppedInvariant},
			"One run stands for all 1,000 test vectors: no sampled input reaches a branch, an address, or\n" +
				"whatever else time depends on, so that each takes the same time (proven)."},
		{&estimate.Convergence{Vectors: 5000, Runs: 2000, LastNew: 1000, Stopped: estimate.StoppedStable},
			"Stopped after 2,000 of 5,000 test vectors: nothing new since vector 1,000.\n" +
				"This is no proof: other inputs may show more."},
		{&estimate.Convergence{Vectors: 60, Runs: 60, LastNew: 13, Stopped: estimate.StoppedAtLimit, Reached: reached},
			"Not stable after 60 test vectors: vector 13 still showed something new.\nMore vectors may show more (--vectors).\n" +
				"Inputs can change whether threads execute an instruction, first at kernels/bfs/bfs.ptx:56:2."},
	} {
		text := Convergence(c.of)
		if text != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.of, text, c.want)
		}
		for line := range strings.Lines(text) {
			if len(line) > 100 {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
		a := &estimate.Analysis{Convergence: c.of, Observed: &estimate.Observation{}}
		var page, plain bytes.Buffer
		if err := HTML(&page, a, nil, 1); err != nil {
			t.Fatal(err)
		}
		if err := Details(&plain, a, nil, 1); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), text) || !strings.Contains(plain.String(), text) {
			t.Errorf("%s\n%s\ndo not say %s", page.String(), plain.String(), text)
		}
	}
}

// TestSeriesColours: each line of the chart has a colour of its own, those of all measured estimates and of the longest run.
func TestSeriesColours(t *testing.T) {
	lines := []string{"longest run", "hybrid/phases", "hybrid/warp", "hybrid/dynamic", "hybrid/waves", "hybrid/list", "hybrid/placements"}
	for i, name := range lines {
		class := fmt.Sprintf(".n%d { color: var(--n%d); }", i, i)
		if colours := strings.Count(pageCSS, fmt.Sprintf("--n%d:", i)); colours != 2 || !strings.Contains(pageCSS, class) {
			t.Errorf("line %d, %s, has %d colours, in light and dark, and the class %q", i, name, colours, class)
		}
	}
}
