package greedy

import (
	"cmp"
	"math/bits"
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
)

// Limits of what is looked at line by line: addresses of patterns, and lines of patterns in all CTAs.
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
	times int64
}

// use is how often accesses touch a line, at most.
type use struct {
	addr          uint64
	loads, others int64
}

// table says which lines accesses touch, and how many lines further ones touch of which that is not known.
type table struct {
	lines []use
	open  int64
}

// pattern keeps an access for the table.
func (r *recorder) pattern(s *absexec.Step, l lines) {
	repeats := int64(1)
	for i := range r.loops {
		repeats = times(repeats, r.loops[i].times)
	}
	known := s.Access.Lanes[isa.Global] & s.May
	loads := s.Instr.Op != isa.St && s.Instr.Op != isa.StMatrix && s.Instr.Op != isa.Atom && s.Instr.Op != isa.Red && !s.Instr.Volatile
	p := pattern{bytes: uint64(s.Access.Bytes), loads: loads, times: repeats}
	if ok := r.fill(&p, s, known); !ok {
		r.path.open = plus(r.path.open, times(l.all, repeats))
		return
	}
	r.path.open = plus(r.path.open, times(l.all-min(l.all, r.counter.Lines(s, s.Box)), repeats)) // those of other lanes
	if known != 0 {
		r.path.patterns = append(r.path.patterns, p)
		r.bases += len(p.bases)
	}
}

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
	return r.bases+len(p.bases) <= maxBases
}

// findTable adds up the patterns of all warps of all CTAs.
func (a *analysis) findTable() {
	index := make(map[uint64]int)
	line := uint64(a.L1.Line.Value)
	touches := 0
	for _, results := range a.warps {
		for i := range results {
			p, box := &results[i].Visitor.(*recorder).path, results[i].Box
			n := int64(box.CTAs())
			a.table.open = plus(a.table.open, times(p.open, n))
			for k := range p.patterns {
				t := &p.patterns[k]
				if touches += len(t.bases) * box.CTAs(); touches > maxTouches {
					a.table.open = plus(a.table.open, times(times(int64(len(t.bases)), int64((t.bytes-1)/line+2)), times(t.times, n)))
					continue
				}
				t.each(box, line, func(addr uint64) {
					at, ok := index[addr]
					if !ok {
						at = len(a.table.lines)
						index[addr] = at
						a.table.lines = append(a.table.lines, use{addr: addr})
					}
					if u := &a.table.lines[at]; t.loads {
						u.loads = plus(u.loads, t.times)
					} else {
						u.others = plus(u.others, t.times)
					}
				})
			}
		}
	}
	slices.SortFunc(a.table.lines, func(a, b use) int { return cmp.Compare(a.addr, b.addr) })
}

// each calls visit for the lines that the pattern touches in each CTA of a box.
func (p *pattern) each(box absexec.Box, line uint64, visit func(addr uint64)) {
	size := [3]int{}
	for axis := range size {
		size[axis] = box.Hi[axis] - box.Lo[axis]
	}
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				shift := p.step[0]*uint64(x) + p.step[1]*uint64(y) + p.step[2]*uint64(z)
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
		}
	}
}

// merges returns how often so many accesses to one line come together at most, if no more than limit times for each line. The
// accesses of which the line is not known go where they do most.
func (t *table) merges(together, limit int64, count func(u *use) int64) int64 {
	n := int64(0)
	lacking := make(map[int64]int64) // lines by how many further accesses bring about one more
	for i := range t.lines {
		k := count(&t.lines[i])
		all := min(k/together, limit)
		n = plus(n, all)
		if all < limit {
			lacking[together-k%together]++
		}
	}
	open := t.open
	for lack := int64(1); lack < together && open >= lack; lack++ {
		more := min(lacking[lack], open/lack)
		n, open = plus(n, more), open-more*lack
	}
	return plus(n, open/together)
}
