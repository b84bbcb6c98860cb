package launchfacts

import (
	"fmt"
	"slices"

	"warpbound/internal/budget"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// Launch is what is known of how a kernel is started. Of the zero Launch nothing is
// known, but that the limits of all devices hold.
type Launch struct {
	Grid, Block [3]int // CTAs, and threads of a CTA, in x, y and z; zero if not known
	Width       int    // lanes of a warp; 32 if zero
	Params      []Word // what is known of the kernel's parameters
	Sums        []Sum  // and of several together
	Aliased     bool   // several parameters may be addresses in one buffer

	// Buffers are the memory that a kernel can write to, and what is known of it. Pointers are those of the parameters
	// that are an address there, by their offset in the parameter block.
	Buffers  []Buffer
	Pointers map[int]Pointer
	Trust    bool // that runs do not write to buffers that are read-only

	// OneWarp restricts the analysis to the warp of number Warp of every CTA. Block must
	// be known.
	OneWarp bool
	Warp    int

	// Effort is how much work analyses may do.
	Effort budget.Effort

	// Doubted takes all words of which nothing is stated for less than a fraction of what their type holds. That need
	// not be true: what is different then rests on the range of a type.
	Doubted bool
}

// Word is a parameter or a part of one, and what it can be.
type Word struct {
	Offset int // in the parameter block, in bytes
	strided.Interval
}

// Known reports whether grid and block are known.
func (l *Launch) Known() bool { return l.Grid[0] > 0 && l.Block[0] > 0 }

// Lanes returns the number of lanes of a warp.
func (l *Launch) Lanes() int {
	if l.Width == 0 {
		return 32
	}
	return l.Width
}

// Warps returns the number of warps of a CTA; zero if the block is not known.
func (l *Launch) Warps() int {
	return (l.Block[0]*l.Block[1]*l.Block[2] + l.Lanes() - 1) / l.Lanes()
}

// MaxThreads returns the most threads that a CTA can have.
func (l *Launch) MaxThreads() int {
	if l.Block[0] == 0 {
		return maxBlock
	}
	return l.Block[0] * l.Block[1] * l.Block[2]
}

// ThreadIndex returns the index of a thread of a CTA by its number.
func (l *Launch) ThreadIndex(number int) [3]int {
	return [3]int{number % l.Block[0], number / l.Block[0] % l.Block[1], number / l.Block[0] / l.Block[1]}
}

// ThreadsOfWarp returns the numbers of the first thread of a warp and of the one behind its
// last.
func (l *Launch) ThreadsOfWarp(warp int) (first, end int) {
	all := l.Block[0] * l.Block[1] * l.Block[2]
	return min(warp*l.Lanes(), all), min((warp+1)*l.Lanes(), all)
}

// The limits of all devices along each axis: a CTA has at most 1024 threads, and a grid
// less than 2^31 CTAs.
const (
	maxBlock = 1024
	maxGrid  = 1<<31 - 1
)

// maxWarps is the largest number of warps of a CTA.
const maxWarps = 64

// SpecialRegister returns the values of a special register that keeps its value while a thread
// runs, and whether the lanes of a warp may have different ones.
func (l *Launch) SpecialRegister(s isa.Special, bounds isa.LaunchBounds) (set strided.Interval, varies, ok bool) {
	upTo := func(n int) strided.Interval { return strided.Between(32, 0, uint64(n)) }
	switch s {
	case isa.TidX, isa.TidY, isa.TidZ:
		axis := int(s - isa.TidX)
		_, maximum := l.extent(l.Block, axis, bounds, maxBlock)
		if l.OneWarp {
			return l.indicesOfWarp(axis), true, true
		}
		return upTo(maximum - 1), true, true
	case isa.NtidX, isa.NtidY, isa.NtidZ:
		minimum, maximum := l.extent(l.Block, int(s-isa.NtidX), bounds, maxBlock)
		return strided.Between(32, uint64(minimum), uint64(maximum)), false, true
	case isa.CtaidX, isa.CtaidY, isa.CtaidZ:
		_, maximum := l.extent(l.Grid, int(s-isa.CtaidX), isa.LaunchBounds{}, maxGrid)
		return upTo(maximum - 1), false, true
	case isa.NctaidX, isa.NctaidY, isa.NctaidZ:
		minimum, maximum := l.extent(l.Grid, int(s-isa.NctaidX), isa.LaunchBounds{}, maxGrid)
		return strided.Between(32, uint64(minimum), uint64(maximum)), false, true
	case isa.TidW, isa.CtaidW:
		return strided.Const(32, 0), false, true
	case isa.LaneID:
		return upTo(l.Lanes() - 1), true, true
	case isa.WarpSize:
		return strided.Const(32, uint64(l.Lanes())), false, true
	case isa.WarpID:
		if l.OneWarp {
			return strided.Const(32, uint64(l.Warp)), false, true
		}
		return upTo(maxWarps - 1), false, true
	}
	return strided.Interval{}, false, false
}

// extent returns the least and the largest extent of a launch along an axis.
func (l *Launch) extent(known [3]int, axis int, bounds isa.LaunchBounds, limit int) (minimum, maximum int) {
	if known[axis] > 0 {
		return known[axis], known[axis]
	}
	if bounds.ReqNtid[0] > 0 {
		n := max(bounds.ReqNtid[axis], 1)
		return n, n
	}
	if l.Doubted && limit == maxGrid {
		return 1, limit >> 8
	}
	return 1, limit
}

// indicesOfWarp returns the thread indices of the lanes of the only warp along an axis.
func (l *Launch) indicesOfWarp(axis int) strided.Interval {
	first, end := l.ThreadsOfWarp(l.Warp)
	set := strided.Const(32, uint64(l.ThreadIndex(first)[axis]))
	for i := first; i < end; i++ {
		set = set.Join(strided.Const(32, uint64(l.ThreadIndex(i)[axis])))
	}
	return set
}

// Parameter returns the words of a parameter, or of its first bytes, its name, and where it leads as an address.
func (l *Launch) Parameter(k *isa.Kernel, offset, width int) (string, strided.Interval, *Region) {
	for i := range k.Params {
		p := &k.Params[i]
		if offset < p.Offset || offset >= p.Offset+p.Bytes {
			continue
		}
		name := p.Name
		if offset > p.Offset {
			name = fmt.Sprintf("%s+%d", name, offset-p.Offset)
		}
		var to *Region
		if width == k.AddressBits {
			to = l.regionAt(offset)
		}
		return name, l.WordAt(offset, width), to
	}
	return fmt.Sprintf("param+%d", offset), strided.Any(width), nil
}

// WordAt returns what so many bits of the parameter block can be: those of a word, a part of one, or several in a row.
func (l *Launch) WordAt(offset, width int) strided.Interval {
	end := offset + width/8
	sum, at := strided.Const(width, 0), offset
	for _, w := range l.Params {
		switch first, last := w.Offset, w.Offset+w.Bits()/8; {
		case first == offset && w.Bits() == width:
			return w.Interval
		case first <= offset && end <= last:
			return w.Shr(strided.Const(32, uint64(8*(offset-first))), false).Cut(width)
		case first == at && last <= end:
			sum = sum.Add(w.Extend(width, false).Times(1 << (8 * (at - offset))))
			at = last
		}
	}
	if at < end {
		return l.Doubt(strided.Any(width))
	}
	return sum
}

// regionAt returns the memory of which the word at an offset in the parameter block is an address.
func (l *Launch) regionAt(offset int) *Region {
	to, ok := l.Pointers[offset]
	if !ok {
		return nil
	}
	return &Region{Buffer: to.Buffer, Bytes: l.Buffers[to.Buffer].Bytes, Offset: to.Offset}
}

// Variable returns the memory that a variable is.
func (l *Launch) Variable(v *isa.Var) *Region {
	at := slices.IndexFunc(l.Buffers, func(b Buffer) bool {
		// Local and shared variables may have the name of one of the module.
		return b.Variable == v.Name && v.Space != isa.Local && v.Space != isa.Shared
	})
	return &Region{Buffer: at, Bytes: v.Bytes}
}

// Doubt returns what takes the place of a set in a doubted analysis: only its least numbers if it holds all words
// of a type of at least 16 bits, or all multiples of something.
func (l *Launch) Doubt(s strided.Interval) strided.Interval {
	if !l.Doubted || s.Bits() < 16 || s.Step() == 0 || s.Count() != strided.Mask(s.Bits())/s.Step() {
		return s
	}
	return strided.FromSpan(s.Bits(), s.Base(), strided.Mask(s.Bits())>>(s.Bits()/4), s.Step())
}

// States reports whether the launch states a parameter's word at an offset.
func (l *Launch) States(offset int) bool {
	return slices.ContainsFunc(l.Params, func(w Word) bool { return w.Offset == offset })
}
