package split_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"warpbound"
	"warpbound/internal/test/goldentest"
	"warpbound/kernels"
)

// TestTerms holds bounds and their terms against those that are written down: a term that is left out or counted twice changes the
// text even where no run shows it.
func TestTerms(t *testing.T) {
	var b strings.Builder
	for _, mode := range []string{"none", "dws", "pws"} {
		for _, kernel := range []string{"bitonicSort", "bfs", "petriSmall", "substringSearch", "ludPerimeter", "sradCoefficient"} {
			j, err := warpbound.LoadFS(kernels.Suite(), kernel+"/job.toml", warpbound.LoadOptions{Machine: "gcn3-split"})
			if err != nil {
				t.Fatal(err)
			}
			if j, err = j.Split(warpbound.SplitOptions{Mode: mode, Branches: []string{"all"}}); err != nil {
				t.Fatal(err)
			}
			a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + mode}})
			if err != nil {
				t.Fatalf("%s, %s: %v", kernel, mode, err)
			}
			e := &a.Estimates[0]
			text, err := json.Marshal(e.Detail)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s, %s: %d cycles %s\n", kernel, e.Method, e.Cycles, text)
			sum := int64(0)
			for _, s := range e.Breakdown {
				if sum += s.Cycles; s.Cycles <= 0 {
					t.Errorf("%s, %s: %s takes %d cycles of the bound", kernel, e.Method, s.Name, s.Cycles)
				}
			}
			if sum != e.Cycles {
				t.Errorf("%s, %s: the breakdown has %d cycles of %d", kernel, e.Method, sum, e.Cycles)
			}
		}
	}
	goldentest.Check(t, "testdata/terms.txt", b.String())
}
