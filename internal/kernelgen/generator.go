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

	text  strings.Builder
	left  int // statements that may still be made
	names int // used so far

	counters []counter // of the loops around the statement that is made
	bounds   []bound   // of the loops so far
	regions  []*region // around the statement that is made
	branches []*region // at which wavefronts can split
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

// module puts the kernel's text together.
func (g *generator) module() string {
	return fmt.Sprintf(`.version 6.3
.target sm_70
.address_size 64

.visible .entry random(
	.param .u64 out,
	.param .u64 in,
	.param .u64 real,
	.param .u64 acc,
	.param .u32 n
)
{
	.reg .b32 %%w<%d>;
	.reg .f32 %%f<%d>;
	.reg .b64 %%l<%d>;
	.shared .align 4 .b8 tile[%d];
	.shared .align 4 .b8 bins[%d];
%s}
`, words, floats, longs, 4*volume(g.block), 4*bins*len(atomics), g.mark(g.text.String()))
}

// body writes the whole code.
func (g *generator) body() {
	g.prologue()
	top := scope{depth: g.opts.Depth, trips: g.opts.Trips, together: g.chance(60), returns: true}
	if top.together {
		rest := g.IntN(g.left)
		g.left -= rest
		g.fill(top)
		g.left = rest
	}
	top.together = false
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
	for _, r := range []string{"thread", "cta", "global", "n"} {
		g.emit(".reg .b32 %%%s", r)
	}
	for _, r := range []string{"out", "in", "real", "acc", "tile", "bins", "own"} {
		g.emit(".reg .b64 %%%s", r)
	}
	for _, p := range []string{"out", "in", "real", "acc"} {
		g.emit("ld.param.u64 %%%s, [%s]", p, p)
	}
	g.emit("ld.param.u32 %%n, [n]")
	g.emit("mov.u64 %%tile, tile")
	g.emit("mov.u64 %%bins, bins")
	g.flatten("%thread", "tid", g.block)
	g.flatten("%cta", "ctaid", g.grid)
	g.emit("mad.lo.s32 %%global, %%cta, %d, %%thread", volume(g.block))
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
		g.emit("ld.global.f32 %%f%d, [%s]", i, g.element("%real", fmt.Sprintf("%%w%d", i), elements, 4))
	}
	for i := range longs {
		g.emit("mul.wide.u32 %%l%d, %%w%d, %%w1", i, i)
	}
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
