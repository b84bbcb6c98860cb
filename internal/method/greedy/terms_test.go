package greedy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/analysis"
	"warpbound/internal/method/greedy"
	"warpbound/internal/test/goldentest"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

// TestTerms holds every term of the bounds of a few kernels against those that are written down: a term that is left out or counted by half is
// another one, also where a run would not show it.
func TestTerms(t *testing.T) {
	var b strings.Builder
	for _, machine := range []string{"fermi-c2050", "gtx480", "a40", "h100"} {
		for _, kernel := range []string{"vectorAdd", "matrixMul", "histogram64", "substringSearch", "petri", "linkedList", "ludPerimeter"} {
			j := jobtest.Load(t, kernels.Suite(), kernel+"/job.toml", machine)
			a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{greedy.ID}})
			if err != nil {
				fmt.Fprintf(&b, "%s %s %v\n", machine, kernel, err)
				continue
			}
			text, err := json.Marshal(a.Estimates[0].Detail)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s %s\n", machine, kernel, text)
		}
	}
	goldentest.Check(t, "testdata/terms.txt", b.String())
}
