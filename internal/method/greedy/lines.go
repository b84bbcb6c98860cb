package greedy

import (
	"context"
	"math/bits"
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/saturating"
)

// Limits of what is looked at line by line, at effort 1: addresses of the patterns of a warp, and
// lines of patterns in all CTAs.
const (
	maxBases   = 1 << 20
	maxTouches = 1 << 22
)

// pattern is an access to global memory at known addresses, in every CTA of a box.
type pattern struct {
	bases []uint64  // in the first CTA, one for each line if lines begin alike in all CTAs
	step  [3]uint64 // from one CTA to the next
	bytes uint64
	loads bool // through the L1
	drops bool // from the L1
	times saturating.Int
}

// use is how often accesses touch a line, at most.
type use struct {
	addr          uint64
	loads, others saturating.Int
	drops         saturating.Int // of others, those that drop it from the L1
	fetched       saturating.Int // of loads, those that the L1 of an SM sends on
}

// requests is how many of them come to the L2.
func (u *use) requests() saturating.Int { return u.fetched.Add(u.others) }

// table says which lines accesses touch, and how many lines further ones touch of which that is not known.
type table struct {
	lines []use
	index map[uint64]int
	open  saturating.Int // lines of which it is not known where they are,
	loads saturating.Int // of these, those of loads through the L1
}

// at returns the place of a line, which is entered if it is not there.
func (t *table) at(addr uint64) int {
	at, ok := t.index[addr]
	if !ok {
		at = len(t.lines)
		t.index[addr] = at
		t.lines = append(t.lines, use{addr: addr})
	}
	return at
}

// touched is what a warp touches in every CTA of a box.
type touched struct {
	box      absexec.Box
	patterns []pattern
	open     saturating.Int            // lines that accesses touch of which the patterns do not tell
	loads    saturating.Int            // of these, those of loads through the L1
	absorbed saturating.Int            // and those of stores to lines that are there for sure, if they stay
	at       map[int]openUse           // lines of global memory at addresses that are not known, by instruction
	words    map[uint64]saturating.Int // loads of words of local memory,
	anyWord  bool                      // or of any of them
	local    saturating.Int            // lines of loads from local memory
}

// openUse is how many lines an instruction loads or drops of which it is not known where they are.
type openUse struct{ loads, drops saturating.Int }

// pattern keeps an access for the table.
func (r *recorder) pattern(s *absexec.Step, l lines, absorbed bool) {
	repeats := saturating.Int(1)
	for i := range r.loops {
		repeats = repeats.Mul(r.loops[i].times)
	}
	acc, t := s.Access, &r.path.touched
	known, local := acc.Lanes[isa.Global]&s.May, acc.Lanes[isa.Local]&s.May
	stores := s.Instr.Op == isa.St || s.Instr.Op == isa.StMatrix
	drops := stores || s.Instr.Op == isa.Atom || s.Instr.Op == isa.Red
	p := pattern{bytes: uint64(acc.Bytes), loads: !drops && !s.Instr.Volatile, drops: drops, times: repeats}
	inLocal := saturating.Of(r.localLines(acc, local))
	rest := saturating.Of(l.all).Sub(inLocal)
	if ok := r.fill(&p, s, known); ok {
		rest = rest.Sub(min(rest, saturating.Of(r.counter.Lines(s, s.Box))))
		if known != 0 {
			t.patterns = append(t.patterns, p)
			r.bases += len(p.bases)
		}
	}
	if acc.Space == isa.Local {
		inLocal, rest = inLocal.Add(rest), 0
	}
	t.open = t.open.Add(inLocal.Add(rest).Mul(repeats))
	if absorbed {
		t.absorbed = t.absorbed.Add(inLocal.Mul(repeats))
	}
	unclear := acc.Space == isa.Generic && rest > 0 && r.launch.LocalBytes() > 0 && !r.pools.ranged(s.PC) // in global memory or in local one
	switch {
	case unclear && !stores, drops && !stores && inLocal > 0:
		r.wild = true // an atomic operation drops lines of local memory, and loads may bring any
	case !drops && inLocal > 0:
		t.local = t.local.Add(inLocal.Mul(repeats))
		t.loads = t.loads.Add(inLocal.Mul(repeats))
		r.words(s, local, repeats)
	}
	if rest == 0 || !drops && s.Instr.Volatile {
		if unclear {
			t.loads = t.loads.Add(rest.Mul(repeats))
		}
		return
	}
	if t.at == nil {
		t.at = make(map[int]openUse)
	}
	o := t.at[s.PC]
	if drops {
		o.drops = o.drops.Add(rest.Mul(repeats))
	} else {
		o.loads = o.loads.Add(rest.Mul(repeats))
		t.loads = t.loads.Add(rest.Mul(repeats))
	}
	t.at[s.PC] = o
}

// words keeps how many lines of which words of local memory some lanes load, so many times.
func (r *recorder) words(s *absexec.Step, lanes uint64, repeats saturating.Int) {
	t := &r.path.touched
	if s.Access.Moves() || s.May&^lanes != 0 && s.Access.Space == isa.Local {
		t.anyWord = true
		return
	}
	if t.words == nil {
		t.words = make(map[uint64]saturating.Int)
	}
	for at, of := range byAddress(s.Access, lanes) {
		for k := range wordsOf(s.Access) {
			word := (at.base-abi.LocalBase)/localWord + k
			t.words[word] = t.words[word].Add(saturating.Of(r.ofOneWord(of)).Mul(repeats))
		}
	}
}

// wordsOf returns how many words of local memory an access of a lane touches.
func wordsOf(acc *absexec.Access) uint64 { return max(uint64(acc.Bytes)/localWord, 1) }

// fill finds the addresses of a pattern; false if they are too many, or go from one CTA to the next in different ways.
func (r *recorder) fill(p *pattern, s *absexec.Step, known uint64) bool {
	if known == 0 {
		return true
	}
	_, step := s.Access.Address(bits.TrailingZeros64(known))
	even := true
	line := uint64(r.L1.Line.Value)
	for axis, d := range step {
		if axis >= len(p.step) && d != 0 {
			return false // from one iteration to the next
		}
		if axis < len(p.step) {
			p.step[axis] = d
			even = even && (d%line == 0 || s.Box.Fixed(axis))
		}
	}
	for ; known != 0; known &= known - 1 {
		base, other := s.Access.Address(bits.TrailingZeros64(known))
		if other != step {
			return false
		}
		if even {
			for at := base &^ (line - 1); at < base+p.bytes; at += line {
				p.bases = append(p.bases, at)
			}
		} else {
			p.bases = append(p.bases, base)
		}
	}
	if even {
		p.bytes = 1
	}
	slices.Sort(p.bases)
	p.bases = slices.Compact(p.bases)
	if int64(r.bases+len(p.bases)) > r.effort.Of(maxBases) {
		r.uncounted = true
		return false
	}
	return true
}

// touches returns how many lines of patterns there are in all CTAs, at the very minimum.
func (a *analysis) touches() saturating.Int {
	n := saturating.Int(0)
	for _, results := range a.warps {
		for i := range results {
			p := &results[i].Visitor.(*recorder).path
			for k := range p.patterns {
				n = n.AddMul(saturating.Of(len(p.patterns[k].bases)), saturating.Of(p.box.CTAs()))
			}
		}
	}
	return n
}

// findTable adds up the patterns of all warps of all CTAs. If they touch too many lines to go through, it is known of
// none where they are. An error is that of ctx.
func (a *analysis) findTable(ctx context.Context) error {
	a.table.index = make(map[uint64]int)
	line := uint64(a.L1.Line.Value)
	many := a.touches() > saturating.Of(a.effort.Of(maxTouches))
	a.wild, a.uncounted = a.wild || many, a.uncounted || many
	for _, results := range a.warps {
		for i := range results {
			p := &results[i].Visitor.(*recorder).path
			n := saturating.Of(p.box.CTAs())
			a.table.open = a.table.open.Add(p.open.Mul(n))
			a.table.loads = a.table.loads.Add(p.touched.loads.Mul(n))
			for k := range p.patterns {
				if err := ctx.Err(); err != nil {
					return err
				}
				t := &p.patterns[k]
				if many {
					lines := saturating.Of(len(t.bases)).Mul(saturating.Of((t.bytes-1)/line + 2)).Mul(t.times.Mul(n))
					a.table.open, a.table.loads = a.table.open.Add(lines), a.table.loads.Add(lines)
					continue
				}
				eachCTA(&p.box, func(cta [3]int) {
					t.each(&p.box, cta, line, func(addr uint64) {
						if u := &a.table.lines[a.table.at(addr)]; t.loads {
							u.loads = u.loads.Add(t.times)
						} else {
							u.others = u.others.Add(t.times)
							if t.drops {
								u.drops = u.drops.Add(t.times)
							}
						}
					})
				})
			}
		}
	}
	return nil
}

// each calls visit for the lines that the pattern touches in a CTA of its box.
func (p *pattern) each(box *absexec.Box, cta [3]int, line uint64, visit func(addr uint64)) {
	shift := uint64(0)
	for axis, step := range p.step {
		shift += step * uint64(cta[axis]-box.Lo[axis])
	}
	last := ^uint64(0)
	for _, base := range p.bases { // in ascending order
		for at := (base + shift) &^ (line - 1); at < base+shift+p.bytes; at += line {
			if at != last {
				visit(at)
				last = at
			}
		}
	}
}

// eachCTA calls visit for the CTAs of a box.
func eachCTA(box *absexec.Box, visit func(cta [3]int)) {
	for z := box.Lo[2]; z < box.Hi[2]; z++ {
		for y := box.Lo[1]; y < box.Hi[1]; y++ {
			for x := box.Lo[0]; x < box.Hi[0]; x++ {
				visit([3]int{x, y, z})
			}
		}
	}
}

// merges returns how often so many accesses to one line come together at most, if no more than limit times for each line. The
// accesses of which the line is not known, open of them, go where they do most.
func (t *table) merges(together, limit, open saturating.Int, count func(u *use) saturating.Int) saturating.Int {
	n := saturating.Int(0)
	lacking := make(map[saturating.Int]saturating.Int) // lines by how many further accesses bring about one more
	for i := range t.lines {
		k := count(&t.lines[i])
		all := min(k.Div(together), limit)
		n = n.Add(all)
		if all < limit {
			lack := k.Div(together).Add(1).Mul(together).Sub(k)
			lacking[lack] = lacking[lack].Add(1)
		}
	}
	for lack := saturating.Int(1); lack < together && open >= lack; lack = lack.Add(1) {
		more := min(lacking[lack], open.Div(lack))
		n, open = n.Add(more), open.Sub(more.Mul(lack))
	}
	return n.Add(open.Div(together))
}
