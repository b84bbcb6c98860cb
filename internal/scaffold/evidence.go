package scaffold

import (
	"math"

	"warpbound/internal/isa"
)

// source is a number among the arguments, or the contents of a buffer.
type source struct {
	word   int      // offset in the parameter block; -1 for contents
	typ    isa.Type // as which it was read first, likewise
	buffer int      // whose contents these are: the word that is its address; -1 for numbers

	address   bool // of global memory: the base of an access
	shared    bool // of shared memory, likewise
	number    bool // it is multiplied, shifted or the like, as no address is
	float     bool // floating-point operations take it
	floatBits int  // of these
	compared  set  // with coordinates
	scaled    set  // it is a factor of coordinates
	divides   bool
	shifts    bool
	counts    bool // it is compared with a number that changes
	decides   bool // a comparison depends on it
	indexes   bool // an address depends on it of which it is not the base
	chased    bool // an address in the buffer depends on what the buffer holds: its elements are indices of others
	constants map[int64]bool
}

// comparison is what was compared at an instruction.
type comparison struct {
	operands [2]origin
	min      [2]int64 // of an operand that depends on nothing
	max      [2]int64
	seen     bool
	float    bool
}

// reached is how an instruction or the kernel uses a buffer.
type reached struct {
	min, max                 int64 // bytes from where the address points, the last one excluded; equal if there was no access
	loaded, stored, combined bool
	types                    [isa.B1 + 1]int // accesses of a lane as of each type
	last                     int             // the instruction that reached max
	from                     set             // what addresses depend on
	wide                     uint64          // of the first words of 8 bytes those that were loaded as such
}

// access notes an access of an instruction.
func (r *reached) access(pc int, at int64, n int) {
	end := at + int64(n)
	if !r.any() {
		r.min, r.max, r.last = at, end, pc
		return
	}
	if end > r.max {
		r.max, r.last = end, pc
	}
	r.min = min(r.min, at)
}

// any reports whether there was an access.
func (r *reached) any() bool { return r.min < r.max }

// join adds what another execution has reached.
func (r *reached) join(o *reached) {
	r.loaded, r.stored, r.combined = r.loaded || o.loaded, r.stored || o.stored, r.combined || o.combined
	r.from |= o.from
	if o.any() {
		r.access(o.last, o.min, int(o.max-o.min))
	}
}

// evidence is what executions have shown of the arguments of a kernel. It grows.
type evidence struct {
	sources     []source // by number, the coordinates included
	comparisons map[int]*comparison
	branches    map[int]origin // by block: on what its branch depends
}

func newEvidence() *evidence {
	return &evidence{sources: make([]source, firstSource), comparisons: make(map[int]*comparison), branches: make(map[int]origin)}
}

// maxSources is how many sources a set tells apart; the last one stands for all beyond.
const maxSources = 64

func (e *evidence) find(s source) set {
	for i := firstSource; i < len(e.sources); i++ {
		if e.sources[i].word == s.word && e.sources[i].buffer == s.buffer {
			return 1 << i
		}
	}
	if len(e.sources) == maxSources {
		return 1 << (maxSources - 1)
	}
	s.constants = make(map[int64]bool)
	e.sources = append(e.sources, s)
	return 1 << (len(e.sources) - 1)
}

// word is the source that is the argument at an offset of the parameter block.
func (e *evidence) word(offset int, as isa.Type) origin {
	s := e.find(source{word: offset, typ: as, buffer: -1})
	return origin{s, s}
}

// contents is the source that the contents of a buffer are.
func (e *evidence) contents(buffer int) origin {
	s := e.find(source{word: -1, buffer: buffer})
	return origin{s, s}
}

// of returns what is known of a source, nil for one that was not met.
func (e *evidence) of(word, buffer int) *source {
	for i := firstSource; i < len(e.sources); i++ {
		if e.sources[i].word == word && e.sources[i].buffer == buffer {
			return &e.sources[i]
		}
	}
	return nil
}

// operands notes what an instruction does with its sources.
func (e *evidence) operands(in *isa.Instr, of []origin) {
	typ := in.Type
	if in.SrcType != isa.Invalid {
		typ = in.SrcType
	}
	if typ.IsFloat() && in.Op != isa.Ld && in.Op != isa.St {
		for _, f := range of {
			f.base.each(func(s int) { e.sources[s].float, e.sources[s].floatBits = true, typ.Bits() })
		}
	}
	for _, i := range factors(in) {
		if i >= len(of) {
			continue
		}
		of[i].base.each(func(s int) {
			src := &e.sources[s]
			src.number = true
			switch {
			case in.Op == isa.Div || in.Op == isa.Rem:
				src.divides = src.divides || i == 1
			case in.Op == isa.Shl || in.Op == isa.Shr:
				src.shifts = src.shifts || i == 1
			case len(of) > 1 && in.Op != isa.And:
				src.scaled |= of[1-i].all & axes
			}
		})
	}
}

// compare notes what a comparison compares; values are those of the operands in one thread.
func (e *evidence) compare(pc int, in *isa.Instr, of []origin, values [2]int64) {
	c := e.comparisons[pc]
	if c == nil {
		c = &comparison{float: in.Type.IsFloat()}
		e.comparisons[pc] = c
	}
	for i := range c.operands {
		c.operands[i] = c.operands[i].join(of[i])
		if !c.seen {
			c.min[i], c.max[i] = values[i], values[i]
		}
		c.min[i], c.max[i] = min(c.min[i], values[i]), max(c.max[i], values[i])
	}
	c.seen = true
}

// conclude draws from the comparisons what they say of the sources.
func (e *evidence) conclude() {
	for _, c := range e.comparisons {
		for i, of := range c.operands {
			other := c.operands[1-i]
			of.all.each(func(s int) {
				src := &e.sources[s]
				src.decides = true
				itself := of.itself()>>s&1 != 0
				switch {
				case other.all&axes != 0:
					if itself {
						src.compared |= other.all & axes
					}
				case src.word < 0 && other.all>>s&1 != 0: // from one element of a buffer to another
					src.counts = true
				case other.all != 0:
				case c.min[1-i] != c.max[1-i]:
					src.counts = src.counts || itself
				default:
					src.constants[c.min[1-i]] = true
				}
			})
		}
	}
}

// number returns the bits of an operand as a signed number, a float rounded down.
func number(bits uint64, t isa.Type) int64 {
	switch t {
	case isa.F32:
		return rounded(float64(math.Float32frombits(uint32(bits))))
	case isa.F64:
		return rounded(math.Float64frombits(bits))
	}
	switch n := t.Bits(); {
	case n == 0 || n > 64 || t.IsFloat():
		return 0
	default:
		return int64(bits<<(64-n)) >> (64 - n)
	}
}

func rounded(x float64) int64 {
	if math.Abs(x) < 1<<40 {
		return int64(math.Floor(x))
	}
	return 0
}
