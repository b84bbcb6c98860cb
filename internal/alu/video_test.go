package alu

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/arithmetic"
	"warpbound/internal/test/effort"
	"warpbound/internal/vec"
)

// TestParted compares operations on all parts of pairs and quadruples at once with those on one part after another.
func TestParted(t *testing.T) {
	for _, seed := range effort.Draw(t, 120_000) {
		r := rand.New(rand.NewPCG(seed, 19))
		in, n := arithmetic.DrawVideo(r)
		in.Src = make([]isa.Operand, n)
		if !isVideo(&in) || in.Video.Parts == 1 {
			continue
		}
		fast := vec.PartedWord(parted(&in))
		if fast == nil {
			t.Skip("the processor has no vector instructions that are used")
		}
		rows := make([][3]uint64, lanes)
		for i := range rows {
			rows[i] = [3]uint64{value(r, isa.U32), value(r, isa.U32), value(r, isa.U32)}
		}
		want := videoParts(&in).results(rows, separate)
		for place := range 4 {
			got := lanewise{word: WordFunc(fast)}.results(rows, place)
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s %+v of %x is 0x%x, want 0x%x (place %d)", &in, *in.Video, rows[i], got[i], want[i], place)
				}
			}
		}
	}
}

// TestVideoPlaces checks that operations on one part of each source may have their result in place of a source.
func TestVideoPlaces(t *testing.T) {
	for _, seed := range effort.Draw(t, 40_000) {
		r := rand.New(rand.NewPCG(seed, 20))
		in, n := arithmetic.DrawVideo(r)
		in.Src = make([]isa.Operand, n)
		f := videoFor(&in)
		if f.none() {
			continue
		}
		rows := make([][3]uint64, lanes)
		for i := range rows {
			rows[i] = [3]uint64{value(r, isa.U32), value(r, isa.U32), value(r, isa.U32)}
		}
		want := f.results(rows, separate)
		for place := range 3 {
			if got := f.results(rows, place); got != want {
				t.Fatalf("%s %+v of %x is %x, want %x (place %d)", &in, *in.Video, rows, got, want, place)
			}
		}
	}
}
