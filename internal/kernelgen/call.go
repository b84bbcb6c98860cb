package kernelgen

import (
	"fmt"
	"strings"
)

// parts is what a module holds beside the kernel, shared by all that is written for one kernel.
type parts struct {
	declarations strings.Builder // of variables
	functions    strings.Builder
	plain        []function // that can be called
	recursive    []string
}

// function is a function that computes a word from two.
type function struct {
	name  string
	calls int  // functions that are called within one another, itself included
	ends  bool // it may end the thread
}

// The limits of functions of a kernel.
const (
	maxFunctions = 3
	maxCalls     = 3
)

// withoutCalls are features that functions do not have: those of memories that are the kernel's alone, and
// recursion.
const withoutCalls = Recursion | AsyncCopies | CrossLane | PartialBarriers | WideAtomics | SeparateLanes | SeparateBarriers

// call calls a function, one that is there or a new one.
func (g *generator) call() {
	var can []function
	for _, f := range g.parts.plain {
		if f.calls+g.level < maxCalls {
			can = append(can, f)
		}
	}
	if len(g.parts.plain) < maxFunctions && g.level < maxCalls-1 && (len(can) == 0 || g.chance(40)) {
		can = []function{g.function()}
	}
	if len(can) == 0 {
		g.integer()
		return
	}
	f := pick(g, can...)
	if f.ends {
		g.breach(0)
	}
	g.calls = max(g.calls, f.calls)
	g.ends = g.ends || f.ends
	g.pass(f.name, []string{g.anyWord(), g.anyWord()}, "own", "in", "real", "acc", "bins")
}

// pass calls a function with words and addresses, and takes its result.
func (g *generator) pass(name string, words []string, addresses ...string) {
	var arguments []string
	argument := func(typ, register string) {
		a := g.name("a")
		g.emit(".param .%s %s", typ, a)
		g.emit("st.param.%s [%s], %s", typ, a, register)
		arguments = append(arguments, a)
	}
	g.text.WriteString("\t{\n")
	for _, w := range words {
		argument("b32", w)
	}
	argument("b32", "%n")
	for _, a := range addresses {
		argument("b64", "%"+a)
	}
	g.emit(".param .b32 returned") // assemblers take result, which functions return themselves, for that
	g.emit("call.uni (returned), %s, (%s)", name, strings.Join(arguments, ", "))
	g.emit("ld.param.b32 %s, [returned]", g.anyWord())
	g.text.WriteString("\t}\n")
}

// function writes a function of a few statements.
func (g *generator) function() function {
	f := &generator{
		Source: g.Source, opts: g.opts, grid: g.grid, block: g.block, byThread: g.byThread, contract: g.contract,
		names: g.names, parts: g.parts, called: true, level: g.level + 1, calls: 0, left: 1 + g.IntN(5),
	}
	f.opts.Split = false
	f.opts.Features &^= withoutCalls
	name := f.name("f")
	f.indices(g.block, g.grid)
	for i := range words {
		switch i {
		case 0, 1:
			f.emit("ld.param.b32 %%w%d, [a%d]", i, i)
		default:
			f.emit("mad.lo.s32 %%w%d, %%w%d, %d, %%w%d", i, i-1, f.IntN(1<<10), i-2)
		}
	}
	for i := range floats {
		f.emit("cvt.rn.f32.s32 %%f%d, %%w%d", i, i)
	}
	for i := range longs {
		f.emit("cvt.s64.s32 %%l%d, %%w%d", i, i)
	}
	f.memories()
	f.fill(scope{depth: min(f.opts.Depth, 2), trips: min(f.opts.Trips, 3), returns: f.chance(30) && !g.has(PartialBarriers|SeparateBarriers)})
	g.names = f.names
	var parameters, loads strings.Builder
	for _, p := range []string{"own", "in", "real", "acc", "bins"} {
		fmt.Fprintf(&parameters, ",\n\t.param .b64 %s", p)
		fmt.Fprintf(&loads, "\t.reg .b64 %%%s;\n\tld.param.b64 %%%s, [%s];\n", p, p, p)
	}
	fmt.Fprintf(&g.parts.functions, `.func (.param .b32 result) %s(
	.param .b32 a0,
	.param .b32 a1,
	.param .b32 n%s
)
{
	.reg .b32 %%w<%d>, %%n;
	.reg .f32 %%f<%d>;
	.reg .b64 %%l<%d>;
	ld.param.b32 %%n, [n];
%s%s%s:
%s:
	st.param.b32 [result], %s;
	ret;
}
`, name, parameters.String(), words, floats, longs, loads.String(), f.finished(), stores, last, g.anyWord())
	made := function{name, f.calls + 1, f.ends}
	g.parts.plain = append(g.parts.plain, made)
	return made
}

// recursion calls a function that calls itself, once or twice, to a depth that a word says.
func (g *generator) recursion() {
	if len(g.parts.recursive) == 0 {
		g.parts.recursive = append(g.parts.recursive, g.recursive())
	}
	depth := g.temp("b32")
	from := g.anyIndex()
	if g.chanceKnown() {
		from = g.knownWord(false)
	}
	g.emit("rem.u32 %s, %s, %d", depth, from, 1+min(g.opts.Trips, 4))
	g.pass(g.parts.recursive[0], []string{depth, g.anyWord()}, "in")
}

// recursive writes such a function.
func (g *generator) recursive() string {
	name := g.name("r")
	again := func(register string) string {
		return fmt.Sprintf(`	{
	.param .b32 d;
	st.param.b32 [d], %%d;
	.param .b32 y;
	st.param.b32 [y], %%x;
	.param .b32 m;
	st.param.b32 [m], %%n;
	.param .b64 i;
	st.param.b64 [i], %%in;
	.param .b32 deeper;
	call (deeper), %s, (d, y, m, i);
	ld.param.b32 %s, [deeper];
	}
`, name, register)
	}
	inner := again("%y")
	if g.chance(30) {
		inner += again("%x")
	}
	fmt.Fprintf(&g.parts.functions, `.func (.param .b32 result) %s(
	.param .b32 depth,
	.param .b32 x,
	.param .b32 n,
	.param .b64 in
)
{
	.reg .b32 %%d, %%x, %%y, %%n;
	.reg .b64 %%in, %%at;
	.reg .pred %%p;
	ld.param.b32 %%d, [depth];
	ld.param.b32 %%x, [x];
	ld.param.b32 %%n, [n];
	ld.param.b64 %%in, [in];
	setp.eq.s32 %%p, %%d, 0;
	@%%p bra BASE;
	sub.s32 %%d, %%d, 1;
	rem.u32 %%y, %%x, %d;
	mad.wide.u32 %%at, %%y, 4, %%in;
	ld.global.u32 %%y, [%%at];
	%s %%x, %%x, %%y;
%s	%s %%x, %%x, %%y;
BASE:
	st.param.b32 [result], %%x;
	ret;
}
`, name, elements, pick(g, "add.s32", "xor.b32"), inner, pick(g, "sub.s32", "mul.lo.s32"))
	return name
}
