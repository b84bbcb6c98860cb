package flowtest

import (
	"pgregory.net/rapid"

	"warpbound/internal/flow/strided"
)

// DrawInterval draws a strided interval of a width in bits, of whose words some bits may be known, with a word
// of it.
func DrawInterval(t *rapid.T, width int, name string) (set strided.Interval, word uint64) {
	m := strided.Mask(width)
	step := rapid.Uint64Range(0, m).Draw(t, name+" step")
	if rapid.Bool().Draw(t, name+" small") {
		step %= 9
	}
	n := uint64(0)
	if step > 0 {
		n = rapid.Uint64Range(0, m/step).Draw(t, name+" n")
	}
	set = strided.FromSpan(width, rapid.Uint64Range(0, m).Draw(t, name+" lo"), n*step, step)
	k := uint64(0)
	if set.Count() > 0 {
		k = rapid.Uint64Range(0, set.Count()).Draw(t, name+" k")
	}
	word = (set.Base() + k*set.Step()) & m
	if rapid.IntRange(0, 2).Draw(t, name+" bits") == 0 {
		zeros, ones := rapid.Uint64Range(0, m).Draw(t, name+" zeros"), rapid.Uint64Range(0, m).Draw(t, name+" ones")
		set = set.WithKnownBits(zeros&^word, ones&word)
	}
	return set, word
}
