package kernelgen

import (
	"fmt"
	"strings"
)

// SIMTFile is the name by which jobs refer to their module of mini-SIMT code.
const SIMTFile = "kernel.simt"

// NewSIMT makes a kernel of mini-SIMT machine code and its job, as New does of PTX. Every
// branch has its sync. All threads pass barriers together, or, in the last loop, those that
// are still in it. Options.Irreducible has no effect.
func NewSIMT(src Source, opts Options) *Case {
	g := &simt{generator: &generator{Source: src, opts: opts, left: opts.Statements}}
	g.block, g.grid = [3]int{1 + g.IntN(opts.Threads), 1, 1}, [3]int{1 + g.IntN(opts.CTAs), 1, 1}
	g.prologue()
	for g.left > 0 {
		g.left--
		g.statement(scope{depth: opts.Depth, trips: opts.Trips, together: true})
	}
	if g.chance(40) {
		g.loop(scope{depth: 1 + g.IntN(opts.Depth), trips: opts.Trips}, true)
	}
	for i, v := range data {
		g.store(i, v)
	}
	c := &Case{File: SIMTFile, Module: g.module()}
	j := g.job(SIMTFile)
	all := inputs{words: g.contents(allIntegers), n: [2]int{0, 4 * opts.Trips}}
	c.Job = g.text(j, all)
	for range opts.Narrowed {
		in := all
		if in.words == allIntegers {
			in.words = pick(g.generator, "zeros", "uniform(-1, -1)", "iota", "uniform(0, 1)", "uniform(1, 1)",
				"uniform(2147483647, 2147483647)", "uniform(-2147483648, -2147483648)", allIntegers)
		}
		in.n = pick(g.generator, all.n, [2]int{0, 0}, [2]int{all.n[1], all.n[1]})
		c.Narrowed = append(c.Narrowed, g.text(j, in))
	}
	return c
}

// data are the variables that statements compute on.
var data = []string{"a", "b", "c", "d"}

// simt writes one kernel of mini-SIMT code.
type simt struct {
	*generator
	code  []instruction
	bools []string // variables beside data
	ints  []string
}

// instruction is one line of code, and where it branches to, if it does.
type instruction struct {
	text   string
	branch bool
	target int // index of an instruction
}

// header is the number of lines before the first instruction.
const header = 6

func (g *simt) module() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel random(int* in, int* out, int* swap, int n)\nint %s, i, global\nint* p\nfloat x, y\n", strings.Join(data, ", "))
	fmt.Fprintf(&b, "int %s\nbool %s\n", strings.Join(append(g.ints, "unused"), ", "), strings.Join(append(g.bools, "never"), ", "))
	for i, in := range g.code {
		fmt.Fprintf(&b, "%d: %s", i, in.text)
		if in.branch {
			fmt.Fprintf(&b, "%d", in.target)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// text writes the job file with some inputs.
func (g *simt) text(j *job, from inputs) string {
	var b strings.Builder
	b.WriteString(j.head)
	threads := volume(g.grid) * volume(g.block)
	for _, p := range []struct {
		name, init string
		count      int
	}{{"in", from.words, elements}, {"out", "zeros", (len(data) + 1) * threads}, {"swap", "zeros", threads}} {
		fmt.Fprintf(&b, "\n[[param]]\nname = %q\ntype = \"s32\"\ncount = %d\ninit = %q\n", p.name, p.count, p.init)
	}
	b.WriteString(number("n", "s32", from.n))
	b.WriteString(annotations(j.bounds))
	b.WriteString(j.split)
	return b.String()
}

func (g *simt) emit(format string, args ...any) {
	g.code = append(g.code, instruction{text: fmt.Sprintf(format, args...)})
}

// branch writes a branch to a place that patch or the caller sets, and returns its own.
func (g *simt) branch(text string) int {
	g.code = append(g.code, instruction{text: text, branch: true})
	return len(g.code) - 1
}

// patch makes a branch go to what comes next.
func (g *simt) patch(at int) { g.code[at].target = len(g.code) }

func (g *simt) fresh(list *[]string, prefix string) string {
	name := g.name(prefix)
	*list = append(*list, name)
	return name
}

func (g *simt) anyData() string { return pick(g.generator, data...) }

func (g *simt) prologue() {
	g.emit("binop global = Ctaid * Ntid")
	g.emit("binop global = global + Tid")
	for _, v := range data {
		g.emit("binop %s = global * %d", v, g.IntN(1<<10))
	}
	g.emit("const x = a")
}

func (g *simt) statement(s scope) {
	if s.depth > 0 && g.chance(40) {
		if s.trips > 0 && g.chance(50) {
			g.loop(s, false)
		} else {
			g.conditional(s)
		}
		return
	}
	if s.together && g.chance(25) {
		g.exchange()
		return
	}
	g.straight()
}

func (g *simt) sequence(s scope) {
	for n := g.IntN(5); n > 0 && g.left > 0; n-- {
		g.left--
		g.statement(s)
	}
}

func (g *simt) straight() {
	v := g.anyData()
	switch g.IntN(6) {
	case 0:
		g.emit("binop %s = %s %s %s", v, g.anyData(), pick(g.generator, "+", "-", "*", "&", "|", "^"), g.anyData())
	case 1:
		g.emit("binop %s = %s %s %d", v, g.anyData(), pick(g.generator, "+", "*", "/", "%", "<<", ">>"), 1+g.IntN(9))
	case 2:
		g.emit("binop i = %s & %d", pick(g.generator, g.anyData(), g.known(false)), elements-1)
		g.emit("binop p = in + i")
		g.emit("load %s = p", v)
	case 3:
		g.store(len(data), v)
	case 4:
		f := pick(g.generator, "x", "y")
		g.emit("const %s = %s", f, g.anyData())
		g.emit("binop %s = %s %s %s", f, pick(g.generator, "x", "y"), pick(g.generator, "+", "-", "*"), f)
	default:
		g.emit("binop %s = %s + %s", v, g.anyData(), g.known(false))
	}
}

// known is a number of at least 0 that follows from indices and the counters of loops
// around it; one that is uniform is the same in all threads of the CTA.
func (g *simt) known(uniform bool) string {
	from := []string{"Ctaid", "Ntid"}
	if !uniform {
		from = append(from, "Tid", "Tid", "global")
	}
	for _, c := range g.counters {
		if c.uniform || !uniform {
			from = append(from, c.register, c.register)
		}
	}
	return pick(g.generator, from...)
}

// condition writes a branch that is taken or not and returns its place.
func (g *simt) condition(uniform bool) int {
	op := pick(g.generator, "bz", "bnz")
	p := g.fresh(&g.bools, "q")
	switch {
	case uniform && g.chance(50):
		g.emit("binop %s = n %s %d", p, pick(g.generator, "<", "=="), g.IntN(8))
	case uniform || g.chanceKnown():
		g.emit("binop i = %s %% %d", g.known(uniform), 2+g.IntN(6))
		if g.chance(30) {
			return g.branch(op + " i, ")
		}
		g.emit("binop %s = i < %d", p, g.IntN(6))
	case g.chance(20):
		g.emit("binop %s = x %s y", p, pick(g.generator, "<", "<=", ">", ">=", "==", "!="))
	default:
		g.emit("binop %s = %s %s %s", p, g.anyData(), pick(g.generator, "<", "<=", ">", ">=", "==", "!="), g.anyData())
	}
	return g.branch(op + " " + p + ", ")
}

func (g *simt) conditional(s scope) {
	uniform := g.chance(40)
	at := g.condition(uniform)
	r := g.open()
	r.place = fmt.Sprintf("%s:%d", SIMTFile, header+at+1)
	g.sequence(s.inner(uniform))
	otherwise := g.chance(50)
	r.closed = r.closed && (otherwise || len(g.code) > at+1) // two paths, not one
	if otherwise {
		end := g.branch("jump ")
		g.patch(at)
		g.sequence(s.inner(uniform))
		at = end
	}
	g.shut(r)
	g.patch(at)
	g.emit("sync")
}

// loop is a loop of at most maximum trips, perhaps with a barrier for those threads that are
// still in it.
func (g *simt) loop(s scope, barrier bool) {
	maximum := pick(g.generator, 1, 3, 7)
	maximum = min(maximum, s.trips)
	uniform, known := g.chance(50), g.chance(70)
	limit, count, p := g.fresh(&g.ints, "n"), g.fresh(&g.ints, "i"), g.fresh(&g.bools, "q")
	switch {
	case uniform && g.chance(50):
		g.emit("const %s = %d", limit, maximum)
		known = true
	case uniform && !known:
		g.emit("binop %s = n %% %d", limit, maximum+1)
	case known:
		g.emit("binop %s = %s %% %d", limit, g.known(uniform), maximum+1)
	default:
		g.emit("binop %s = %s %% %d", limit, g.anyData(), maximum+1)
	}
	g.emit("const %s = 0", count)
	in := s.inner(uniform)
	in.trips /= maximum
	g.counters = append(g.counters, counter{count, uniform && s.together})
	head, leave := len(g.code), 0
	if !known && g.opts.Bounded {
		g.bounds = append(g.bounds, bound{fmt.Sprintf("%s:%d", SIMTFile, header+head+1), maximum})
	}
	test := func() {
		g.emit("binop %s = %s < %s", p, count, limit)
		leave = g.branch("bz " + p + ", ")
	}
	first := g.chance(50)
	if first {
		test()
	}
	g.sequence(in)
	if barrier {
		g.breach(0)
		g.emit("barrier 0, Ntid")
	}
	g.emit("binop %s = %s + 1", count, count)
	if !first {
		test()
	}
	g.code[g.branch("jump ")].target = head
	g.patch(leave)
	g.emit("sync")
	g.counters = g.counters[:len(g.counters)-1]
}

// store writes a word of the thread's own part of out.
func (g *simt) store(word int, from string) {
	g.emit("binop i = global * %d", len(data)+1)
	g.emit("binop i = i + %d", word)
	g.emit("binop p = out + i")
	g.emit("store p = %s", from)
}

// exchange gives a word to another thread of the CTA.
func (g *simt) exchange() {
	g.breach(0)
	g.emit("binop p = swap + global")
	g.emit("store p = %s", g.anyData())
	g.emit("barrier %d, Ntid", g.IntN(3))
	g.emit("binop i = Tid + %d", 1+g.IntN(9))
	g.emit("binop i = i %% Ntid")
	g.emit("binop i = i + global")
	g.emit("binop i = i - Tid")
	g.emit("binop p = swap + i")
	g.emit("load %s = p", g.anyData())
	g.emit("barrier 0, Ntid")
}
