package race

import (
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/isa"
)

// detectors are CTAs of two detectors, of which one notes each word by itself. Both must find the
// same.
type detectors struct {
	lines, words       *Detector
	byLines, byWords   [2]CTA
	inLines, inCells   int // accesses of lanes, by what the first detector has of their words before
	warps, width, size int
	step               int
}

func newDetectors(lockStep bool, size, keep int) *detectors {
	s := &detectors{lines: New(8, lockStep), words: New(8, lockStep), warps: 2, width: 8, size: size}
	s.lines.keep, s.words.keep = keep, keep
	for i := range s.byLines {
		s.start(i)
	}
	return s
}

// start has a CTA run where another one has ended.
func (s *detectors) start(cta int) {
	s.lines.Start(&s.byLines[cta], cta, s.warps)
	s.words.Start(&s.byWords[cta], cta, s.warps)
}

// each does the same in a CTA of both.
func (s *detectors) each(cta int, do func(c *CTA)) {
	do(&s.byLines[cta])
	do(&s.byWords[cta])
}

// access makes an access in both.
func (s *detectors) access(cta, warp int, a *Access) {
	memory := &s.lines.global
	if a.Shared {
		memory = &s.byLines[cta].shared
	}
	for m := a.Lanes; m != 0; m &= m - 1 {
		if memory.line(a.Addr[first(m)]).cells == nil {
			s.inLines++
		} else {
			s.inCells++
		}
	}
	s.byLines[cta].Access(warp, a)
	u := s.byWords[cta].begin(warp, a)
	for i, p := range a.Pieces {
		u.size = uint8(min(p.Bytes, 255))
		u.elements(a.Lanes, i, p)
	}
}

// differ reports whether the two have found different races.
func (s *detectors) differ() bool {
	return !slices.Equal(s.lines.Races(), s.words.Races()) || !slices.Equal(s.lines.Hazards(), s.words.Hazards())
}

// drawAccess draws an access of lanes that are mostly side by side, to elements that are mostly of
// the usual size.
func (s *detectors) drawAccess(t *rapid.T) *Access {
	number := func(name string, minimum, maximum int) int { return rapid.IntRange(minimum, maximum).Draw(t, name) }
	one := func(name string, of ...int) int { return rapid.SampledFrom(of).Draw(t, name) }
	s.step++
	a := &Access{Active: 0xff, Addr: new([64]uint64)}
	a.PC, a.Shared = number("instruction", 0, 3), number("shared", 0, 3) == 0
	if number("some are active", 0, 2) == 0 {
		a.Active = uint64(number("active", 1, 0xff))
	}
	if a.Lanes = a.Active; number("some access", 0, 2) == 0 {
		a.Lanes &= uint64(number("lanes", 1, 0xff))
	}
	size := s.size
	if number("another size", 0, 3) == 0 {
		size = one("size", 1, 2, 4, 8, 16, 32, 256)
	}
	a.Pieces = []Piece{{0, size}}
	if number("vector", 0, 3) == 0 {
		a.Pieces = append(a.Pieces, Piece{size, size})
	}
	step := size * one("elements from lane to lane", 0, 1, 1, 1, 2, 3, 4, 9, -1)
	base := 1024 + size*one("base", 0, 0, 1, 8, 21)
	length, last := one("lanes in a row", 2, 4, 8, 8, 8), one("last", 2, 5, 7, 7, 7)
	between, ranks := one("rows", 0, 128, 512, step*length), number("by rank", 0, 3) == 0
	for lane := range s.width {
		at := min(lane, last)
		if ranks {
			at = bits.OnesCount64(a.Lanes & (1<<lane - 1))
		}
		a.Addr[lane] = uint64(base + at/length*between + step*(at%length))
		if number("elsewhere", 0, 40) == 0 {
			a.Addr[lane] = uint64(1024 + size*number("place", 0, 30))
		}
		if number("unaligned", 0, 400) == 0 {
			a.Addr[lane]++
		}
	}
	switch number("kind", 0, 9) {
	case 0:
		a.Load, a.Store, a.Order, a.Scope = true, true, isa.OrderRelaxed, isa.ScopeGPU
	case 1:
		a.Store = true
	case 2, 3, 4:
		a.Store = true
		values := uint64(number("values", 1, 3))
		a.Value = func(lane, piece int) uint64 { return uint64(lane+piece) % values * 0x0202020201010101 }
	default:
		a.Load = true
	}
	return a
}

// synchronise has threads of a CTA do what orders accesses.
func (s *detectors) synchronise(t *rapid.T, cta, warp int) {
	number := func(name string, minimum, maximum int) int { return rapid.IntRange(minimum, maximum).Draw(t, name) }
	switch number("synchronise", 0, 8) {
	case 0:
		active := uint64(number("together", 1, 0xff))
		s.each(cta, func(c *CTA) { c.Diverge(warp, active) })
	case 1:
		s.each(cta, func(c *CTA) { c.WarpSync(warp, 0xff, 0x3f) })
	case 2:
		order := rapid.SampledFrom([]isa.Order{isa.OrderAcqRel, isa.OrderSC}).Draw(t, "order")
		scope := rapid.SampledFrom([]isa.Scope{isa.ScopeCTA, isa.ScopeGPU}).Draw(t, "scope")
		s.each(cta, func(c *CTA) { c.Fence(warp, 0xff, 0xff, order, scope) })
	case 3:
		s.start(cta)
	case 4, 5:
		s.pass(cta, warp, number("CTA", 0, 1), number("warp", 0, 1))
	default:
		s.each(cta, func(c *CTA) {
			for w := range s.warps {
				c.Arrive(w, 0xff, 0)
			}
			c.Release(1<<s.warps - 1)
		})
	}
}

// pass has a warp release what it has done, and another one acquire it.
func (s *detectors) pass(cta, warp, toCTA, toWarp int) {
	flag := &Access{PC: 9, Active: 0xff, Lanes: 1, Addr: &[64]uint64{64}, Pieces: []Piece{{0, 4}}}
	flag.Order, flag.Scope = isa.OrderRelaxed, isa.ScopeGPU
	s.each(cta, func(c *CTA) { c.Fence(warp, 0xff, 0xff, isa.OrderAcqRel, isa.ScopeGPU) })
	flag.Store = true
	s.access(cta, warp, flag)
	flag.Store, flag.Load = false, true
	s.access(toCTA, toWarp, flag)
	s.each(toCTA, func(c *CTA) { c.Fence(toWarp, 0xff, 0xff, isa.OrderAcqRel, isa.ScopeGPU) })
}

// TestLines has threads access memory side by side, and compares what is found with what is found
// word by word.
func TestLines(t *testing.T) {
	inLines, inCells, races := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 5 { // one is short
			size := rapid.SampledFrom([]int{1, 2, 4, 4, 8}).Draw(t, "usual size")
			s := newDetectors(rapid.Bool().Draw(t, "in lock-step"), size, rapid.IntRange(2, 6).Draw(t, "kept"))
			for range rapid.IntRange(10, 40).Draw(t, "accesses") {
				cta, warp := rapid.IntRange(0, 1).Draw(t, "CTA"), rapid.IntRange(0, 1).Draw(t, "warp")
				if rapid.IntRange(0, 2).Draw(t, "order") == 0 {
					s.synchronise(t, cta, warp)
				}
				s.access(cta, warp, s.drawAccess(t))
				if s.differ() {
					t.Fatalf("access %d: races %+v, want %+v", s.step, s.lines.Races(), s.words.Races())
				}
			}
			inLines, inCells, races = inLines+s.inLines, inCells+s.inCells, races+len(s.lines.Races())
		}
	})
	if inLines < 1000 || inCells < 1000 || races < 100 {
		t.Errorf("%d lanes access words of lines and %d cells, with %d races", inLines, inCells, races)
	}
}

// TestLineRemembers has what a line knows of earlier accesses matter to later ones.
func TestLineRemembers(t *testing.T) {
	all := func(size int, a Access) *Access {
		a.Active, a.Lanes, a.Addr, a.Pieces = 0xff, 0xff, new([64]uint64), []Piece{{0, size}}
		for lane := range a.Addr[:8] {
			a.Addr[lane] = 1024 + uint64(4*lane)
		}
		return &a
	}
	value := func(v uint64) Access { return Access{Store: true, Value: func(int, int) uint64 { return v }} }
	for _, c := range []struct {
		name   string
		script func(s *detectors)
		races  int
	}{
		{"what was written before a part of it was", func(s *detectors) {
			s.access(0, 0, all(4, value(0x01010101)))
			s.access(0, 0, all(1, value(2)))
			s.access(1, 0, all(4, value(0x01010101)))
		}, 2},
		{"a read that another one behind a fence stands for", func(s *detectors) {
			s.access(0, 0, all(4, Access{Load: true}))
			s.pass(0, 0, 1, 0)
			s.access(1, 0, all(4, Access{Load: true}))
			s.access(0, 1, all(4, Access{Store: true}))
		}, 1},
	} {
		s := newDetectors(true, 4, 6)
		c.script(s)
		if s.differ() || len(s.lines.Races()) != c.races {
			t.Errorf("%s: races %+v, want %+v", c.name, s.lines.Races(), s.words.Races())
		}
	}
}

// TestLineGrows has a CTA after the other read a word of a line, which has cells in place of
// records once these are too many.
func TestLineGrows(t *testing.T) {
	d := New(32, true)
	var c CTA
	for cta := range lineRecords + 1 {
		l := d.global.line(1 << 20)
		if l.cells != nil || len(l.records) != cta {
			t.Fatalf("a line of %d records has %d, or cells: %t", cta, len(l.records), l.cells != nil)
		}
		d.Start(&c, cta, 1)
		addr := [64]uint64{1<<20 + uint64(4*cta%lineBytes)}
		c.Access(0, &Access{Active: 1, Lanes: 1, Addr: &addr, Pieces: []Piece{{0, 4}}, Load: true})
	}
	if l := d.global.line(1 << 20); l.cells == nil || len(l.cells[0].records) != 2 || len(l.cells[1].records) != 1 {
		t.Errorf("a line of %d records has cells: %t", lineRecords+1, l.cells != nil)
	}
}

// TestOrderOfRaces: races at one address of both memories have an order.
func TestOrderOfRaces(t *testing.T) {
	found := map[pair]*Race{{shared: true}: {Shared: true}, {}: {}}
	for range 100 {
		if list := sorted(found); list[0].Shared {
			t.Fatalf("%+v", list)
		}
	}
}
