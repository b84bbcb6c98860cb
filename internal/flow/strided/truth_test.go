package strided

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The least and the greatest word that a truth table gives for intervals are exact.
func TestLogicIsExactForIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := TruthTable(rapid.Uint8().Draw(t, "table"))
		var of [3]Interval
		for i := range of {
			lo := rapid.Uint64Range(0, 15).Draw(t, fmt.Sprint(i, " lo"))
			step := rapid.SampledFrom([]uint64{0, 1, 2, 4, 8}).Draw(t, fmt.Sprint(i, " step"))
			of[i] = FromSpan(4, lo, rapid.Uint64Range(0, 15-lo).Draw(t, fmt.Sprint(i, " span")), step)
		}
		lo, hi := uint64(15), uint64(0)
		for a := range uint64(16) {
			for b := range uint64(16) {
				for c := range uint64(16) {
					if of[0].Contains(a) && of[1].Contains(b) && of[2].Contains(c) {
						x := table.applyToWords(a, b, c) & 15
						lo, hi = min(lo, x), max(hi, x)
					}
				}
			}
		}
		if l, h := table.extremeWord(of, 0), table.extremeWord(of, 1); l != lo || h != hi {
			t.Fatalf("table %08b of %v: from %d to %d, want %d to %d", table, of, l, h, lo, hi)
		}
	})
}
