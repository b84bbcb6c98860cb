package race

import "slices"

// Until tells what a thread waits for to know that an asynchronous copy is done.
type Until uint8

// What there is to wait for.
const (
	UntilGroup     Until = iota // a group of copies
	UntilBulkGroup              // a group of bulk copies
	UntilMbarrier               // the phase of an mbarrier
)

// copies are the asynchronous copies of a warp that wait for one thing, in their order.
type copies struct {
	list     []copied
	groups   []int      // where groups of copies end
	accessed []location // by them
}

// copied is an asynchronous copy, or one of its two accesses.
type copied struct {
	time  uint32
	words int // of accessed, that came before
}

// location is a byte address in shared memory of the CTA, or in global memory.
type location struct {
	addr   uint64
	shared bool
}

// finish takes the first copies out, so many, and says that they are done: what their warp does from now on is behind
// them.
func (c *CTA) finish(index int, p *copies, done int) {
	w := &c.warps[index]
	w.now++
	words := p.list[done-1].words
	c.complete(index, p.accessed[:words], p.list[done-1].time, w.now, anywhere)
	p.list = slices.Delete(p.list, 0, done)
	p.accessed = slices.Delete(p.accessed, 0, words)
	for i := range p.list {
		p.list[i].words -= words
	}
	left := p.groups[:0]
	for _, end := range p.groups {
		if end > done {
			left = append(left, end-done)
		}
	}
	p.groups = left
}

// complete says of the copies of a warp up to a time that their accesses to some places are done, and since when.
func (c *CTA) complete(index int, places []location, until, now uint32, which func(location) bool) {
	for _, at := range places {
		if !which(at) {
			continue
		}
		memory := &c.d.global
		if at.shared {
			memory = &c.shared
		}
		records := memory.cell(at.addr).records
		for i := range records {
			if r := &records[i]; r.copy && int(r.cta) == c.index && int(r.warp) == index && r.time <= until {
				r.copy, r.time = false, now
			}
		}
	}
}

// anywhere is every location.
func anywhere(location) bool { return true }

// Commit notes that a warp ends a group of asynchronous copies.
func (c *CTA) Commit(index int, until Until) {
	p := &c.warps[index].copies[until]
	p.groups = append(p.groups, len(p.list))
}

// Wait notes that lanes of a warp wait for its asynchronous copies, but for those of the last groups, so many; for
// all, also those that are in no group, if pending is negative.
func (c *CTA) Wait(index int, active uint64, until Until, pending int) {
	p := &c.together(index, active).copies[until]
	if done := p.done(pending); done > 0 {
		c.finish(index, p, done)
	}
}

// WaitRead notes that lanes of a warp wait until its bulk copies have read shared memory, but for those of the last groups.
func (c *CTA) WaitRead(index int, active uint64, pending int) {
	p := &c.together(index, active).copies[UntilBulkGroup]
	if done := p.done(pending); done > 0 {
		w := &c.warps[index]
		w.now++
		last := p.list[done-1]
		c.complete(index, p.accessed[:last.words], last.time, w.now, func(at location) bool { return at.shared })
	}
}

// done returns how many copies are done if the last groups, so many, may be pending.
func (p *copies) done(pending int) int {
	switch {
	case pending < 0:
		return len(p.list)
	case len(p.groups) > pending:
		return p.groups[len(p.groups)-1-pending]
	}
	return 0
}

// tracked are copies of a warp that a phase of an mbarrier waits for.
type tracked struct {
	warp   int
	time   uint32 // of the last of them
	places []location
}

// Track makes a phase of an mbarrier, which a number stands for, wait for copies of a warp. Those that wait for nothing else are
// forgotten.
func (c *CTA) Track(index int, phase uint64, until Until) {
	p := &c.warps[index].copies[until]
	if len(p.list) == 0 {
		return
	}
	if c.tracked == nil {
		c.tracked = map[uint64][]tracked{}
	}
	c.tracked[phase] = append(c.tracked[phase], tracked{index, p.list[len(p.list)-1].time, slices.Clone(p.accessed)})
	if until == UntilMbarrier {
		p.list, p.accessed = p.list[:0], p.accessed[:0]
	}
}

// Passed notes that somebody has found that a phase of an mbarrier is complete, so that the copies are done for which it has
// waited: what is ordered behind their thread's telling the mbarrier is behind them.
func (c *CTA) Passed(phase uint64) {
	for _, t := range c.tracked[phase] {
		c.complete(t.warp, t.places, t.time, t.time, anywhere)
	}
	delete(c.tracked, phase)
}
