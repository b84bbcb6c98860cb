package scoreboard

import "warpbound/internal/causes"

// copies are the asynchronous copies of a warp in the groups that its commits make
// of them. Groups are numbered; the last one is open.
type copies struct {
	first  int64 // number of the first group that is kept
	groups []copyGroup
}

// copyGroup is a group of copies.
type copyGroup struct {
	left int32 // copies under way whose end is not known
	over int64 // when the others are over
	by   causes.Since
}

// allCopies makes a wait one for the open group, too.
const allCopies = -1

func (c *copies) reset() {
	c.first = 0
	c.groups = append(c.groups[:0], copyGroup{})
}

// begin enters a copy into the open group, whose number it returns.
func (c *copies) begin() int64 {
	last := len(c.groups) - 1
	c.groups[last].left++
	return c.first + int64(last)
}

// end ends a copy of a group; its data are there in the cycle over.
func (c *copies) end(group, over int64) {
	g := &c.groups[group-c.first]
	g.left--
	g.over = max(g.over, over)
}

// because says why a group is over when it is, as far as is known.
func (c *copies) because(group int64, s causes.Since) {
	g := &c.groups[group-c.first]
	g.by = causes.Later(g.by, s)
}

// last returns the number of the open group.
func (c *copies) last() int64 { return c.first + int64(len(c.groups)) - 1 }

// why returns why those groups are over for which over returns when.
func (c *copies) why(keep int64) (s causes.Since) {
	for _, g := range c.groups[:max(int64(len(c.groups))-1-keep, 0)] {
		s = causes.Later(s, g.by)
	}
	return s
}

// commit closes the open group and forgets the first groups that are over.
func (c *copies) commit(now int64) {
	done := 0
	for _, g := range c.groups[:len(c.groups)-1] {
		if g.left > 0 || g.over > now {
			break
		}
		done++
	}
	c.first += int64(done)
	c.groups = append(c.groups[:0], c.groups[done:]...)
	c.groups = append(c.groups, copyGroup{})
}

// over returns when all groups are over but the last keep that are closed, and the
// open one unless keep is allCopies; false if that is not known yet.
func (c *copies) over(keep int64) (at int64, known bool) {
	n := max(int64(len(c.groups))-1-keep, 0)
	for _, g := range c.groups[:n] {
		if g.left > 0 {
			return 0, false
		}
		at = max(at, g.over)
	}
	return at, true
}
