package hybrid

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// slowTimes is timesOf by definition: at each start it looks at all slots.
func slowTimes(ctas []residence, sms, perSM int) slotTimes {
	type slot struct {
		sm   int32
		ctas []residence
	}
	var slots []slot
	for sm := range int32(8) {
		for range perSM {
			slots = append(slots, slot{sm: sm})
		}
	}
	end := func(s *slot) int64 { return s.ctas[len(s.ctas)-1].end }
	var t slotTimes
	for _, c := range ctas {
		var best *slot
		for i := range slots {
			s := &slots[i]
			switch {
			case s.ctas != nil && end(s) > c.start:
				continue
			case s.ctas != nil:
				t.gap = max(t.gap, c.start-end(s))
			}
			if s.sm == c.sm && (best == nil || best.ctas != nil && (s.ctas == nil || end(s) < end(best))) {
				best = s
			}
		}
		if best != nil {
			best.ctas = append(best.ctas, c)
		}
	}
	used := 0
	for i := range slots {
		if s := slots[i].ctas; s != nil {
			t.first = max(t.first, s[0].start)
			used++
		}
	}
	if used < sms*perSM {
		t.first = ctas[len(ctas)-1].start
	}
	return t
}

// TestSlotTimes holds timesOf against its definition.
func TestSlotTimes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var ctas []residence
		for i := range rapid.IntRange(1, 15).Draw(rt, "CTAs") {
			start := rapid.Int64Range(0, 30).Draw(rt, "start")
			ctas = append(ctas, residence{cta: int32(i), sm: rapid.Int32Range(0, 2).Draw(rt, "sm"), start: start, end: start + rapid.Int64Range(0, 10).Draw(rt, "time")})
		}
		sms, perSM := rapid.IntRange(1, 3).Draw(rt, "SMs"), rapid.IntRange(1, 3).Draw(rt, "slots")
		got := timesOf(ctas, sms, perSM)
		if want := slowTimes(slices.Clone(ctas), sms, perSM); got != want {
			rt.Errorf("got %+v, want %+v", got, want)
		}
	})
}

// TestSlotNews raises each figure of a profile by itself.
func TestSlotNews(t *testing.T) {
	profile := func(change func(s *slotProfile)) *slotProfile {
		s := newSlotProfile()
		s.first, s.gap, s.spread, s.ctas, s.times[3] = 1, 1, 1, 1, 1
		change(&s)
		return &s
	}
	ours := profile(func(*slotProfile) {})
	for name, change := range map[string]func(s *slotProfile){
		"first": func(s *slotProfile) { s.first++ }, "gap": func(s *slotProfile) { s.gap++ }, "spread": func(s *slotProfile) { s.spread++ },
		"CTAs": func(s *slotProfile) { s.ctas++ }, "time": func(s *slotProfile) { s.times[3]++ }, "another CTA": func(s *slotProfile) { s.times[0] = 0 },
	} {
		theirs := profile(change)
		if !ours.lacks(theirs) || theirs.lacks(ours) {
			t.Errorf("%s: %+v lacks %+v: %v, the other way round %v", name, ours, theirs, ours.lacks(theirs), theirs.lacks(ours))
		}
	}
}
