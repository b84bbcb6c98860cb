package calibrate

import (
	"fmt"
	"math"
	"slices"
)

// Measurement is what one microbenchmark gave. Nothing is left out of its samples.
type Measurement struct {
	Name    string // for example "int-add.latency"
	What    string
	Unit    string
	Samples []float64 // one for each run, in their order
}

// Median returns the middle of the samples, which outliers do not move.
func (m *Measurement) Median() float64 { return median(m.Samples) }

// Min and Max return the spread of the samples.
func (m *Measurement) Min() float64 { return slices.Min(m.Samples) }
func (m *Measurement) Max() float64 { return slices.Max(m.Samples) }

// Outliers returns how many samples are further from the median than three times the
// median distance from it, scaled as for a normal distribution.
func (m *Measurement) Outliers() int {
	mid := m.Median()
	var distances []float64
	for _, s := range m.Samples {
		distances = append(distances, math.Abs(s-mid))
	}
	limit := 3 * 1.4826 * median(distances)
	n := 0
	for _, d := range distances {
		if d > limit && d > 1e-9 {
			n++
		}
	}
	return n
}

func median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// positive is an error unless the median is positive and finite: something on the device, or
// its compiler, undid the microbenchmark.
func (m *Measurement) positive() error {
	if v := m.Median(); !(v > 0) || math.IsInf(v, 0) {
		return fmt.Errorf("microbenchmark %s gives %v %s, which cannot be", m.Name, v, m.Unit)
	}
	return nil
}

// source says where a number comes from that was measured.
func (m *Measurement) source() string {
	text := fmt.Sprintf("measured by calibrate: %s, %d runs, %s..%s", m.What, len(m.Samples), short(m.Min()), short(m.Max()))
	if n := m.Outliers(); n > 0 {
		text += fmt.Sprintf(", median %s, %d outliers", short(m.Median()), n)
	} else if m.Min() != m.Max() {
		text += ", median " + short(m.Median())
	}
	return text
}

// short prints a number with at most four digits behind the point.
func short(v float64) string {
	return fmt.Sprint(math.Round(v*1e4) / 1e4)
}
