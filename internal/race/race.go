package race

import (
	"cmp"
	"slices"

	"warpbound/internal/isa"
)

// Kind tells what two accesses that race do.
type Kind uint8

// The kinds of races, by the order in which the execution made the accesses.
const (
	ReadAfterWrite Kind = iota
	WriteAfterRead
	WriteAfterWrite
	EqualWrites // both write the same value
)

// String implements fmt.Stringer.
func (k Kind) String() string {
	return [...]string{"read-after-write", "write-after-read", "write-after-write", "equal-writes"}[k]
}

// Reach tells which threads race: the smallest group that has both.
type Reach uint8

// The groups.
const (
	InInstruction Reach = iota // lanes of a warp, in one instruction
	InWarp
	InCTA
	InGrid
)

// String implements fmt.Stringer.
func (r Reach) String() string { return [...]string{"instruction", "warp", "cta", "grid"}[r] }

// Participant is one of two accesses that race.
type Participant struct {
	PC     int // index of the instruction
	CTA    int // index in the grid
	Warp   int // index in the CTA
	Lane   int // the lowest that takes part
	Write  bool
	Atomic bool
	Copy   bool // an asynchronous copy for which nobody has waited
}

// Race is a pair of instructions that race, with the first example of it.
type Race struct {
	Kind   Kind
	Reach  Reach
	Shared bool   // in shared memory, of Second's CTA; else in global memory
	Addr   uint64 // the lowest byte that both access
	First  Participant
	Second Participant // the later in the execution
	Count  int64
}

// Detector looks at one launch after the other.
type Detector struct {
	width    int
	lockStep bool
	keep     int // accesses that a word remembers
	global   shadow
	syncs    map[uint64]*releases // by word of global memory
	races    map[pair]*Race
	hazards  map[pair]*Race
	visited  map[visit]int // used again by queries
	walked   map[walk]bool // the same
	looks    int64         // since Begin
	joint    []uint32      // a row, used again

	past [lineRecords]uint32 // by record of a line: the words for which the access stands that is being noted
	list [4]lineRecord       // those of a row, used again
}

// pair is what races are counted by.
type pair struct {
	first, second int32
	kind          Kind
	shared        bool
}

// New returns a detector for warps of so many lanes.
func New(width int, lockStep bool) *Detector {
	d := &Detector{
		width: width, lockStep: lockStep, keep: 6, visited: map[visit]int{}, walked: map[walk]bool{}, joint: make([]uint32, width),
	}
	d.Begin()
	return d
}

// Begin begins a launch: all that happened before is ordered before it. The races found so far are
// forgotten.
func (d *Detector) Begin() {
	d.global, d.looks = shadow{}, 0
	d.syncs = map[uint64]*releases{}
	d.races, d.hazards = map[pair]*Race{}, map[pair]*Race{}
}

// Looks returns how often the detector has looked since Begin at what threads have released and
// acquired. That is what takes long where many pass something on to each other.
func (d *Detector) Looks() int64 { return d.looks }

// Races returns the races found since Begin, by instructions and kinds.
func (d *Detector) Races() []Race { return sorted(d.races) }

// Hazards returns the pairs of accesses found since Begin that are no races, and that only
// lock-step orders, by instructions and kinds.
func (d *Detector) Hazards() []Race { return sorted(d.hazards) }

// sorted returns what was found, by instructions and kinds.
func sorted(found map[pair]*Race) []Race {
	list := make([]Race, 0, len(found))
	for _, r := range found {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.First.PC, b.First.PC), cmp.Compare(a.Second.PC, b.Second.PC),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Addr, b.Addr), compareMemories(a.Shared, b.Shared))
	})
	return list
}

// compareMemories has global memory before shared memory.
func compareMemories(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// CTA is a CTA that runs. It is used again for others.
type CTA struct {
	d        *Detector
	index    int
	warps    []warp
	shared   shadow
	syncs    map[uint64]*releases // by word of shared memory
	barriers map[int]*arrivals    // by number
	tracked  map[uint64][]tracked // by phase of an mbarrier
}

// Start begins a CTA with the given index in the grid and so many warps.
func (d *Detector) Start(c *CTA, index, warps int) {
	c.shared.forgetAll()
	*c = CTA{
		d: d, index: index, warps: c.warps, shared: c.shared,
		syncs: map[uint64]*releases{}, barriers: map[int]*arrivals{},
	}
	if len(c.warps) != warps {
		c.warps = make([]warp, warps)
	}
	none := make(clock, warps)
	for i := range c.warps {
		w := &c.warps[i]
		rows := w.rows
		if len(rows) != d.width*d.width {
			rows = make([]uint32, d.width*d.width)
		}
		clear(rows)
		*w = warp{rows: rows, clock: none}
	}
}

// Access is an access of one warp instruction.
type Access struct {
	PC     int
	Active uint64 // lanes that execute the instruction together, whatever its guard
	Lanes  uint64 // those of them that access the space
	Shared bool
	Addr   *[64]uint64 // by lane: the lowest byte
	Pieces []Piece
	Load   bool
	Store  bool // both of atomic operations
	Unread bool // nobody gets what it reads, as of reductions
	Awaits bool // a read until it gives something else
	Copy   bool // of an asynchronous copy, for which threads wait
	Until  Until
	Order  isa.Order
	Scope  isa.Scope

	// Value returns what a lane writes to a piece; nil if that is not known.
	Value func(lane, piece int) uint64
}

// Piece is an element that a lane accesses.
type Piece struct{ Offset, Bytes int }

// Access notes an access and finds those with which it races.
func (c *CTA) Access(warp int, a *Access) {
	u := c.begin(warp, a)
	for i, p := range a.Pieces {
		u.size = uint8(min(p.Bytes, 255))
		u.piece(i, p)
	}
	if a.Copy {
		p := &u.w.copies[a.Until]
		p.list = append(p.list, copied{time: u.w.now, words: len(p.accessed)})
	}
}

// begin begins to note an access.
func (c *CTA) begin(warp int, a *Access) use {
	w := c.together(warp, a.Active)
	w.now++
	return use{Access: a, cta: c, w: w, record: record{
		cta: int32(c.index), warp: uint8(warp), pc: int32(a.PC), time: w.now, scope: a.Scope,
		store: a.Store, atomic: a.Load && a.Store, strong: a.Order != isa.OrderWeak, copy: a.Copy,
		valued: a.Value != nil, active: a.Active,
		exchanges: a.Order == isa.OrderRelaxed && a.Load != a.Store && !a.Awaits,
	}}
}

// Diverge notes that lanes execute a branch together.
func (c *CTA) Diverge(warp int, active uint64) { c.together(warp, active) }

// use is an access that is being noted.
type use struct {
	*Access
	cta *CTA
	w   *warp
	record
	read span // what it reads in the word
}

// piece notes one element of all lanes.
func (u *use) piece(i int, p Piece) {
	if u.strong || u.copy {
		u.elements(u.Lanes, i, p)
		return
	}
	for m := u.Lanes; m != 0; {
		r, ok := u.takeRow(m, p)
		m &^= r.lanes
		if !ok || !u.noteRow(u.memory().line(r.addr), &r, i, p) {
			u.elements(r.lanes, i, p)
		}
	}
}

// elements notes one element of each of some lanes.
func (u *use) elements(lanes uint64, i int, p Piece) {
	for m := lanes; m != 0; {
		lane := first(m)
		addr := u.Addr[lane] + uint64(p.Offset)
		m &= m - 1
		set := u.lanesReadingSame(m, lane)
		m &^= set
		set |= 1 << lane
		value := uint64(0)
		if u.Value != nil && u.store {
			value = u.Value(lane, i)
		}
		for n := 0; n < p.Bytes; {
			at := addr + uint64(n)
			size := min(4-int(at%4), p.Bytes-n)
			u.word(at, size, uint32(value>>(8*n)), set)
			n += size
		}
	}
}

// memory is the one that is accessed.
func (u *use) memory() *shadow {
	if u.Shared {
		return &u.cta.shared
	}
	return &u.cta.d.global
}

// word notes the access of lanes to bytes of one word.
func (u *use) word(addr uint64, size int, value uint32, lanes uint64) {
	shift := addr % 4
	u.bytes = uint8(1<<size-1) << shift
	u.value = value << (8 * shift)
	u.lanes = lanes
	c := u.memory().cell(addr)
	u.read = u.reads(c)
	u.number, u.observed = 0, u.read
	if u.Unread {
		u.observed = span{}
	}
	for i := range c.records {
		r := &c.records[i]
		overlap := r.bytes & u.bytes
		conflict := overlap != 0 && (r.store || u.store) && !u.permitted(r)
		covered := u.covers(r)
		if overlap != 0 && (r.store || u.store) && u.hazardous(c.records, r) {
			u.note(u.cta.d.hazards, r, addr&^3+uint64(lowest(overlap)))
		}
		if !conflict && !covered { // the order does not matter, and may take long to find
			r.past = false
			continue
		}
		before := u.ordered(c.records, r)
		if conflict && !before {
			u.note(u.cta.d.races, r, addr&^3+uint64(lowest(overlap)))
		}
		r.past = before && covered
	}
	kept := c.records[:0]
	for _, r := range c.records {
		if !r.past || (u.strong || !u.store) && r.witness(c.records) {
			kept = append(kept, r)
		}
	}
	c.records = kept
	if u.store {
		u.writes(c)
	}
	c.records = append(room(c.records, u.cta.d.keep), u.record)
	if u.strong || u.store {
		u.synchronise(addr&^3, lanes)
	}
	if u.copy {
		p := &u.w.copies[u.Until]
		p.accessed = append(p.accessed, location{addr, u.Shared})
	}
}

// room makes room for a record in those of a word, if there are limit of them: it forgets the oldest read but one, or
// else the oldest access but one, and the strong writes that it has observed, as others may follow them by it.
func room(records []record, limit int) []record {
	if len(records) < limit {
		return records
	}
	i := slices.IndexFunc(records[1:], func(r record) bool { return !r.store }) + 1
	i = max(i, 1)
	observed := records[i].observed
	return slices.DeleteFunc(slices.Delete(records, i, i+1), func(r record) bool { return observed.has(r.number) })
}

// permitted reports whether the accesses may be concurrent: both are strong, of the same bytes as a whole, and their scopes
// include each other's threads.
func (u *use) permitted(r *record) bool {
	return u.strong && r.strong && u.size == r.size && u.bytes == r.bytes && (u.cta.index == int(r.cta) || wide(u.scope) && wide(r.scope))
}

// covers reports whether all that may race with a record may race with the access, too. Then the record need not
// be kept if it is ordered before the access: what is ordered behind the access is behind both. But who observes a strong
// write is behind that alone, and what it has read.
func (u *use) covers(r *record) bool {
	if u.strong && u.store && !u.read.has(r.number) {
		return false
	}
	alike := !u.strong || r.strong && r.cta == u.record.cta && (wide(r.scope) || !wide(u.scope)) && r.size == u.size
	return alike && r.bytes&^u.bytes == 0 && (u.store || !r.store)
}

// wide reports whether a scope has threads of other CTAs.
func wide(scope isa.Scope) bool { return scope > isa.ScopeCluster }

// after reports whether all that the record stands for is ordered before the access.
func (u *use) after(r *record) bool {
	c, w := u.cta, u.w
	if int(r.cta) != c.index {
		return u.acquired(r)
	}
	if r.warp != u.warp {
		return w.clock[r.warp] >= r.time && !r.copy || u.acquired(r)
	}
	if r.copy || r.time == u.time { // pieces of one access do not overlap
		return false
	}
	others := r.lanes
	if c.d.lockStep {
		others &^= u.Active
	}
	if others == 0 || others == u.lanes && u.lanes&(u.lanes-1) == 0 {
		return true
	}
	for m := u.lanes; m != 0; m &= m - 1 {
		lane := first(m)
		rest := *r
		rest.lanes = w.unknown(c.d.width, lane, r) & others &^ (1 << lane)
		if rest.lanes != 0 && !u.acquiredBy(lane, &rest) {
			return false
		}
	}
	return true
}

// kind tells what the access does and one that the execution made before.
func (u *use) kind(r *record) Kind {
	switch {
	case u.store && !r.store:
		return WriteAfterRead
	case u.store && u.valued && r.valued && (u.value^r.value)&mask(u.bytes&r.bytes) == 0:
		return EqualWrites
	case u.store:
		return WriteAfterWrite
	}
	return ReadAfterWrite
}

// note counts a pair of the access and one that the execution made before.
func (u *use) note(found map[pair]*Race, r *record, addr uint64) {
	kind := u.kind(r)
	key := pair{r.pc, u.pc, kind, u.Shared}
	if known := found[key]; known != nil {
		known.Count++
		return
	}
	reach := InGrid
	switch {
	case r.cta != u.cta32():
	case r.warp != u.warp:
		reach = InCTA
	case r.time != u.time:
		reach = InWarp
	default:
		reach = InInstruction
	}
	found[key] = &Race{Kind: kind, Reach: reach, Shared: u.Shared, Addr: addr, First: r.participant(), Second: u.participant(), Count: 1}
}

func (u *use) cta32() int32 { return u.record.cta }

// record is an access to a word.
type record struct {
	lanes  uint64
	active uint64 // lanes that executed the instruction together
	cta    int32
	pc     int32
	time   uint32 // of the warp
	value  uint32 // what was written, in its bytes
	warp   uint8
	bytes  uint8 // a bit for each of the word
	size   uint8 // of the element that was accessed, in bytes
	scope  isa.Scope
	store  bool
	atomic bool
	strong bool
	copy   bool // asynchronous, and nobody has waited for it
	valued bool // value is known
	past   bool // the access that is being noted stands for it

	exchanges bool // a strong read or write by which lanes of a warp may exchange values, see hazardous

	number   uint32 // of a strong write to the word; else 0
	observed span   // strong writes that a strong read has observed
}

func (r *record) participant() Participant {
	return Participant{PC: int(r.pc), CTA: int(r.cta), Warp: int(r.warp), Lane: first(r.lanes), Write: r.store, Atomic: r.atomic, Copy: r.copy}
}
