package taint

import (
	"math/bits"
	"slices"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
)

// pageBytes is how many bytes a page of a set notes.
const pageBytes = 1 << 12

// page notes bytes, a bit for each.
type page [pageBytes / 64]uint64

// set is a set of bytes. The zero set is empty.
type set struct {
	pages map[uint64]*page

	// The page that was looked for last, which may not be there.
	last   uint64
	latest *page
}

// page returns the page that notes a byte, nil if there is none. It is made if it is to be.
func (s *set) page(at uint64, make bool) *page {
	number := at / pageBytes
	if s.pages == nil {
		s.pages, s.last, s.latest = map[uint64]*page{}, number, nil
	} else if number != s.last {
		s.last, s.latest = number, s.pages[number]
	}
	if s.latest == nil && make {
		s.latest = new(page)
		s.pages[number] = s.latest
	}
	return s.latest
}

// word returns how many of n bytes from one on are noted by one word of a page, and the bits for them.
func word(at, n uint64) (count, mask uint64) {
	count = min(64-at%64, n)
	return count, ^uint64(0) >> (64 - count) << (at % 64)
}

// put adds n bytes from one on, or takes them out.
func (s *set) put(at, n uint64, tainted bool) {
	if !tainted && s.pages == nil {
		return
	}
	for n > 0 {
		count, mask := word(at, n)
		if p := s.page(at, tainted); p != nil {
			w := &p[at%pageBytes/64]
			if *w &^= mask; tainted {
				*w |= mask
			}
		}
		at, n = at+count, n-count
	}
}

// empty reports whether no byte is in the set.
func (s *set) empty() bool {
	for _, p := range s.pages {
		if *p != (page{}) {
			return false
		}
	}
	return true
}

// any reports whether one of n bytes from one on is in the set.
func (s *set) any(at, n uint64) bool {
	if s.pages == nil {
		return false
	}
	for n > 0 {
		count, mask := word(at, n)
		if p := s.page(at, false); p != nil && p[at%pageBytes/64]&mask != 0 {
			return true
		}
		at, n = at+count, n-count
	}
	return false
}

// first returns the first of n bytes from one on that is in the set.
func (s *set) first(at, n uint64) uint64 {
	for end := at + n; at < end && !s.any(at, 1); {
		at++
	}
	return at
}

// part returns where an element, of so many, of what a lane accessed is noted: n bytes of a set.
func (x *step) part(lane, element, elements int) (in *set, at, n uint64) {
	acc := &x.Effect.Access
	n = uint64(acc.Bytes / elements)
	in, at = x.place(lane, acc.Addr[lane])
	return in, at + uint64(element)*n, n
}

// touched returns the executing lanes in which a byte is tainted of an element, of so many, that they accessed.
func (x *step) touched(element, elements int) (lanes uint64) {
	for m := x.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if in, at, n := x.part(lane, element, elements); in.any(at, n) {
			lanes |= 1 << lane
			x.spread[x.PC].read = x.Effect.Access.Addr[lane] + uint64(element)*n + in.first(at, n) - at
		}
	}
	return lanes
}

// read returns the executing lanes of which an element, of so many, that they read is tainted, or
// is what the order of threads decides.
func (x *step) read(element, elements int) (lanes uint64) {
	lanes = x.touched(element, elements)
	if x.order == nil {
		return lanes
	}
	for m := x.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if in, at, n := x.part(lane, element, elements); x.noteRead(in, at, n) {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// put notes of an element, of so many, that the executing lanes wrote whether it is tainted. Where lanes wrote the same
// bytes, those of the highest stay. value is what is written; nil if that is not known.
func (x *step) put(element, elements int, tainted uint64, value *isa.Operand) {
	for m := x.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		in, at, n := x.part(lane, element, elements)
		if x.noteWrite(in, at, n, x.stored(value, lane, tainted>>lane&1 != 0)) {
			tainted |= 1 << lane
		}
		in.put(at, n, tainted>>lane&1 != 0)
		if tainted>>lane&1 != 0 {
			x.spread[x.PC].wrote.put(x.Effect.Access.Addr[lane]+uint64(element)*n, n, true)
		}
	}
	x.hands(tainted & x.mask)
}

// stored is what a lane stores.
func (x *step) stored(value *isa.Operand, lane int, tainted bool) written {
	w := written{tainted: tainted}
	if x.order != nil && value != nil {
		switch value.Kind {
		case isa.KindImm:
			w.valued, w.value = true, value.Imm
		case isa.KindReg:
			w.valued, w.value = true, x.After.Register(value.Reg, lane)
		}
	}
	return w
}

// load gives each result what memory holds.
func (x *step) load() {
	for i := range x.in.Dst {
		x.result(i, x.read(i, len(x.in.Dst)))
	}
}

// store writes the elements that are not dropped.
func (x *step) store() {
	elements := x.in.Src[1:]
	for i, o := range elements {
		if o.Kind != isa.KindSink || len(elements) == 1 {
			x.put(i, len(elements), x.source(o), &o)
		}
	}
}

// atomic has lanes take their turns: each gives what memory holds, and joins its operands with that.
func (x *step) atomic() {
	operands, results := x.sources(1), uint64(0)
	read := slices.ContainsFunc(x.in.Dst, func(o isa.Operand) bool { return o.Kind == isa.KindReg })
	how := written{op: commutes(x.in), read: read}
	for m := x.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		in, at, n := x.part(lane, 0, 1)
		before, after := how.read && x.noteRead(in, at, n), x.noteWrite(in, at, n, how)
		if before {
			results |= 1 << lane
		}
		if after {
			operands |= 1 << lane
		}
		if in.any(at, n) {
			results |= 1 << lane
			x.spread[x.PC].read = x.Effect.Access.Addr[lane] + in.first(at, n) - at
		}
		if operands>>lane&1 != 0 {
			in.put(at, n, true)
			x.spread[x.PC].wrote.put(x.Effect.Access.Addr[lane], n, true)
		}
	}
	x.write(results)
	x.hands(operands & x.mask)
}

// copy notes a copy between global and shared memory, lane after lane.
func (x *step) copy() Kind {
	if x.sources(2)&x.mask != 0 {
		return Operand
	}
	acc := &x.Effect.Access
	accesses, n := acc.Kind != emu.NoAccess, uint64(acc.Bytes)
	if x.in.Op == isa.CpAsync {
		n = x.in.Src[2].Imm
	} else if !accesses {
		return "" // of no bytes
	}
	toGlobal := x.in.Op == isa.BulkCopy && x.in.Space == isa.Global
	tainted := uint64(0)
	for m := x.mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		from, source := &x.global, acc.Addr[lane]
		to, target := &x.cta.shared, acc.Near[lane]
		if toGlobal {
			from, source, to, target = to, target, from, source
		}
		reached := accesses && from.any(source, n) // what reads nothing writes zeros
		decided := accesses && x.noteRead(from, source, n)
		decided = x.noteWrite(to, target, n, written{tainted: reached}) || decided
		to.put(target, n, reached || decided)
		if reached || decided {
			tainted |= 1 << lane
			x.spread[x.PC].wrote.put(target, n, true)
		}
		if reached && x.spread[x.PC].read == 0 {
			x.spread[x.PC].read = from.first(source, n)
		}
	}
	x.hands(tainted)
	return ""
}

// matrix has the lanes access rows together.
func (x *step) matrix() {
	if x.in.Op == isa.LdMatrix {
		x.write(everywhere(x.read(0, 1)))
	} else {
		x.put(0, 1, everywhere(x.sources(1)&x.mask), nil)
	}
}

// everywhere returns all lanes if there are any.
func everywhere(lanes uint64) uint64 {
	if lanes != 0 {
		return ^uint64(0)
	}
	return 0
}
