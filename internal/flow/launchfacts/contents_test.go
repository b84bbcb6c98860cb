package launchfacts_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/test/flowtest"
)

// What lies in memory is in the set of what may lie there.
func TestContents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		each := rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "each")
		set, _ := flowtest.DrawInterval(t, 8*each, "elements")
		set = set.WithKnownBits(0, 0)
		count := rapid.IntRange(1, 12).Draw(t, "count")
		data := make([]byte, 0, count*each)
		for range count {
			word := set.Base() + set.Step()*rapid.Uint64Range(0, set.Count()).Draw(t, "element")
			data = append(data, binary.LittleEndian.AppendUint64(nil, word)[:each]...)
		}
		bytes := rapid.SampledFrom([]int{1, 2, 4, 8}).Filter(func(n int) bool { return n <= len(data) }).Draw(t, "bytes")
		first := rapid.IntRange(0, len(data)-bytes).Draw(t, "first")
		step := rapid.IntRange(1, 9).Draw(t, "step")
		n := rapid.IntRange(0, (len(data)-bytes-first)/step).Draw(t, "steps")
		offsets := strided.FromSpan(64, uint64(first), uint64(n*step), uint64(step))
		at := first + step*rapid.IntRange(0, n).Draw(t, "at")
		word := binary.LittleEndian.Uint64(append(slices.Clone(data[at:at+bytes]), make([]byte, 8)...))
		for _, c := range []launchfacts.Contents{{Each: each, Set: set}, {Each: each, Data: data}} {
			if s, ok := c.WordsAt(offsets, bytes); ok && (!s.Contains(word) || s.Bits() != 8*bytes) {
				t.Fatalf("%#x at %d is not in %s", word, at, s)
			}
		}
	})
}

// Machine files may have CTAs of more threads than devices.
func TestThreadsOfABarrier(t *testing.T) {
	for block, want := range map[[3]int]int{{}: 1024, {2048, 1, 1}: 2048, {8, 4, 2}: 64} {
		if got := (&launchfacts.Launch{Block: block}).MaxThreads(); got != want {
			t.Errorf("%v: %d threads, want %d", block, got, want)
		}
	}
}
