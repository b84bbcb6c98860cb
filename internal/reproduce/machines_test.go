package reproduce

import (
	"math"
	"strings"
	"testing"
)

// TestMachines holds gtx480 against GPGPU-Sim. Whoever changes a number of the machine or the simulator sees here, and on
// docs/machine-model/gtx480.md, what comes of it.
func TestMachines(t *testing.T) {
	r, err := Machines(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Examples {
		if !e.OK {
			t.Errorf("%s: %s, want %s", e.Name, e.Ours, e.Paper)
		}
	}
	if len(r.Examples) != 9 || len(r.Tables) != 1 || len(r.Tables[0].Rows) != 6+15 {
		t.Errorf("%d examples, %d tables", len(r.Examples), len(r.Tables))
	}
	if r, err = Machines(t.Context(), Options{ExamplesOnly: true}); err != nil || len(r.Examples) != 6 || len(r.Tables) != 0 {
		t.Errorf("only what sets numbers: %+v, %v", r, err)
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
