package scoreboard

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCalendar lets warps issue, wait and leave at random, and compares the calendar with a look at all of them.
func TestCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c calendar
		c.reset()
		var warps []*warp
		schedule := func(i int, now int64) {
			wait := rapid.SampledFrom([]int64{1, 2, 5, horizon - 1, horizon, horizon + 1, 3 * horizon, never}).Draw(t, "wait")
			if warps[i].at = never; wait != never {
				warps[i].at = now + wait
			}
			warps[i].next = &step{memory: rapid.Bool().Draw(t, "memory")}
			c.set(i, warps[i].at, warps[i].next.memory)
		}
		now := int64(0)
		for range 50 {
			if c.tick(now) {
				c.leap(now, warps)
			}
			due := int64(never)
			for i, w := range warps {
				if ripe := w.at <= now; c.ripe>>i&1 != 0 != ripe {
					t.Fatalf("cycle %d, warp %d: ripe %v, want %v", now, i, !ripe, ripe)
				}
				if c.memory>>i&1 != 0 != w.next.memory {
					t.Fatalf("cycle %d, warp %d: needs the unit %v", now, i, !w.next.memory)
				}
				if w.at > now {
					due = min(due, w.at)
				}
			}
			if got := c.due(); got != due {
				t.Fatalf("cycle %d: the next warp is ripe in %d, want %d", now, got, due)
			}
			if i := slices.IndexFunc(warps, func(w *warp) bool { return w.at == due }); c.ripe == 0 && i >= 0 && c.first(due, warps) != i {
				t.Fatalf("cycle %d: warp %d is ripe first, want %d", now, c.first(due, warps), i)
			}
			for i := len(warps) - 1; i >= 0; i-- {
				switch {
				case warps[i].at > now && warps[i].at != never:
				case rapid.IntRange(0, 7).Draw(t, "leaves") == 0:
					c.ripe &^= 1 << i
					c.remove(i)
					warps = slices.Delete(warps, i, i+1)
				case rapid.Bool().Draw(t, "issues"):
					c.ripe &^= 1 << i
					schedule(i, now)
				}
			}
			if len(warps) < calendarSize && rapid.Bool().Draw(t, "comes") {
				warps = append(warps, &warp{})
				schedule(len(warps)-1, now)
			}
			now += rapid.SampledFrom([]int64{1, 1, 1, 2, horizon - 1, horizon, horizon + 1, 5 * horizon}).Draw(t, "later")
		}
	})
}
