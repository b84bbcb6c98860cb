package calibrate

import "testing"

func TestMeasurement(t *testing.T) {
	for _, c := range []struct {
		samples  []float64
		median   float64
		outliers int
		source   string
	}{
		{[]float64{4}, 4, 0, "measured by calibrate: chain, 1 runs, 4..4"},
		{[]float64{5, 3, 4}, 4, 0, "measured by calibrate: chain, 3 runs, 3..5, median 4"},
		{[]float64{4, 4, 900, 4, 4}, 4, 1, "measured by calibrate: chain, 5 runs, 4..900, median 4, 1 outliers"},
		{[]float64{1, 2, 3, 4}, 2.5, 0, "measured by calibrate: chain, 4 runs, 1..4, median 2.5"},
		{[]float64{1.0 / 3, 1.0 / 3}, 1.0 / 3, 0, "measured by calibrate: chain, 2 runs, 0.3333..0.3333"},
	} {
		m := Measurement{What: "chain", Samples: c.samples}
		if m.Median() != c.median || m.Outliers() != c.outliers || m.source() != c.source {
			t.Errorf("%v: median %v, %d outliers, %q", c.samples, m.Median(), m.Outliers(), m.source())
		}
	}
}
