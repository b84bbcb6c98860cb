package race

import "math/bits"

// row is lanes that access elements of one line, at addresses that rise by a step from one lane to
// the next, or that all access the same element.
type row struct {
	lanes  uint64
	addr   uint64    // of the line
	origin int       // as of lineRecord
	step   int       // likewise
	words  [4]uint32 // by the byte of the word at which elements begin
}

// addElement adds an element at a byte of the line.
func (r *row) addElement(offset uint64, bytes int) {
	r.words[offset%4] |= (1<<((bytes+3)/4) - 1) << (offset / 4)
}

// takeRow takes lanes that make a row from the front of a set. It is false of lanes of which a line has
// no record: their element may lie in more than one, or they have others between them.
func (u *use) takeRow(set uint64, p Piece) (row, bool) {
	at := func(lane int) uint64 { return u.Addr[lane] + uint64(p.Offset) }
	lane, size := first(set), uint64(p.Bytes)
	set &= set - 1
	same := u.lanesReadingSame(set, lane)
	r := row{lanes: 1<<lane | same, addr: at(lane) &^ (lineBytes - 1)}
	if size > lineBytes || size&(size-1) != 0 || at(lane)%size != 0 {
		return r, false
	}
	begin := at(lane) - r.addr
	r.addElement(begin, p.Bytes)
	if same != 0 {
		var ok bool
		r.origin, ok = sameLanes(r.lanes)
		return r, ok
	}
	for ; set != 0; set &= set - 1 {
		next := first(set)
		offset, distance := at(next)-r.addr, next-lane
		if offset >= lineBytes || offset%size != 0 || u.lanesReadingSame(set&(set-1), next) != 0 {
			break
		}
		way := int(offset - begin)
		if r.step == 0 && way/distance >= p.Bytes {
			r.step = way / distance
		}
		if r.step == 0 || way != r.step*distance {
			break
		}
		r.lanes |= 1 << next
		r.addElement(offset, p.Bytes)
	}
	if r.step == 0 { // of one lane
		r.step = lineBytes
	}
	r.origin = int(begin) - r.step*lane
	return r, true
}

// lanesReadingSame returns the lanes at the front of a set that read what a lane reads: they are one reader.
func (u *use) lanesReadingSame(set uint64, lane int) (same uint64) {
	if u.store {
		return 0
	}
	for ; set != 0 && u.Addr[first(set)] == u.Addr[lane]; set &= set - 1 {
		same |= set & -set
	}
	return same
}

// noteRow notes piece i of a row of lanes at once, with what words notes of each by itself. It is
// false, and nothing is noted, where that is not enough: the access races, there is no room, or
// values are not told apart.
func (u *use) noteRow(l *line, r *row, i int, p Piece) bool {
	if l.cells != nil {
		return false
	}
	d := u.cta.d
	list := d.list[:0]
	for begin, words := range r.words {
		if words != 0 {
			list = append(list, u.lineRecord(r, begin, p))
		}
	}
	if len(l.records)+len(list) > lineRecords {
		return false
	}
	for k := range list {
		if !u.findPast(l, &list[k]) {
			return false
		}
	}
	for k := range list {
		if len(list) > 1 { // else it is found
			u.findPast(l, &list[k])
		}
		for n := range l.records {
			l.records[n].words &^= d.past[n]
		}
		l.compact()
		l.makeRoom(list[k].words, d.keep)
		l.addRecord(list[k])
	}
	if u.store && u.valued {
		u.overwrite(l, r, i, p)
	}
	return true
}

// lineRecord is the record of a row for the elements that begin at a byte of a word.
func (u *use) lineRecord(r *row, begin int, p Piece) lineRecord {
	return lineRecord{
		words: r.words[begin], cta: u.record.cta, pc: u.pc, time: u.time,
		origin: int16(r.origin), step: uint8(r.step), warp: u.warp,
		bytes: elementBytes(begin, p), store: u.store, atomic: u.atomic, valued: u.store && u.valued,
	}
}

// elementBytes returns the bytes of a word that an element has which begins at one of them.
func elementBytes(begin int, p Piece) uint8 { return uint8(1<<min(p.Bytes, 4)-1) << begin }

// findPast finds what a record of the access stands for, as word does for one word: of each record
// of the line the words that are in Detector.past then. It is false if the access races, or if it
// writes a part of what a valued record has written.
func (u *use) findPast(l *line, one *lineRecord) bool {
	for i := range l.records {
		r := &l.records[i]
		past := &u.cta.d.past[i]
		*past = 0
		words := r.words & one.words
		if words == 0 {
			continue
		}
		conflict := r.bytes&one.bytes != 0 && (r.store || u.store)
		covered := r.bytes&^one.bytes == 0 && (u.store || !r.store)
		if !conflict && !covered {
			continue
		}
		before := u.findBefore(l, r, one, words)
		if conflict && (before != words || !covered && r.valued && one.valued) {
			return false
		}
		if covered {
			*past = before
		}
	}
	return true
}

// findBefore returns those of some words at which a record of the line is ordered before one of the
// access, as after tells for one word.
func (u *use) findBefore(l *line, r, one *lineRecord, words uint32) (before uint32) {
	own := int(r.cta) == u.cta.index
	switch {
	case !own || r.warp != u.warp:
		if own && u.w.clock[r.warp] >= r.time {
			return words
		}
		if u.w.lanes == nil {
			return 0
		}
	case r.time != u.time && (r.aligned(one) || u.cta.d.lockStep && r.lanesSpan(words)&^u.Active == 0):
		return words
	}
	for m := words; m != 0; m &= m - 1 {
		word := bits.TrailingZeros32(m)
		u.lanes = one.lanesAt(word)
		if at := l.record(r, word); u.after(&at) {
			before |= m & -m
		}
	}
	return before
}

// overwrite notes what a row of lanes has written. Nothing was released there: the line would have
// cells.
func (u *use) overwrite(l *line, r *row, i int, p Piece) {
	if l.values == nil {
		l.values = new([lineWords]uint32)
	}
	for m := r.lanes; m != 0; m &= m - 1 {
		lane := first(m)
		value, offset := u.Value(lane, i), int(u.Addr[lane]+uint64(p.Offset)-r.addr)
		begin := offset % 4
		written := mask(elementBytes(begin, p))
		for n := 0; n < p.Bytes; n += 4 {
			v := &l.values[(offset+n)/4]
			*v = *v&^written | uint32(value>>(8*n))<<(8*begin)&written
		}
	}
}
