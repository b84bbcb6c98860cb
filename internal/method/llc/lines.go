package llc

import (
	"maps"
	"math/bits"
	"slices"

	"warpbound/internal/saturating"
)

// maxTouches limits the patterns of all warps of a launch that are looked at one by one.
const maxTouches = 1 << 20

// lineUse is how often an SM may touch a line of global or local memory.
type lineUse struct {
	reads saturating.Int // by loads that look the L1 up
	sent  saturating.Int // by others
	uses  saturating.Int // of all these, those that may change in which order the L1 displaces lines
	drops saturating.Int // that take it out of the L1
	pools uint64         // touches of unknown lines of these may be touches of this one
}

// fetched is how often a line may be asked of the shared cache.
type fetched struct {
	times saturating.Int
	pools uint64 // besides, fetches of unknown lines of these may be of this one
}

// follower finds which lines SMs touch, wave by wave.
type follower struct {
	*analysis
	footprints [][]footprint // by warp of a CTA, and by result

	surely map[uint64]bool // unless nil, the lines that are accessed in every run

	lines   map[uint64]lineUse // scratch: of a wave
	scratch []line
	l1, llc *crowds // scratch
}

// smLines are what an SM may ask of the shared cache.
type smLines struct {
	lines   map[uint64]fetched
	unknown []unknownLines // by pool
	given   bool           // up: any
}

// follower returns nil if there is too much to look at.
func (a *analysis) follower() *follower {
	m := a.machine
	f := &follower{
		analysis: a, lines: make(map[uint64]lineUse),
		l1: newCrowds(m.L1.Sets.Value, m.L1.Ways.Value), llc: newCrowds(m.LLC.Sets.Value, m.LLC.Ways.Value),
	}
	total := saturating.Int(0)
	for _, results := range a.warps {
		var of []footprint
		for i := range results {
			p := &results[i].Visitor.(*recorder).path
			of = append(of, p.footprint())
			total = total.AddMul(saturating.Of(len(of[i].patterns)+1), saturating.Of(results[i].Box.CTAs()))
		}
		f.footprints = append(f.footprints, of)
	}
	if total > maxTouches {
		return nil
	}
	return f
}

// wave returns how many of the touches by loads of a wave are not hits in the L1, at most, and enters what the wave may
// ask of the shared cache. It is false if too little is known.
func (f *follower) wave(sm int, ctas []int, into *smLines) (misses saturating.Int, ok bool) {
	clear(f.lines)
	var unknown []unknownLines
	for slot, cta := range ctas {
		at := f.cells.At(cta)
		cell := f.cells.Cell(at)
		for w := range f.perCTA {
			box := f.boxes[w][cell]
			touched := &f.footprints[w][box]
			if touched.given {
				into.given, f.limited = true, true
				return 0, false
			}
			p := place{at: at, sm: sm, slot: slot*f.perCTA + w}
			for axis := range p.at {
				p.at[axis] -= f.warps[w][box].Box.Lo[axis]
			}
			f.warp(touched, &p)
			unknown = allPools(unknown, touched.unknown)
		}
	}
	for pool := range unknown {
		if unknown[pool].all() == 0 {
			continue
		}
		if f.pools.many[pool] {
			into.given = true
			return 0, false
		}
		for _, n := range f.pools.lines[pool] {
			f.perhaps(n, pool)
		}
	}
	return f.fetches(unknown, into), true
}

// warp enters the lines that a warp touches.
func (f *follower) warp(touched *footprint, p *place) {
	for i := range touched.patterns {
		pattern := &touched.patterns[i]
		f.scratch, _ = f.layout.lines(f.scratch[:0], &pattern.access, p)
		for _, l := range f.scratch {
			if f.surely != nil && pattern.surely && !l.optional {
				f.surely[l.number] = true
			}
			use := f.lines[l.number]
			if l.sort == read {
				use.reads = use.reads.Add(pattern.times)
			} else {
				use.sent = use.sent.Add(pattern.times)
			}
			switch l.sort {
			case read, write:
				use.uses = use.uses.Add(pattern.times)
			case atomic:
				use.drops = use.drops.Add(pattern.times)
			}
			f.lines[l.number] = use
		}
	}
	if len(touched.unknown) > ofLocal && touched.unknown[ofLocal].all() > 0 {
		for word := range (uint64(f.launch.LocalBytes()) + localWord - 1) / localWord {
			for n := f.layout.localLine(word, p, 0); n <= f.layout.localLine(word, p, int(f.layout.width)-1); n++ {
				f.perhaps(n, ofLocal)
			}
		}
	}
}

// perhaps enters a line that touches of unknown lines of a pool may be of.
func (f *follower) perhaps(n uint64, pool int) {
	use := f.lines[n]
	use.pools |= 1 << pool
	f.lines[n] = use
}

// fetches returns how many touches by loads of the lines of a wave are not hits in the L1, at most, and enters what the
// wave may ask of the shared cache.
func (f *follower) fetches(unknown []unknownLines, into *smLines) (misses saturating.Int) {
	sets := f.l1
	sets.clear()
	for n, use := range f.lines {
		if use.uses > 0 || use.pools != 0 {
			sets.add(n, use.uses, use.pools)
		}
	}
	for pool := range unknown {
		sets.unknown = append(sets.unknown, unknown[pool].all())
	}
	sets.sort()
	open := make([]saturating.Int, len(unknown)) // by pool: fetches by touches of unknown lines
	for n, use := range f.lines {
		fetches := use.drops.Add(1)
		for pools := use.pools; pools != 0; pools &= pools - 1 {
			if u := &unknown[bits.TrailingZeros64(pools)]; u.drops {
				fetches = fetches.Add(u.sent)
			}
		}
		fetches = fetches.Add(sets.evictions(n, use.uses, use.pools))
		reads := min(use.reads, fetches)
		misses = misses.Add(reads)
		for pools := use.pools; pools != 0; pools &= pools - 1 {
			of := &open[bits.TrailingZeros64(pools)]
			*of = (*of).Add(fetches.Sub(reads))
		}
		of := into.lines[n]
		of.times = of.times.Add(reads).Add(use.sent)
		of.pools |= use.pools
		into.lines[n] = of
	}
	for pool := range unknown {
		unknown[pool].reads = min(unknown[pool].reads, open[pool])
		misses = misses.Add(unknown[pool].reads)
	}
	into.unknown = allPools(into.unknown, unknown)
	return misses
}

// turns bounds for how many of their accesses to the shared cache SMs need turns at the DRAM, and how many of all of them
// miss. An SM reads a line again, and any of them misses it again, only if it was displaced meanwhile.
func (f *follower) turns(sms []smLines) (turns []saturating.Int, misses saturating.Int) {
	turns = slices.Repeat([]saturating.Int{saturating.Max}, len(sms))
	all := smLines{lines: make(map[uint64]fetched)}
	for i := range sms {
		if sms[i].given {
			return turns, saturating.Max
		}
		for n, of := range sms[i].lines {
			x := all.lines[n]
			all.lines[n] = fetched{times: x.times.Add(of.times), pools: x.pools | of.pools}
		}
		all.unknown = allPools(all.unknown, sms[i].unknown)
	}
	uses := maps.Clone(all.lines)
	sets := f.llc
	for i := range f.cpu.accesses {
		a := &f.cpu.accesses[i]
		if a.First != a.Last {
			sets.others = sets.others.Add(saturating.Of(a.Max))
			continue
		}
		x := uses[a.First]
		x.times = x.times.Add(saturating.Of(a.Max))
		uses[a.First] = x
	}
	for n, of := range uses {
		sets.add(n, of.times, of.pools)
	}
	for pool := range all.unknown {
		sets.unknown = append(sets.unknown, all.unknown[pool].all())
	}
	sets.sort()
	for i := range sms {
		turns[i] = f.reads(&sms[i], uses)
	}
	return turns, f.reads(&all, uses)
}

// reads bounds how many of the accesses of one SM, or of all together, bring a line that is not in the shared cache, if all
// cores use lines so often.
func (f *follower) reads(of *smLines, uses map[uint64]fetched) saturating.Int {
	total := saturating.Int(0)
	open := make([]saturating.Int, len(f.llc.unknown))
	for n, own := range of.lines {
		reads := f.llc.evictions(n, uses[n].times, uses[n].pools).Add(1)
		if f.held[n] {
			reads = 0
		}
		total = total.Add(min(own.times, reads))
		for pools := own.pools; pools != 0; pools &= pools - 1 {
			x := &open[bits.TrailingZeros64(pools)]
			*x = (*x).Add(max(reads, own.times).Sub(own.times))
		}
	}
	for pool := range of.unknown {
		total = total.Add(min(of.unknown[pool].all(), open[pool]))
	}
	return total
}
