package race

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/isa"
)

// twin is the obvious detector: a clock with an entry for every thread in every thread, and all accesses kept.
type twin struct {
	lockStep bool
	threads  map[thread]*state
	words    map[place][]*access
	left     map[place]set[*left]   // by strong writes
	chains   map[place][]*access    // strong writes, each but the first an atomic operation that has read the one before
	barriers map[[2]int]*gathering  // by CTA and number
	pending  map[[2]int][][]*access // by CTA and warp: groups of copies; the last is not committed
}

type set[T comparable] map[T]bool

type thread struct{ cta, warp, lane int }

type place struct {
	cta  int // of shared memory; -1 for global
	word uint64
}

// order is what is ordered before something: for each thread, so many of its events.
type order map[thread]int

func (o order) join(other order) {
	for t, n := range other {
		o[t] = max(o[t], n)
	}
}

type state struct {
	before   order
	events   int
	released set[*left]
	seen     set[sight]
	carried  set[sight] // what threads that came to a barrier of the CTA had seen
	passed   set[*left]
}

// left is what a fence released.
type left struct {
	order
	cta    int
	scope  isa.Scope
	passes bool
	here   *thread // it was released by an access of the thread, at its own place alone
}

// sight is what a strong read has seen.
type sight struct {
	*left
	near bool
}

type access struct {
	by       thread
	time     int
	bytes    uint8
	pending  bool
	write    bool
	strong   bool
	scope    isa.Scope
	together int // number of the instruction's execution
	observed []*access
}

type gathering struct {
	order
	carried set[sight]
	passed  set[*left]
}

func (x *twin) state(t thread) *state {
	s := x.threads[t]
	if s == nil {
		s = &state{before: order{}, released: set[*left]{}, seen: set[sight]{}, carried: set[sight]{}, passed: set[*left]{}}
		x.threads[t] = s
	}
	return s
}

// all is what is ordered before a thread's next event, its own events included.
func (x *twin) all(t thread) order {
	s := x.state(t)
	o := maps.Clone(s.before)
	o[t] = s.events
	return o
}

func lanesOf(cta, warp int, lanes uint64) []thread {
	var list []thread
	for ; lanes != 0; lanes &= lanes - 1 {
		list = append(list, thread{cta, warp, first(lanes)})
	}
	return list
}

// unite makes threads know what each of them knows and has done.
func (x *twin) unite(threads []thread) {
	joint := order{}
	for _, t := range threads {
		joint.join(x.all(t))
	}
	for _, t := range threads {
		x.state(t).before.join(joint)
	}
}

func (x *twin) together(cta, warp int, active uint64) {
	if x.lockStep {
		x.unite(lanesOf(cta, warp, active))
	}
}

// access notes what lanes do. In lock-step those who have executed an instruction together go on behind all of it.
func (x *twin) access(cta, warp int, a *Access, bytes uint8, number int) (races bool) {
	x.together(cta, warp, a.Active)
	races = x.find(cta, warp, a, bytes, number)
	x.together(cta, warp, a.Active)
	return races
}

// find returns whether the access of lanes to bytes of a word races with one before, or two of its lanes' do.
func (x *twin) find(cta, warp int, a *Access, bytes uint8, number int) (races bool) {
	for _, t := range lanesOf(cta, warp, a.Lanes) {
		s := x.state(t)
		s.events++
		at := place{-1, a.Addr[t.lane] &^ 3}
		if a.Shared {
			at.cta = cta
		}
		own := &access{by: t, time: s.events, bytes: bytes, write: a.Store, strong: a.Order != isa.OrderWeak, scope: a.Scope, together: number, pending: a.Copy}
		follows := func(r *access) bool { return r.by == t || s.before[r.by] >= r.time && r.together != number }
		for _, r := range x.words[at] {
			ordered := follows(r) && !r.pending || slices.ContainsFunc(x.words[at], func(z *access) bool { return slices.Contains(z.observed, r) && follows(z) })
			if r.bytes&bytes != 0 && (r.write || own.write) && !ordered && !own.permits(r) {
				races = true
			}
		}
		var read []*access
		if chain := x.chains[at]; own.strong && a.Load && len(chain) > 0 && own.permits(chain[len(chain)-1]) {
			read = slices.Clone(chain)
		}
		if !a.Unread {
			own.observed = read
		}
		if own.write {
			x.chains[at] = nil
			if own.strong {
				x.chains[at] = append(slices.Clone(read), own)
			}
		}
		x.words[at] = append(x.words[at], own)
		if a.Copy {
			groups := x.groups(cta, warp)
			groups[len(groups)-1] = append(groups[len(groups)-1], own)
		}
		if own.strong && a.Load {
			for l := range x.left[at] {
				see := sight{l, a.Shared || a.Scope <= isa.ScopeCluster}
				s.seen[see] = true
				if a.Order.Acquires() {
					s.acquire(cta, see, a.Scope)
				}
			}
		}
		if own.write && !own.strong {
			delete(x.left, at)
		}
		if own.write && own.strong && !a.Load {
			maps.DeleteFunc(x.left[at], func(l *left, _ bool) bool { return l.here == nil || *l.here != t })
		}
		if own.write && own.strong {
			if x.left[at] == nil {
				x.left[at] = set[*left]{}
			}
			if a.Order.Releases() {
				x.left[at][&left{order: x.all(t), cta: cta, scope: a.Scope, here: &t}] = true
			}
			maps.Copy(x.left[at], s.released)
			maps.Copy(x.left[at], s.passed)
		}
	}
	return races
}

// permits reports whether two accesses are morally strong.
func (a *access) permits(r *access) bool {
	return r.strong && a.strong && r.bytes == a.bytes && (r.by.cta == a.by.cta || r.scope > isa.ScopeCluster && a.scope > isa.ScopeCluster)
}

func (x *twin) groups(cta, warp int) [][]*access {
	key := [2]int{cta, warp}
	if x.pending[key] == nil {
		x.pending[key] = [][]*access{nil}
	}
	return x.pending[key]
}

func (x *twin) wait(cta, warp, pending int) {
	groups := x.groups(cta, warp)
	done := len(groups)
	if pending >= 0 {
		done = max(len(groups)-1-pending, 0)
	}
	for _, g := range groups[:done] {
		for _, a := range g {
			s := x.state(a.by)
			s.events++
			a.pending, a.time = false, s.events
		}
	}
	if groups = slices.Clone(groups[done:]); len(groups) == 0 {
		groups = [][]*access{nil}
	}
	x.pending[[2]int{cta, warp}] = groups
}

func (x *twin) release(t thread, scope isa.Scope, sc bool) {
	x.state(t).released[&left{order: x.all(t), cta: t.cta, scope: scope, passes: sc && scope > isa.ScopeCluster}] = true
}

func (x *twin) acquire(t thread, scope isa.Scope, sc bool) {
	s := x.state(t)
	for l := range s.carried {
		if sc && scope > isa.ScopeCluster && l.passes && !l.near {
			s.before.join(l.order)
		}
	}
	for l := range s.seen {
		s.acquire(t.cta, l, scope)
	}
}

func (s *state) acquire(cta int, l sight, scope isa.Scope) {
	if l.cta == cta || l.scope > isa.ScopeCluster && !l.near && scope > isa.ScopeCluster {
		s.before.join(l.order)
	}
}

func (x *twin) arrive(cta, warp, id, width int) {
	key := [2]int{cta, id}
	b := x.barriers[key]
	if b == nil {
		b = &gathering{order: order{}, carried: set[sight]{}, passed: set[*left]{}}
		x.barriers[key] = b
	}
	for _, t := range lanesOf(cta, warp, 1<<width-1) {
		x.state(t).events++
		b.join(x.all(t))
		s := x.state(t)
		maps.Copy(b.carried, s.carried)
		maps.Copy(b.carried, s.seen)
		maps.Copy(b.passed, s.passed)
		for l := range s.released {
			if l.passes {
				b.passed[l] = true
			}
		}
	}
}

func (x *twin) leave(cta, warp, id, width int) {
	b := x.barriers[[2]int{cta, id}]
	for _, t := range lanesOf(cta, warp, 1<<width-1) {
		x.state(t).before.join(b.order)
		maps.Copy(x.state(t).carried, b.carried)
		x.state(t).passed = maps.Clone(b.passed)
	}
}

// twins is the detector beside its twin, with what they look at.
type twins struct {
	fatalf  func(format string, args ...any)
	d       *Detector
	x       *twin
	running [twinCTAs]CTA
	step    int
	over    map[place]bool // words that have had a race: of later ones the fast detector only knows some
	races   int64
}

// What the threads of the tests are: few, so that they meet often.
const (
	twinWidth = 3
	twinWarps = 3
	twinCTAs  = 2
	whole     = 1<<twinWidth - 1
	allWarps  = 1<<twinWarps - 1
)

func newTwins(lockStep bool, fatalf func(format string, args ...any)) *twins {
	w := &twins{fatalf: fatalf, d: New(twinWidth, lockStep), over: map[place]bool{}}
	w.d.keep = 1 << 20
	w.x = &twin{lockStep: lockStep, threads: map[thread]*state{}, words: map[place][]*access{}, left: map[place]set[*left]{}, chains: map[place][]*access{},
		barriers: map[[2]int]*gathering{}, pending: map[[2]int][][]*access{}}
	for i := range w.running {
		w.d.Start(&w.running[i], i, twinWarps)
	}
	return w
}

// actor is lanes of a warp that execute instructions together, and those of them whose guards hold.
type actor struct {
	cta, warp     int
	active, lanes uint64
}

// access makes an access to bytes of a word, and compares whether it races. It returns whether.
func (w *twins) access(by actor, word uint64, offset, size int, a Access) bool {
	var addr [64]uint64
	for i := range addr {
		addr[i] = word + uint64(offset)
	}
	w.step++
	a.PC, a.Active, a.Lanes, a.Addr, a.Pieces = w.step, by.active, by.lanes, &addr, []Piece{{0, size}}
	at := place{-1, word}
	if a.Shared {
		at.cta = by.cta
	}
	w.running[by.cta].Access(by.warp, &a)
	races := int64(0)
	for _, r := range w.d.Races() {
		races += r.Count
	}
	got := races > w.races
	w.races = races
	want := w.x.access(by.cta, by.warp, &a, uint8(1<<size-1)<<offset, w.step)
	if got != want && !w.over[at] {
		w.fatalf("access %d: races: %t, want %t", w.step, got, want)
	}
	w.over[at] = w.over[at] || want
	return want
}

// fence executes a fence.
func (w *twins) fence(by actor, order isa.Order, scope isa.Scope) {
	w.running[by.cta].Fence(by.warp, by.active, by.lanes, order, scope)
	w.x.together(by.cta, by.warp, by.active)
	for _, t := range lanesOf(by.cta, by.warp, by.lanes) {
		w.x.state(t).events++
		if order.Acquires() {
			w.x.acquire(t, scope, order == isa.OrderSC)
		}
	}
	for _, t := range lanesOf(by.cta, by.warp, by.lanes) {
		if order.Releases() {
			w.x.release(t, scope, order == isa.OrderSC)
		}
	}
	w.x.together(by.cta, by.warp, by.active)
}

// barrier lets warps of a CTA, a set, arrive at a barrier, and some of them go on.
func (w *twins) barrier(cta, id int, arrive, on uint64) {
	c := &w.running[cta]
	for m := arrive; m != 0; m &= m - 1 {
		c.Arrive(first(m), whole, id)
		w.x.together(cta, first(m), whole)
		w.x.arrive(cta, first(m), id, twinWidth)
	}
	if on == 0 {
		return
	}
	c.Release(on)
	for m := on; m != 0; m &= m - 1 {
		w.x.leave(cta, first(m), id, twinWidth)
	}
	delete(w.x.barriers, [2]int{cta, id})
}

// diverge executes a branch.
func (w *twins) diverge(by actor) {
	w.running[by.cta].Diverge(by.warp, by.active)
	w.x.together(by.cta, by.warp, by.active)
}

// warpSync executes bar.warp.sync.
func (w *twins) warpSync(by actor) {
	w.running[by.cta].WarpSync(by.warp, by.active, by.lanes)
	w.x.together(by.cta, by.warp, by.active)
	w.x.unite(lanesOf(by.cta, by.warp, by.lanes))
}

// commit ends a group of copies.
func (w *twins) commit(by actor) {
	w.running[by.cta].Commit(by.warp, UntilGroup)
	w.x.pending[[2]int{by.cta, by.warp}] = append(w.x.groups(by.cta, by.warp), nil)
}

// wait waits for copies but for those of the last groups, so many.
func (w *twins) wait(by actor, pending int) {
	w.running[by.cta].Wait(by.warp, by.active, UntilGroup, pending)
	w.x.together(by.cta, by.warp, by.active)
	w.x.wait(by.cta, by.warp, pending)
	w.x.together(by.cta, by.warp, by.active)
}

// sampled is a random sequence.
type sampled struct {
	*rapid.T
	*twins
	raced, clean *int // accesses so far
}

func (w *sampled) number(name string, minimum, maximum int) int {
	return rapid.IntRange(minimum, maximum).Draw(w.T, name)
}

func (w *sampled) actor() actor {
	a := actor{cta: w.number("CTA", 0, twinCTAs-1), warp: w.number("warp", 0, twinWarps-1), active: uint64(w.number("active lanes", 1, whole))}
	if w.number("lanes", 0, 2) > 0 {
		a.lanes = a.active & -a.active
	} else {
		a.lanes = a.active
	}
	return a
}

func (w *sampled) order(name string, list ...isa.Order) isa.Order {
	return rapid.SampledFrom(list).Draw(w.T, name)
}

func (w *sampled) scope() isa.Scope {
	return rapid.SampledFrom([]isa.Scope{isa.ScopeCTA, isa.ScopeGPU, isa.ScopeGPU, isa.ScopeSystem}).Draw(w.T, "scope")
}

// flag is a strong access to one of the words by which threads synchronise, or now and then an ordinary one.
func (w *sampled) flag(by actor) {
	a := Access{Shared: w.number("flag in shared memory", 0, 3) == 0, Scope: w.scope(), Value: zero}
	switch w.number("flag", 0, 9) {
	case 0:
		a.Store = true
	case 1, 2, 3:
		a.Store, a.Order = true, w.order("store", isa.OrderRelaxed, isa.OrderRelease)
	case 4, 5, 6:
		a.Load, a.Order = true, w.order("load", isa.OrderRelaxed, isa.OrderAcquire)
	default:
		a.Load, a.Store, a.Unread = true, true, w.number("reduction", 0, 4) == 0
		a.Order = w.order("atomic", isa.OrderRelaxed, isa.OrderAcquire, isa.OrderRelease, isa.OrderAcqRel)
	}
	w.access(by, uint64(4*w.number("flag word", 0, 1)), 0, 4, a)
}

// zero is what all writes write.
func zero(int, int) uint64 { return 0 }

// synchronise is a step that may order something.
func (w *sampled) synchronise(by actor) {
	switch w.number("step", 0, 15) {
	case 0:
		w.diverge(by)
	case 1, 2:
		w.warpSync(by)
	case 3:
		w.barrier(by.cta, w.number("barrier", 0, 1), allWarps, allWarps)
	case 4:
		w.barrier(by.cta, ClusterBarrier+w.number("phase", 0, 1), allWarps, uint64(w.number("who waited", 1, allWarps)))
	case 5: // a barrier for some warps, at which not all of them wait
		arrive := uint64(w.number("who arrives", 1, allWarps))
		w.barrier(by.cta, w.number("barrier", 0, 1), arrive, arrive&uint64(w.number("who waits", 1, allWarps)))
	case 6, 7, 8, 9:
		w.fence(by, w.order("fence", isa.OrderAcquire, isa.OrderRelease, isa.OrderAcqRel, isa.OrderSC, isa.OrderSC), w.scope())
	case 10:
		w.commit(by)
	case 11:
		w.wait(by, w.number("groups that may be pending", -1, 2))
	default:
		w.flag(by)
	}
}

// data is an access to the word that a phrase is about.
func (w *sampled) data(by actor, word uint64, shared bool) {
	a := Access{Shared: shared, Value: zero}
	switch w.number("data", 0, 9) {
	case 0, 1, 2:
		a.Load = true
	case 3:
		a.Load, a.Store, a.Order, a.Scope = true, true, isa.OrderRelaxed, w.scope()
	case 4:
		a.Store, a.Order, a.Scope = true, isa.OrderRelaxed, w.scope()
	case 5:
		a.Store, a.Copy = true, shared
	default:
		a.Store = true
	}
	offset, size := 0, 4
	if w.number("part of a word", 0, 3) == 0 {
		offset, size = w.number("byte", 0, 3), 1
	}
	if w.access(by, word, offset, size, a) {
		*w.raced++
	} else {
		*w.clean++
	}
}

// TestAgainstTwin makes threads access words with steps between that may order them, and compares for each access whether it
// races. Two or three groups of lanes do all of a phrase, so that what one of them does often matters to another.
func TestAgainstTwin(t *testing.T) {
	raced, clean := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 12 { // one is short, and many mistakes need a long one or luck
			w := &sampled{t, newTwins(rapid.Bool().Draw(t, "in lock-step"), t.Fatalf), &raced, &clean}
			for phrase := range w.number("phrases", 1, 5) {
				actors := []actor{w.actor(), w.actor(), w.actor()}
				word, shared := uint64(64+4*phrase), rapid.Bool().Draw(t, "shared")
				w.data(actors[0], word, shared)
				for range w.number("steps", 0, 8) {
					w.synchronise(actors[w.number("who", 0, 2)])
				}
				w.data(actors[1], word, shared)
				for range w.number("more steps", 0, 3) {
					w.synchronise(actors[w.number("who", 0, 2)])
				}
				w.data(actors[2], word, shared)
			}
		}
	})
	if raced == 0 || clean == 0 {
		t.Errorf("%d accesses race, %d do not", raced, clean)
	}
}
