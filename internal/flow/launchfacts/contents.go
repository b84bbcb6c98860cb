package launchfacts

import (
	"encoding/binary"
	"math/bits"

	"warpbound/internal/flow/strided"
)

// Buffer is memory of which it is known what it holds when the kernel starts: a buffer of the launch,
// or a variable of the module.
type Buffer struct {
	Name     string
	Variable string // of the module, which the buffer is; empty for one of the launch
	Bytes    int
	Contents Contents
	ReadOnly bool // a run that writes to it fails
}

// Contents is what memory holds: little-endian elements, one behind the other. Of the zero Contents nothing
// is known.
type Contents struct {
	Each int              // bytes of an element; 0 if nothing is known
	Set  strided.Interval // what each of them may be, in 8*Each bits
	Data []byte           // instead of Set: all bytes
	Open []Extent
	// Ascends says how much an element is above the one before, and that none is negative as a
	// signed number; nil if it may be below.
	Ascends *Rise
}

// Rise is by how much neighbours differ: at least and at most.
type Rise struct{ Min, Max uint64 }

// Extent is bytes of Data that may be others, such as those of an address.
type Extent struct{ Offset, Bytes int }

// Pointer is a place in a buffer.
type Pointer struct {
	Buffer int // index in Launch.Buffers
	Offset int // in bytes
}

// WordsAt returns the words of so many bytes that may lie at some offsets, all of them in the memory; false if
// nothing is known of them.
func (c *Contents) WordsAt(offsets strided.Interval, bytes int) (strided.Interval, bool) {
	switch {
	case c.Each == 0 || bytes > 8:
		return strided.Interval{}, false
	case c.Data != nil:
		return c.listWords(offsets, bytes)
	}
	each := uint64(c.Each)
	if offsets.Step()%each != 0 {
		return strided.Interval{}, false
	}
	set, ok := c.Set, true
	switch within := offsets.Base() % each; {
	case within == 0 && bytes > c.Each:
		set, ok = c.concatElements(bytes)
	case within+uint64(bytes) > each:
		return strided.Interval{}, false
	case bytes < c.Each:
		set = c.Set.Shr(strided.Const(32, 8*within), false).Cut(8 * bytes)
	}
	return set, ok && !set.IsAny()
}

// concatElements returns the words that several elements in a row make.
func (c *Contents) concatElements(bytes int) (strided.Interval, bool) {
	sum := strided.Const(8*bytes, 0)
	for at := 0; at < bytes; at += c.Each {
		sum = sum.Add(c.Set.Extend(8*bytes, false).Times(1 << (8 * at)))
	}
	return sum, bytes%c.Each == 0
}

// listWords is at for memory of which all bytes are known.
func (c *Contents) listWords(offsets strided.Interval, bytes int) (strided.Interval, bool) {
	all := hull{width: 8 * bytes}
	for i := uint64(0); ; i++ {
		at := int(offsets.Base() + i*offsets.Step())
		for _, o := range c.Open {
			if at < o.Offset+o.Bytes && o.Offset < at+bytes {
				return strided.Interval{}, false
			}
		}
		all.add(littleEndian(c.Data[at : at+bytes]))
		if i == offsets.Count() {
			break
		}
	}
	set := all.interval()
	return set, !set.IsAny()
}

// littleEndian returns a little-endian word of 1, 2, 4 or 8 bytes.
func littleEndian(data []byte) uint64 {
	switch len(data) {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}

// hull is a set that words are added to: the narrower of the intervals that they make as signed and as
// unsigned numbers.
type hull struct {
	width            int
	some             bool
	first, step      uint64
	lo, hi           uint64
	minimum, maximum int64
}

func (g *hull) add(word uint64) {
	signed := strided.SignExtend(word, g.width)
	if !g.some {
		*g = hull{width: g.width, some: true, first: word, lo: word, hi: word, minimum: signed, maximum: signed}
		return
	}
	if word != g.first && g.step != 1 {
		g.step = strided.GCD(g.step, max(word, g.first)-min(word, g.first))
	}
	g.lo, g.hi = min(g.lo, word), max(g.hi, word)
	g.minimum, g.maximum = min(g.minimum, signed), max(g.maximum, signed)
}

func (g *hull) interval() strided.Interval {
	if g.hi-g.lo <= uint64(g.maximum-g.minimum) {
		return strided.FromSpan(g.width, g.lo, g.hi-g.lo, g.step)
	}
	step := uint64(1) << bits.TrailingZeros64(g.step|1<<63)
	return strided.FromSpan(g.width, uint64(g.minimum), uint64(g.maximum-g.minimum), step)
}

// Region is the memory in which the address lies that a symbol is.
type Region struct {
	Buffer int // index in Launch.Buffers, negative if it is none of these
	Bytes  int
	Offset int // of the address
}
