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
	left     map[place][]left       // by strong writes
	barriers map[[2]int]*gathering  // by CTA and number
	pending  map[[2]int][][]*access // by CTA and warp: groups of copies; the last is not committed
}

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
	released *left
	seen     []sight
	passed   []left
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
	left
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
}

type gathering struct {
	order
	passed []left
}

func (x *twin) state(t thread) *state {
	s := x.threads[t]
	if s == nil {
		s = &state{before: order{}}
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
		for _, r := range x.words[at] {
			ordered := r.by == t || s.before[r.by] >= r.time && r.together != number
			permitted := r.strong && own.strong && (r.by.cta == cta || r.scope > isa.ScopeCluster && own.scope > isa.ScopeCluster)
			if r.bytes&bytes != 0 && (r.write || own.write) && (!ordered || r.pending) && !permitted {
				races = true
			}
		}
		x.words[at] = append(x.words[at], own)
		if a.Copy {
			groups := x.groups(cta, warp)
			groups[len(groups)-1] = append(groups[len(groups)-1], own)
		}
		if own.strong && a.Load {
			for _, l := range x.left[at] {
				see := sight{l, a.Scope == isa.ScopeCTA || a.Scope == isa.ScopeCluster}
				s.seen = append(s.seen, see)
				if a.Order.Acquires() {
					s.acquire(cta, see, a.Scope)
				}
			}
		}
		if own.write && !own.strong {
			delete(x.left, at)
		}
		if own.write && own.strong && !a.Load {
			x.left[at] = slices.DeleteFunc(x.left[at], func(l left) bool { return l.here == nil || *l.here != t })
		}
		if own.write && own.strong {
			if a.Order.Releases() {
				x.left[at] = append(x.left[at], left{order: x.all(t), cta: cta, scope: a.Scope, here: &t})
			}
			if s.released != nil {
				x.left[at] = append(x.left[at], *s.released)
			}
			x.left[at] = append(x.left[at], s.passed...)
		}
	}
	return races
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
	x.state(t).released = &left{order: x.all(t), cta: t.cta, scope: scope, passes: sc && scope > isa.ScopeCluster}
}

func (x *twin) acquire(t thread, scope isa.Scope) {
	s := x.state(t)
	for _, l := range s.seen {
		s.acquire(t.cta, l, scope)
	}
	s.seen = nil
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
		b = &gathering{order: order{}}
		x.barriers[key] = b
	}
	for _, t := range lanesOf(cta, warp, 1<<width-1) {
		x.state(t).events++
		b.join(x.all(t))
		s := x.state(t)
		b.passed = append(b.passed, s.passed...)
		if s.released != nil && s.released.passes {
			b.passed = append(b.passed, *s.released)
		}
	}
}

func (x *twin) leave(cta, warp, id, width int) {
	b := x.barriers[[2]int{cta, id}]
	for _, t := range lanesOf(cta, warp, 1<<width-1) {
		x.state(t).before.join(b.order)
		x.state(t).passed = slices.Clone(b.passed)
	}
}

// TestAgainstTwin makes threads do what they like, and compares for each access whether it races, until a word has
// had its first race: of later ones the fast detector only knows some.
func TestAgainstTwin(t *testing.T) {
	raced, clean := 0, 0
	sequence := func(t *rapid.T) {
		const width, warps, ctas = 3, 2, 2
		number := func(name string, minimum, maximum int) int { return rapid.IntRange(minimum, maximum).Draw(t, name) }
		lockStep := rapid.Bool().Draw(t, "in lock-step")
		d := New(width, lockStep)
		d.keep = 1 << 20
		x := &twin{lockStep: lockStep, threads: map[thread]*state{}, words: map[place][]*access{}, left: map[place][]left{},
			barriers: map[[2]int]*gathering{}, pending: map[[2]int][][]*access{}}
		var running [ctas]CTA
		for i := range running {
			d.Start(&running[i], i, warps)
		}
		total := func() (n int64) {
			for _, r := range d.Races() {
				n += r.Count
			}
			return n
		}
		over := map[place]bool{}
		scopes := []isa.Scope{isa.ScopeCTA, isa.ScopeGPU, isa.ScopeGPU}
		for step := range number("steps", 1, 40) {
			cta, w := number("CTA", 0, ctas-1), number("warp", 0, warps-1)
			c := &running[cta]
			active := uint64(number("active lanes", 1, 1<<width-1))
			scope := scopes[number("scope", 0, 2)]
			switch what := number("what", 0, 15); what {
			case 0:
				c.Diverge(w, active)
				x.together(cta, w, active)
			case 1:
				lanes := uint64(number("named", 0, 1<<width-1)) & active
				c.WarpSync(w, active, lanes)
				x.together(cta, w, active)
				x.unite(lanesOf(cta, w, lanes))
			case 2: // a barrier for all warps of the CTA
				id := number("barrier", 0, 1)
				for i := range warps {
					c.Arrive(i, 1<<width-1, id)
					x.together(cta, i, 1<<width-1)
					x.arrive(cta, i, id, width)
				}
				c.Release(1<<warps - 1)
				for i := range warps {
					x.leave(cta, i, id, width)
				}
				delete(x.barriers, [2]int{cta, id})
			case 3: // one warp goes on, the other has only arrived
				c.Arrive(1-w, 1<<width-1, 2)
				x.together(cta, 1-w, 1<<width-1)
				x.arrive(cta, 1-w, 2, width)
				c.Arrive(w, 1<<width-1, 2)
				x.together(cta, w, 1<<width-1)
				x.arrive(cta, w, 2, width)
				c.Release(1 << w)
				x.leave(cta, w, 2, width)
				delete(x.barriers, [2]int{cta, 2})
			case 4, 5:
				order := rapid.SampledFrom([]isa.Order{isa.OrderAcquire, isa.OrderRelease, isa.OrderAcqRel, isa.OrderSC, isa.OrderSC}).Draw(t, "fence")
				lanes := uint64(number("fenced", 1, 1<<width-1)) & active
				c.Fence(w, active, lanes, order, scope)
				x.together(cta, w, active)
				for _, th := range lanesOf(cta, w, lanes) {
					x.state(th).events++
					if order.Acquires() {
						x.acquire(th, scope)
					}
				}
				for _, th := range lanesOf(cta, w, lanes) {
					if order.Releases() {
						x.release(th, scope, order == isa.OrderSC)
					}
				}
			case 6:
				c.Commit(w, UntilGroup)
				x.pending[[2]int{cta, w}] = append(x.groups(cta, w), nil)
			case 7:
				pending := number("groups that may be pending", -1, 2)
				c.Wait(w, active, UntilGroup, pending)
				x.together(cta, w, active)
				x.wait(cta, w, pending)
				x.together(cta, w, active)
			default:
				word := uint64(4 * number("word", 0, 3))
				size, offset := 4, 0
				if number("part of a word", 0, 3) == 0 {
					size, offset = 1, number("byte", 0, 3)
				}
				lanes := uint64(number("lanes", 1, 1<<width-1)) & active
				if lanes == 0 {
					continue
				}
				var addr [64]uint64
				for i := range addr {
					addr[i] = word + uint64(offset)
				}
				a := &Access{PC: step, Active: active, Lanes: lanes, Addr: &addr, Pieces: []Piece{{0, size}}, Scope: scope,
					Shared: rapid.Bool().Draw(t, "shared"), Value: func(int, int) uint64 { return 0 }}
				switch what {
				case 8, 9:
					a.Load = true
				case 10:
					a.Store = true
				case 11:
					a.Store, a.Order = true, rapid.SampledFrom([]isa.Order{isa.OrderRelaxed, isa.OrderRelease}).Draw(t, "store")
				case 12:
					a.Load, a.Order = true, rapid.SampledFrom([]isa.Order{isa.OrderRelaxed, isa.OrderAcquire}).Draw(t, "load")
				case 13, 14:
					a.Load, a.Store, a.Order = true, true, rapid.SampledFrom([]isa.Order{isa.OrderRelaxed, isa.OrderAcquire, isa.OrderRelease, isa.OrderAcqRel}).Draw(t, "atomic")
				default:
					a.Store, a.Copy, a.Shared = true, true, true
				}
				at := place{-1, word}
				if a.Shared {
					at.cta = cta
				}
				before := total()
				c.Access(w, a)
				got := total() > before
				want := x.access(cta, w, a, uint8(1<<size-1)<<offset, step+1)
				if over[at] {
					continue
				}
				if got != want {
					t.Fatalf("step %d: races: %t, want %t", step, got, want)
				}
				over[at] = want
				if want {
					raced++
				} else {
					clean++
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // one is short, and many mistakes need a long one or luck
			sequence(t)
		}
	})
	if raced == 0 || clean == 0 {
		t.Errorf("%d accesses race, %d do not", raced, clean)
	}
}
