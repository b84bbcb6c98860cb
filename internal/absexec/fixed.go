package absexec

import (
	"fmt"
	"math/bits"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa"
)

// This file treats buffers that nobody writes to as known. Every write is checked while
// the contents are taken for granted. That is no circle: up to the first write to such a
// buffer, in any run, the contents are what they were, so that write is one of those that
// are checked.

// WriteError is the error of a write that may change a fixed buffer.
type WriteError struct {
	Pos diag.Pos
	// Range is the buffer. It is empty if the address is not known, so that it may be any.
	Range Range
}

func (e *WriteError) Error() string {
	if e.Range == (Range{}) {
		return fmt.Sprintf("%s: the address of the store is unknown, and may be in a buffer that is assumed read-only", e.Pos)
	}
	return fmt.Sprintf("%s: a store to the buffer at %#x, which is assumed read-only", e.Pos, e.Range.Addr)
}

// checkFixed checks that the step does not write to a fixed buffer.
func (x *execution) checkFixed() error {
	s, a := &x.step, x.step.Access
	if len(x.config.Fixed) == 0 || a == nil || s.Instr.Op == isa.Ld || s.Instr.Op == isa.CpAsync || s.Instr.Op == isa.LdMatrix || s.May == 0 {
		return nil
	}
	if a.Space != isa.Global && a.Space != isa.Generic {
		return nil
	}
	if s.May&^a.Known != 0 {
		return &WriteError{Pos: s.Instr.Pos}
	}
	for m := a.Lanes[isa.Global] & s.May; m != 0; m &= m - 1 {
		lo, hi, err := x.knownSpan(s.Instr, a, bits.TrailingZeros64(m))
		if err != nil {
			return err
		}
		for _, r := range x.config.Fixed {
			if uint64(lo) < r.Addr+uint64(r.Bytes) && r.Addr < uint64(hi)+uint64(a.Bytes) {
				return &WriteError{Pos: s.Instr.Pos, Range: r}
			}
		}
	}
	return nil
}

// fixedElement returns what the lanes of an access load of n bytes at an offset from fixed
// buffers. Where that depends on the CTA, it is known for one CTA at a time only.
func (x *execution) fixedElement(a *Access, offset uint64, n int) *value {
	v := unknown
	for m := a.Lanes[isa.Global]; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		l := a.addr.lane(lane)
		data := x.fixedData(l.base+offset, n)
		if data == nil {
			continue
		}
		if v == unknown {
			v = &value{base: vectors(x.launch.Width())}
		}
		if l.moves() {
			v.nonAffine |= 1 << lane
			v.cut = x.box.halve(l.depends())
			continue
		}
		word := uint64(0)
		for i, b := range data {
			word |= uint64(b) << (8 * i)
		}
		v.known |= 1 << lane
		set(v.base, lane, word)
	}
	return v
}

// fixedData returns n bytes of a fixed buffer; nil if they do not lie in one.
func (x *execution) fixedData(addr uint64, n int) []byte {
	holds := func(r Range) bool { return addr >= r.Addr && addr+uint64(n) <= r.Addr+uint64(r.Bytes) }
	if slices.ContainsFunc(x.config.Fixed, holds) || slices.ContainsFunc(x.config.Assumed, holds) {
		return x.launch.Contents(addr, n)
	}
	return nil
}
