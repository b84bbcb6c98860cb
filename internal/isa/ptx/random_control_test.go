package ptx

import (
	"fmt"
	"strings"

	"warpbound/internal/isa"
)

// position says what may stand somewhere.
type position struct {
	depth    int    // of further compound statements
	trips    int    // by which loops may still multiply executions
	together bool   // all threads of the CTA come here
	mayExit  bool   // threads may end here
	leave    string // where a loop around this ends
}

func (g *randomModule) body() {
	top := position{depth: 3, trips: 6, together: true}
	rest := g.IntN(g.left + 1)
	g.left -= rest
	g.statements(top, g.left)
	g.left = rest
	top.together, top.mayExit = false, g.chance(50)
	g.statements(top, g.left)
}

// statements writes up to so many.
func (g *randomModule) statements(p position, maximum int) {
	for ; maximum > 0 && g.left > 0; maximum-- {
		g.left--
		g.statement(p)
	}
}

func (g *randomModule) block(p position, uniform bool) {
	p.depth--
	if p.together && !uniform { // not to leave what all execute together
		p.together, p.leave = false, ""
	}
	g.statements(p, g.IntN(4))
}

func (g *randomModule) statement(p position) {
	switch {
	case p.together && g.chance(15):
		g.synchronize()
	case p.depth > 0 && g.chance(30):
		choose(g, g.branch, g.branch, g.loop, g.loop, g.indexed, g.irreducible, g.call, g.call)(p)
	case p.leave != "" && !p.together && g.chance(15):
		g.emit("@%s bra %s", g.condition(), p.leave)
	case p.mayExit && g.chance(4):
		g.emit("@%s bra END", g.condition())
	default:
		g.instruction()
	}
}

// condition computes a predicate that lanes may disagree on.
func (g *randomModule) condition() string {
	not := choose(g, "", "!")
	if g.chance(30) {
		return not + g.register(isa.Pred)
	}
	mask := choose(g, 1, 2, 3, 7, 16, 31, 96)
	g.emit("and.b32 %%index, %s, %d; setp.%s.u32 %%test, %%index, %d",
		g.fitting(isa.U32, false), mask, choose(g, "eq", "ne", "lt", "ge"), g.IntN(mask+1))
	return not + "%test"
}

func (g *randomModule) branch(p position) {
	other, end := g.name("L"), g.name("L")
	uniform := p.together && g.chance(50)
	if uniform {
		g.emit("setp.%s.u32 %%test, %%cta, %d", choose(g, "eq", "ge"), g.IntN(3))
		g.emit("@%%test bra%s %s", choose(g, "", ".uni"), other)
	} else {
		g.emit("@%s bra %s", g.condition(), other)
	}
	g.block(p, uniform)
	if g.chance(60) {
		g.emit("bra%s %s", choose(g, "", ".uni"), end)
	}
	g.place(other)
	g.block(p, uniform)
	g.place(end)
}

func (g *randomModule) loop(p position) {
	if p.trips < 1 {
		g.instruction()
		return
	}
	maximum := 1 + g.IntN(p.trips)
	count := g.name("%count")
	head, end := g.name("L"), g.name("L")
	g.emit(".reg .b32 %s", count)
	uniform := p.together && g.chance(50)
	if uniform {
		g.emit("mov.b32 %s, %d", count, maximum)
	} else {
		g.emit("rem.u32 %s, %s, %d", count, g.fitting(isa.U32, false), maximum+1)
	}
	p.trips /= maximum
	p.leave = end
	g.place(head)
	g.emit("setp.eq.u32 %%test, %s, 0", count)
	g.emit("@%%test bra %s", end)
	g.emit("add.u32 %s, %s, -1", count, count)
	g.block(p, uniform)
	if g.chance(30) {
		g.emit("@%s bra %s", g.perhaps(uniform), head)
		g.block(p, uniform)
	}
	g.emit("bra %s", head)
	g.place(end)
}

// perhaps is a condition, the same in all threads if that is asked for.
func (g *randomModule) perhaps(uniform bool) string {
	if !uniform {
		return g.condition()
	}
	g.emit("setp.eq.u32 %%test, %%cta, %d", g.IntN(3))
	return "%test"
}

// indexed is a branch by a list of targets.
func (g *randomModule) indexed(p position) {
	end, list := g.name("L"), g.name("T")
	targets := []string{end}
	for range g.IntN(4) {
		targets = append(targets, g.name("L"))
	}
	var order []string
	for range 1 + g.IntN(6) {
		order = append(order, choose(g, targets...))
	}
	fmt.Fprintf(&g.text, "%s: .branchtargets %s;\n", list, strings.Join(order, ", "))
	g.emit("rem.u32 %%limit, %s, %d", g.fitting(isa.U32, false), len(order))
	guard := ""
	if g.chance(30) {
		guard = "@" + g.condition() + " "
	}
	g.emit("%sbrx.idx %%limit, %s", guard, list)
	for _, l := range targets[1:] {
		g.place(l)
		g.block(p, false)
		if g.chance(60) {
			g.emit("bra %s", end)
		}
	}
	g.place(end)
}

// irreducible is a group of blocks that branch to each other at will. Each thread
// passes only so many of them.
func (g *randomModule) irreducible(p position) {
	p.depth, p.trips, p.together, p.leave = 0, 0, false, ""
	fuel, end := g.name("%fuel"), g.name("L")
	var labels []string
	for range 2 + g.IntN(4) {
		labels = append(labels, g.name("L"))
	}
	g.emit(".reg .b32 %s; mov.b32 %s, %d", fuel, fuel, 1+g.IntN(8))
	g.emit("@%s bra %s", g.condition(), choose(g, labels...))
	for _, l := range labels {
		g.place(l)
		g.statement(p)
		g.emit("add.u32 %s, %s, -1; setp.eq.u32 %%test, %s, 0", fuel, fuel, fuel)
		g.emit("@%%test bra %s", end)
		g.emit("@%s bra %s", g.condition(), choose(g, append(labels, end)...))
	}
	g.place(end)
}

// synchronize is a barrier of all threads of the CTA, in any form, and what they may do
// between two of them.
func (g *randomModule) synchronize() {
	if g.chance(30) { // the elements that all update
		g.emit("bar.sync 0; ld.shared.b32 %s, [bins_shared+%d]; bar.sync 0", g.register(isa.B32), 4*g.IntN(binBytes/4))
		return
	}
	if g.chance(30) { // the memory of other threads
		g.emit("bar.sync 1; rem.u32 %%index, %s, %d; mov.u64 %%wide, own_shared; mad.wide.u32 %%at, %%index, 4, %%wide", g.fitting(isa.U32, false), g.threads()*ownBytes/4)
		g.emit("ld.shared.b32 %s, [%%at]; bar.sync 1", g.register(isa.B32))
		return
	}
	for {
		name, f, err := compile(rows[g.IntN(len(rows))])
		if err != nil {
			panic(err)
		}
		if f.op != isa.Bar {
			continue
		}
		c, mnemonic := g.spell(name, f)
		all := (g.threads() + g.width - 1) / g.width * g.width
		var texts []string
		for i := range c.slots {
			switch s := &c.slots[i]; s.letter {
			case 'a':
				texts = append(texts, fmt.Sprint(2+g.IntN(14)))
			case 'b':
				texts = append(texts, fmt.Sprint(all))
			default:
				text, _ := g.value(&c, s, c.typeOf(s, isa.U64))
				texts = append(texts, text)
			}
		}
		switch c.instr.Barrier {
		case isa.BarrierArrive: // somebody else would have to wait
			continue
		case isa.BarrierClusterArrive:
			g.emit("%s", mnemonic)
			g.emit("barrier.cluster.wait")
			return
		case isa.BarrierClusterWait:
			g.emit("barrier.cluster.arrive")
		}
		g.emit("%s %s", mnemonic, strings.Join(texts, ", "))
		return
	}
}

// call is a call of a function of two parameters that returns a word: of one
// that may call itself, or of one of two by its address.
func (g *randomModule) call(p position) {
	if g.inFunc {
		g.instruction()
		return
	}
	names := []string{g.name("f"), g.name("f")}
	recursive := g.chance(40)
	for i, n := range names {
		g.function(n, names[1-i], recursive)
	}
	depth := g.IntN(4)
	guard := ""
	if g.chance(20) {
		guard = "@" + g.condition() + " "
	}
	g.emit("{ .param .b32 r; .param .b32 n; .param .b64 x")
	g.emit("st.param.b32 [n], %d; st.param.b64 [x], %s", depth, g.fitting(isa.B64, false))
	if g.chance(50) {
		g.emit("%scall (r), %s, (n, x)", guard, names[0])
	} else {
		address := g.name("%function")
		g.emit(".reg .b64 %s, %s_other; mov.u64 %s, %s; mov.u64 %s_other, %s", address, address, address, names[0], address, names[1])
		g.emit("@%s mov.u64 %s, %s_other", g.condition(), address, address)
		prototype := g.name("P")
		fmt.Fprintf(&g.text, "%s: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n", prototype)
		g.emit("%scall (r), %s, (n, x), %s", guard, address, prototype)
	}
	g.emit("ld.param.b32 %s, [r]; }", g.register(isa.B32))
}

// function writes a function. One that is recursive calls itself or another
// until its first parameter is zero.
func (g *randomModule) function(name, other string, recursive bool) {
	outside, types := g.text, g.types
	g.text = strings.Builder{}
	g.inFunc, g.types = true, []isa.Type{isa.Pred, isa.B8, isa.B16, isa.B32, isa.B64, isa.U32, isa.S32, isa.F32, isa.B128}
	g.emit(".local .align 32 .b8 own_local[%d]; .reg .b64 %%local, %%generic; mov.u64 %%local, own_local", ownBytes)
	for i := 0; i < ownBytes; i += 8 {
		g.emit("st.local.u64 [%%local+%d], %d", i, g.IntN(1<<16))
	}
	g.emit(".reg .b32 %%n, %%result; .reg .b64 %%x; ld.param.b32 %%n, [n]; ld.param.b64 %%x, [x]; cvt.u32.u64 %%result, %%x")
	g.registers("%result")
	p := position{depth: 1, trips: 2}
	g.statements(p, 1+g.IntN(4))
	if recursive {
		g.emit("setp.eq.u32 %%test, %%n, 0; @%%test bra LAST")
		g.emit("add.u32 %%n, %%n, -1")
		for range 1 + g.IntN(2) {
			g.emit("{ .param .b32 r; .param .b32 m; .param .b64 y; st.param.b32 [m], %%n; st.param.b64 [y], %s", g.fitting(isa.B64, false))
			g.emit("call (r), %s, (m, y); ld.param.b32 %%index, [r]; } add.u32 %%result, %%result, %%index", choose(g, name, other))
			g.statements(p, g.IntN(3))
		}
		g.place("LAST")
	}
	g.emit("xor.b32 %%result, %%result, %s", g.register(isa.B32))
	g.emit("st.param.b32 [r], %%result; ret")
	head := fmt.Sprintf(".func (.param .b32 r) %s(.param .b32 n, .param .b64 x)", name)
	body := g.text.String()
	g.text, g.types, g.inFunc = outside, types, false
	before := g.functions.String()
	g.functions.Reset()
	fmt.Fprintf(&g.functions, "%s;\n%s%s {\n%s}\n", head, before, head, body)
}
