package vec

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSpread compares with the loop, on lanes that differ in few bits.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var v Vector
		v.Fill(rapid.Uint64().Draw(t, "all"))
		for range rapid.IntRange(0, 3).Draw(t, "differences") {
			v[rapid.IntRange(0, Lanes-1).Draw(t, "lane")] ^= 1 << rapid.IntRange(0, 63).Draw(t, "bit")
		}
		if got, want := Spread(&v), spread(&v); got != want {
			t.Fatalf("0x%x, want 0x%x", got, want)
		}
	})
}
