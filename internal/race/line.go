package race

import "math/bits"

// lineWords and lineBytes are how many words and bytes a line has.
const (
	lineWords = 32
	lineBytes = 4 * lineWords
)

// lineRecords is how many records a line has at most: with more, to note each word by itself takes
// less memory and time.
const lineRecords = 32

// line is what is known of words in a row. Lanes of a warp mostly access such words side by side,
// and one record stands for all of them. Where that is not enough each word has a cell.
type line struct {
	records []lineRecord // from the oldest on

	// values are what the valued records have written, nil if there are none. No two of these have
	// a byte in common.
	values *[lineWords]uint32
	cells  *[lineWords]cell // in place of records; nil if there are none
}

// lineRecord is an ordinary access to the same bytes of some words of a line. From one lane to the
// next addresses rise by a step, or lanes that follow each other have all accessed the same. There
// are many: they are small, and have no pointers.
type lineRecord struct {
	words  uint32
	cta    int32
	pc     int32
	time   uint32 // of the warp
	origin int16  // the byte of the line that lane 0 would access; it may lie before the line
	step   uint8  // in bytes; 0 if lanes have all accessed the same: origin is sameLanes of these then
	warp   uint8
	bytes  uint8 // a bit for each of a word
	store  bool
	atomic bool
	valued bool // what was written is in line.values
}

// sameLanes encodes lanes that follow each other as the first and the last of them. It is false of
// others.
func sameLanes(lanes uint64) (encoded int, ok bool) {
	low, high := first(lanes), 63-bits.LeadingZeros64(lanes)
	return low | high<<8, lanes>>low == 1<<(high-low+1)-1
}

// lanesAt returns the lanes that have accessed a word.
func (r *lineRecord) lanesAt(word int) uint64 {
	if r.step == 0 {
		low, high := r.origin&0xff, r.origin>>8
		return (1<<(high-low+1) - 1) << low
	}
	return 1 << ((4*word + lowest(r.bytes) - int(r.origin)) / int(r.step))
}

// lanesSpan returns lanes that include those which have accessed some words.
func (r *lineRecord) lanesSpan(words uint32) uint64 {
	if r.step == 0 {
		return r.lanesAt(0)
	}
	low, high := r.lanesAt(bits.TrailingZeros32(words)), r.lanesAt(31-bits.LeadingZeros32(words))
	return high | (high - low)
}

// aligned reports whether, where both records have bytes in common, one lane has accessed these,
// the same in both.
func (r *lineRecord) aligned(other *lineRecord) bool {
	return r.step != 0 && r.step == other.step && r.origin == other.origin
}

// record returns what a record of the line says of one of its words. The size of elements and the
// scope matter to strong accesses alone.
func (l *line) record(r *lineRecord, word int) record {
	one := record{
		lanes: r.lanesAt(word), cta: r.cta, pc: r.pc, time: r.time, warp: r.warp, bytes: r.bytes,
		store: r.store, atomic: r.atomic, valued: r.valued,
	}
	if r.valued {
		one.value = l.values[word]
	}
	return one
}

// divideIntoCells gives each word a cell.
func (l *line) divideIntoCells() {
	if l.cells != nil {
		return
	}
	l.cells = new([lineWords]cell)
	for i := range l.records {
		r := &l.records[i]
		for m := r.words; m != 0; m &= m - 1 {
			word := bits.TrailingZeros32(m)
			c := &l.cells[word]
			c.records = append(c.records, l.record(r, word))
		}
	}
	l.records, l.values = nil, nil
}

// addRecord adds a record. Lines are many and mostly have few records: they grow by a few.
func (l *line) addRecord(r lineRecord) {
	if len(l.records) == cap(l.records) {
		l.records = append(make([]lineRecord, 0, len(l.records)+4), l.records...)
	}
	l.records = append(l.records, r)
}

// compact drops the records that have no words left.
func (l *line) compact() {
	kept := l.records[:0]
	for i := range l.records {
		if l.records[i].words != 0 {
			kept = append(kept, l.records[i])
		}
	}
	l.records = kept
}

// makeRoom makes room for a record in those of each of some words, as room does for one word.
func (l *line) makeRoom(words uint32, limit int) {
	if len(l.records) < limit {
		return
	}
	var counts [lineRecords + 1]uint32 // by number: the words that have so many records or more
	counts[0] = words
	for i := range l.records {
		for n := min(i+1, limit); n > 0; n-- {
			counts[n] |= counts[n-1] & l.records[i].words
		}
	}
	if full := counts[limit]; full != 0 {
		l.forgetRecords(l.forgetRecords(full, false), true)
		l.compact()
	}
}

// forgetRecords forgets, for each of some words, the oldest record but one, which is a read unless stores
// are forgotten, too. It returns the words that have none.
func (l *line) forgetRecords(words uint32, stores bool) uint32 {
	behind := uint32(0)
	for i := range l.records {
		r := &l.records[i]
		own := r.words & words
		if stores || !r.store {
			r.words &^= own & behind
			words &^= own & behind
		}
		behind |= own
	}
	return words
}
