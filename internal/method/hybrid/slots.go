package hybrid

import (
	"cmp"
	"fmt"
	"slices"

	"warpbound/internal/trace"
)

// residence is the time of a CTA on its multiprocessor, in cycles.
type residence struct {
	cta, sm   int32
	start     int64 // of its first warp
	lastStart int64 // of any of its warps
	end       int64 // the last exit
}

// residences are the CTAs of a run, in the order of their first records.
type residences struct {
	list []residence
	of   trace.Table[int32] // by CTA: its place in list, from 1; 0 if it is not there
}

// start takes the start of a warp. It is an error if the CTA is on another multiprocessor.
func (r *residences) start(at trace.Record) error {
	place := r.of.At(at.CTA)
	if *place == 0 {
		r.list = append(r.list, residence{cta: at.CTA, sm: at.SM, start: at.Cycle})
		*place = int32(len(r.list))
	}
	c := &r.list[*place-1]
	if c.sm != at.SM {
		return fmt.Errorf("the CTA started on SM %d", c.sm)
	}
	c.lastStart = at.Cycle
	return nil
}

func (r *residences) exit(at trace.Record) {
	r.list[*r.of.At(at.CTA)-1].end = at.Cycle
}

// bySM returns the CTAs of each multiprocessor with its cycles counted from the first start there.
func (r *residences) bySM() map[int32][]residence {
	of := map[int32][]residence{}
	for _, c := range r.list {
		of[c.sm] = append(of[c.sm], c)
	}
	for _, list := range of {
		first := slices.MinFunc(list, func(a, b residence) int { return cmp.Compare(a.start, b.start) }).start
		for i := range list {
			c := &list[i]
			c.start, c.lastStart, c.end = c.start-first, c.lastStart-first, c.end-first
		}
	}
	return of
}

// slotTimes says how long slots for CTAs were free, in cycles.
type slotTimes struct {
	first int64 // until a slot had its first CTA, at most; of one that had none, until the last CTA started
	gap   int64 // after an end until the next CTA of the slot started or, of those that had no more, the last one of all
}

// timesOf lets CTAs take slots, so many on each of some multiprocessors: a CTA takes that which has been free for the longest
// time on its own. Of more CTAs at a time than there are slots some have none, and take none away. The list is sorted by starts.
func timesOf(ctas []residence, sms, perSM int) slotTimes {
	slices.SortFunc(ctas, func(a, b residence) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.cta, b.cta)) })
	var t slotTimes
	used, last := 0, int64(0)
	free := map[int32][]int64{} // since when each slot is or will be
	for _, c := range ctas {
		slots := free[c.sm]
		last = c.start
		if len(slots) < perSM {
			free[c.sm] = append(slots, c.end)
			t.first = c.start
			used++
			continue
		}
		if k := oldest(slots); slots[k] <= c.start {
			t.gap = max(t.gap, c.start-slots[k])
			slots[k] = c.end
		}
	}
	if used < sms*perSM {
		t.first = last
	}
	for _, slots := range free {
		t.gap = max(t.gap, last-slots[oldest(slots)])
	}
	return t
}

// oldest returns the slot that is free first.
func oldest(free []int64) int {
	k := 0
	for i, since := range free {
		if since < free[k] {
			k = i
		}
	}
	return k
}

// slotProfile holds the largest figures of all runs. Times are in cycles.
type slotProfile struct {
	slotTimes
	spread int64           // from the first start of a CTA's warps to the last
	ctas   int64           // that share slots: those of a run or, without a common clock, of a multiprocessor
	times  map[int32]int64 // by CTA, from its first start to its last exit
}

func newSlotProfile() slotProfile { return slotProfile{times: map[int32]int64{}} }

// add enters CTAs that share slots, so many on each of some multiprocessors.
func (s *slotProfile) add(ctas []residence, sms, perSM int) {
	t := slotProfile{slotTimes: timesOf(ctas, sms, perSM), ctas: int64(len(ctas))}
	for _, c := range ctas {
		t.spread = max(t.spread, c.lastStart-c.start)
		s.times[c.cta] = max(s.times[c.cta], c.end-c.start)
	}
	s.merge(&t)
}

func (s *slotProfile) merge(t *slotProfile) {
	s.first = max(s.first, t.first)
	s.gap = max(s.gap, t.gap)
	s.spread = max(s.spread, t.spread)
	s.ctas = max(s.ctas, t.ctas)
	for cta, time := range t.times {
		s.times[cta] = max(s.times[cta], time)
	}
}

// lacks reports whether another profile has a larger figure.
func (s *slotProfile) lacks(t *slotProfile) bool {
	if t.first > s.first || t.gap > s.gap || t.spread > s.spread || t.ctas > s.ctas {
		return true
	}
	for cta, time := range t.times {
		if ours, met := s.times[cta]; !met || time > ours {
			return true
		}
	}
	return false
}
