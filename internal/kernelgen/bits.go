package kernelgen

import (
	"fmt"
	"strconv"
)

// field writes an operation on fields of bits, of sources that draw gives.
func (g *generator) field(d string, draw func() string) {
	small := func() string { // a position or a width, out of range too
		if g.chance(25) {
			return draw()
		}
		return fmt.Sprint(pick(g, g.IntN(4), g.IntN(33), 255, 256, 0))
	}
	ofByte := func() string { // the same, within a byte where it is a number, as assemblers want it
		s := small()
		if n, err := strconv.ParseInt(s, 0, 64); err == nil && (n < 0 || n > 255) {
			return "255"
		}
		return s
	}
	switch g.IntN(8) {
	case 0:
		g.guarded("bfe.%s %s, %s, %s, %s", pick(g, "u32", "s32"), d, draw(), ofByte(), ofByte())
	case 1:
		g.guarded("bfi.b32 %s, %s, %s, %s, %s", d, draw(), draw(), ofByte(), ofByte())
	case 2:
		g.guarded("lop3.b32 %s, %s, %s, %s, %d", d, draw(), draw(), draw(), g.IntN(256))
	case 3:
		selector := small()
		if g.chance(70) {
			selector = fmt.Sprintf("0x%04x", g.IntN(1<<16))
		}
		g.guarded("prmt.b32%s %s, %s, %s, %s", pick(g, "", "", "", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"), d, draw(), draw(), selector)
	case 4:
		g.guarded("bfind%s.%s %s, %s", pick(g, "", ".shiftamt"), pick(g, "u32", "s32"), d, draw())
	case 5:
		g.guarded("shf.%s.%s.b32 %s, %s, %s, %s", pick(g, "l", "r"), pick(g, "clamp", "wrap"), d, draw(), draw(), small())
	case 6:
		g.guarded("bmsk.%s.b32 %s, %s, %s", pick(g, "clamp", "wrap"), d, small(), small())
	default:
		g.guarded("szext.%s.%s %s, %s, %s", pick(g, "clamp", "wrap"), pick(g, "u32", "s32"), d, draw(), small())
	}
}

// product writes a product of parts of words, of sources that draw gives.
func (g *generator) product(d string, draw func() string) {
	signs := func() string { return pick(g, "u32", "s32") }
	switch g.IntN(5) {
	case 0:
		g.guarded("mul24.%s.%s %s, %s, %s", pick(g, "lo", "hi"), signs(), d, draw(), draw())
	case 1:
		g.guarded("mad24.%s.%s %s, %s, %s, %s", pick(g, "lo", "hi"), signs(), d, draw(), draw(), draw())
	case 2:
		g.guarded("sad.%s %s, %s, %s, %s", signs(), d, draw(), draw(), draw())
	case 3:
		g.guarded("dp4a.%s.%s %s, %s, %s, %s", signs(), signs(), d, draw(), draw(), draw())
	default:
		g.guarded("dp2a.%s.%s.%s %s, %s, %s, %s", pick(g, "lo", "hi"), signs(), signs(), d, draw(), draw(), draw())
	}
}

func (g *generator) bits() { g.field(g.anyWord(), g.operands()) }

func (g *generator) products() { g.product(g.anyWord(), g.operands()) }

// longBits computes on fields of 64-bit words.
func (g *generator) longBits() {
	l := func() string { return fmt.Sprintf("%%l%d", g.IntN(longs)) }
	switch g.IntN(4) {
	case 0:
		g.guarded("bfe.%s %s, %s, %d, %d", pick(g, "u64", "s64"), l(), l(), g.IntN(70), g.IntN(70))
	case 1:
		g.guarded("bfi.b64 %s, %s, %s, %d, %d", l(), l(), l(), g.IntN(70), g.IntN(70))
	case 2:
		g.guarded("bfind.%s %s, %s", pick(g, "u64", "s64"), g.anyWord(), l())
	default:
		g.guarded("%s.b64 %s, %s", pick(g, "popc", "clz"), g.anyWord(), l())
	}
}

// half computes on 16 bits.
func (g *generator) half() { g.onHalves(g.anyWord(), g.operands()) }

// onHalves writes a computation on the low halves of sources that draw gives.
func (g *generator) onHalves(d string, draw func() string) {
	a, b, c := g.temp("b16"), g.temp("b16"), g.temp("b16")
	g.emit("cvt.u16.u32 %s, %s", a, draw())
	g.emit("cvt.u16.u32 %s, %s", b, draw())
	switch g.IntN(6) {
	case 0:
		g.guarded("mul.wide.%s %s, %s, %s", pick(g, "u16", "s16"), d, a, b)
		return
	case 1:
		g.emit("%s %s, %s, %d", pick(g, "shl.b16", "shr.u16", "shr.s16"), c, a, g.IntN(18))
	case 2:
		g.emit("mad.lo.%s %s, %s, %s, %s", pick(g, "u16", "s16"), c, a, b, a)
	case 3:
		g.emit("%s %s, %s", pick(g, "not.b16", "neg.s16", "abs.s16", "mov.b16"), c, a)
	case 4:
		p := g.temp("pred")
		g.emit("setp.%s.%s %s, %s, %s", pick(g, "lt", "ge", "eq"), pick(g, "u16", "s16"), p, a, b)
		g.emit("selp.b16 %s, %s, %s, %s", c, a, b, p)
	default:
		op := pick(g, "add.u16", "add.s16", "sub.s16", "mul.lo.u16", "min.u16", "min.s16", "max.s16", "and.b16", "or.b16", "xor.b16")
		g.emit("%s %s, %s, %s", op, c, a, b)
	}
	g.guarded("cvt.%s %s, %s", pick(g, "u32.u16", "s32.s16", "u32.u8", "s32.s8"), d, c)
}
