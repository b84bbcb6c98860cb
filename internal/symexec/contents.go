package symexec

import (
	"cmp"
	"slices"

	"warpbound/internal/smt"
)

// contents is what a region holds on a path. The zero contents are those with which the
// launch begins.
type contents struct {
	array *smt.Term       // without some of what was written since; nil if it is the region's first
	bytes trie[*smt.Term] // what is known of bytes, by offset
	late  *chain[uint64]  // the offsets of bytes that array does not hold yet
}

// maxTable is how many bytes that are known make terms to be looked up at an offset that is
// not. Larger tables are looked up at one offset for each path.
const maxTable = 1 << 12

// array returns the contents of a region when the launch begins.
func (x *explorer) array(r int) *smt.Term {
	if x.arrays[r] != nil {
		return x.arrays[r]
	}
	region := &x.regions[r]
	array := x.b.Fill(indexBits, x.b.Number(8, 0))
	isSymbolic := make([]bool, len(region.contents))
	for _, s := range region.symbolic {
		array = x.b.Var(region.name, smt.Array(indexBits, 8))
		for i := range s.Bytes {
			isSymbolic[s.Offset+i] = true
		}
	}
	for i, c := range region.contents {
		if !isSymbolic[i] && (len(region.symbolic) > 0 || c != 0) {
			array = x.b.Store(array, x.b.Number(indexBits, uint64(i)), x.b.Number(8, uint64(c)))
		}
	}
	x.arrays[r] = array
	return array
}

// atStart returns bytes of a region as a number, as they are when the launch begins.
func (x *explorer) atStart(r int, offset *smt.Term, bytes int) *smt.Term {
	region := &x.regions[r]
	at, isConst := offset.Const()
	isSymbolic := func(s Range) bool { return at < uint64(s.Offset+s.Bytes) && at+uint64(bytes) > uint64(s.Offset) }
	if !isConst || slices.ContainsFunc(region.symbolic, isSymbolic) || at+uint64(bytes) > uint64(len(region.contents)) {
		return bytesOf(x.b, x.array(r), offset, bytes)
	}
	value := uint64(0)
	for i := range bytes {
		value |= uint64(region.contents[at+uint64(i)]) << (8 * i)
	}
	return x.b.Number(8*bytes, value)
}

// bytesOf returns bytes of an array as a number, the first the least significant.
func bytesOf(b *smt.Builder, array, offset *smt.Term, bytes int) *smt.Term {
	value := b.Select(array, offset)
	for i := 1; i < bytes; i++ {
		value = b.Concat(b.Select(array, b.Add(offset, b.Number(indexBits, uint64(i)))), value)
	}
	return value
}

// table returns bytes of a region that are known as a number, at any offset that is a multiple of
// their number: by halving.
func (x *explorer) table(r int, offset *smt.Term, bytes int) *smt.Term {
	all := len(x.regions[r].contents)
	n := min(all, int(min(offset.Max(), uint64(all)))+bytes) / bytes
	var half func(low, end int) *smt.Term
	half = func(low, end int) *smt.Term {
		if low+1 == end {
			return x.atStart(r, x.b.Number(indexBits, uint64(low*bytes)), bytes)
		}
		mid := (low + end) / 2
		first := x.b.Ult(offset, x.b.Number(indexBits, uint64(mid*bytes)))
		return x.b.Ite(first, half(low, mid), half(mid, end))
	}
	return half(0, n)
}

// locate returns the offset of an access: that of the model, if terms for others were too large.
func (s *state) locate(r int, offset *smt.Term, writes bool) *smt.Term {
	region := &s.x.regions[r]
	maximum := int(min(offset.Max(), uint64(len(region.contents))))
	isFirst := s.memory[r].array == nil && s.memory[r].late == nil
	if len(region.symbolic) > 0 || region.nonzero <= maxTable || isFirst && !writes && maximum <= maxTable {
		return offset
	}
	return s.x.b.Number(indexBits, s.pin(offset))
}

// load returns bytes of a region as a number, and takes note of the symbolic elements that they
// may be of.
func (s *state) load(r int, offset *smt.Term, bytes int) *smt.Term {
	b, c := s.x.b, &s.memory[r]
	at, isConst := offset.Const()
	if !isConst {
		s.note(r, offset, bytes)
		if c.array == nil && c.late == nil && len(s.x.regions[r].symbolic) == 0 {
			return s.x.table(r, offset, bytes)
		}
		s.catchUp(r)
		return bytesOf(b, c.array, offset, bytes)
	}
	var value *smt.Term
	noted := false
	for i := range uint64(bytes) {
		v, known := c.bytes.get(at + i)
		if !known {
			if !noted {
				s.note(r, offset, bytes)
				noted = true
			}
			place := b.Number(indexBits, at+i)
			if c.array == nil {
				v = s.x.atStart(r, place, 1)
			} else {
				v = b.Select(c.array, place)
			}
		}
		if value == nil {
			value = v
		} else {
			value = b.Concat(v, value)
		}
	}
	return value
}

// catchUp puts the bytes that were written at known offsets into the array.
func (s *state) catchUp(r int) {
	c, b := &s.memory[r], s.x.b
	if c.array == nil {
		c.array = s.x.array(r)
	}
	for _, at := range c.late.list() {
		v, _ := c.bytes.get(at)
		c.array = b.Store(c.array, b.Number(indexBits, at), v)
	}
	c.late = nil
}

// store writes the bytes of a number to a region.
func (s *state) store(r int, offset, value *smt.Term) {
	b, c, bytes := s.x.b, &s.memory[r], value.Width()/8
	if at, isConst := offset.Const(); isConst {
		for i := range bytes {
			place := at + uint64(i)
			c.bytes = c.bytes.with(place, b.Extract(value, 8*i, 8))
			c.late = c.late.with(place)
		}
		return
	}
	s.catchUp(r)
	for i := range bytes {
		at := b.Add(offset, b.Number(indexBits, uint64(i)))
		c.array = b.Store(c.array, at, b.Extract(value, 8*i, 8))
	}
	c.bytes = trie[*smt.Term]{} // any may be another now
}

// note takes note of a read of symbolic elements, which are in range from then on.
func (s *state) note(r int, offset *smt.Term, bytes int) {
	region, b := &s.x.regions[r], s.x.b
	if len(region.symbolic) == 0 {
		return
	}
	e := region.symbolic[0].Element
	if at, isConst := offset.Const(); isConst {
		i := slices.IndexFunc(region.symbolic, func(r Range) bool { return at >= uint64(r.Offset) && at < uint64(r.Offset+r.Bytes) })
		if i < 0 {
			return
		}
		e = region.symbolic[i].Element
	} else if len(region.symbolic) > 1 { // of the parameters, which are in range already
		e = Element{}
	}
	size := cmp.Or(e.Bytes, bytes)
	first := offset
	if size > bytes {
		first = b.BvAnd(offset, b.Number(indexBits, -uint64(size)))
	}
	for at := 0; at < bytes; at += size {
		offset := b.Add(first, b.Number(indexBits, uint64(at)))
		s.restrict(r, offset, e)
		s.reads = s.reads.with(Read{Array: region.name, Offset: offset, Bytes: size, Thread: s.at})
	}
}

// restrict takes a symbolic element to be in range. An element that is not in the model's
// was not read before, so that the model may be changed there.
func (s *state) restrict(r int, offset *smt.Term, e Element) {
	if e == (Element{}) {
		return
	}
	b := s.x.b
	within := e.within(b, s.x.atStart(r, offset, e.Bytes))
	if s.known(within) {
		return
	}
	at := s.eval().Eval(offset)
	cells, value := s.model.Cells[s.x.regions[r].name], uint64(0)
	for i := range e.Bytes {
		value |= cells[at+uint64(i)] << (8 * i)
	}
	if !e.holds(value) {
		for i := range e.Bytes {
			s.model.SetCell(s.x.regions[r].name, at+uint64(i), e.some()>>(8*i)&0xff)
		}
	}
	if _, isConst := within.Const(); !isConst {
		s.path = s.path.with(condition{within, s.at, true})
		s.assumed = s.assumed.with(uint64(within.ID()), true)
	}
}
