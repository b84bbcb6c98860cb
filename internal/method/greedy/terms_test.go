package greedy_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"warpbound/internal/analysis"
	"warpbound/internal/method/greedy"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

var update = flag.Bool("update", false, "write the terms anew")

// TestTerms holds every term of the bounds of a few kernels against those that are written down: a term that is left out or counted by half is
// another one, also where a run would not show it.
func TestTerms(t *testing.T) {
	const file = "testdata/terms.txt"
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
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("terms are other ones than in %s (accept them with -update):\n%s", file, got)
	}
}
