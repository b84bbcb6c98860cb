package scoreboard

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCalendar lets warps of two schedulers come, issue, wait and leave at random, and compares the calendar with a
// look at all of them.
func TestCalendar(t *testing.T) {
	fields := [2]uint64{1<<5 - 1, (1<<4 - 1) << 5}
	rapid.Check(t, func(t *rapid.T) {
		var c calendar
		c.reset()
		var warps [len(fields)][]*warp // from the oldest to the youngest
		schedule := func(w *warp, now int64) {
			wait := rapid.SampledFrom([]int64{1, 2, 5, horizon - 1, horizon, horizon + 1, 3 * horizon, never}).Draw(t, "wait")
			if w.at = never; wait != never {
				w.at = now + wait
			}
			w.next = &step{memory: rapid.Uint8Range(0, 1).Draw(t, "memory")}
			c.set(int(w.pos), w.at, w.next.memory)
		}
		now := int64(0)
		for range 50 {
			if c.tick(now) {
				c.leap(now)
			}
			soonest := int64(never)
			for f, field := range fields {
				due, last := int64(never), int32(-1)
				for i, w := range warps[f] {
					if c.warps[w.pos] != w || field>>w.pos&1 == 0 || w.pos <= last {
						t.Fatalf("cycle %d, warp %d of %d: stands at %d", now, i, f, w.pos)
					}
					last = w.pos
					if ripe := w.at <= now; c.ripe>>w.pos&1 != 0 != ripe {
						t.Fatalf("cycle %d, warp %d of %d: ripe %v, want %v", now, i, f, !ripe, ripe)
					}
					if c.memory>>w.pos&1 != 0 != (w.next.memory != 0) {
						t.Fatalf("cycle %d, warp %d of %d: needs the unit %v", now, i, f, w.next.memory == 0)
					}
					if w.at > now {
						due = min(due, w.at)
					}
				}
				if i := slices.IndexFunc(warps[f], func(w *warp) bool { return w.at == due }); c.ripe&field == 0 && i >= 0 && c.first(field) != warps[f][i] {
					t.Fatalf("cycle %d: warp %d of %d is not the first that is ripe", now, i, f)
				}
				soonest = min(soonest, due)
			}
			if got := c.due(); got != soonest {
				t.Fatalf("cycle %d: the next warp is ripe in %d, want %d", now, got, soonest)
			}
			for f, field := range fields {
				for i := len(warps[f]) - 1; i >= 0; i-- {
					w := warps[f][i]
					if w.at > now && w.at != never {
						continue
					}
					switch rapid.SampledFrom([]string{"waits", "waits", "waits", "issues", "issues", "issues", "leaves"}).Draw(t, "what") {
					case "issues":
						c.ripe &^= 1 << w.pos
						schedule(w, now)
					case "leaves":
						c.ripe &^= 1 << w.pos
						c.remove(w)
						warps[f] = slices.Delete(warps[f], i, i+1)
					}
				}
				if len(warps[f]) < bits.OnesCount64(field) && rapid.Bool().Draw(t, "comes") {
					w := &warp{}
					c.add(w, field)
					warps[f] = append(warps[f], w)
					schedule(w, now)
				}
			}
			now += rapid.SampledFrom([]int64{1, 1, 1, 2, horizon - 1, horizon, horizon + 1, 5 * horizon}).Draw(t, "later")
		}
	})
}
