package greedy

import (
	"warpbound/internal/abi"
	"warpbound/internal/saturating"
)

// l1 is what is known of the L1 of an SM, or of those of all SMs together if CTAs may come to any. A set keeps its lines if no more lines can be loaded
// into it than it has ways.
type l1 struct {
	sms     saturating.Int
	stays   bool              // all sets keep their lines
	local   bool              // those of local memory do
	lines   saturating.Int    // that can be loaded by an SM, at most
	words   saturating.Int    // lines of local memory that are fetched at most
	rare    []map[uint64]bool // words of local memory that do not stay, by warp of a CTA
	lost    saturating.Int    // how often an access of which the line is not known may drop one
	drops   saturating.Int    // how often any may
	fills   saturating.Int    // lines that are fetched at most
	crowded saturating.Int    // of these, those into sets that do not keep them
	far     saturating.Int    // of these, those of which it is not known where they are
}

// crew is what CTAs that share L1s load and drop: for each line of the table, and at addresses that are not known.
type crew struct {
	uses  map[int]*use
	open  map[int]openUse             // by instruction
	words []map[uint64]saturating.Int // loads of each word of local memory, by warp of a CTA,
	any   []bool                      // or of any word
	local []saturating.Int
}

func (c *crew) use(at int) *use {
	u := c.uses[at]
	if u == nil {
		u = &use{}
		c.uses[at] = u
	}
	return u
}

// add adds what warp w of a CTA touches outside its patterns, in n CTAs.
func (c *crew) add(w int, t *touched, n saturating.Int) {
	for pc, o := range t.at {
		sum := c.open[pc]
		c.open[pc] = openUse{sum.loads.Add(o.loads.Mul(n)), sum.drops.Add(o.drops.Mul(n))}
	}
	for word, k := range t.words {
		c.words[w][word] = c.words[w][word].Add(k.Mul(n))
	}
	c.any[w] = c.any[w] || t.anyWord
	c.local[w] = c.local[w].Add(t.local.Mul(n))
}

func newCrew(warps int) *crew {
	c := &crew{
		uses: make(map[int]*use), open: make(map[int]openUse),
		any: make([]bool, warps), local: make([]saturating.Int, warps),
	}
	for range warps {
		c.words = append(c.words, make(map[uint64]saturating.Int))
	}
	return c
}

// single reports whether all CTAs are resident at a time: CTA i goes to SM i mod sms then.
func (a *analysis) single() bool { return a.ctas <= a.sms*a.slots }

// findL1 finds what the L1s keep, and how many lines they fetch at most.
func (a *analysis) findL1(classes []class, at func(cta int) (*class, [3]int)) {
	for i := range a.table.lines {
		a.table.lines[i].fetched = a.table.lines[i].loads
	}
	if a.wild || !a.enter() {
		return
	}
	line := uint64(a.L1.Line.Value)
	fetched := make([]saturating.Int, len(a.table.lines)) // of patterns, by line
	a.stamps, a.pooled = make([]int, len(a.table.lines)), make(map[int][]int)
	var inL1 []l1
	look := func(c *crew, first, end, slots int) bool {
		keep, loaded, h, ok := a.keep(c, first, end, slots)
		if !ok {
			return false
		}
		a.fetches(c, keep, loaded, h, fetched)
		inL1 = append(inL1, *h)
		step := a.sms
		if end-first > 1 || a.sms == 1 {
			step = 1
		}
		for cta := first; cta < a.ctas; cta += step {
			of, where := at(cta)
			of.chain[misses] = max(of.chain[misses], a.waited(of, where, c, keep, h))
		}
		return true
	}
	if a.single() {
		for sm := range min(a.sms, a.ctas) {
			c, slots := newCrew(len(a.lanes)), 0
			for cta := sm; cta < a.ctas; cta += a.sms {
				slots++
				of, where := at(cta)
				for w, p := range of.warps {
					c.add(w, &p.touched, 1)
					for k := range p.patterns {
						t := &p.patterns[k]
						t.each(&p.box, where, line, func(addr uint64) {
							u := c.use(a.table.at(addr))
							if t.loads {
								u.loads = u.loads.Add(t.times)
							} else if t.drops {
								u.drops = u.drops.Add(t.times)
							}
						})
					}
				}
			}
			if !look(c, sm, sm+1, slots) {
				return
			}
		}
	} else {
		c := newCrew(len(a.lanes))
		for i := range a.table.lines {
			if u := &a.table.lines[i]; u.loads > 0 || u.drops > 0 {
				*c.use(i) = *u
			}
		}
		for w, results := range a.warps {
			for i := range results {
				p := &results[i].Visitor.(*recorder).path
				c.add(w, &p.touched, saturating.Of(p.box.CTAs()))
			}
		}
		if !look(c, 0, a.sms, a.slots) {
			return
		}
	}
	a.inL1 = inL1
	a.findAbsorbs()
	for i, n := range fetched {
		u := &a.table.lines[i]
		u.fetched = min(u.loads, n)
	}
	open := &a.table.open
	if *open == saturating.Max { // nothing can be taken away
		return
	}
	*open = open.Sub(a.table.loads)
	far := saturating.Int(0)
	for i := range a.inL1 {
		far = far.Add(a.inL1[i].far)
		*open = (*open).Add(a.inL1[i].lost)
	}
	*open = (*open).Add(min(far, a.table.loads))
	if !a.absorbs() {
		return
	}
	for _, results := range a.warps {
		for i := range results {
			p := &results[i].Visitor.(*recorder).path
			*open = open.Sub(p.absorbed.Mul(saturating.Of(p.box.CTAs())))
		}
	}
}

// enter enters the lines into the table that loads at addresses that are not known can touch; false if they are too many.
func (a *analysis) enter() bool {
	line := uint64(a.L1.Line.Value)
	for _, results := range a.warps {
		for i := range results {
			for pc, o := range results[i].Visitor.(*recorder).path.at {
				if o.loads == 0 {
					continue
				}
				lines, ok := a.pools.at(pc, line)
				if !ok {
					return false
				}
				for _, addr := range lines {
					a.table.at(addr)
				}
			}
		}
	}
	return true
}

// pool returns the lines that an instruction can touch, by their places in the table: those that are in it.
func (a *analysis) pool(pc int) ([]int, bool) {
	lines, ok := a.pools.at(pc, uint64(a.L1.Line.Value))
	if !ok {
		return nil, false
	}
	if all, ok := a.pooled[pc]; ok {
		return all, true
	}
	all := []int{}
	for _, addr := range lines {
		if at, ok := a.table.index[addr]; ok {
			all = append(all, at)
		}
	}
	a.pooled[pc] = all
	return all, true
}

// keep finds which sets of the L1s of SMs, from first on and below end, keep all lines that CTAs can load, and returns the lines of the table
// that these are; false if they are too many to look at.
func (a *analysis) keep(c *crew, first, end, slots int) (keep []bool, loaded map[int]bool, h *l1, ok bool) {
	h = &l1{sms: saturating.Of(end - first), stays: true, local: true}
	loaded = make(map[int]bool)
	for at, u := range c.uses {
		if u.loads > 0 {
			loaded[at] = true
		}
	}
	for pc, o := range c.open {
		if o.loads > 0 {
			pool, _ := a.pool(pc)
			for _, at := range pool {
				loaded[at] = true
			}
		}
	}
	inSet := make([]int64, a.L1.Sets.Value)
	for at := range loaded {
		inSet[a.l1set(a.table.lines[at].addr)]++
	}
	keep = make([]bool, len(inSet))
	for i, n := range inSet {
		keep[i] = saturating.Of(n) <= a.ways
	}
	if !a.keepLocal(c, first, end, slots, inSet, keep, h) {
		return nil, nil, nil, false
	}
	for _, ok := range keep {
		h.stays = h.stays && ok
	}
	return keep, loaded, h, true
}

// maxLocal limits the lines of local memory that are looked at.
const maxLocal = 1 << 20

// keepLocal adds the lines of local memory that CTAs can load, in so many slots of each SM, and finds how many of them are fetched at most; false if
// they are too many to look at.
func (a *analysis) keepLocal(c *crew, first, end, slots int, inSet []int64, keep []bool, h *l1) bool {
	line, width, perSM := uint64(a.L1.Line.Value), uint64(a.SM.WarpSize.Value)*localWord, uint64(a.SM.Warps.Value)
	n := 0
	for w := range a.lanes {
		if c.any[w] {
			for word := range (uint64(a.launch.LocalBytes()) + localWord - 1) / localWord {
				c.words[w][word] = c.local[w]
			}
		}
		if n += len(c.words[w]) * slots * (end - first) * int(a.linesOfWord().Int64()); n > maxLocal {
			return false
		}
	}
	each := func(sm int, visit func(w int, word, line uint64)) {
		for w := range a.lanes {
			for word := range c.words[w] {
				for slot := range slots {
					from := abi.CachedLocalBase + (word*uint64(a.sms)*perSM+uint64(sm)*perSM+uint64(slot*len(a.lanes)+w))*width
					for at := from &^ (line - 1); at < from+width; at += line {
						visit(w, word, at)
					}
				}
			}
		}
	}
	for sm := first; sm < end; sm++ {
		with := make(map[uint64]int64)
		seen := make(map[uint64]bool)
		each(sm, func(_ int, _, line uint64) {
			if !seen[line] {
				seen[line] = true
				with[a.l1set(line)]++
			}
		})
		h.lines = max(h.lines, saturating.Of(len(seen)))
		for set, n := range with {
			keep[set] = keep[set] && saturating.Of(inSet[set]+n) <= a.ways
		}
	}
	crowded := make([]map[uint64]bool, len(a.lanes)) // words of which a line may have to make room
	for w := range crowded {
		crowded[w] = make(map[uint64]bool)
	}
	for sm := first; sm < end; sm++ {
		each(sm, func(w int, word, line uint64) {
			if !keep[a.l1set(line)] {
				crowded[w][word] = true
			}
		})
	}
	for w, words := range c.words {
		once, all := saturating.Int(0), saturating.Int(0) // lines that stay, and loads of the others
		for word, n := range words {
			if crowded[w][word] {
				all = all.Add(n)
			} else {
				once = once.Add(min(n, saturating.Of(slots*(end-first)).Mul(a.linesOfWord())))
			}
		}
		all = min(all, c.local[w])
		h.words = h.words.Add(min(once.Add(all), c.local[w]))
		h.crowded = h.crowded.Add(all)
		h.local = h.local && len(crowded[w]) == 0
	}
	h.rare = crowded
	return true
}

// fetches finds how many lines the L1s fetch at most: of those that stay each once, and again when it was dropped.
func (a *analysis) fetches(c *crew, keep []bool, loaded map[int]bool, h *l1, fetched []saturating.Int) {
	kept := func(at int) bool { return keep[a.l1set(a.table.lines[at].addr)] }
	once, each := h.words, h.words // with each line counted once, and by what accesses it
	for at := range loaded {
		u := c.uses[at]
		if u == nil {
			u = &use{}
		}
		h.drops = h.drops.Add(u.drops)
		n := u.loads
		if kept(at) {
			n = min(n, h.sms.Add(u.drops))
			once = once.Add(h.sms.Add(u.drops))
		} else {
			h.crowded = h.crowded.Add(n)
			once = once.Add(n)
		}
		each = each.Add(n)
		fetched[at] = fetched[at].Add(n)
	}
	h.far = h.words
	pooled := make(map[int]bool)
	stay := saturating.Int(0)
	for pc, o := range c.open {
		pool, ok := a.pool(pc)
		if o.loads > 0 {
			all := true
			for _, at := range pool {
				all = all && kept(at)
			}
			if all {
				stay = stay.Add(o.loads)
				for _, at := range pool {
					pooled[at] = true
				}
			} else {
				h.crowded, once, h.far = h.crowded.Add(o.loads), once.Add(o.loads), h.far.Add(o.loads)
			}
			each = each.Add(o.loads)
		}
		if o.drops > 0 {
			touches := !ok
			for _, at := range pool {
				touches = touches || loaded[at]
			}
			if touches {
				h.lost = h.lost.Add(o.drops)
			}
		}
	}
	ofPools := saturating.Int(0)
	for at := range pooled {
		ofPools = ofPools.Add(h.sms)
		if u := c.uses[at]; u != nil {
			ofPools = ofPools.Add(u.drops)
		}
	}
	h.far = h.far.Add(min(stay, ofPools))
	h.drops = h.drops.Add(h.lost)
	h.lines = h.lines.Add(saturating.Of(len(loaded)))
	h.fills = min(once, each).Add(h.lost)
}

// waited returns for how many fetches of lines a chain through a CTA waits at most: each of those of the lines that its warps load, or its warp if there
// is no barrier, once.
func (a *analysis) waited(of *class, cta [3]int, c *crew, keep []bool, h *l1) saturating.Int {
	line := uint64(a.L1.Line.Value)
	n, maximum := saturating.Int(0), saturating.Int(0)
	stay := func(at int) {
		if a.stamps[at] != a.stamp {
			a.stamps[at] = a.stamp
			n = n.Add(1)
			if u := c.uses[at]; u != nil {
				n = n.Add(u.drops)
			}
		}
	}
	a.stamp++
	for w, p := range of.warps {
		if !of.barriers {
			a.stamp++
			n = 0
		}
		for k := range p.patterns {
			t := &p.patterns[k]
			if !t.loads {
				continue
			}
			t.each(&p.box, cta, line, func(addr uint64) {
				if at := a.table.at(addr); keep[a.l1set(addr)] {
					stay(at)
				} else {
					n = n.Add(t.times)
				}
			})
		}
		for pc, o := range p.at {
			if o.loads == 0 {
				continue
			}
			pool, _ := a.pool(pc)
			all := true
			for _, at := range pool {
				all = all && keep[a.l1set(a.table.lines[at].addr)]
			}
			if !all {
				n = n.Add(o.loads)
				continue
			}
			for _, at := range pool {
				stay(at)
			}
		}
		local := saturating.Int(0)
		for word, k := range p.words {
			if !h.rare[w][word] {
				k = min(k, a.linesOfWord())
			}
			local = local.Add(k)
		}
		if p.anyWord {
			local = p.local
		}
		n = n.Add(min(local, p.local))
		maximum = max(maximum, n)
	}
	return maximum.Add(h.lost)
}

// linesOfWord returns in how many lines the words of a warp's lanes lie that have one address, at most.
func (a *analysis) linesOfWord() saturating.Int {
	if line, warp := a.L1.Line.Value, a.SM.WarpSize.Value*localWord; line%warp != 0 {
		return saturating.Of(warp/line + 2)
	}
	return 1
}

// absorbs reports whether the L1s take stores to lines of local memory that were loaded before.
func (a *analysis) absorbs() bool { return a.takesStores }

// findAbsorbs finds it: the lines have to stay, and the order of a warp's instructions has to be known.
func (a *analysis) findAbsorbs() {
	a.takesStores = len(a.inL1) > 0
	for i := range a.inL1 {
		a.takesStores = a.takesStores && a.inL1[i].local
	}
	for _, results := range a.warps {
		for i := range results {
			p := &results[i].Visitor.(*recorder).path
			a.takesStores = a.takesStores && (p.absorbed == 0 || !a.unordered(p))
		}
	}
}
