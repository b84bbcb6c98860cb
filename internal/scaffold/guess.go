package scaffold

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"warpbound/internal/isa"
)

// guess is a launch with its arguments.
type guess struct {
	grid, block [3]int
	loops       float64 // what a number is at first that ends a loop
	words       []word  // by their offsets in the parameter block
}

// clone returns a copy that can be changed without the original.
func (g *guess) clone() *guess {
	c := *g
	c.words = slices.Clone(g.words)
	return &c
}

// threads returns the number of threads of the launch along an axis.
func (g *guess) threads(axis int) int64 { return int64(g.grid[axis] * g.block[axis]) }

// all returns the number of threads of the launch.
func (g *guess) all() int64 { return g.threads(0) * g.threads(1) * g.threads(2) }

// at returns the word at an offset of the parameter block, -1 for none.
func (g *guess) at(offset int) int {
	return slices.IndexFunc(g.words, func(w word) bool { return w.offset == offset })
}

// kind tells what a word is.
type kind uint8

const (
	isNumber kind = iota
	isPointer
	isShared // an address of shared memory
)

// word is a number or an address among the arguments.
type word struct {
	param  int // of the kernel
	offset int // in the parameter block
	typ    isa.Type
	kind   kind
	value  float64 // of a number
	holds  content // of the buffer that an address is of
	elem   isa.Type
	links  links
	window int  // bytes that trials let threads access from the address on
	mixed  bool // integers and floats lie in the buffer
	cast   bool // elem is what the search has chosen, not the type of most accesses
	moved  bool // value or holds is what the search has chosen, not the first guess
}

// float reports whether a number is one of floating point.
func (w *word) float() bool { return w.typ.IsFloat() }

// bits returns the word of a number in the parameter block.
func (w *word) bits() uint64 {
	switch w.typ {
	case isa.F32:
		return uint64(math.Float32bits(float32(w.value)))
	case isa.F64:
		return math.Float64bits(w.value)
	}
	return uint64(int64(w.value))
}

// put writes a word into the parameter block.
func (w *word) put(block []byte, bits uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(block[w.offset:], b[:w.typ.Bytes()])
}

// What trials let threads access of a buffer.
const (
	firstWindow = 32 << 10
	maxWindow   = 16 << 20
	before      = 16 << 10 // bytes that lie before the address
)

// declared returns the words of the arguments as the kernel declares and reads them.
func declared(k *isa.Kernel) []word {
	var all []word
	for i, v := range k.Params {
		for _, w := range wordsOf(k, &v) {
			w.param = i
			all = append(all, w)
		}
	}
	return all
}

// settle gives a new word its kind, as far as its type tells it.
func (w *word) settle(addressBits int) {
	if w.typ.Bits() == addressBits && !w.typ.IsFloat() {
		w.kind, w.window, w.elem = isPointer, firstWindow, isa.U8
	}
	if w.typ.IsFloat() {
		w.value = 1
	}
}

// aggregate reports whether a parameter is a struct passed by value.
func aggregate(v *isa.Var) bool { return v.Type.Bytes() != v.Bytes }

// wordsOf returns the parts of a parameter that the kernel reads, a parameter that is a number whole.
func wordsOf(k *isa.Kernel, v *isa.Var) []word {
	if !aggregate(v) {
		return []word{{offset: v.Offset, typ: v.Type}}
	}
	addresses := paramAddresses(k)
	var all []word
	for _, in := range k.Instrs {
		if in.Op != isa.Ld {
			continue
		}
		at, ok := paramAddress(in.Src[0], addresses)
		for range in.Dst {
			w := word{offset: at, typ: in.Type}
			if ok && at >= v.Offset && at+in.Type.Bytes() <= v.Offset+v.Bytes && !slices.ContainsFunc(all, w.overlaps) {
				all = append(all, w)
			}
			at += in.Type.Bytes()
		}
	}
	slices.SortFunc(all, func(a, b word) int { return a.offset - b.offset })
	return all
}

func (w word) overlaps(o word) bool {
	return w.offset < o.offset+o.typ.Bytes() && o.offset < w.offset+w.typ.Bytes()
}

// paramAddresses returns the registers that hold addresses of parameters, with the offsets of these.
func paramAddresses(k *isa.Kernel) map[isa.Reg]int {
	at := make(map[isa.Reg]int)
	for changed := true; changed; {
		changed = false
		for _, in := range k.Instrs {
			if in.Op != isa.Mov && in.Op != isa.Cvta && in.Op != isa.CvtaTo || len(in.Dst) != 1 || in.Dst[0].Kind != isa.KindReg {
				continue
			}
			if offset, ok := paramAddress(in.Src[0], at); ok {
				switch in.Op {
				case isa.Cvta:
					offset += int(in.Src[1].Imm)
				case isa.CvtaTo:
					offset -= int(in.Src[1].Imm)
				}
				if _, known := at[in.Dst[0].Reg]; !known {
					at[in.Dst[0].Reg], changed = offset, true
				}
			}
		}
	}
	return at
}

// paramAddress returns the offset of the parameter whose address an operand is.
func paramAddress(o isa.Operand, addresses map[isa.Reg]int) (int, bool) {
	switch o.Kind {
	case isa.KindVar, isa.KindVarAddr:
		return int(o.Imm), o.Var == isa.ParamVar && o.Reg == isa.NoReg
	case isa.KindReg, isa.KindAddr:
		at, ok := addresses[o.Reg]
		return at + int(o.Imm), ok
	}
	return 0, false
}

// content is what a buffer holds before a run.
type content struct {
	how    string // "", "iota", "uniform", "offsets", "rooted" or "chain"
	lo, hi float64
}

// rooted returns an element of the content "rooted": every fourth is its own index, the others are that of the one
// before, as in sets that are joined.
func rooted(i int) float64 {
	if i%4 == 0 {
		return float64(i)
	}
	return float64(i - 1)
}

// chained is how many elements of the content "chain" lead to others.
const chained = 64

// link returns an element of the content "chain": the index of a later element, whatever the size of structs, so that
// who follows indices comes to an end; the elements behind hold the number that ends it.
func (c content) link(i int) float64 {
	if i < chained {
		return float64(i + 1)
	}
	return c.lo
}

// offset returns an element of the content "offsets": it never decreases, as the offsets of rows in a sparse matrix,
// which have 0 to 9 elements here.
func offset(i int) float64 {
	const longest = 9
	rows, rest := i/(longest+1), i%(longest+1)
	return float64(rows*longest*(longest+1)/2 + rest*(rest-1)/2)
}

func uniform(lo, hi float64) content { return content{"uniform", lo, hi} }

// String returns the content as jobs write it.
func (c content) String() string {
	if c.how == "uniform" {
		return fmt.Sprintf("uniform(%s, %s)", plain(c.lo), plain(c.hi))
	}
	return c.how
}

// plain writes a number without an exponent.
func plain(x float64) string {
	if x == math.Trunc(x) {
		return fmt.Sprintf("%.0f", x)
	}
	return strings.TrimRight(fmt.Sprintf("%.6f", x), "0")
}

// draw is how a trial fills buffers whose contents are sampled: at random, but for those whose numbers are all the
// lowest or all the highest that can be sampled.
type draw struct {
	seed    uint64
	extreme extreme
	of      int // the word whose buffer alone has these; everywhere for all of them
}

type extreme uint8

const (
	none extreme = iota
	lowest
	highest
)

const everywhere = -1

// atRandom samples everything.
func atRandom(seed uint64) draw { return draw{seed: seed} }

// word returns how the buffer of a word is filled.
func (d draw) word(i int) extreme {
	if d.of == everywhere || d.of == i {
		return d.extreme
	}
	return none
}

// period is how many elements of a buffer are sampled in trials before they come again. It is a prime number, so that
// rows of a matrix differ.
const period = 4093

// fill writes the content into a buffer of elements of a type.
func (c content) fill(to []byte, t isa.Type, d extreme, random func() float64) {
	size := t.Bytes()
	if c.how == "" || size == 0 || len(to) < size {
		return
	}
	element := func(i int) float64 {
		switch {
		case c.how == "iota":
			return float64(i)
		case c.how == "offsets":
			return offset(i)
		case c.how == "rooted":
			return rooted(i)
		case c.how == "chain":
			return c.link(i)
		case d == lowest:
			return c.lo
		case d == highest && t.IsFloat():
			return c.hi - (c.hi-c.lo)/1024
		case d == highest:
			return c.hi
		case t.IsFloat():
			return c.lo + (c.hi-c.lo)*random()
		}
		return c.lo + math.Floor((c.hi-c.lo+1)*random())
	}
	whole := len(to) / size
	n := whole
	if c.how == "uniform" {
		n = min(n, period)
	}
	for i := range n {
		put(to[i*size:], t, element(i))
	}
	for done := n * size; done < whole*size; {
		done += copy(to[done:whole*size], to[:done])
	}
}

// put writes a number as an element of a type.
func put(to []byte, t isa.Type, x float64) {
	switch t {
	case isa.F32:
		binary.LittleEndian.PutUint32(to, math.Float32bits(float32(x)))
		return
	case isa.F64:
		binary.LittleEndian.PutUint64(to, math.Float64bits(x))
		return
	case isa.F16:
		binary.LittleEndian.PutUint16(to, half(x))
		return
	case isa.BF16:
		binary.LittleEndian.PutUint16(to, uint16(math.Float32bits(float32(x))>>16))
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(int64(x)))
	copy(to, b[:t.Bytes()])
}

// half returns the bits of a number as one of 16 bits, rounded towards zero; what is too small for a normal one is zero.
func half(x float64) uint16 {
	b := math.Float32bits(float32(x))
	sign, exponent := uint16(b>>16&0x8000), int(b>>23&0xff)-127+15
	if exponent < 1 {
		return sign
	}
	return sign | uint16(min(exponent, 30))<<10 | uint16(b>>13&0x3ff)
}
