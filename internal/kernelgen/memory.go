package kernelgen

import (
	"fmt"
	"strings"
)

// The sizes of memories of single features.
const (
	arrayWords = 16 // of a thread's array in local memory, beside spills
	spillWords = 16
	tableWords = 16 // a power of two, as are those above
	stageBytes = 16 // of shared memory that a thread copies to

	links  = 16 // pointers in the buffer of that name
	linked = 4  // words to which each points
)

// memories declares what the kernel's features need, and fills registers with addresses.
func (g *generator) memories() {
	address := func(register, variable string) {
		g.emit(".reg .b64 %%%s", register)
		g.emit("mov.u64 %%%s, %s", register, variable)
	}
	if g.has(Local) {
		g.emit(".local .align 16 .b8 array[%d]", 4*(arrayWords+spillWords))
		address("array", "array")
		for i := 0; i < arrayWords+spillWords; i += 4 {
			g.emit("st.local.v4.u32 [%%array+%d], {%%w0, %%w1, %%w2, %d}", 4*i, i)
		}
	}
	if g.has(Tables) {
		words := make([]string, tableWords)
		for _, space := range []string{"const", "global"} {
			for i := range words {
				words[i] = fmt.Sprint(g.IntN(pick(g, 2, 4, 9, 100)))
			}
			name := g.name("table")
			fmt.Fprintf(&g.parts.declarations, ".%s .align 4 .u32 %s[%d] = {%s};\n", space, name, tableWords, strings.Join(words, ", "))
			address(space+"s", name)
		}
	}
	if g.has(AsyncCopies) && !g.called {
		g.emit(".shared .align 16 .b8 stages[%d]", stageBytes*volume(g.block))
		address("stage", "stages")
		g.emit("mad.wide.u32 %%stage, %%thread, %d, %%stage", stageBytes)
	}
	if g.has(WideAtomics) && !g.called {
		g.emit(".shared .align 8 .b8 wides[%d]", 8*bins*len(wideAtomics))
		address("wides", "wides")
		g.emit(".reg .b64 %%wide")
		g.emit("ld.param.u64 %%wide, [wide]")
	}
	if g.has(Links) && !g.called {
		g.emit(".reg .b64 %%links")
		g.emit("ld.param.u64 %%links, [links]")
	}
}

// link loads a pointer, and what it points to.
func (g *generator) link() {
	if g.called {
		return
	}
	to := g.temp("b64")
	g.emit("ld.global%s.u64 %s, [%s]", pick(g, "", ".nc"), to, g.element("%links", g.anyIndex(), links, 8))
	g.guarded("ld%s.u32 %s, [%s+%d]", pick(g, "", ".global", ".global", ".global.nc", ".volatile"), g.anyWord(), to, 4*g.IntN(linked))
}

// array accesses the thread's array in local memory.
func (g *generator) array() {
	index := g.temp("b32")
	switch {
	case g.chance(30):
		g.emit("mov.u32 %s, %d", index, g.IntN(arrayWords))
	case g.chanceKnown():
		g.emit("and.b32 %s, %s, %d", index, g.knownWord(false), arrayWords-1)
	default:
		g.emit("and.b32 %s, %s, %d", index, g.anyIndex(), arrayWords-1)
	}
	at := g.temp("b64")
	g.emit("mad.wide.u32 %s, %s, 4, %%array", at, index)
	space := ".local"
	if g.chance(25) {
		g.emit("cvta.local.u64 %s, %s", at, at)
		space = ""
	}
	switch g.IntN(6) {
	case 0, 1:
		g.guarded("ld%s.u32 %s, [%s]", space, g.anyWord(), at)
	case 2:
		g.guarded("ld%s.%s %s, [%s+%d]", space, pick(g, "u8", "s8", "u16", "s16"), g.anyWord(), at, 2*g.IntN(2))
	case 3:
		g.guarded("st%s.%s [%s+%d], %s", space, pick(g, "u8", "u16"), at, 2*g.IntN(2), g.anyWord())
	default:
		g.guarded("st%s.u32 [%s], %s", space, at, g.word())
	}
}

// throughMemory stores words to the last places of the thread's array and loads one of them.
func (g *generator) throughMemory(d string, draw func() string) {
	at := func() string { return fmt.Sprintf("[%%array+%d]", 4*(arrayWords+spillWords-1-g.IntN(2))) }
	g.emit("st.local.u32 %s, %s", at(), d)
	if g.alike { // neither place keeps a word of this thread alone
		for i := range 2 {
			g.emit("st.local.u32 [%%array+%d], %s", 4*(arrayWords+spillWords-1-i), d)
		}
	}
	g.guarded("st.local.u32 %s, %s", at(), draw())
	g.emit("ld.local.u32 %s, %s", d, at())
}

// table loads a constant.
func (g *generator) table() { g.constant(g.anyWord(), g.anyIndex()) }

// constant loads an element of a table of constants at any index.
func (g *generator) constant(d, index string) {
	at, addr := g.temp("b32"), g.temp("b64")
	g.emit("and.b32 %s, %s, %d", at, index, tableWords-1)
	space := pick(g, "const", "const", "global")
	g.emit("mad.wide.u32 %s, %s, 4, %%%ss", addr, at, space)
	switch {
	case g.chance(20):
		g.guarded("ld.%s.%s %s, [%s]", space, pick(g, "u8", "u16"), d, addr)
	case space == "global" && g.chance(30):
		g.guarded("ld.global.nc.u32 %s, [%s]", d, addr)
	default:
		g.guarded("ld.%s.u32 %s, [%s]", space, d, addr)
	}
}

// pointer accesses memory at a generic address.
func (g *generator) pointer() {
	at := g.element("%in", g.index(), elements, 4)
	other, p := g.temp("b64"), g.temp("pred")
	switch g.IntN(5) {
	case 0:
		g.guarded("ld.u32 %s, [%s]", g.anyWord(), at)
	case 1:
		g.emit("cvta.to.global.u64 %s, %s", other, at)
		g.guarded("ld.global.u32 %s, [%s]", g.anyWord(), other)
	case 2: // one of two memories
		second := g.element("%real", g.index(), elements, 4)
		if g.has(Local) && g.chance(60) {
			second = g.temp("b64")
			g.emit("cvta.local.u64 %s, %%array", second)
			g.emit("add.s64 %s, %s, %d", second, second, 4*g.IntN(arrayWords))
		}
		g.emit("selp.b64 %s, %s, %s, %s", other, at, second, strings.TrimPrefix(g.condition(false), "!"))
		g.guarded("ld.u32 %s, [%s]", g.anyWord(), other)
	case 3: // an update in one of two memories
		op := g.IntN(len(atomics))
		index := g.temp("b32")
		g.emit("and.b32 %s, %s, %d", index, g.anyIndex(), bins-1)
		g.emit("add.s32 %s, %s, %d", index, index, op*bins)
		a := g.element("%acc", index, bins*len(atomics), 4)
		b := g.element("%bins", index, bins*len(atomics), 4)
		g.emit("cvta.shared.u64 %s, %s", b, b)
		g.emit("selp.b64 %s, %s, %s, %s", other, a, b, strings.TrimPrefix(g.condition(g.chance(50)), "!"))
		g.guarded("red.%s [%s], %s", atomics[op], other, g.word())
	default:
		g.emit("isspacep.%s %s, %s", pick(g, "global", "shared", "local"), p, at)
		g.guarded("selp.b32 %s, %s, %s, %s", g.anyWord(), g.word(), g.word(), p)
	}
}

// fence orders what the thread does.
func (g *generator) fence() {
	g.guarded("%s", pick(g, "membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys",
		"fence.sc.cta", "fence.sc.gpu"))
}

// copies copies words of the buffer in to the thread's own part of shared memory, in one group or two, and loads some.
func (g *generator) copies() {
	if g.called {
		return
	}
	read := func(from, size int) {
		g.emit("ld.shared.u32 %s, [%%stage+%d]", g.anyWord(), from+4*g.IntN(size/4))
	}
	if g.chance(30) { // all of it
		g.guarded("cp.async.cg.shared.global [%%stage], [%s], 16", g.element("%in", g.index(), elements/4, 16))
		g.emit("cp.async.wait_all")
		read(0, 16)
		return
	}
	size := pick(g, 4, 8)
	for i := range 2 {
		from := g.element("%in", g.index(), 4*elements/size, size)
		zeros := ""
		if g.chance(20) { // only so many bytes of them, and zeros
			zeros = fmt.Sprintf(", %d", g.IntN(size+1))
		}
		g.guarded("cp.async.ca.shared.global [%%stage+%d], [%s], %d%s", 8*i, from, size, zeros)
		g.emit("cp.async.commit_group")
	}
	g.integer()
	g.emit("cp.async.wait_group 1")
	read(0, size)
	g.emit("cp.async.wait_group 0")
	read(8, size)
}

// wideAtomics are the operations on 64 bits, and on numbers whose sums are exact. Each has its own elements.
var wideAtomics = []string{"add.u64", "min.u64", "max.s64", "and.b64", "or.b64", "xor.b64", "add.f32", "add.f64", "inc.u32", "v2", "v4"}

// wideAtomic updates an element of the buffer wide, or of shared memory.
func (g *generator) wideAtomic() {
	if g.called {
		return
	}
	n := g.IntN(len(wideAtomics))
	op, index := wideAtomics[n], g.temp("b32")
	g.emit("and.b32 %s, %s, %d", index, g.anyIndex(), bins-1)
	g.emit("add.s32 %s, %s, %d", index, index, n*bins)
	space, base := "global", "%wide"
	if op[0] != 'v' && g.chance(40) {
		space, base = "shared", "%wides"
	}
	at := g.element(base, index, bins*len(wideAtomics), 8)
	small := g.temp("b32") // sums of which are exact
	g.emit("and.b32 %s, %s, 7", small, g.word())
	x := fmt.Sprintf("%%l%d", g.IntN(longs))
	typ := "b64"
	switch op {
	case "inc.u32":
		x, typ = "1000", "b32"
	case "add.f64":
		x, typ = g.temp("f64"), "f64"
		g.emit("cvt.rn.f64.u32 %s, %s", x, small)
	case "add.f32", "v2", "v4":
		x, typ = g.temp("f32"), "f32"
		g.emit("cvt.rn.f32.u32 %s, %s", x, small)
	}
	switch {
	case op == "v2":
		g.guarded("red.global.v2.f32.add [%s], {%s, %s}", at, x, x)
	case op == "v4":
		g.emit("and.b64 %s, %s, -16", at, at)
		g.guarded("red.global.v4.f32.add [%s], {%s, %s, %s, %s}", at, x, x, x, x)
	case g.chance(50):
		g.guarded("red.%s.%s [%s], %s", space, op, at, x)
	default:
		g.guarded("atom.%s.%s %s, [%s], %s", space, op, g.temp(typ), at, x)
	}
}
