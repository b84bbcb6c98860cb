package greedy

import (
	"testing"

	"warpbound/internal/saturating"
)

// TestTraffic checks what SMs send whose L1s fetch fewer lines than are loaded, also where sums do not fit into 63 bits.
func TestTraffic(t *testing.T) {
	m := &model{header: 1, full: 3}
	a := &analysis{model: m}
	s := a.noSums()
	s[fills], s[sent], s[received] = saturating.Max, saturating.Max, saturating.Max
	if got := a.traffic(s, 2, saturating.Max); got.out != saturating.Max || got.in != saturating.Max || got.fills != 2 {
		t.Errorf("traffic %+v, want the greatest number of flits and 2 lines", got)
	}
	s[fills], s[sent], s[received] = 10, 5, 7
	if got := a.traffic(s, 2, saturating.Max); got.fills != 2 || got.out != 7 || got.in != 13 {
		t.Errorf("traffic %+v, want that of 2 loads of 10", got)
	}
}

// TestAlternatives checks that loads that hit take nothing away from what another alternative sends: one loads ten lines, the other stores one.
func TestAlternatives(t *testing.T) {
	a := &analysis{model: &model{header: 1, full: 10}}
	load, store := a.noSums(), a.noSums()
	load[fills] = 10
	store[requests], store[sent], store[received] = 1, 10, 1
	load.atLeast(store)
	if got := a.traffic(load, 1, saturating.Max); got.out < 10 {
		t.Errorf("%d flits, and the store has 10", got.out)
	}
}
