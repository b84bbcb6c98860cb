//go:build !purego

package vec

import "golang.org/x/sys/cpu"

// fast is whether the processor has the instructions used here.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// available returns f, or the zero function if the processor lacks the instructions.
func available[F any](f F) F {
	if !fast {
		var none F
		return none
	}
	return f
}

// Word returns the function of an operation on Words, nil if the processor has none.
func Word(op WordOp) WordFunc {
	return available([NumWordOps]WordFunc{
		Copy32:   copy32,
		Add32:    add32,
		Sub32:    sub32,
		Mul32:    mul32,
		Mad32:    mad32,
		And32:    and32,
		Or32:     or32,
		Xor32:    xor32,
		Shl32:    shl32,
		ShrS32:   shrS32,
		ShrU32:   shrU32,
		FieldU32: fieldU32,
		MinS32:   minS32,
		MinU32:   minU32,
		MaxS32:   maxS32,
		MaxU32:   maxU32,
		AddF32:   addF32,
		SubF32:   subF32,
		MulF32:   mulF32,
		DivF32:   divF32,
		SqrtF32:  sqrtF32,
		FmaF32:   fmaF32,
	}[op])
}

// Wide returns the function of an operation on Vectors, nil if the processor has none.
func Wide(op Op) Func {
	return available([NumOps]Func{
		Copy64: copy64,
		Add64:  add64,
		Sub64:  sub64,
		And64:  and64,
		Or64:   or64,
		Xor64:  xor64,
		AddF64: addF64,
		SubF64: subF64,
		MulF64: mulF64,
		FmaF64: fmaF64,
	}[op])
}

// Widening returns the function of an operation with wide results, nil if the processor has
// none.
func Widening(op WideningOp) WideningFunc {
	return available([NumWideningOps]WideningFunc{
		ExtendS32:  extendS32,
		ExtendU32:  extendU32,
		MulWideS32: mulWideS32,
		MulWideU32: mulWideU32,
		MadWideS32: madWideS32,
		MadWideU32: madWideU32,
	}[op])
}

// Shift returns the function of a shift of Vectors, nil if the processor has none.
func Shift(op ShiftOp) ShiftFunc {
	return available([NumShiftOps]ShiftFunc{Shl64: shl64, ShrU64: shrU64}[op])
}

// WordTests returns the function of a comparison of Words, nil if the processor has none.
func WordTests(t WordTest) WordTestFunc {
	return available([NumWordTests]WordTestFunc{
		Eq32:  eq32,
		LtS32: ltS32,
		LtU32: ltU32,
		LeS32: leS32,
		LeU32: leU32,
		EqF32: eqF32,
		LtF32: ltF32,
		LeF32: leF32,
	}[t])
}

// WideTests returns the function of a comparison of Vectors, nil if the processor has none.
func WideTests(t Test) TestFunc {
	return available([NumTests]TestFunc{Eq64: eq64, LtS64: ltS64, LtU64: ltU64, LeS64: leS64, LeU64: leU64}[t])
}

// WordAccess returns the function that loads or stores Words, nil if the processor has none.
func WordAccess(store bool) WordAccessFunc {
	if store {
		return available(WordAccessFunc(store32))
	}
	return available(WordAccessFunc(load32))
}

// Reach returns the function that computes addresses and looks at them, and leaves x and the data alone; nil if the
// processor has none.
func Reach() WordAccessFunc { return available(WordAccessFunc(reach)) }

// Permute picks four of the eight bytes of b and a, each by four bits of c, of which the fourth copies the byte's sign into
// all of its bits; it is false if the processor cannot.
func Permute(d, a, b, c *Words) bool {
	if fast {
		permute(d, a, b, c)
	}
	return fast
}

// Shuffle returns the function of a shuffle, nil if the processor has none.
func Shuffle(s ShuffleMode) ShuffleFunc {
	return available([...]ShuffleFunc{ShuffleUp: shuffleUp, ShuffleDown: shuffleDown, ShuffleButterfly: shuffleButterfly, ShuffleIndex: shuffleIndex}[s])
}

// EqualWords returns the lanes that have the value x.
func EqualWords(a *Words, x uint32) uint32 {
	if fast {
		return equalWords(a, x)
	}
	return equal(a, x)
}

// Mark returns the set of the numbers that the lanes of mask have in the bits from shift up that last has. Last is
// below 64.
func Mark(a *Vector, mask uint32, shift int, last uint64) uint64 {
	if fast {
		return mark(a, mask, uint64(shift), last)
	}
	return markEach(a, mask, shift, last)
}

// FillWords assigns x to every lane.
func FillWords(d *Words, x uint32) {
	if fast {
		fillWords(d, x)
	} else {
		d.Fill(x)
	}
}

// Join puts b above so many low bits of a.
func Join(d, a, b *Words, bits int) {
	if fast {
		join(d, a, b, uint64(bits))
	} else {
		joinEach(d, a, b, bits)
	}
}

// Part gives so many bits of a, from shift up.
func Part(d, a *Words, shift, bits int) {
	if fast {
		part(d, a, uint64(shift), uint64(bits))
	} else {
		partEach(d, a, shift, bits)
	}
}

// Match gives every lane of mask the mask of those that have the same numbers in a and in b, other lanes anything.
func Match(d, a, b *Words, mask uint32) {
	if fast {
		match(d, a, b, mask)
	} else {
		matchEach(d, a, b, mask)
	}
}

// Gather loads an element of 1, 2 or 4 bytes for each lane, the address start being that of data, or reports that the
// processor cannot. All must be known to be there.
func Gather(x *Words, addr *Vector, data *byte, start uint64, bytes int) bool {
	switch {
	case !fast:
		return false
	case bytes == 1:
		load8Each(x, addr, data, start)
	case bytes == 2:
		load16Each(x, addr, data, start)
	default:
		load32Each(x, addr, data, start)
	}
	return true
}

// Scatter is the reverse of Gather, in ascending order of the lanes.
func Scatter(x *Words, addr *Vector, data *byte, start uint64, bytes int) bool {
	switch {
	case !fast:
		return false
	case bytes == 1:
		store8Each(x, addr, data, start)
	case bytes == 2:
		store16Each(x, addr, data, start)
	default:
		store32Each(x, addr, data, start)
	}
	return true
}

// GatherWide is Gather for elements of 8 bytes.
func GatherWide(x, addr *Vector, data *byte, start uint64) bool {
	if fast {
		load64Each(x, addr, data, start)
	}
	return fast
}

// ScatterWide is Scatter for elements of 8 bytes.
func ScatterWide(x, addr *Vector, data *byte, start uint64) bool {
	if fast {
		store64Each(x, addr, data, start)
	}
	return fast
}

// WideAccess returns the function that loads or stores Vectors, nil if the processor has none.
func WideAccess(store bool) AccessFunc {
	if store {
		return available(AccessFunc(store64))
	}
	return available(AccessFunc(load64))
}

// SelectWords gives d the lanes of mask from a and the others from b.
func SelectWords(d, a, b *Words, mask uint32) {
	if fast {
		selectWords(d, a, b, mask)
		return
	}
	choose(d, a, b, mask)
}

// SelectVector gives d the lanes of mask from a and the others from b.
func SelectVector(d, a, b *Vector, mask uint32) {
	if fast {
		selectVector(d, a, b, mask)
		return
	}
	choose(d, a, b, mask)
}

// ExtendSigned copies words, extended by their signs.
func ExtendSigned(d *Vector, a *Words) {
	if fast {
		extendS32(d, a, a, d)
		return
	}
	extendSigned(d, a)
}

// Extend copies words, extended by zeros.
func Extend(d *Vector, a *Words) {
	if fast {
		extendU32(d, a, nil, nil)
		return
	}
	extend(d, a)
}

// Truncate copies the lower halves of lanes.
func Truncate(d *Words, a *Vector) {
	if fast {
		truncate64(d, a)
		return
	}
	truncate(d, a)
}

//go:noescape
func copy32(d, a, b, c *Words)

//go:noescape
func add32(d, a, b, c *Words)

//go:noescape
func sub32(d, a, b, c *Words)

//go:noescape
func mul32(d, a, b, c *Words)

//go:noescape
func mad32(d, a, b, c *Words)

//go:noescape
func and32(d, a, b, c *Words)

//go:noescape
func or32(d, a, b, c *Words)

//go:noescape
func xor32(d, a, b, c *Words)

//go:noescape
func shl32(d, a, b, c *Words)

//go:noescape
func shrS32(d, a, b, c *Words)

//go:noescape
func shrU32(d, a, b, c *Words)

//go:noescape
func fieldU32(d, a, b, c *Words)

//go:noescape
func minS32(d, a, b, c *Words)

//go:noescape
func minU32(d, a, b, c *Words)

//go:noescape
func maxS32(d, a, b, c *Words)

//go:noescape
func maxU32(d, a, b, c *Words)

//go:noescape
func addF32(d, a, b, c *Words)

//go:noescape
func subF32(d, a, b, c *Words)

//go:noescape
func mulF32(d, a, b, c *Words)

//go:noescape
func divF32(d, a, b, c *Words)

//go:noescape
func sqrtF32(d, a, b, c *Words)

//go:noescape
func fmaF32(d, a, b, c *Words)

//go:noescape
func copy64(d, a, b, c *Vector)

//go:noescape
func add64(d, a, b, c *Vector)

//go:noescape
func sub64(d, a, b, c *Vector)

//go:noescape
func and64(d, a, b, c *Vector)

//go:noescape
func or64(d, a, b, c *Vector)

//go:noescape
func xor64(d, a, b, c *Vector)

//go:noescape
func addF64(d, a, b, c *Vector)

//go:noescape
func subF64(d, a, b, c *Vector)

//go:noescape
func mulF64(d, a, b, c *Vector)

//go:noescape
func fmaF64(d, a, b, c *Vector)

//go:noescape
func extendS32(d *Vector, a, b *Words, c *Vector)

//go:noescape
func extendU32(d *Vector, a, b *Words, c *Vector)

//go:noescape
func mulWideS32(d *Vector, a, b *Words, c *Vector)

//go:noescape
func mulWideU32(d *Vector, a, b *Words, c *Vector)

//go:noescape
func madWideS32(d *Vector, a, b *Words, c *Vector)

//go:noescape
func madWideU32(d *Vector, a, b *Words, c *Vector)

//go:noescape
func shl64(d, a *Vector, b *Words)

//go:noescape
func shrU64(d, a *Vector, b *Words)

//go:noescape
func truncate64(d *Words, a *Vector)

//go:noescape
func eq32(a, b *Words) uint32

//go:noescape
func ltS32(a, b *Words) uint32

//go:noescape
func ltU32(a, b *Words) uint32

//go:noescape
func leS32(a, b *Words) uint32

//go:noescape
func leU32(a, b *Words) uint32

//go:noescape
func eqF32(a, b *Words) uint32

//go:noescape
func ltF32(a, b *Words) uint32

//go:noescape
func leF32(a, b *Words) uint32

//go:noescape
func eq64(a, b *Vector) uint32

//go:noescape
func ltS64(a, b *Vector) uint32

//go:noescape
func ltU64(a, b *Vector) uint32

//go:noescape
func leS64(a, b *Vector) uint32

//go:noescape
func leU64(a, b *Vector) uint32

//go:noescape
func reach(x *Words, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)

//go:noescape
func match(d, a, b *Words, mask uint32)

//go:noescape
func shuffleUp(d, a, b, c *Words, mask uint32) (inRange uint32)

//go:noescape
func shuffleDown(d, a, b, c *Words, mask uint32) (inRange uint32)

//go:noescape
func shuffleButterfly(d, a, b, c *Words, mask uint32) (inRange uint32)

//go:noescape
func shuffleIndex(d, a, b, c *Words, mask uint32) (inRange uint32)

//go:noescape
func fillWords(d *Words, x uint32)

//go:noescape
func equalWords(a *Words, x uint32) uint32

//go:noescape
func mark(a *Vector, mask uint32, shift, last uint64) uint64

//go:noescape
func permute(d, a, b, c *Words)

//go:noescape
func join(d, a, b *Words, bits uint64)

//go:noescape
func part(d, a *Words, shift, bits uint64)

//go:noescape
func load8Each(x *Words, addr *Vector, data *byte, start uint64)

//go:noescape
func load16Each(x *Words, addr *Vector, data *byte, start uint64)

//go:noescape
func load32Each(x *Words, addr *Vector, data *byte, start uint64)

//go:noescape
func load64Each(x, addr *Vector, data *byte, start uint64)

//go:noescape
func store8Each(x *Words, addr *Vector, data *byte, start uint64)

//go:noescape
func store16Each(x *Words, addr *Vector, data *byte, start uint64)

//go:noescape
func store32Each(x *Words, addr *Vector, data *byte, start uint64)

//go:noescape
func store64Each(x, addr *Vector, data *byte, start uint64)

//go:noescape
func load32(x *Words, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)

//go:noescape
func store32(x *Words, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)

//go:noescape
func load64(x, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)

//go:noescape
func store64(x, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)

//go:noescape
func selectWords(d, a, b *Words, mask uint32)

//go:noescape
func selectVector(d, a, b *Vector, mask uint32)
