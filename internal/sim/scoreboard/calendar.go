package scoreboard

import "math/bits"

// calendarSize is how many warps a calendar has room for.
const calendarSize = 64

// horizon is the number of cycles for which calendars have a set each.
const horizon = 64

// calendar knows when the warps of an SM are ripe: when their registers let them issue. It saves schedulers
// from looking at all of them in every cycle. Sets of warps are masks: each scheduler has a field of them, in which
// its warps stand from the oldest to the youngest. Positions of warps that have left stay empty until there is no room
// behind the youngest.
type calendar struct {
	now    int64
	held   uint64 // positions that are not empty
	ripe   uint64 // those that are ripe and have not issued
	memory uint64 // those that need the load/store unit next
	last   uint64 // those that issued last, one of each scheduler at most

	// Those that are ripe in one of the next cycles, by cycle modulo horizon, and those
	// that are later. Of all others it is not known when.
	used   uint64 // elements of soon that are not empty
	late   uint64
	lateAt int64 // when the first of these is ripe, never if there is none
	soon   [horizon]uint64

	warps [calendarSize]*warp
}

// reset empties the calendar before cycle 0.
func (c *calendar) reset() { *c = calendar{now: -1, lateAt: never} }

// set notes when the warp at position i is ripe, if it is not or has issued, and whether it needs the
// load/store unit then (1).
func (c *calendar) set(i int, at int64, memory uint8) {
	bit := uint64(1) << (uint(i) % calendarSize)
	c.memory = c.memory&^bit | bit&-uint64(memory)
	if uint64(at-c.now-1) >= horizon {
		c.setFar(bit, at)
		return
	}
	c.soon[at&(horizon-1)] |= bit
	c.used |= 1 << (at & (horizon - 1))
}

// setFar is set for a warp that is ripe now or later than the horizon.
func (c *calendar) setFar(bit uint64, at int64) {
	switch {
	case at <= c.now:
		c.ripe |= bit
	case at != never:
		c.late |= bit
		c.lateAt = min(c.lateAt, at)
	}
}

// add puts a warp behind the others of a field.
func (c *calendar) add(w *warp, field uint64) {
	if c.held&field&^(field>>1) != 0 {
		c.compact(field)
	}
	w.pos = int32(max(bits.Len64(c.held&field), bits.TrailingZeros64(field)))
	c.held |= 1 << w.pos
	c.warps[w.pos] = w
}

// remove takes out a warp that has issued.
func (c *calendar) remove(w *warp) {
	bit := uint64(1) << w.pos
	c.held &^= bit
	c.memory &^= bit
	c.last &^= bit
}

// compact moves the warps of a field to its first positions.
func (c *calendar) compact(field uint64) {
	for empty := field &^ c.held; empty != 0; {
		i := bits.Len64(empty) - 1
		low := uint64(1)<<i - 1
		without := func(set uint64) uint64 { // the set in which those behind i have moved up
			own := set & field
			return set&^field | own&low | own>>1&^low
		}
		c.held, c.ripe, c.memory, c.late, c.last = without(c.held), without(c.ripe), without(c.memory), without(c.late), without(c.last)
		for used := c.used; used != 0; used &= used - 1 {
			slot := bits.TrailingZeros64(used)
			c.soon[slot] = without(c.soon[slot])
		}
		copy(c.warps[i:bits.Len64(field)], c.warps[i+1:bits.Len64(field)])
		empty &= low
	}
	for set := c.held & field; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		c.warps[i].pos = int32(i)
	}
}

// tick goes on to the cycle now, if it is the next, and reports whether leap has to be called instead.
func (c *calendar) tick(now int64) bool {
	if now != c.now+1 || c.lateAt-horizon <= now {
		return true
	}
	slot := now & (horizon - 1)
	c.ripe |= c.soon[slot]
	c.soon[slot] = 0
	c.used &^= 1 << slot
	c.now = now
	return false
}

// leap goes on to the cycle now.
func (c *calendar) leap(now int64) {
	due := c.used
	if passed := now - c.now; passed < horizon {
		due &= bits.RotateLeft64(1<<passed-1, int(c.now+1))
	}
	c.used &^= due
	for ; due != 0; due &= due - 1 {
		slot := bits.TrailingZeros64(due)
		c.ripe |= c.soon[slot]
		c.soon[slot] = 0
	}
	c.now = now
	if c.lateAt-horizon > now {
		return
	}
	late := c.late
	c.late, c.lateAt = 0, never
	for ; late != 0; late &= late - 1 {
		i := bits.TrailingZeros64(late)
		c.set(i, c.warps[i].at, uint8(c.memory>>i&1))
	}
}

// due returns the cycle in which the next warp is ripe, never if that is not known of any.
func (c *calendar) due() int64 {
	if c.used == 0 {
		return c.lateAt
	}
	return c.now + 1 + int64(bits.TrailingZeros64(bits.RotateLeft64(c.used, -int(c.now+1))))
}

// first returns which warp of a field is ripe next, of these the oldest, or the oldest of all if no time is known. None
// may be ripe now.
func (c *calendar) first(field uint64) *warp {
	for used := bits.RotateLeft64(c.used, -int(c.now+1)); used != 0; used &= used - 1 {
		slot := (c.now + 1 + int64(bits.TrailingZeros64(used))) & (horizon - 1)
		if set := c.soon[slot] & field; set != 0 {
			return c.warps[bits.TrailingZeros64(set)]
		}
	}
	return c.earliest(c.late&field, c.held&field)
}

// longest returns which of the warps of a set, which are ripe, has been so for longest, of these the oldest. Where all
// of them need the load/store unit, or none does, it may be any of them: there it makes no difference.
func (c *calendar) longest(set uint64) *warp {
	if of := set & c.memory; of == 0 || of == set {
		return c.warps[bits.TrailingZeros64(set)%calendarSize]
	}
	return c.earliest(set, set)
}

// earliest returns the warp of a set that is ripe first, of these the oldest, and the oldest of all if the set is empty.
func (c *calendar) earliest(set, all uint64) *warp {
	first, soonest := c.warps[bits.TrailingZeros64(all)%calendarSize], int64(never)
	for ; set != 0; set &= set - 1 {
		if w := c.warps[bits.TrailingZeros64(set)%calendarSize]; w.at < soonest {
			first, soonest = w, w.at
		}
	}
	return first
}
