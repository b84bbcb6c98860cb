package kernelgen

import (
	"fmt"
	"strings"
)

// atomics are the operations that threads do on shared elements. Each has its own
// elements, since two different operations do not commute.
var atomics = []string{"add.u32", "add.s32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32"}

// straight makes one statement without control flow.
func (g *generator) straight() {
	pick(g, append(g.extra(), g.integer, g.integer, g.integer, g.long, g.float, g.convert, g.selection,
		g.input, g.input, g.ownLoad, g.ownStore, g.atomic)...)()
}

// integer computes on 32-bit words. Divisors are not zero.
func (g *generator) integer() {
	switch g.IntN(6) {
	case 0:
		op := pick(g, "not.b32", "neg.s32", "abs.s32", "popc.b32", "clz.b32", "brev.b32", "mov.b32")
		g.guarded("%s %s, %s", op, g.anyWord(), g.word())
	case 1:
		g.guarded("mad.lo.s32 %s, %s, %s, %s", g.anyWord(), g.word(), g.word(), g.word())
	case 2:
		op := pick(g, "div.u32", "rem.u32", "div.s32", "rem.s32")
		g.guarded("%s %s, %s, %d", op, g.anyWord(), g.word(), 1+g.IntN(1000))
	default:
		op := pick(g, "add.s32", "sub.s32", "mul.lo.s32", "mul.hi.u32", "mul.hi.s32", "min.u32", "min.s32",
			"max.u32", "max.s32", "and.b32", "or.b32", "xor.b32", "shl.b32", "shr.u32", "shr.s32")
		g.guarded("%s %s, %s, %s", op, g.anyWord(), g.word(), g.word())
	}
}

// long computes on 64-bit words.
func (g *generator) long() {
	l := func() string { return fmt.Sprintf("%%l%d", g.IntN(longs)) }
	switch g.IntN(4) {
	case 0:
		g.guarded("%s %s, %s, %s", pick(g, "mul.wide.u32", "mul.wide.s32"), l(), g.word(), g.word())
	case 1:
		g.guarded("%s %s, %s", pick(g, "cvt.u64.u32", "cvt.s64.s32"), l(), g.anyWord())
	case 2:
		g.guarded("%s %s, %s, %d", pick(g, "shl.b64", "shr.u64", "shr.s64"), l(), l(), g.IntN(70))
	default:
		op := pick(g, "add.s64", "sub.s64", "mul.lo.s64", "xor.b64", "min.s64", "max.u64")
		g.guarded("%s %s, %s, %s", op, l(), l(), l())
	}
}

// float computes in single precision.
func (g *generator) float() {
	f := func() string {
		if g.chance(20) {
			return pick(g, "0f00000000", "0f80000000", "0f3F800000", "0fC0490FDB", "0f2F800001", "0f7F7FFFFF")
		}
		return g.anyFloat()
	}
	switch g.IntN(4) {
	case 0:
		g.guarded("%s %s, %s", pick(g, "abs.f32", "neg.f32", "sqrt.rn.f32"), g.anyFloat(), f())
	case 1:
		g.guarded("fma.rn.f32 %s, %s, %s, %s", g.anyFloat(), f(), f(), f())
	default:
		op := pick(g, "add.rn.f32", "sub.rn.f32", "mul.rn.f32", "div.rn.f32", "min.f32", "max.f32")
		g.guarded("%s %s, %s, %s", op, g.anyFloat(), f(), f())
	}
}

// convert moves between the kinds of registers.
func (g *generator) convert() {
	if g.chance(50) {
		g.guarded("%s %s, %s", pick(g, "cvt.rn.f32.s32", "cvt.rn.f32.u32"), g.anyFloat(), g.anyWord())
		return
	}
	op := pick(g, "cvt.rzi.s32.f32", "cvt.rzi.u32.f32", "mov.b32")
	g.guarded("%s %s, %s", op, g.anyWord(), g.anyFloat())
}

// selection chooses one of two values.
func (g *generator) selection() {
	p := strings.TrimPrefix(g.condition(false), "!")
	g.guarded("selp.b32 %s, %s, %s, %s", g.anyWord(), g.word(), g.word(), p)
}

// input loads from a buffer that nobody writes.
func (g *generator) input() {
	index := g.index()
	switch g.IntN(6) {
	case 0:
		g.guarded("ld.global.f32 %s, [%s]", g.anyFloat(), g.element("%real", index, elements, 4))
	case 1:
		a := g.IntN(words - 1)
		g.guarded("ld.global.v2.u32 {%%w%d, %%w%d}, [%s]", a, a+1, g.element("%in", index, elements/2, 8))
	case 2:
		g.guarded("ld.global.%s %s, [%s]", pick(g, "u8", "s8"), g.anyWord(), g.element("%in", index, 4*elements, 1))
	case 3:
		g.guarded("ld.global.%s %s, [%s]", pick(g, "u16", "s16"), g.anyWord(), g.element("%in", index, 2*elements, 2))
	default:
		g.guarded("ld.global%s.u32 %s, [%s]", pick(g, "", "", ".nc", ".cg"), g.anyWord(), g.element("%in", index, elements, 4))
	}
}

// index is a number that is fixed, affine in the thread or as good as random.
func (g *generator) index() string {
	if g.chanceKnown() {
		return g.knownWord(false)
	}
	index := g.temp("b32")
	switch g.IntN(4) {
	case 0:
		g.emit("mov.u32 %s, %d", index, g.IntN(elements))
	case 1:
		g.emit("mad.lo.s32 %s, %%global, %d, %d", index, g.IntN(5), g.IntN(elements))
	default:
		g.emit("mul.lo.s32 %s, %s, %d", index, g.word(), g.IntN(1<<20))
	}
	return index
}

// ownLoad and ownStore access the thread's own elements of out.
func (g *generator) ownLoad() { g.guarded("ld.global.u32 %s, %s", g.anyWord(), g.slot(g.IntN(slots))) }

func (g *generator) ownStore() { g.guarded("st.global.u32 %s, %s", g.slot(g.IntN(slots)), g.word()) }

// atomic updates an element that other threads update too, and does not use what
// it held before.
func (g *generator) atomic() {
	op := g.IntN(len(atomics))
	index := g.temp("b32")
	g.emit("and.b32 %s, %s, %d", index, g.anyIndex(), bins-1)
	g.emit("add.s32 %s, %s, %d", index, index, op*bins)
	space, base := "global", "%acc"
	if g.chance(50) {
		space, base = "shared", "%bins"
	}
	at := g.element(base, index, bins*len(atomics), 4)
	if g.chance(50) {
		g.guarded("red.%s.%s [%s], %s", space, atomics[op], at, g.word())
		return
	}
	g.guarded("atom.%s.%s %s, [%s], %s", space, atomics[op], g.temp("b32"), at, g.word())
}

// element computes the address of an element of a buffer that has count of them,
// each of so many bytes; the index may be any number.
func (g *generator) element(base, index string, count, bytes int) string {
	at, addr := g.temp("b32"), g.temp("b64")
	g.emit("rem.u32 %s, %s, %d", at, index, count)
	g.emit("mad.wide.u32 %s, %s, %d, %s", addr, at, bytes, base)
	return addr
}

// guarded writes an instruction, sometimes under a predicate.
func (g *generator) guarded(format string, args ...any) {
	guard := ""
	if !g.alike && g.chance(15) {
		guard = "@" + g.condition(false) + " "
	}
	g.emit("%s%s", guard, fmt.Sprintf(format, args...))
}

// condition computes a predicate, complemented or not. One that is uniform is the
// same in all threads of the CTA.
func (g *generator) condition(uniform bool) string {
	p := g.temp("pred")
	switch {
	case !uniform && g.has(Guards) && g.chance(25):
		g.single(p)
	case !uniform && g.opts.Bounded && g.chance(20): // whole warps, often
		g.emit("setp.%s.u32 %s, %%thread, %d", pick(g, "lt", "ge"), p, pick(g, 4, 8, 16, 32, 64))
	case g.chanceKnown():
		g.emit("setp.%s.u32 %s, %s, %d", pick(g, "eq", "ne", "lt", "ge"), p, g.knownWord(uniform), g.IntN(pick(g, 3, 8, 40)))
	case uniform:
		g.emit("setp.%s.u32 %s, %s, %d", pick(g, "eq", "ne", "lt", "ge"), p, g.uniformWord(), g.IntN(8))
	case g.chance(20):
		g.emit("setp.%s.f32 %s, %s, %s", pick(g, "lt", "le", "gt", "ge", "eq", "neu", "ltu", "geu", "num", "nan"),
			p, g.anyFloat(), g.anyFloat())
	case g.chance(20):
		q := g.condition(false)
		g.emit("setp.%s.%s.s32 %s, %s, %s, %s", pick(g, "lt", "ge"), pick(g, "and", "or", "xor"), p, g.word(), g.word(), q)
	default:
		bits := g.temp("b32")
		mask := pick(g, 1, 2, 3, 7, 16, 31, 96)
		g.emit("and.b32 %s, %s, %d", bits, g.word(), mask)
		g.emit("setp.%s.u32 %s, %s, %d", pick(g, "eq", "ne", "lt", "ge"), p, bits, g.IntN(mask+1))
	}
	if g.chance(50) {
		return not(p)
	}
	return p
}

// uniformWord is a number that is the same in all threads of the CTA.
func (g *generator) uniformWord() string {
	if !g.has(Fixed) && g.chance(50) {
		return pick(g, "%n", "%cta")
	}
	if g.has(Fixed) {
		return g.knownWord(true)
	}
	r := g.temp("b32")
	g.emit("ld.global.u32 %s, [%%in+%d]", r, 4*g.IntN(elements))
	g.emit("and.b32 %s, %s, 15", r, r)
	return r
}

// chanceKnown says whether a number should follow from launch constants, indices and
// counters.
func (g *generator) chanceKnown() bool { return g.has(Fixed) || g.opts.Bounded && g.chance(50) }

// anyIndex is a word from which an address or a number of lanes follows.
func (g *generator) anyIndex() string {
	if g.has(Fixed) {
		return g.knownWord(false)
	}
	return g.word()
}

// knownWord is a number that follows from launch constants, indices and the counters of
// loops around it. One that is uniform is the same in all threads of the CTA.
func (g *generator) knownWord(uniform bool) string {
	from := []string{"%cta"}
	if !uniform {
		from = append(from, "%thread", "%thread", "%global")
	}
	for _, c := range g.counters {
		if c.uniform || !uniform {
			from = append(from, c.register, c.register)
		}
	}
	if of := g.knownExtra(); len(of) > 0 && g.chance(50) {
		r := g.temp("b32")
		g.emit("mov.u32 %s, %s", r, pick(g, from...))
		g.alike = uniform
		defer func() { g.alike = false }()
		pick(g, of...)(r, func() string { return g.knownOperand(append(from, r)) })
		return r
	}
	r, a, b := g.temp("b32"), pick(g, from...), pick(g, from...)
	switch g.IntN(6) {
	case 0:
		return a
	case 1:
		g.emit("mad.lo.s32 %s, %s, %d, %d", r, a, g.IntN(8), g.IntN(32))
	case 2:
		g.emit("mad.lo.s32 %s, %s, %d, %s", r, a, 1+g.IntN(4), b)
	case 3:
		g.emit("shr.u32 %s, %s, %d", r, a, g.IntN(6))
	case 4:
		g.emit("and.b32 %s, %s, %d", r, a, pick(g, 1, 3, 4, 7, 16, 31, 32))
	default:
		g.emit("%s %s, %s, %s", pick(g, "sub.s32", "min.u32", "max.u32", "xor.b32"), r, a, b)
	}
	return r
}

// knownOperand is one of some registers, or a number near 0 or the greatest.
func (g *generator) knownOperand(from []string) string {
	switch {
	case g.chance(60):
		return pick(g, from...)
	case g.chance(60):
		return fmt.Sprint(g.IntN(40))
	}
	return pick(g, fmt.Sprint(-1-g.IntN(40)), "0x80000000", "0x7fffffff", "0x01020304", "0xff00ff00")
}

// operands draws the operands of a computation, which are known in some.
func (g *generator) operands() func() string {
	if !g.opts.Bounded || g.chance(40) {
		return g.word
	}
	from := []string{"%cta", "%thread", "%global"}
	for _, c := range g.counters {
		from = append(from, c.register)
	}
	if g.chance(50) {
		from = append(from, g.knownWord(false))
	}
	return func() string { return g.knownOperand(from) }
}

// word is a source operand: a register, a number or something about the thread.
func (g *generator) word() string {
	switch {
	case g.chance(65):
		return g.anyWord()
	case g.chance(30):
		return pick(g, "%thread", "%global", "%n", "%cta")
	case g.chance(20):
		return pick(g, "0", "-1", "0x80000000", "0x7fffffff")
	}
	return fmt.Sprint(g.IntN(64))
}

func (g *generator) anyWord() string { return fmt.Sprintf("%%w%d", g.IntN(words)) }

func (g *generator) anyFloat() string { return fmt.Sprintf("%%f%d", g.IntN(floats)) }
