package instrument_test

import (
	"fmt"
	"strings"

	"warpbound/internal/kernelgen"
)

// modules makes random modules: a kernel and functions that call each other, with loops,
// branches, switches and lanes that end early in all of them. Every thread computes a sum on
// its own, so results do not depend on time.
type modules struct {
	kernelgen.Source
	text   strings.Builder
	labels int
	left   int // statements
	fn     int // the function being written; the kernel is the last
	depth  int
}

// functions is how many functions there are beside the kernel.
const functions = 3

func randomModule(src kernelgen.Source) string {
	g := &modules{Source: src}
	var funcs strings.Builder
	for g.fn = range functions {
		g.text.Reset()
		g.left = 3 + g.IntN(4)
		g.block()
		style, load, store := "(.reg .b32 %acc) f%d (.reg .b32 %%x)", "mov.b32 %acc, %x;", ""
		if g.fn%2 == 1 {
			style, load, store = "(.param .b32 res) f%d (.param .b32 arg)", "ld.param.b32 %acc, [arg];", "st.param.b32 [res], %acc;"
		}
		fmt.Fprintf(&funcs, ".func "+strings.ReplaceAll(style, "%acc", "%%acc")+"\n{\n.reg .pred %%p<9>; .reg .b32 %%r<40>, %%t; ", g.fn)
		if g.fn%2 == 1 {
			funcs.WriteString(".reg .b32 %acc;")
		}
		fmt.Fprintf(&funcs, "\nmov.u32 %%t, %%tid.x;\n%s\n%s\n%s\nret;\n}\n", load, g.text.String(), store)
	}
	g.fn, g.left = functions, 5+g.IntN(8)
	g.text.Reset()
	g.block()
	return kernel("6.3", "sm_70", funcs.String(), ".reg .b32 %acc;\nmov.b32 %acc, %n;\n"+g.text.String()+"\nst.global.u32 [%at], %acc;\nret;")
}

func (g *modules) put(format string, args ...any) { fmt.Fprintf(&g.text, format+"\n", args...) }

func (g *modules) label() string {
	g.labels++
	return fmt.Sprintf("L%d", g.labels)
}

// condition sets a predicate that differs between threads.
func (g *modules) condition(p int) {
	g.put("add.u32 %%r0, %%t, %%acc;\nand.b32 %%r0, %%r0, %d;\nsetp.%s.u32 %%p%d, %%r0, %d;",
		1<<g.IntN(6), []string{"eq", "ne"}[g.IntN(2)], p, 0)
}

func (g *modules) block() {
	for n := 1 + g.IntN(3); n > 0 && g.left > 0; n-- {
		g.left--
		g.statement()
	}
}

func (g *modules) statement() {
	if g.depth > 2 {
		g.put("mad.lo.u32 %%acc, %%acc, 5, %d;", g.IntN(100))
		return
	}
	g.depth++
	defer func() { g.depth-- }()
	a, b := g.label(), g.label()
	switch g.IntN(8) {
	case 0:
		g.put("xor.b32 %%acc, %%acc, %d;", g.IntN(1000))
	case 1: // if, perhaps with else
		g.condition(1)
		g.put("@%%p1 bra %s;", a)
		g.block()
		if g.IntN(2) == 0 {
			g.put("bra.uni %s;\n%s:", b, a)
			g.block()
			g.put("%s:", b)
		} else {
			g.put("%s:", a)
		}
	case 2: // loop, which some lanes leave earlier
		counter := 10 + g.depth
		g.put("and.b32 %%r%d, %%acc, 3;\n%s:", counter, a)
		g.block()
		g.condition(2)
		g.put("@%%p2 bra %s;", b)
		g.put("sub.u32 %%r%d, %%r%d, 1;\nsetp.gt.s32 %%p3, %%r%d, 0;\n@%%p3 bra %s;\n%s:", counter, counter, counter, a, b)
	case 3:
		g.condition(4)
		g.put("@%%p4 exit;")
	case 4: // switch
		c := g.label()
		g.put("and.b32 %%r1, %%acc, 1;\nT%s: .branchtargets %s, %s;\nbrx.idx %%r1, T%s;\n%s:", a, a, b, a, a)
		g.block()
		g.put("bra %s;\n%s:", c, b)
		g.block()
		g.put("%s:", c)
	default:
		g.call()
	}
}

// call calls a function that comes before the one being written.
func (g *modules) call() {
	if g.fn == 0 {
		g.put("add.u32 %%acc, %%acc, 7;")
		return
	}
	callee, guard := g.IntN(g.fn), ""
	if callee%2 == 1 {
		g.put("{ .param .b32 a; .param .b32 r;\nst.param.b32 [a], %%acc;\ncall (r), f%d, (a);\nld.param.b32 %%acc, [r]; }", callee)
		return
	}
	if g.IntN(2) == 0 {
		g.condition(5)
		guard = "@%p5 "
	}
	g.put("%scall (%%acc), f%d, (%%acc);", guard, callee)
}
