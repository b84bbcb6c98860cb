package llc

import (
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
)

// TestLinesOfOneWord compares the lines of words of local memory with those that lanes touch, one after the other.
func TestLinesOfOneWord(t *testing.T) {
	builtin := fermi(t)
	rapid.Check(t, func(t *rapid.T) {
		m := *builtin
		m.SM.WarpSize.Value = rapid.SampledFrom([]int64{1, 2, 8, 32, 64}).Draw(t, "width")
		m.L1.Line.Value = rapid.SampledFrom([]int64{4, 32, 64, 128, 512}).Draw(t, "line")
		l := newLayout(&m)
		lanes := rapid.Uint64().Draw(t, "lanes") & (^uint64(0) >> (64 - l.width))
		p := place{sm: rapid.IntRange(0, 14).Draw(t, "sm"), slot: rapid.IntRange(0, 47).Draw(t, "slot")}
		word := rapid.Uint64Range(0, 100).Draw(t, "word")
		var touched []line
		for number := range int(l.width) {
			if lanes>>number&1 != 0 {
				touched, _ = l.local(touched, 0, &access{bytes: localWord}, &p, &lane{number: number}, abi.LocalBase+word*localWord)
			}
		}
		if got := l.ofOneWord(lanes); got != int64(len(touched)) {
			t.Fatalf("%d lines, want %d", got, len(touched))
		}
	})
}
