package isa

import "testing"

// TestModifiers checks that each rounding mode is one modifier, and what a set allows.
func TestModifiers(t *testing.T) {
	for r := RoundDefault; r <= RoundIntRP; r++ {
		in := Instr{Round: r}
		if m := in.Modifiers(); (m == 0) != (r == RoundDefault) || m&(m-1) != 0 || m&^ModRound != 0 {
			t.Errorf("rounding mode %d has the modifiers %#x", r, m)
		}
	}
	in := Instr{Round: RoundRZ, FTZ: true, Permute: PermuteRC8}
	if got, want := in.Modifiers(), ModDirected|ModFTZ|ModPermute; got != want {
		t.Errorf("modifiers %#x, want %#x", got, want)
	}
	if !in.HasOnly(ModRound|ModFTZ|ModPermute|ModSat) || in.HasOnly(ModRound|ModFTZ) {
		t.Error("a set allows what it does not hold, or not what it holds")
	}
}
