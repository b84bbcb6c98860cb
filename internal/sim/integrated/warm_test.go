package integrated

import (
	"testing"

	"warpbound/internal/test/simtest"
)

// TestContinue keeps lines in their order, but for those that are still on their way: then a set has places that are free, and
// nothing is displaced before they are used.
func TestContinue(t *testing.T) {
	m := *fermi(t)
	m.LLC.Sets.Value, m.LLC.Ways.Value = 2, 4
	sims := make([]*Sim, 2)
	for i := range sims {
		var err error
		if sims[i], err = New(simtest.Config(&m, simtest.Compile(t, "ret;"))); err != nil {
			t.Fatal(err)
		}
		simtest.Observe(t, sims[i], launch(t, 1, 32))
	}
	before, after := sims[0], sims[1]
	before.llc.Reset()
	for n, arrives := range map[uint64]int64{0: 0, 2: never, 4: 0, 6: 0, 1: never} {
		before.llc.Insert(n, shared{arrives: arrives, readers: 1, dirty: n == 4})
	}
	for _, n := range []uint64{0, 4, 2, 6} { // so that 6 is the line used last
		before.llc.Use(n)
	}
	after.Continue(before)
	after.llc.Reset()
	after.warmUp()
	for i, want := range []uint64{6, 4, 0} {
		if l := after.llc.Set(0)[i]; l.Number != want || !l.Valid || l.State != (shared{dirty: want == 4}) {
			t.Errorf("place %d has %+v, want line %d", i, l, want)
		}
	}
	if after.llc.Find(2) != nil || after.llc.Find(1) != nil {
		t.Error("a line on its way is there")
	}
	if victim := after.llc.Insert(8, shared{}); victim.Valid {
		t.Errorf("line %d is displaced where a place is free", victim.Number)
	}
	if victim := after.llc.Insert(10, shared{}); !victim.Valid || victim.Number != 0 {
		t.Errorf("%+v is displaced, want line 0", victim)
	}
}
