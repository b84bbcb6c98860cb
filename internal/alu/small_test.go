package alu

import (
	"math"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
)

// smallConversions returns rounders to all formats of at most 8 bits, with and without negative results.
func smallConversions(infinity float64) []*rounder {
	var list []*rounder
	for _, t := range []isa.Type{isa.E4M3x2, isa.E5M2x2, isa.E2M1x2, isa.E2M3x2, isa.E3M2x2} {
		for _, relu := range []bool{false, true} {
			f, _ := smallOf(t)
			list = append(list, f.rounding(infinity, &isa.Instr{Type: t, Round: isa.RoundRN, Finite: true, Relu: relu}))
		}
	}
	return list
}

// TestRoundingByTable compares what tables give with what is computed.
func TestRoundingByTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for n, r := range smallConversions(math.Inf(1)) {
		for range 500 {
			var a, b, upper, lower, got Words
			for i := range a {
				a[i], b[i] = rnd.Uint32(), uint32(value(rnd, isa.F32))
			}
			r.narrowRange(&upper, &a)
			r.narrowRange(&lower, &b)
			r.pair(&got, &a, &b, 1<<8)
			for i := range got {
				if want := upper[i]<<8 | lower[i]; got[i] != want {
					t.Fatalf("rounder %d of %x and %x gives %x, want %x", n, a[i], b[i], got[i], want)
				}
			}
		}
	}
}

// TestRoundingOfHalves does the same for all numbers in half precision.
func TestRoundingOfHalves(t *testing.T) {
	for n, r := range smallConversions(65536) {
		f := ofHalves(8, r)
		for first := uint32(0); first < 1<<16; first += lanes {
			var a, upper, lower, got Words
			for i := range a {
				x := first + uint32(i)
				a[i], lower[i], upper[i] = x|x<<11<<16, halfWord(x), halfWord(x<<11)
			}
			f.word(&got, &a, nil, nil)
			r.narrowRange(&upper, &upper)
			r.narrowRange(&lower, &lower)
			for i := range got {
				if want := upper[i]<<8 | lower[i]; got[i] != want {
					t.Fatalf("rounder %d of %08x gives %x, want %x", n, a[i], got[i], want)
				}
			}
		}
	}
}
