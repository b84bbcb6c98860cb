package core

import "testing"

// TestWaves: every CTA is in one slot of one SM in one wave, in slots that the SM uses.
func TestWaves(t *testing.T) {
	for _, w := range []waves{{1, 1, 1}, {1, 3, 2}, {2, 3, 1}, {3, 3, 4}, {7, 3, 2}, {100, 14, 8}} {
		times := make([]int, w.ctas)
		for sm := range w.sms {
			if used := w.used(sm); used > w.slots || used > 0 && w.cta(0, sm, used-1) >= w.ctas {
				t.Errorf("%+v: SM %d uses %d slots", w, sm, used)
			}
			for wave := range w.ctas {
				for slot := range w.used(sm) {
					if i := w.cta(wave, sm, slot); i < w.ctas {
						times[i]++
					}
				}
			}
		}
		for i, n := range times {
			if n != 1 {
				t.Errorf("%+v: CTA %d is executed %d times", w, i, n)
			}
		}
	}
}
