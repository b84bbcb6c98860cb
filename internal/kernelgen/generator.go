package kernelgen

import (
	"fmt"
	"strings"
)

// generator writes one kernel.
type generator struct {
	Source
	opts     Options
	grid     [3]int
	block    [3]int
	byThread bool // a thread's elements of out are neighbours
	contract contract

	text  strings.Builder
	left  int // statements that may still be made
	names int // used so far

	counters []counter // of the loops around the statement that is made
	bounds   []bound   // of the loops so far
	regions  []*region // around the statement that is made
	branches []*region // at which wavefronts can split

	parts  *parts
	tile   string // name of the shared memory through which threads exchange words
	spills int    // limits of loops around the statement that are in local memory
	alike  bool   // what it writes must give all threads of a CTA the same word
	called bool   // it writes a function
	level  int    // functions around what it writes
	calls  int    // functions that are called within one another there
	ends   bool   // some call there may end the thread
}

// counter is the register that counts the iterations of a loop. A uniform one is the same
// in all threads of the CTA.
type counter struct {
	register string
	uniform  bool
}

// bound says how often control returns to the head of a loop, at most.
type bound struct {
	head    string
	maximum int
}

// The registers that hold a thread's data: 32-bit words, 32-bit floats and 64-bit
// words. Every sequence of statements computes on these.
const (
	words  = 6
	floats = 3
	longs  = 2
)

// perThread is the number of elements of out that a thread has: for each register
// and for stores on the way.
func (g *generator) perThread() int { return words + floats + 2*longs + slots }

// chance is true so many times out of a hundred, and never if 0 is sampled: so small numbers
// make small kernels.
func (g *generator) chance(percent int) bool { return g.IntN(100) >= 100-percent }

// pick draws an element of a list.
func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// emit writes an instruction or a declaration.
func (g *generator) emit(format string, args ...any) {
	g.text.WriteByte('\t')
	fmt.Fprintf(&g.text, format, args...)
	g.text.WriteString(";\n")
}

// name makes a name that was not used before.
func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// temp declares a register of a type and returns its name.
func (g *generator) temp(typ string) string {
	r := g.name("%" + typ + "_")
	g.emit(".reg .%s %s", typ, r)
	return r
}

// label makes the name of a label.
func (g *generator) label() string { return g.name("L") }

// place puts a label here.
func (g *generator) place(label string) { fmt.Fprintf(&g.text, "%s:\n", label) }

// jump writes a branch that is taken if the predicate holds; always if that is
// empty.
func (g *generator) jump(predicate, label string) {
	if predicate != "" {
		predicate = "@" + predicate + " "
	}
	g.emit("%sbra %s", predicate, label)
}

// not complements a predicate.
func not(predicate string) string {
	if p, complemented := strings.CutPrefix(predicate, "!"); complemented {
		return p
	}
	return "!" + predicate
}

// finished is the code as it stands in the module.
func (g *generator) finished() string {
	code := g.mark(g.text.String())
	if g.has(Depot) {
		code = g.depot(code)
	}
	return code
}

// module puts the module's text together.
func (g *generator) module() string {
	version, more, tile := ".version 6.3\n.target sm_70", "", ""
	if g.opts.Features != 0 {
		version = ".version 8.3\n.target sm_90"
	}
	if g.has(Contracts) {
		more = ",\n\t.param .u32 m"
	}
	if g.has(WideAtomics) {
		more += ",\n\t.param .u64 wide"
	}
	if g.has(Links) {
		more += ",\n\t.param .u64 links"
	}
	if g.has(Dynamic) {
		fmt.Fprintf(&g.parts.declarations, ".extern .shared .align 4 .b8 %s[];\n", g.tile)
	} else {
		tile = fmt.Sprintf("\t.shared .align 4 .b8 %s[%d];\n", g.tile, g.tileBytes())
	}
	return fmt.Sprintf(`%s
.address_size 64

%s%s.visible .entry random(
	.param .u64 out,
	.param .u64 in,
	.param .u64 real,
	.param .u64 acc,
	.param .u32 n%s
)
{
	.reg .b32 %%w<%d>;
	.reg .f32 %%f<%d>;
	.reg .b64 %%l<%d>;
%s	.shared .align 4 .b8 bins[%d];
%s}
`, version, g.parts.declarations.String(), g.parts.functions.String(), more, words, floats, longs, tile, 4*bins*len(atomics), g.finished())
}

// tileBytes is the size of the shared memory through which threads exchange words.
func (g *generator) tileBytes() int { return 4 * volume(g.block) }

// body writes the whole code.
func (g *generator) body() {
	g.prologue()
	// If some lanes may end on one of two paths, the others need not reconverge where these join, unless at a barrier.
	returns := !g.has(PartialBarriers) && !g.has(CrossLane) && !g.has(SeparateBarriers)
	top := scope{depth: g.opts.Depth, trips: g.opts.Trips, together: g.chance(60) || g.has(SeparateLanes|SeparateBarriers), returns: returns}
	if top.together {
		if g.has(CrossLane) {
			for range g.IntN(4) {
				g.crossLane()
			}
		}
		for _, separate := range []struct {
			of        Features
			statement func(int)
		}{{SeparateLanes, g.separateLanes}, {SeparateBarriers, g.separateBarrier}} {
			if g.has(separate.of) && g.chance(60) {
				separate.statement(top.trips)
			}
		}
		rest := g.IntN(g.left)
		g.left -= rest
		g.fill(top)
		g.left = rest
	}
	top.together, top.returns = false, true
	g.fill(top)
	g.epilogue()
}

// fill makes statements until none are left.
func (g *generator) fill(s scope) {
	for g.left > 0 {
		g.left--
		g.statement(s)
	}
}

// prologue computes the thread's numbers and addresses and gives every register
// its first value.
func (g *generator) prologue() {
	g.emit(".reg .b32 %%n")
	for _, r := range []string{"out", "in", "real", "acc", "tile", "bins", "own"} {
		g.emit(".reg .b64 %%%s", r)
	}
	for _, p := range []string{"out", "in", "real", "acc"} {
		g.emit("ld.param.u64 %%%s, [%s]", p, p)
	}
	g.emit("ld.param.u32 %%n, [n]")
	if g.has(Contracts) {
		g.emit(".reg .b32 %%m")
		g.emit("ld.param.u32 %%m, [m]")
	}
	g.emit("mov.u64 %%tile, %s", g.tile)
	g.emit("mov.u64 %%bins, bins")
	g.indices(g.block, g.grid)
	stride := 4
	if g.byThread {
		stride *= g.perThread()
	}
	g.emit("mad.wide.u32 %%own, %%global, %d, %%out", stride)
	for i := range words {
		switch i {
		case 0:
			g.emit("mov.b32 %%w0, %%global")
		case 1:
			g.emit("ld.global.u32 %%w1, [%s]", g.element("%in", "%global", elements, 4))
		default:
			g.emit("mad.lo.s32 %%w%d, %%thread, %d, %d", i, g.IntN(1<<16), g.IntN(1<<16))
		}
	}
	for i := range floats {
		index := fmt.Sprintf("%%w%d", i)
		if g.has(Fixed) {
			index = "%thread"
		}
		g.emit("ld.global.f32 %%f%d, [%s]", i, g.element("%real", index, elements, 4))
	}
	for i := range longs {
		g.emit("mul.wide.u32 %%l%d, %%w%d, %%w1", i, i)
	}
	g.memories()
}

// indices computes the linear indices of the thread in its CTA, of the CTA, and of the thread in the grid.
func (g *generator) indices(block, grid [3]int) {
	g.emit(".reg .b32 %%thread, %%cta, %%global")
	g.flatten("%thread", "tid", block)
	g.flatten("%cta", "ctaid", grid)
	g.emit("mad.lo.s32 %%global, %%cta, %d, %%thread", volume(block))
}

// flatten computes a linear index, x fastest, from a special register.
func (g *generator) flatten(to, special string, shape [3]int) {
	g.emit("mov.u32 %s, %%%s.z", to, special)
	for i, axis := range []string{"y", "x"} {
		r := g.temp("b32")
		g.emit("mov.u32 %s, %%%s.%s", r, special, axis)
		g.emit("mad.lo.s32 %s, %s, %d, %s", to, to, shape[1-i], r)
	}
}

// epilogue stores every register.
func (g *generator) epilogue() {
	g.place(stores)
	slot := slots
	store := func(typ, register string, size int) {
		g.emit("st.global.%s %s, %s", typ, g.slot(slot), register)
		slot += size
	}
	for i := range words {
		store("u32", fmt.Sprintf("%%w%d", i), 1)
	}
	for i := range floats {
		store("f32", fmt.Sprintf("%%f%d", i), 1)
	}
	for i := range longs {
		low, high := g.temp("b32"), g.temp("b32")
		g.emit("mov.b64 {%s, %s}, %%l%d", low, high, i)
		store("u32", low, 1)
		store("u32", high, 1)
	}
	g.place(last)
	g.emit("%s", pick(g, "ret", "exit"))
}

// The labels of the first instruction of the epilogue and of the last of all.
const (
	stores = "STORES"
	last   = "LAST"
)

// slot is the memory operand of one of the thread's own elements of out.
func (g *generator) slot(i int) string {
	if !g.byThread {
		i *= volume(g.grid) * volume(g.block)
	}
	return fmt.Sprintf("[%%own+%d]", 4*i)
}
