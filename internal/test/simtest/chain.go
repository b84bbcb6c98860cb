package simtest

import (
	"reflect"
	"slices"
	"testing"

	"warpbound/internal/causes"
	"warpbound/internal/sim"
)

// Chain runs a launch with its chain of causes: all else must be as it is without, in plain, and the chain must tile the run. It must be
// the same in used storage and if the log of events is small. shrink makes that of a simulator small.
func Chain(t testing.TB, plain *Observation, n New, cfg sim.Config, prepare Prepare, shrink func(Simulator)) {
	t.Helper()
	cfg.Chain = true
	s := Make(t, n, cfg)
	first := Observe(t, s, prepare)
	chain := slices.Clone(first.Chain)
	Same(t, "with the chain of causes", plain, first)
	Tiles(t, first.Result)
	shrink(s)
	if again := Observe(t, s, prepare); !reflect.DeepEqual(chain, again.Chain) {
		t.Errorf("the chain of causes is %v, and %v with a small log", chain, again.Chain)
	}
}

// Tiles checks that the chain of causes of a run tiles it, with a number or -1 for who is concerned, and that at most 1 % of its cycles are unexplained.
func Tiles(t testing.TB, r *sim.Result) {
	t.Helper()
	at, other := int64(0), int64(0)
	for _, s := range r.Chain {
		if s.From != at || s.To <= s.From {
			t.Fatalf("segment %+v in the chain of causes follows cycle %d", s, at)
		}
		if min(s.SM, s.CTA, s.Warp) < -1 {
			t.Fatalf("segment %+v: what is not concerned is -1", s)
		}
		at = s.To
		if s.Kind == causes.Other {
			other += s.To - s.From
		}
	}
	if at != r.Cycles || 100*other > at {
		t.Errorf("the chain of causes covers %d of %d cycles, %d of them unexplained", at, r.Cycles, other)
	}
}
