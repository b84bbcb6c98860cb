package minisimt_test

import (
	"fmt"

	"pgregory.net/rapid"

	"warpbound/internal/isa/minisimt"
)

// generator makes random kernels that end: nested ifs and loops whose conditions and
// trips differ by thread. A thread stores to its own words of out; threads exchange words
// of swap between barriers that all reach; and the last loop may hold a barrier that
// those pass which are still in it, as in Hirvisalo's example.
type generator struct {
	t      *rapid.T
	k      *minisimt.Kernel
	bools  int
	counts int
}

const wordsPerThread = 4

func generate(t *rapid.T) *minisimt.Kernel {
	g := &generator{t: t, k: &minisimt.Kernel{Name: "k", Start: rapid.IntRange(0, 200).Draw(t, "start")}}
	g.k.Params = []minisimt.Var{
		{Name: "in", Type: minisimt.IntPtr}, {Name: "out", Type: minisimt.IntPtr}, {Name: "swap", Type: minisimt.IntPtr}, {Name: "n", Type: minisimt.Int},
	}
	for _, name := range []string{"a", "b", "c", "i"} {
		g.k.Vars = append(g.k.Vars, minisimt.Var{Name: name, Type: minisimt.Int})
	}
	g.k.Vars = append(g.k.Vars, minisimt.Var{Name: "x", Type: minisimt.Float}, minisimt.Var{Name: "y", Type: minisimt.Float}, minisimt.Var{Name: "p", Type: minisimt.IntPtr})
	for _, name := range []string{"a", "b", "c"} {
		g.binop(name, named("Tid"), "*", number(g.int("factor", -9, 9)))
	}
	g.emit(minisimt.Instr{Op: minisimt.Const, Dst: "x", A: named("a")})
	for range g.int("statements", 1, 6) {
		if g.chance("exchange", 20) {
			g.exchange()
			continue
		}
		g.statement(3)
	}
	if g.chance("last", 50) {
		g.loop(2, true)
	}
	for i, name := range []string{"a", "b", "c"} {
		g.store(i, name)
	}
	return g.k
}

func named(s string) minisimt.Value   { return minisimt.Value{Name: s} }
func number(n int) minisimt.Value     { return minisimt.Value{Int: int32(n)} }
func (g *generator) here() int        { return g.k.Start + len(g.k.Code) }
func (g *generator) patch(at, to int) { g.k.Code[at-g.k.Start].Target = to }
func (g *generator) sync()            { g.emit(minisimt.Instr{Op: minisimt.Sync}) }
func (g *generator) jump(to int) int  { return g.emit(minisimt.Instr{Op: minisimt.Jump, Target: to}) }
func (g *generator) variable() string {
	return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(g.t, "variable")
}
func (g *generator) fraction() string {
	return rapid.SampledFrom([]string{"x", "y"}).Draw(g.t, "fraction")
}
func (g *generator) operator(of ...string) string {
	return rapid.SampledFrom(of).Draw(g.t, "operator")
}
func (g *generator) chance(what string, percent int) bool { return g.int(what, 0, 99) < percent }
func (g *generator) int(what string, low, high int) int {
	return rapid.IntRange(low, high).Draw(g.t, what)
}

func (g *generator) emit(in minisimt.Instr) int {
	g.k.Code = append(g.k.Code, in)
	return g.here() - 1
}

func (g *generator) binop(d string, a minisimt.Value, op string, b minisimt.Value) {
	g.emit(minisimt.Instr{Op: minisimt.Binop, Dst: d, A: a, Operator: op, B: b})
}

func (g *generator) fresh(prefix string, n *int, typ minisimt.Type) string {
	*n++
	name := fmt.Sprint(prefix, *n)
	g.k.Vars = append(g.k.Vars, minisimt.Var{Name: name, Type: typ})
	return name
}

func (g *generator) statement(depth int) {
	switch kind := g.int("kind", 0, 9); {
	case kind < 2 && depth > 0:
		g.branch(depth - 1)
	case kind < 4 && depth > 0:
		g.loop(depth-1, false)
	case kind == 4:
		g.binop("i", named(g.variable()), "&", number(63))
		g.binop("p", named("in"), "+", named("i"))
		g.emit(minisimt.Instr{Op: minisimt.Load, Dst: g.variable(), A: named("p")})
	case kind == 5:
		g.store(g.int("word", 0, wordsPerThread-1), g.variable())
	case kind == 6:
		g.emit(minisimt.Instr{Op: minisimt.Const, Dst: g.fraction(), A: named(g.variable())})
		g.binop(g.fraction(), named(g.fraction()), g.operator("+", "-", "*"), named(g.fraction()))
	case kind == 7:
		g.binop(g.variable(), named(g.variable()), g.operator("/", "%", "<<", ">>"), number(g.int("by", 1, 9)))
	default:
		b := named(g.variable())
		if g.chance("number", 50) {
			b = number(g.int("value", -20, 20))
		}
		g.binop(g.variable(), named(g.variable()), g.operator("+", "-", "*", "&", "|", "^"), b)
	}
}

func (g *generator) block(depth int) {
	for range g.int("statements", 0, 3) {
		g.statement(depth)
	}
}

// condition emits a branch on something that differs by thread and returns it.
func (g *generator) condition() int {
	op := minisimt.Bz
	if g.chance("bnz", 30) {
		op = minisimt.Bnz
	}
	if g.chance("of a number", 30) {
		g.binop("i", named(g.variable()), "%", number(g.int("modulus", 2, 4)))
		return g.emit(minisimt.Instr{Op: op, A: named("i")})
	}
	p := g.fresh("q", &g.bools, minisimt.Bool)
	relation := g.operator("<", "<=", ">", ">=", "==", "!=")
	if g.chance("of floats", 20) {
		g.binop(p, named("x"), relation, named("y"))
	} else {
		g.binop(p, named(g.variable()), relation, named(g.variable()))
	}
	return g.emit(minisimt.Instr{Op: op, A: named(p)})
}

func (g *generator) branch(depth int) {
	at := g.condition()
	g.block(depth)
	if g.chance("else", 50) {
		over := g.jump(0)
		g.patch(at, g.here())
		g.block(depth)
		at = over
	}
	g.patch(at, g.here())
	g.sync()
}

// loop runs up to four times, with the test before or behind the body.
func (g *generator) loop(depth int, barrier bool) {
	i, n := g.fresh("i", &g.counts, minisimt.Int), g.fresh("n", &g.counts, minisimt.Int)
	p := g.fresh("q", &g.bools, minisimt.Bool)
	g.binop(n, named(g.variable()), "&", number(3))
	g.emit(minisimt.Instr{Op: minisimt.Const, Dst: i})
	test := func() int {
		g.binop(p, named(i), "<", named(n))
		return g.emit(minisimt.Instr{Op: minisimt.Bz, A: named(p)})
	}
	head := g.here()
	first := g.chance("test first", 50)
	leave := 0
	if first {
		leave = test()
	}
	g.block(depth)
	if barrier {
		g.barrier()
	}
	g.binop(i, named(i), "+", number(1))
	if !first {
		leave = test()
	}
	g.jump(head)
	g.patch(leave, g.here())
	g.sync()
}

func (g *generator) barrier() {
	g.emit(minisimt.Instr{Op: minisimt.Barrier, B: named("Ntid")})
}

// store writes a word of the thread.
func (g *generator) store(word int, from string) {
	g.binop("i", named("Tid"), "*", number(wordsPerThread))
	g.binop("i", named("i"), "+", number(word))
	g.binop("p", named("out"), "+", named("i"))
	g.emit(minisimt.Instr{Op: minisimt.Store, A: named("p"), B: named(from)})
}

// exchange gives a word to another thread.
func (g *generator) exchange() {
	g.binop("p", named("swap"), "+", named("Tid"))
	g.emit(minisimt.Instr{Op: minisimt.Store, A: named("p"), B: named(g.variable())})
	g.barrier()
	g.binop("i", named("Tid"), "+", number(g.int("distance", 1, 9)))
	g.binop("i", named("i"), "%", named("Ntid"))
	g.binop("p", named("swap"), "+", named("i"))
	g.emit(minisimt.Instr{Op: minisimt.Load, Dst: g.variable(), A: named("p")})
	g.barrier()
}
