package reproduce

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/report"
	"warpbound/internal/test/goldentest"
	"warpbound/internal/test/pagetest"
)

// TestMachines holds gtx480 against GPGPU-Sim, and chips against what sets their numbers. Whoever
// changes a number of a machine or the simulator sees here, and on docs/machine-model/gtx480.md and
// chips.md, what comes of it.
func TestMachines(t *testing.T) {
	r, err := Machines(t.Context(), Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	checkLabels(t, r)
	const chipExamples = 6*9 + 2*10 // of chips, and of strides
	for i, e := range r.Examples {
		if !e.OK && i < len(r.Examples)-1 { // what checks chips is not met
			t.Errorf("%s: %s, want %s", e.Name, e.Ours, e.Paper)
		}
	}
	if len(r.Examples) != 6+chipExamples+3+1 || len(r.Tables) != 3 || len(r.Tables[0].Rows) != 6+15 || len(r.Tables[2].Rows) != len(chipNames) {
		t.Errorf("%d examples, %d tables", len(r.Examples), len(r.Tables))
	}
	unchecked := 0
	for _, row := range r.Tables[2].Rows {
		if row[2] == "unchecked" {
			unchecked++
		}
	}
	if unchecked != 9 {
		t.Errorf("chips: %v", r.Tables[2].Rows)
	}
	checkPages(t, r)
	only := compareFigures(machineFigures(Options{ExamplesOnly: true, Quick: true}))
	if len(only.Examples) != 6+chipExamples || len(only.Tables) != 0 {
		t.Errorf("only what sets numbers: %d examples", len(only.Examples))
	}
}

// checkPages compares the pages that show parts of what is said of machines. They are compared
// here, and not where other pages are, so that it is made once.
func checkPages(t *testing.T, r *estimate.Reproduction) {
	const command = "warpbound reproduce machines --quick |"
	var text bytes.Buffer
	if err := report.Reproduction(&text, r); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "printed"), text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"chips.md", "gtx480.md"} {
		page = filepath.Join("../../docs/machine-model", page)
		shown, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		goldentest.Check(t, page, pagetest.WithPrinted(t, string(shown), func(shows string) string {
			if !strings.HasPrefix(shows, command) {
				t.Fatalf("%s shows %s, and not what is made here", page, shows)
			}
			return pagetest.Printed(t, strings.Replace(shows, command, "cat printed |", 1), dir)
		}))
	}
}

// TestAgreement finds times that are too far off on average, on one side, or each in another way.
func TestAgreement(t *testing.T) {
	for want, simulated := range map[string][4]float64{
		"yes yes yes": {102, 198, 304, 396},
		"NO yes NO":   {140, 140, 300, 400},
		"NO NO yes":   {130, 260, 390, 520},
		"yes NO yes":  {106, 212, 318, 424},
		"NO NO NO":    {400, 300, 200, 100},
		"yes yes NO":  {115, 178, 330, 372},
	} {
		var all []figure
		for i, n := range simulated {
			all = append(all, figure{measured: 100 * float64(i+1), simulated: n})
		}
		var got []string
		for _, e := range agreement(all) {
			got = append(got, map[bool]string{true: "yes", false: "NO"}[e.OK])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v: %v, want %s", simulated, agreement(all), want)
		}
	}
	all := []figure{{measured: 100, simulated: 90}, {measured: 200, simulated: 240}}
	if absolute, signed := errorsOf(all); math.Abs(absolute-0.15) > 1e-9 || math.Abs(signed-0.05) > 1e-9 {
		t.Errorf("errors %g and %g", absolute, signed)
	}
}
