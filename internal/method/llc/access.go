package llc

import (
	"math/bits"
	"slices"

	"warpbound/internal/abi"
	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// sort tells apart what accesses do in the caches.
type sort uint8

const (
	read    sort = iota // looks the L1 up and allocates there
	passing             // a read that passes by the L1
	write               // sent on; refreshes the line if the L1 has it
	atomic              // sent on; drops the line from the L1
)

func sortOf(in *isa.Instr) sort {
	switch in.Op {
	case isa.St, isa.StMatrix:
		return write
	case isa.Atom, isa.Red:
		return atomic
	}
	if in.Volatile {
		return passing
	}
	return read
}

// access is what an instruction of a warp does in global and local memory in every CTA of a
// box: exactly, unless it has lanes that may make it or not, or lines of which nothing is known.
type access struct {
	sort  sort
	space isa.Space // that the instruction names
	pool  int32     // where in global memory lanes of unknown address access it
	bytes uint64    // of each lane
	parts []part
	open  int64 // lines that lanes of unknown address touch, at most
	lanes int64 // that make the access, at most
}

// empty reports whether an access does nothing there.
func (a *access) empty() bool { return len(a.parts) == 0 && a.open == 0 }

// part is what the lanes of an access do that access one space.
type part struct {
	local bool
	lanes []lane
}

// lane is the address that a lane accesses in the first CTA of a box, and what is added to it
// from one CTA to the next.
type lane struct {
	number   int
	base     uint64
	step     [3]uint64
	optional bool // it may make the access or not
}

// offChip returns what a step does in global and local memory.
func (l *layout) offChip(s *absexec.Step, p *pools) access {
	a := access{sort: sortOf(s.Instr), space: s.Access.Space, pool: int32(p.of[s.PC]), bytes: uint64(s.Access.Bytes), lanes: int64(bits.OnesCount64(s.May))}
	a.open = l.open(s)
	if a.sort == passing && a.open > 0 && s.Access.Space != isa.Global {
		a.sort = read // it may be in local memory
	}
	must := s.Must
	if s.Instr.Op == isa.CpAsync && len(s.Instr.Src) > 3 {
		must = 0 // its fourth source tells which lanes read
	}
	for space, lanes := range s.Access.Lanes {
		if lanes &= s.May; lanes == 0 || space != int(isa.Global) && space != int(isa.Local) {
			continue
		}
		p := part{local: space == int(isa.Local)}
		for ; lanes != 0; lanes &= lanes - 1 {
			l := lane{number: bits.TrailingZeros64(lanes)}
			base, step := s.Access.Address(l.number)
			l.base, l.step = base, [3]uint64(step[:])
			l.optional = must>>l.number&1 == 0
			p.lanes = append(p.lanes, l)
		}
		a.parts = append(a.parts, p)
	}
	return a
}

// openLanes returns the lanes of a step that may access global or local memory at an unknown address.
func openLanes(s *absexec.Step) uint64 {
	switch s.Access.Space {
	case isa.Global, isa.Local, isa.Generic:
		return s.May &^ s.Access.Known
	}
	return 0
}

// each returns the most lines that an access of one lane touches, which is aligned to its size: in memory that may be local, or elsewhere.
func (l *layout) each(s *absexec.Step, local bool) int64 {
	bytes := int64(s.Access.Bytes)
	if local { // each word is in another line, and a line has a word at least
		return (bytes + localWord - 1) / localWord
	}
	return (bytes-1)>>l.shift + 1
}

// open returns the most lines that lanes of a step touch at unknown addresses.
func (l *layout) open(s *absexec.Step) int64 {
	return l.each(s, s.Access.Space != isa.Global) * int64(bits.OnesCount64(openLanes(s)))
}

// localLines returns the most lines of local memory that the lanes of a step touch of which the address is known. The words
// that the lanes of a warp have at one address lie side by side.
func (l *layout) localLines(s *absexec.Step) int64 {
	type address struct {
		base uint64
		step [absexec.Axes]uint64
	}
	same := make(map[address]uint64) // lanes, by address
	for lanes := s.Access.Lanes[isa.Local] & s.May; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros64(lanes)
		base, step := s.Access.Address(lane)
		same[address{base, step}] |= 1 << lane
	}
	lines := int64(0)
	for _, lanes := range same {
		lines += l.ofOneWord(lanes)
	}
	return lines * max(int64(s.Access.Bytes)/localWord, 1)
}

// ofOneWord returns the most lines in which the words lie that lanes of a warp have at one address.
func (l *layout) ofOneWord(lanes uint64) int64 {
	size, warp := uint64(1)<<l.shift, l.width*localWord
	switch {
	case lanes == 0:
		return 0
	case size%warp == 0:
		return 1
	case warp%size != 0:
		return int64(bits.OnesCount64(lanes))
	}
	lines := int64(0)
	for each := size / localWord; lanes != 0; lanes >>= each { // a line has the words of fewer lanes than a warp has
		if lanes&(1<<each-1) != 0 {
			lines++
		}
	}
	return lines
}

// line is a line that an access touches.
type line struct {
	number     uint64
	sort       sort
	operations int64 // of an atomic access on one address, at most
	optional   bool  // it may touch it or not
}

// layout is how addresses become lines.
type layout struct {
	shift   int    // log2 of the bytes of a line
	threads uint64 // of the machine
	width   uint64 // lanes of a warp
	warps   uint64 // of an SM
}

func newLayout(m *machine.Machine) layout {
	width, warps := uint64(m.SM.WarpSize.Value), uint64(m.SM.Warps.Value)
	return layout{
		shift: bits.TrailingZeros64(uint64(m.L1.Line.Value)),
		width: width, warps: warps, threads: uint64(m.SM.Count.Value) * warps * width,
	}
}

// localWord is the size in bytes of a word of local memory.
const localWord = 4

// place is where a warp executes: its CTA, in steps from the first of its box, its SM and
// its place there.
type place struct {
	at   [3]int
	sm   int
	slot int
}

// lines appends to all the lines that an access touches, in the order in which they are
// looked up. It is false if that is not known: which lanes make the access decides which of the lines is first,
// or there are others.
func (l *layout) lines(all []line, a *access, p *place) (_ []line, ordered bool) {
	again := false
	for i := range a.parts {
		from, part := len(all), &a.parts[i]
		for k := range part.lanes {
			lane := &part.lanes[k]
			addr := lane.base
			for axis, n := range p.at {
				addr += lane.step[axis] * uint64(n)
			}
			back := false
			if part.local {
				all, back = l.local(all, from, a, p, lane, addr)
				again = again || back
				continue
			}
			for n := addr >> l.shift; n <= (addr+a.bytes-1)>>l.shift; n++ {
				all, back = add(all, from, line{number: n, sort: a.sort, optional: lane.optional})
				again = again || back
			}
		}
		if a.sort == atomic && !part.local {
			l.operations(all[from:], part, p)
		}
	}
	return all, a.open == 0 && !(again && a.optional())
}

// optional reports whether there is a lane that may make the access or not.
func (a *access) optional() bool {
	return slices.ContainsFunc(a.parts, func(p part) bool {
		return slices.ContainsFunc(p.lanes, func(l lane) bool { return l.optional })
	})
}

// local appends the lines of a lane's access to local memory, in which the words that all
// threads have at one address lie side by side.
func (l *layout) local(all []line, from int, a *access, p *place, lane *lane, addr uint64) (_ []line, again bool) {
	sort := a.sort
	if sort == passing {
		sort = read
	}
	word := (addr - abi.LocalBase) / localWord
	for k := range max(a.bytes/localWord, 1) {
		back := false
		all, back = add(all, from, line{number: l.localLine(word+k, p, lane.number), sort: sort, optional: lane.optional})
		again = again || back
	}
	return all, again
}

// localLine returns the line of a word of a lane's local memory.
func (l *layout) localLine(word uint64, p *place, lane int) uint64 {
	thread := (uint64(p.sm)*l.warps+uint64(p.slot))*l.width + uint64(lane)
	return (abi.CachedLocalBase + (word*l.threads+thread)*localWord) >> l.shift
}

// add appends a line unless it is among those from a place on. It reports whether it is there, with others behind
// it.
func add(all []line, from int, n line) (_ []line, again bool) {
	i := slices.IndexFunc(all[from:], func(m line) bool { return m.number == n.number })
	if i < 0 {
		return append(all, n), false
	}
	all[from+i].optional = all[from+i].optional && n.optional
	return all, from+i < len(all)-1
}

// operations finds how many lanes operate on one address in each line, at most.
func (l *layout) operations(lines []line, part *part, p *place) {
	count := make(map[uint64]int64)
	for i := range part.lanes {
		addr := part.lanes[i].base
		for axis, n := range p.at {
			addr += part.lanes[i].step[axis] * uint64(n)
		}
		count[addr]++
	}
	for addr, n := range count {
		for i := range lines {
			if lines[i].number == addr>>l.shift {
				lines[i].operations = max(lines[i].operations, n)
			}
		}
	}
}
