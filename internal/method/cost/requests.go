package cost

import (
	"math"
	"math/bits"
	"slices"

	"warpbound/internal/absexec"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// Counter counts the requests into which the memory of an SM divides the accesses of warps
// (docs/machine-model/barrel.md).
type Counter struct {
	single  bool   // an access is one request
	segment uint64 // bytes of a segment of global memory, or of a line of the L1
	word    uint64 // bytes of a word of a bank of shared memory
	banks   uint64

	pieces []uint64 // scratch
	users  []int64  // scratch, by bank
}

// localWord is the size in bytes of a word of local memory.
const localWord = 4

// NewCounter returns a counter of the requests on a machine.
func NewCounter(m *machine.Machine) *Counter {
	c := &Counter{
		single:  m.Memory.Requests.Value == machine.ByAccess,
		segment: uint64(max(m.Memory.Segment.Value, m.L1.Line.Value)),
		word:    uint64(m.Shared.BankBytes.Value),
		banks:   uint64(m.Shared.Banks.Value),
	}
	c.users = make([]int64, c.banks)
	return c
}

// Between is a number of which only the least and the most are known.
type Between struct{ Min, Max int64 }

// Exactly returns the number that is known.
func Exactly(n int64) Between { return Between{n, n} }

// Certain reports whether the number is known.
func (b Between) Certain() bool { return b.Min == b.Max }

func (b Between) plus(c Between) Between { return Between{b.Min + c.Min, b.Max + c.Max} }

// Count returns the requests of the access of a step in every CTA of a box. The least
// is 0 if perhaps no lane makes the access.
func (c *Counter) Count(s *absexec.Step, box absexec.Box) Between {
	a := s.Access
	must := s.Must
	if s.Instr.Op == isa.CpAsync && len(s.Instr.Src) > 3 {
		must = 0 // its fourth source tells which lanes read
	}
	switch {
	case s.May == 0:
		return Exactly(0)
	case c.single:
		return Between{Min: min(1, int64(bits.OnesCount64(must))), Max: 1}
	}
	total := Between{}
	for i, known := range a.Lanes {
		if known &= s.May; known == 0 {
			continue
		}
		space := isa.Space(i)
		total = total.plus(c.known(s, space, must&known, known, box))
	}
	open := s.May &^ a.Known
	each := c.each(s.Instr, a.Space, a.Bytes)
	total.Max = min(total.Max+each*c.different(s, open), each*int64(bits.OnesCount64(s.May)))
	if must != 0 {
		total.Min = max(total.Min, 1)
		if s.Access.Space == isa.Global && atomic(s.Instr) {
			total.Min = int64(bits.OnesCount64(must))
		}
	}
	return total
}

// OnChip returns the requests of a step to shared memory, parameters and constants in every CTA
// of a box. Lanes whose address is not known may go anywhere that the instruction names.
func (c *Counter) OnChip(s *absexec.Step, box absexec.Box) Between {
	total := Between{}
	for _, space := range []isa.Space{isa.Shared, isa.Const, isa.Param} {
		if known := s.Access.Lanes[space] & s.May; known != 0 {
			total = total.plus(c.known(s, space, s.Must&known, known, box))
		}
	}
	if open := s.May &^ s.Access.Known; s.Access.Space != isa.Global && s.Access.Space != isa.Local {
		total.Max += c.each(s.Instr, s.Access.Space, s.Access.Bytes) * c.different(s, open)
	}
	return total
}

// Lines returns how many segments of global memory, or lines of the L1, the lanes of a step
// touch at most in any CTA of a box.
func (c *Counter) Lines(s *absexec.Step, box absexec.Box) int64 { return c.LinesBetween(s, box).Max }

// LinesBetween returns how many segments of global memory, or lines of the L1, the lanes of a step whose address is known
// touch in any CTA of a box if all of them make the access.
func (c *Counter) LinesBetween(s *absexec.Step, box absexec.Box) Between {
	known := s.Access.Lanes[isa.Global] & s.May
	each := int64(s.Access.Bytes-1)/int64(c.segment) + 1 // accesses are aligned to their size
	if known == 0 {
		return Between{}
	}
	offsets, same := shifts(s.Access, known, c.segment, box)
	if !same {
		return Between{Min: 1, Max: each * int64(bits.OnesCount64(known))}
	}
	n := Between{Min: math.MaxInt64}
	for _, shift := range offsets {
		c.collect(s.Access, known, shift, c.segment, uint64(s.Access.Bytes))
		pieces := int64(len(c.pieces))
		n = Between{min(n.Min, pieces), max(n.Max, pieces)}
	}
	return n
}

// different returns how many addresses of the lanes of mask count at most: lanes with the same address make an access together,
// unless it is atomic.
func (c *Counter) different(s *absexec.Step, mask uint64) int64 {
	if atomic(s.Instr) {
		return int64(bits.OnesCount64(mask))
	}
	return int64(s.Access.Different(mask))
}

func atomic(in *isa.Instr) bool { return in.Op == isa.Atom || in.Op == isa.Red }

// Max returns the most requests that an access of the instruction by so many lanes makes, of
// so many bytes each in a space (isa.Generic: any), whatever their addresses.
func (c *Counter) Max(in *isa.Instr, space isa.Space, bytes int, lanes int64) int64 {
	if c.single {
		return 1
	}
	return lanes * c.each(in, space, bytes)
}

// each returns the most requests that a lane can add to an access of the instruction. An
// access that is not aligned to its size fails.
func (c *Counter) each(in *isa.Instr, space isa.Space, bytes int) int64 {
	n := uint64(bytes)
	over := func(size uint64) int64 { return int64((n + size - 1) / size) }
	words := over(c.word * c.banks) // of one bank
	if atomic(in) {
		words = 1
	}
	switch {
	case space == isa.Shared:
		return words
	case space == isa.Local:
		return over(localWord)
	case space == isa.Const || space == isa.Param:
		return 1
	case space == isa.Global && atomic(in):
		return 1
	case space == isa.Global:
		return over(c.segment)
	}
	return max(words, over(localWord), over(c.segment))
}

// Varying returns the requests of an access that surely all its lanes make, at known
// addresses in one space, where they depend on the CTA: they repeat after period CTAs
// along each axis. It is false where they are not known so.
func (c *Counter) Varying(s *absexec.Step, box absexec.Box) (Varied, bool) {
	a := s.Access
	if s.Instr.Op == isa.CpAsync || s.Must != s.May {
		return Varied{}, false
	}
	space := slices.Index(a.Lanes[:], s.May)
	if space < 0 {
		return Varied{}, false
	}
	period := c.period(isa.Space(space), s.Instr)
	if _, same := shifts(a, s.May, period, box); !same {
		return Varied{}, false
	}
	_, step := a.Address(bits.TrailingZeros64(s.May))
	v := Varied{Period: [3]int{1, 1, 1}}
	for axis, d := range step {
		switch {
		case box.Fixed(axis) || d%period == 0:
		case axis >= len(v.Period): // from iteration to iteration
			return Varied{}, false
		default:
			v.Period[axis] = int(period / (d & -d))
		}
	}
	if v.Period[0]*v.Period[1]*v.Period[2] > MaxResidues {
		return Varied{}, false
	}
	v.Each(func(at [3]int) {
		shift := step[0]*uint64(at[0]) + step[1]*uint64(at[1]) + step[2]*uint64(at[2])
		v.Counts = append(v.Counts, int32(c.at(s, isa.Space(space), s.May, shift%period)))
	})
	return v, true
}

// known returns the requests to a space of lanes of which the addresses are known:
// those of must make the access, the others may.
func (c *Counter) known(s *absexec.Step, space isa.Space, must, all uint64, box absexec.Box) Between {
	if space == isa.Global && atomic(s.Instr) {
		return Between{int64(bits.OnesCount64(must)), int64(bits.OnesCount64(all))}
	}
	period := c.period(space, s.Instr)
	offsets, same := shifts(s.Access, all, period, box)
	if !same {
		n := min(int64(bits.OnesCount64(all)), 1)
		return Between{Min: min(n, int64(bits.OnesCount64(must))), Max: c.each(s.Instr, s.Access.Space, s.Access.Bytes) * int64(bits.OnesCount64(all))}
	}
	n := Between{Min: math.MaxInt64}
	for _, shift := range offsets {
		maximum := c.at(s, space, all, shift)
		minimum := maximum
		if must != all {
			minimum = c.at(s, space, must, shift)
		}
		n = Between{min(n.Min, minimum), max(n.Max, maximum)}
	}
	return n
}

// period is the number of bytes by which all addresses can be shifted without effect
// on the number of requests.
func (c *Counter) period(space isa.Space, in *isa.Instr) uint64 {
	switch space {
	case isa.Shared:
		return c.word * c.banks
	case isa.Const, isa.Param:
		return 1
	case isa.Local:
		return localWord
	}
	return c.segment
}

// shifts returns by how many bytes, modulo a period, the addresses of lanes differ from
// those in the first CTA of a box. It is false if they do not all differ by the same.
func shifts(a *absexec.Access, mask, period uint64, box absexec.Box) ([]uint64, bool) {
	if !a.Moves() {
		return []uint64{0}, true
	}
	_, step := a.Address(bits.TrailingZeros64(mask))
	for m := mask; m != 0; m &= m - 1 {
		if _, other := a.Address(bits.TrailingZeros64(m)); other != step {
			return nil, false
		}
	}
	grain := period // the greatest common divisor of the steps and the period, a power of two
	for axis, s := range step {
		if !box.Fixed(axis) && s%period != 0 {
			grain = min(grain, s&-s)
		}
	}
	var all []uint64
	for shift := uint64(0); shift < period; shift += grain {
		all = append(all, shift)
	}
	return all, true
}

// at returns the requests to a space of the lanes of mask with their addresses shifted.
func (c *Counter) at(s *absexec.Step, space isa.Space, mask, shift uint64) int64 {
	if mask == 0 {
		return 0
	}
	switch {
	case space == isa.Shared && atomic(s.Instr):
		return c.collisions(s.Access, mask, shift)
	case space == isa.Shared:
		c.collect(s.Access, mask, shift, c.word, uint64(s.Access.Bytes))
		return c.conflicts()
	case space == isa.Const || space == isa.Param:
		c.collect(s.Access, mask, shift, 1, 1)
	case space == isa.Local:
		c.collect(s.Access, mask, shift, localWord, uint64(s.Access.Bytes))
	default:
		c.collect(s.Access, mask, shift, c.segment, uint64(s.Access.Bytes))
	}
	return int64(len(c.pieces))
}

// collect finds the different pieces of memory of some size that the lanes touch.
func (c *Counter) collect(a *absexec.Access, mask, shift, size, bytes uint64) {
	c.pieces = c.pieces[:0]
	for ; mask != 0; mask &= mask - 1 {
		base, _ := a.Address(bits.TrailingZeros64(mask))
		for piece := (base + shift) / size; piece <= (base+shift+bytes-1)/size; piece++ {
			c.add(piece)
		}
	}
}

// add enters a piece if it is new.
func (c *Counter) add(piece uint64) {
	for i := len(c.pieces) - 1; i >= 0; i-- {
		if c.pieces[i] == piece {
			return
		}
	}
	c.pieces = append(c.pieces, piece)
}

// conflicts returns the most different words, of those collected, of one bank.
func (c *Counter) conflicts() int64 {
	clear(c.users)
	maximum := int64(0)
	for _, word := range c.pieces {
		c.users[word%c.banks]++
		maximum = max(maximum, c.users[word%c.banks])
	}
	return maximum
}

// collisions returns the most lanes that touch one bank.
func (c *Counter) collisions(a *absexec.Access, mask, shift uint64) int64 {
	clear(c.users)
	maximum := int64(0)
	for ; mask != 0; mask &= mask - 1 {
		base, _ := a.Address(bits.TrailingZeros64(mask))
		first, last := (base+shift)/c.word, (base+shift+uint64(a.Bytes)-1)/c.word
		for word := first; word <= min(last, first+c.banks-1); word++ {
			c.users[word%c.banks]++
			maximum = max(maximum, c.users[word%c.banks])
		}
	}
	return maximum
}
