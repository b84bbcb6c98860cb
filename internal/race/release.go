package race

import (
	"slices"

	"warpbound/internal/isa"
)

// snapshot is what was ordered before a fence.
type snapshot struct {
	cta      int32
	warp     uint8
	row      []uint32 // for the lanes of its warp
	clock    clock
	acquired *knowledge
	scope    isa.Scope
	here     bool // by an access, of the lane, that releases at its own place alone; else by a fence
	lane     int

	// passes is set if a strong write of another thread behind a barrier of the CTA releases it, too, and a fence behind a barrier
	// behind another thread's strong read acquires it. The fence is sequentially consistent: were that of who
	// acquires before it in their order, it would precede what it has seen.
	passes bool
}

// superseded reports whether a later fence of the same threads has released what the snapshot has.
func (s *snapshot) superseded(later *snapshot) bool {
	if s == later {
		return true
	}
	if s.cta != later.cta || s.warp != later.warp || s.acquired != later.acquired {
		return false
	}
	for k, t := range s.row {
		if later.row[k] < t {
			return false
		}
	}
	return true
}

// covers reports whether an access of the snapshot's CTA is in it.
func (s *snapshot) covers(r *record) bool {
	if r.warp != s.warp {
		return s.clock[r.warp] >= r.time
	}
	for k := r.lanes; k != 0; k &= k - 1 {
		if s.row[first(k)] < r.time {
			return false
		}
	}
	return true
}

// releases are the snapshots that a strong write and the atomic operations behind it have left at a word.
type releases struct {
	all   []*snapshot
	byCTA map[int32][]int // where those of a CTA are
	links []int           // where those are that pass on what they have acquired
}

func (r *releases) add(s *snapshot) {
	if r.byCTA == nil {
		r.byCTA = map[int32][]int{}
	}
	r.byCTA[s.cta] = append(r.byCTA[s.cta], len(r.all))
	if s.acquired != nil {
		r.links = append(r.links, len(r.all))
	}
	r.all = append(r.all, s)
}

// knowledge is a list of what was seen at words. It does not change; nil is nothing.
type knowledge struct {
	at     *releases
	n      int  // the first so many of them
	near   bool // no farther than its CTA
	passed bool // through a barrier of the CTA, so that only what sequentially consistent fences have released counts
	next   *knowledge
}

// includes reports whether the first element of a list has all that the first of another has.
func (k *knowledge) includes(one *knowledge) bool {
	return k.at == one.at && k.n >= one.n && (!k.near || one.near) && (!k.passed || one.passed)
}

// see returns a list that has more.
func (k *knowledge) see(at *releases, n int, near bool) *knowledge {
	if k != nil && k.at == at && k.near == near {
		if k.n >= n {
			return k
		}
		k = k.next
	}
	return &knowledge{at: at, n: n, near: near, next: k}
}

// join returns a list with what either has.
func (k *knowledge) join(other *knowledge) *knowledge {
	if k == other || other == nil {
		return k
	}
	if k == nil {
		return other
	}
	for ; other != nil; other = other.next {
		if !k.has(other) {
			k = other.before(k.without(other))
		}
	}
	return k
}

// has reports whether the list has an element of another.
func (k *knowledge) has(one *knowledge) bool {
	for ; k != nil; k = k.next {
		if k.includes(one) {
			return true
		}
	}
	return false
}

// without returns a list without what an element has, too.
func (k *knowledge) without(one *knowledge) *knowledge {
	if k == nil {
		return nil
	}
	rest := k.next.without(one)
	if one.includes(k) {
		return rest
	}
	if rest == k.next {
		return k
	}
	return k.before(rest)
}

// before returns a list of the first element of one and the elements of another.
func (k *knowledge) before(rest *knowledge) *knowledge {
	first := *k
	first.next = rest
	return &first
}

// within returns what a fence of a scope acquires of what was seen.
func (k *knowledge) within(scope isa.Scope) *knowledge {
	if k == nil || wide(scope) {
		return k
	}
	list := k.before(k.next.within(scope))
	list.near = true
	return list
}

// beyond returns what a fence of a scope leaves for a later one of a wider scope to acquire.
func (k *knowledge) beyond(scope isa.Scope) *knowledge {
	if k == nil || wide(scope) {
		return nil
	}
	rest := k.next.beyond(scope)
	switch {
	case k.near:
		return rest
	case rest == k.next:
		return k
	}
	return k.before(rest)
}

// through returns what a barrier of the CTA passes on of what was seen, for sequentially consistent fences of wide scope behind
// it to acquire.
func (k *knowledge) through() *knowledge {
	if k == nil {
		return nil
	}
	rest := k.next.through()
	if k.near {
		return rest
	}
	list := k.before(rest)
	list.passed = true
	return list
}

// synchronise notes what an access of lanes to a word means for others. A strong one sees what was
// released there, and leaves what the lanes have released; an ordinary store leaves nothing.
func (u *use) synchronise(word uint64, lanes uint64) {
	places := u.cta.d.syncs
	if u.Shared {
		places = u.cta.syncs
	}
	if len(places) == 0 && u.w.lanes == nil && len(u.w.passed) == 0 && !u.Order.Releases() {
		return
	}
	if !u.strong {
		delete(places, word)
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		i := first(m)
		at := places[word]
		if u.Load && at != nil {
			u.see(i, at)
		}
		if u.store {
			if !u.Load {
				at = at.of(u.cta.index, u.warp, i)
			}
			if at = u.leave(i, at); at == nil {
				delete(places, word)
			} else {
				places[word] = at
			}
		}
	}
}

// see notes that a lane's strong read has seen what was released at a word.
func (u *use) see(lane int, at *releases) {
	l, near := &u.w.fenced()[lane], u.Shared || !wide(u.scope)
	l.seen = l.seen.see(at, len(at.all), near)
	if u.Order.Acquires() {
		l.acquired = l.acquired.join(&knowledge{at: at, n: len(at.all), near: near})
		if u.cta.d.lockStep {
			u.w.share(u.w.group)
		}
	}
}

// leave adds to what was released at a word what a lane's strong write releases there; nil is nothing.
func (u *use) leave(lane int, at *releases) *releases {
	add := func(s *snapshot) {
		if at == nil {
			at = &releases{}
		}
		at.add(s)
	}
	if u.w.lanes != nil {
		for _, s := range u.w.lanes[lane].released {
			if s != nil {
				add(s)
			}
		}
	}
	for _, s := range u.w.passed {
		add(s)
	}
	if u.Order.Releases() {
		s := u.cta.snapshot(u.w, int(u.warp), lane, u.scope, u.w.now-1) // not what other lanes do in this access
		s.here, s.lane = true, lane
		add(s)
	}
	return at
}

// of returns what a thread itself has released at a word by its accesses there, which its later writes there
// release again; nil if that is nothing.
func (r *releases) of(cta int, warp uint8, lane int) *releases {
	if r == nil {
		return nil
	}
	var own *releases
	for _, s := range r.all {
		if s.here && int(s.cta) == cta && s.warp == warp && s.lane == lane {
			if own == nil {
				own = &releases{}
			}
			own.add(s)
		}
	}
	return own
}

// acquired reports whether a record is known to all lanes of the access by what they have acquired.
func (u *use) acquired(r *record) bool {
	for m := u.lanes; m != 0; m &= m - 1 {
		if !u.acquiredBy(first(m), r) {
			return false
		}
	}
	return true
}

// acquiredBy reports whether a record is known to a lane by what it has acquired: for its lanes at once or, as each may have
// released its own, one by one.
func (u *use) acquiredBy(lane int, r *record) bool {
	if r.copy || u.w.lanes == nil {
		return false
	}
	known := func(r *record) bool {
		clear(u.cta.d.visited)
		clear(u.cta.d.walked)
		return u.cta.d.knows(u.w.lanes[lane].acquired, r, int32(u.cta.index))
	}
	if known(r) {
		return true
	}
	if r.lanes&(r.lanes-1) == 0 {
		return false
	}
	one := *r
	for m := r.lanes; m != 0; m &= m - 1 {
		if one.lanes = m & -m; !known(&one) {
			return false
		}
	}
	return true
}

// visit is a question about a word: what those in a CTA know by what was released there.
type visit struct {
	at  *releases
	cta int32

	near, passed bool
}

// walk is a list that is asked for a record, of a thread in a CTA.
type walk struct {
	list *knowledge
	cta  int32
}

// knows reports whether a list of a thread in the given CTA covers a record.
func (d *Detector) knows(k *knowledge, r *record, cta int32) bool {
	for ; k != nil && !d.walked[walk{k, cta}]; k = k.next { // lists share their ends
		d.walked[walk{k, cta}] = true
		d.looks++
		question := visit{k.at, cta, k.near, k.passed}
		answered := d.visited[question]
		if k.n <= answered {
			continue
		}
		d.visited[question] = k.n
		for _, i := range between(k.at.byCTA[r.cta], answered, k.n) {
			d.looks++
			if s := k.at.all[i]; reaches(s, k, cta) && s.covers(r) {
				return true
			}
		}
		for _, i := range between(k.at.links, answered, k.n) {
			d.looks++
			if s := k.at.all[i]; reaches(s, k, cta) && d.knows(s.acquired, r, s.cta) {
				return true
			}
		}
	}
	return false
}

// between returns the numbers of an ascending list from low to below high.
func between(list []int, low, high int) []int {
	first, _ := slices.BinarySearch(list, low)
	end, _ := slices.BinarySearch(list, high)
	return list[first:end]
}

// reaches reports whether the scopes of both fences let a thread of a CTA see a snapshot.
func reaches(s *snapshot, k *knowledge, cta int32) bool {
	return (s.passes || !k.passed) && (s.cta == cta || !k.near && wide(s.scope))
}
