package llc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"warpbound"
	"warpbound/internal/machine"
	"warpbound/internal/method/llc"
	"warpbound/internal/test/goldentest"
)

// TestTerms holds bounds and their terms against those that are written down: a term that is counted twice is another one, also where no run
// shows it.
func TestTerms(t *testing.T) {
	var b strings.Builder
	for _, quota := range []int64{0, 16} { // 0 is without regulators
		for _, kernel := range []string{"bfs", "substringSearch", "bitonicSort", "petriSmall", "linkedList", "sradCoefficient", "insertionSort", "ludDiagonal"} {
			j := on(t, kernel+"/job.toml", func(m *machine.Machine) {
				if m.Regulator.Switch.Value = machine.On; quota == 0 {
					m.Regulator.Switch.Value = machine.Off
				} else {
					m.Regulator.Quota.Value = quota
				}
			})
			a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{llc.Simple.ID()}})
			if err != nil {
				fmt.Fprintf(&b, "%s, quota %d: %v\n", kernel, quota, err)
				continue
			}
			for _, e := range a.Estimates {
				text, err := json.Marshal(e.Detail)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "%s, quota %d, %s: %d cycles %s\n", kernel, quota, e.Method, e.Cycles, text)
			}
		}
	}
	goldentest.Check(t, "testdata/terms.txt", b.String())
}
