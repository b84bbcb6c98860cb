package scoreboard

import "math/bits"

// calendarSize is how many warps a calendar has room for.
const calendarSize = 64

// horizon is the number of cycles for which calendars have a set each.
const horizon = 64

// calendar knows when the warps of a scheduler are ripe: when their registers let them issue. It saves a scheduler
// from looking at all of them in every cycle. Sets of warps are masks of their positions.
type calendar struct {
	now    int64
	ripe   uint64 // those that are ripe and have not issued
	memory uint64 // those that need the load/store unit next

	// Those that are ripe in one of the next cycles, by cycle modulo horizon, and those
	// that are later. Of all others it is not known when.
	used   uint64 // elements of soon that are not empty
	late   uint64
	lateAt int64 // when the first of these is ripe, never if there is none
	soon   [horizon]uint64
}

// reset empties the calendar before cycle 0.
func (c *calendar) reset() { *c = calendar{now: -1, lateAt: never} }

// set notes when a warp is ripe that is not, or has issued, and whether it needs the
// load/store unit then.
func (c *calendar) set(i int, at int64, memory bool) {
	bit := uint64(1) << (uint(i) % calendarSize)
	c.memory &^= bit
	if memory {
		c.memory |= bit
	}
	if uint64(at-c.now-1) < horizon {
		slot := at & (horizon - 1)
		c.soon[slot] |= bit
		c.used |= 1 << slot
	} else {
		c.setFar(bit, at)
	}
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

// remove takes out a warp that has issued. Those behind move up.
func (c *calendar) remove(i int) {
	low := uint64(1)<<(uint(i)%calendarSize) - 1
	without := func(set uint64) uint64 { return set&low | set>>1&^low }
	c.ripe, c.memory, c.late = without(c.ripe), without(c.memory), without(c.late)
	for used := c.used; used != 0; used &= used - 1 {
		slot := bits.TrailingZeros64(used)
		c.soon[slot] = without(c.soon[slot])
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
func (c *calendar) leap(now int64, warps []*warp) {
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
		c.set(i, warps[i].at, c.memory>>i&1 != 0)
	}
}

// due returns the cycle in which the next warp is ripe, never if that is not known of any.
func (c *calendar) due() int64 {
	if c.used == 0 {
		return c.lateAt
	}
	return c.now + 1 + int64(bits.TrailingZeros64(bits.RotateLeft64(c.used, -int(c.now+1))))
}

// first returns the oldest of the warps that are ripe in the cycle due, or of all if no time is known. None
// may be ripe now.
func (c *calendar) first(due int64, warps []*warp) int {
	if c.used != 0 {
		return bits.TrailingZeros64(c.soon[due&(horizon-1)])
	}
	return earliestOf(c.late, warps)
}

// longest returns the warp that has been ripe for longest, of these the oldest. Where all ripe ones need the
// load/store unit, or none does, it may be any of them: there it makes no difference.
func (c *calendar) longest(warps []*warp) int {
	if of := c.ripe & c.memory; of == 0 || of == c.ripe {
		return bits.TrailingZeros64(c.ripe)
	}
	return earliestOf(c.ripe, warps)
}

// earliestOf returns the warp of a set that is ripe first, of these the oldest, 0 if the set is empty.
func earliestOf(set uint64, warps []*warp) int {
	first := 0
	for soonest := int64(never); set != 0; set &= set - 1 {
		if i := bits.TrailingZeros64(set); warps[i].at < soonest {
			first, soonest = i, warps[i].at
		}
	}
	return first
}
