package kernelgen

import "fmt"

// numbers are the bits of floating-point numbers which no integer has, or which lie next to the
// least or the greatest of one: NaN, infinities, the greatest and the smallest, zeros, halves, and
// powers of two.
var numbers = map[string][]string{
	"f16":  {"0x7e00", "0xfe00", "0x7c01", "0x7c00", "0xfc00", "0x7bff", "0xfbff", "0x0001", "0x8001", "0x03ff", "0x8000", "0x3800", "0xb800", "0x3e00", "0x57f8", "0x5bf8", "0xd810"},
	"bf16": {"0x7fc0", "0xffc0", "0x7f81", "0x7f80", "0xff80", "0x7f7f", "0xff7f", "0x0001", "0x8001", "0x007f", "0x8000", "0x3f00", "0xbf00", "0x3fc0", "0x4f80", "0x4f00", "0xcf00", "0x5f80"},
	"f32": {"0x7fffffff", "0xffc00000", "0x7f800001", "0x7f800000", "0xff800000", "0x7f7fffff", "0xff7fffff", "0x00000001", "0x80000001", "0x007fffff", "0x80000000",
		"0x3f000000", "0xbf000000", "0x3fc00000", "0x4f800000", "0x4f7fffff", "0x4f000000", "0xcf000001", "0x5f800000", "0x5f000000", "0xdf000000", "0x437f8000", "0x42fe8000"},
	"f64": {"0x7fffffffffffffff", "0xfff8000000000000", "0x7ff0000000000001", "0x7ff0000000000000", "0xfff0000000000000", "0x7fefffffffffffff", "0x0000000000000001",
		"0x8000000000000001", "0x8000000000000000", "0x3fe0000000000000", "0xbfe0000000000000", "0x41f0000000000000", "0x41efffffffe00000", "0x41efffffffffffff",
		"0x41dfffffffe00000", "0xc1e0000000100000", "0x43f0000000000000", "0x43e0000000000000", "0xc3e0000000000000", "0x406fefffffffffff"},
}

// conversion converts a number in floating point to an integer, which is a word then or the trips
// of a loop, up to a maximum.
func (g *generator) conversion() {
	from := pick(g, "f16", "bf16", "f32", "f64")
	size := pick(g, 8, 16, 32, 64)
	register := fmt.Sprintf("b%d", max(size, 16))
	x, d := g.number(from), g.temp(register)
	flush := ""
	if from == "f32" && g.chance(30) {
		flush = ".ftz"
	}
	g.emit("cvt.%s%s.%s%d.%s %s, %s", pick(g, "rzi", "rzi", "rni", "rmi", "rpi"), flush, pick(g, "s", "u"), size, from, d, x)
	low := g.temp("b32")
	switch size {
	case 64:
		high := g.temp("b32")
		g.emit("mov.b64 {%s, %s}, %s", low, high, d)
		if g.chance(50) {
			g.emit("xor.b32 %s, %s, %s", low, low, high)
		}
	case 32:
		low = d
	default:
		g.emit("cvt.%s.%s %s, %s", pick(g, "u32", "s32"), pick(g, "u16", "s16"), low, d)
	}
	if g.has(Fixed) || g.chance(60) {
		g.emit("mov.b32 %s, %s", g.anyWord(), low)
		return
	}
	limit := g.temp("b32")
	g.emit("min.%s %s, %s, %d", pick(g, "u32", "s32"), limit, low, g.IntN(g.opts.Trips+1))
	count, p, head, end := g.temp("b32"), g.temp("pred"), g.label(), g.label()
	g.emit("mov.u32 %s, 0", count)
	g.place(head)
	g.emit("setp.ge.s32 %s, %s, %s", p, count, limit)
	g.jump(p, end)
	g.integer()
	g.emit("add.s32 %s, %s, 1", count, count)
	g.jump("", head)
	g.place(end)
}

// number makes a number of a type in floating point: a quotient, which is 0/0 in some threads, one
// of few that conditions choose of, or one whose bits are those of a word.
func (g *generator) number(typ string) string {
	size := map[string]int{"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[typ]
	if size >= 32 && g.chance(40) {
		quotient := g.temp(typ)
		operand := func() string {
			small, x := g.temp("b32"), g.temp(typ)
			g.emit("and.b32 %s, %s, %d", small, g.word(), pick(g, 1, 3, 255))
			g.emit("cvt.rn.%s.%s %s, %s", typ, pick(g, "u32", "s32"), x, small)
			return x
		}
		g.emit("div.rn.%s %s, %s, %s", typ, quotient, operand(), operand())
		return quotient
	}
	bits := g.temp(fmt.Sprintf("b%d", size))
	if g.chance(30) {
		switch size {
		case 16:
			g.emit("cvt.u16.u32 %s, %s", bits, g.anyWord())
		case 32:
			g.emit("mov.b32 %s, %s", bits, g.anyWord())
		default:
			g.emit("mov.b64 %s, %%l%d", bits, g.IntN(longs))
		}
	} else {
		g.emit("mov.b%d %s, %s", size, bits, pick(g, numbers[typ]...))
		for range g.IntN(3) {
			other := g.temp(fmt.Sprintf("b%d", size))
			g.emit("mov.b%d %s, %s", size, other, pick(g, numbers[typ]...))
			p := g.condition(false)
			g.emit("@%s mov.b%d %s, %s", p, size, bits, other)
		}
	}
	if size == 16 {
		return bits
	}
	x := g.temp(typ)
	g.emit("mov.b%d %s, %s", size, x, bits)
	return x
}
