package kernelgen

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What computes a uniform word has no guard, whose condition could differ among threads, and loads from local memory only
// what it has stored.
func TestUniformWords(t *testing.T) {
	local := 0
	for seed := range uint64(300) {
		g := &generator{Source: rand.New(rand.NewPCG(seed, 0)), opts: Options{Features: Fixed | Bits | Products | Halves | Tables | Local}}
		g.knownWord(true)
		text := g.text.String()
		if strings.Contains(text, "@") {
			t.Errorf("seed %d: a guard in\n%s", seed, text)
		}
		if strings.Contains(text, "ld.local") {
			local++
			if strings.Count(text, "st.local") < 3 {
				t.Errorf("seed %d: a place of local memory is not stored to\n%s", seed, text)
			}
		}
	}
	if local < 10 {
		t.Errorf("%d of 300 words go through local memory", local)
	}
}
